// Certificate of many answers whose distances from all sources lie side by side, vertex by vertex, for weights above zero.
//
// Idea: if no weight is zero or less, the distances of a source are exact if the source is at 0, each other vertex is at
// the least that an arc into it offers, and none is unreachable behind a tail that is reached. The conditions are those of
// spread_rows: no arc offers less, and a tight arc explains each distance. Marks are not needed, as the arcs into a vertex
// follow one another.
// Threads: lane l takes source l of its warp, so that all lanes read the same arc and distances next to each other; a
// block takes ROWS vertices of as many sources as it has threads. Memory: an arc is 8 bytes; distances of shape
// (n, stride), by position, 64-bit indices.
// Limit: memory. A distance is read for its vertex and for each arc out of it, mostly from L1 if near positions are
// near in the graph.
// Source: our own.
#include "warpath/certificates/arc_rules.cuh"

#ifndef ROWS
#define ROWS 256
#endif

// An arc into a vertex.
struct alignas(8) ArcIn {
    int tail, weight;
};

// `starts` and `arcs` are by position of the head. Column i of `all_distances` is of the source at `source_positions[i]`.
extern "C" __global__ void judge_columns(int vertices, const int *__restrict__ starts, const ArcIn *__restrict__ arcs,
                                         const int *__restrict__ source_positions, int sources, int stride,
                                         const unsigned int *__restrict__ all_distances, unsigned int call,
                                         unsigned int *faulty_rows, unsigned long long *verdict)
{
    __shared__ unsigned int reached_by_block;
    if (threadIdx.x == 0)
        reached_by_block = 0;
    __syncthreads();
    const int column = blockIdx.y * blockDim.x + threadIdx.x;
    if (column < sources) {
        const unsigned int *distances = all_distances + column;
        const int source = source_positions[column], last = min(vertices, (int)(blockIdx.x + 1) * ROWS);
        bool wrong = false;
        unsigned int reached = 0;
        int arc = starts[blockIdx.x * ROWS];
        for (int vertex = blockIdx.x * ROWS; vertex < last; ++vertex) {
            const int end = starts[vertex + 1];
            const unsigned int distance = distances[(size_t)vertex * stride];
            unsigned int offered = 0xffffffffu, nearest_tail = UNREACHABLE;
#pragma unroll 4
            for (; arc < end; ++arc) {
                const unsigned int at_tail = distances[(size_t)arcs[arc].tail * stride];
                nearest_tail = min(nearest_tail, at_tail);
                offered = min(offered, at_tail + arcs[arc].weight);
            }
            reached += distance != UNREACHABLE;
            wrong |= vertex == source          ? distance != 0
                     : distance == UNREACHABLE ? nearest_tail != UNREACHABLE
                                               : distance > UNREACHABLE || distance != offered;
        }
        if (wrong) {
            faulty_rows[column] = call;
            verdict[FAULT] = call;
        }
        atomicAdd(&reached_by_block, reached);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&verdict[REACHED], (unsigned long long)reached_by_block);
}
