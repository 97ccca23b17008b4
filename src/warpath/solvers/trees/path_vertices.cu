// The vertices of one path for each of many pairs, from rows of predecessors.
//
// Idea: a path is a walk from its target back to the source, whose predecessor is none. `count` walks to find the length
// of the path, and `write` walks again and writes the vertices from the end on.
// Threads: a thread a pair, any block. Memory: predecessors of shape (rows, n), and the vertices of all paths, one after
// another, with 64-bit indices. Limit: latency, a read for each vertex of a path after the one before; threads hide it.
// Source: our own.
#include "warpath/solvers/shared/distances.cuh"

#define THREAD ((long long)blockIdx.x * blockDim.x + threadIdx.x)

// `counts[i]` is not 0 if pair i has a path, and becomes its number of vertices.
extern "C" __global__ void count(int pairs, int vertices, const int *rows, const int *targets,
                                 const int *__restrict__ predecessors, int *counts)
{
    const long long pair = THREAD;
    if (pair >= pairs || counts[pair] == 0)
        return;
    const int *of_row = predecessors + (size_t)rows[pair] * vertices;
    int walked = 0;
    for (int vertex = targets[pair]; vertex != NO_PREDECESSOR && walked < vertices; vertex = of_row[vertex])
        ++walked;
    counts[pair] = walked;
}

// The path of pair i is at `starts[i]` to `starts[i + 1]` - 1 of `paths`.
extern "C" __global__ void write(int pairs, int vertices, const int *rows, const int *targets,
                                 const int *__restrict__ predecessors, const long long *starts, int *paths)
{
    const long long pair = THREAD;
    if (pair >= pairs)
        return;
    const int *of_row = predecessors + (size_t)rows[pair] * vertices;
    int vertex = targets[pair];
    for (long long place = starts[pair + 1] - 1; place >= starts[pair]; --place) {
        paths[place] = vertex;
        vertex = of_row[vertex];
    }
}
