// Certificate of many answers whose distances from all sources lie side by side, vertex by vertex, for weights above zero.
//
// Idea: if no weight is zero or less, the distances of a source are exact if the source is at 0, each other vertex is at
// the least that an arc into it offers, and none is unreachable behind a tail that is reached. The conditions are those of
// spread_rows: no arc offers less, and a tight arc explains each distance. Marks are not needed, as the arcs into a vertex
// follow one another. A distance and a weight make a sum of 32 bits without a sign; a larger distance is wrong itself.
// Threads: lane l takes source l of 32, GROUPS times, so that all lanes read the same arc and distances next to each other;
// a block takes ROWS vertices. Memory: an arc is 8 bytes; distances of shape (sources / 32, n, 32), by position, 64-bit
// indices. A block keeps its arcs in shared memory, unless they are too many.
// Limit: memory. A distance is read for its vertex and for each arc out of it, mostly from a cache if near positions are
// near in the graph. Measured on an H200: 0.8 us a source of New York.
// Source: our own.
#undef FLOAT_BITS // distances are whole numbers
#include "warpath/certificates/arc_rules.cuh"

#ifndef ROWS
#define ROWS 64
#endif
#ifndef GROUPS
#define GROUPS 2
#endif
#define WARP 32
#define ARCS_KEPT (8 * ROWS)

// An arc into a vertex.
struct alignas(8) ArcIn {
    int tail, weight;
};

// `starts` and `arcs` are by position of the head. Column i of the distances is of the source at `source_positions[i]`.
extern "C" __global__ void judge_columns(int vertices, const int *__restrict__ all_starts,
                                         const ArcIn *__restrict__ all_arcs, const int *__restrict__ source_positions,
                                         int sources, const unsigned int *__restrict__ all_distances, unsigned int call,
                                         unsigned int *faulty_rows, unsigned long long *verdict)
{
    __shared__ int starts[ROWS + 1];
    __shared__ ArcIn kept[ARCS_KEPT];
    __shared__ unsigned int reached_by_block;
    const int first = blockIdx.x * ROWS, rows = min(ROWS, vertices - first);
    const int first_arc = all_starts[first], arc_count = all_starts[first + rows] - first_arc;
    const ArcIn *arcs = all_arcs + first_arc;
    for (int i = threadIdx.x; i <= rows; i += blockDim.x)
        starts[i] = all_starts[first + i] - first_arc;
    if (arc_count <= ARCS_KEPT) {
        for (int i = threadIdx.x; i < arc_count; i += blockDim.x)
            kept[i] = arcs[i];
        arcs = kept;
    }
    if (threadIdx.x == 0)
        reached_by_block = 0;
    __syncthreads();

    const int first_column =
        (blockIdx.y * (blockDim.x / WARP) + threadIdx.x / WARP) * GROUPS * WARP + threadIdx.x % WARP;
    const unsigned int *distances[GROUPS];
    int source[GROUPS];
    bool wrong[GROUPS];
#pragma unroll
    for (int group = 0; group < GROUPS; ++group) {
        const int column = first_column + group * WARP;
        // Columns beyond the last repeat the first.
        source[group] = column < sources ? source_positions[column] : -1;
        distances[group] =
            all_distances + (column < sources ? (size_t)(column / WARP) * vertices * WARP : 0) + column % WARP;
        wrong[group] = false;
    }
    unsigned int reached = 0;
    int arc = 0;
    for (int row = 0; row < rows; ++row) {
        unsigned int distance[GROUPS], offered[GROUPS], nearest_tail[GROUPS];
#pragma unroll
        for (int group = 0; group < GROUPS; ++group) {
            distance[group] = distances[group][(size_t)(first + row) * WARP];
            offered[group] = 0xffffffffu;
            nearest_tail[group] = UNREACHABLE;
        }
        const int end = starts[row + 1];
#pragma unroll 4
        for (; arc < end; ++arc) {
            const ArcIn in = arcs[arc];
#pragma unroll
            for (int group = 0; group < GROUPS; ++group) {
                const unsigned int at_tail = distances[group][(size_t)in.tail * WARP];
                nearest_tail[group] = min(nearest_tail[group], at_tail);
                offered[group] = min(offered[group], at_tail + in.weight);
            }
        }
#pragma unroll
        for (int group = 0; group < GROUPS; ++group) {
            reached += source[group] >= 0 && distance[group] != UNREACHABLE;
            wrong[group] |= first + row == source[group] ? distance[group] != 0
                            : distance[group] == UNREACHABLE
                                ? nearest_tail[group] != UNREACHABLE
                                : distance[group] > UNREACHABLE || distance[group] != offered[group];
        }
    }
#pragma unroll
    for (int group = 0; group < GROUPS; ++group)
        if (wrong[group] && source[group] >= 0) {
            faulty_rows[first_column + group * WARP] = call;
            verdict[FAULT] = call;
        }
    atomicAdd(&reached_by_block, reached);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&verdict[REACHED], (unsigned long long)reached_by_block);
}
