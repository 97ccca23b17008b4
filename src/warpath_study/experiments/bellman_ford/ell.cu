// Bellman-Ford, ELL: stride over rows of equal length, stored slot by slot.
//
// Idea over stride: in CSR, neighbouring threads read their arcs a few words apart, so that a warp's load touches many
// sectors of memory. Here every vertex has as many slots as the vertex with the most arcs, and slot 0 of all vertices
// comes first, then slot 1 of all, and so on: neighbouring threads read neighbouring words, and no offsets are read.
// Gains: coalesced reads of heads and weights, two reads of offsets less, and threads of a warp that run in step as far
// as their degrees are alike. Losses: 8 bytes for each padding slot, in memory and, up to the longest row of each warp,
// in time. The scattered reads of distances, which a round mostly waits for, stay as they are. Good where degrees are
// even (a road network: 8 slots for 2.8 arcs), bad where one vertex has far more arcs than the rest.
// Threads: as stride, whose update kernel it shares. Memory: heads and weights of shape (slots, n), two distance
// arrays, one of predecessors, and CSR, from which predecessors are found.
// Source: our own; Bodra, section 4, names ELL as future work. The format is that of the ELLPACK solvers.
#include "warpath_study/published/shared/distances.cuh"

#define PADDING (-1)

extern "C" __global__ void relax(int vertices, int slots, const int *heads, const int *weights, const int *previous,
                                 int *distances)
{
    const unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int vertex = blockIdx.x * blockDim.x + threadIdx.x; vertex < vertices; vertex += stride) {
        for (int slot = 0; slot < slots; ++slot) {
            const size_t arc = (size_t)slot * vertices + vertex;
            const int head = heads[arc];
            if (head == PADDING)
                break; // a row is filled from its front
            const int weight = weights[arc];
            if (previous[vertex] != UNREACHABLE && (long long)previous[vertex] + weight < distances[head])
                atomicMin(&distances[head], previous[vertex] + weight);
        }
    }
}
