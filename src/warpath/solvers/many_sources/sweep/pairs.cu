// Distances of pairs of a source and a target: joins two rows of what climb of sweep.cu finds.
//
// Idea: as in table.cu, a distance is the least sum over the ancestors that both share. Rows begin at the root, so these
// are a common beginning of both rows. The tree tells its length: the lowest ancestor of the source that is an ancestor
// of the target, too. No other label and no chain of ancestors is read.
// Threads: a warp for 32 pairs, blocks of any number of warps. Lane l looks for the ancestor of pair l, LEAP levels at a
// time and then one by one; then all lanes join one pair after another, a lane for every 32nd depth.
// Memory: labels of shape (rows, height), int32, with 64-bit indices; 16 bytes a vertex for the tree, and 4 for the leap.
// A pair reads 8 bytes for each ancestor that is shared.
// Limit: memory. Two vertices of New York share at most 258 ancestors, so a million pairs read at most 2.1 GB.
// Source: I. Abraham, D. Delling, A. Goldberg and R. Werneck, "A Hub-Based Labeling Algorithm for Shortest Paths in Road
// Networks", 2011.
#include "warpath/solvers/many_sources/sweep/tree.cuh"

// The number of ancestors that two vertices share; a vertex is one of its own.
__device__ __forceinline__ int shared_ancestors(int one, int other, const Node *__restrict__ nodes,
                                                const int *__restrict__ leaps)
{
    const auto is_shared = [&](int vertex) { return leads_to(vertex, nodes[vertex].size, other); };
    int vertex = one;
    for (int above = leaps[vertex]; above >= 0 && !is_shared(above); above = leaps[vertex])
        vertex = above;
    while (vertex >= 0 && !is_shared(vertex))
        vertex = nodes[vertex].parent;
    return vertex < 0 ? 0 : nodes[vertex].depth + 1;
}

// The labels of the ends of pair i are row `source_rows[i]` of `from_source` and row `target_rows[i]` of `to_target`.
extern "C" __global__ void pairs(int count, int height, const Node *__restrict__ nodes, const int *__restrict__ leaps,
                                 const int *__restrict__ positions, const int *__restrict__ sources,
                                 const int *__restrict__ targets, const int *__restrict__ source_rows,
                                 const int *__restrict__ target_rows, const unsigned int *__restrict__ from_source,
                                 const unsigned int *__restrict__ to_target, int *distances)
{
    const int lane = threadIdx.x % LANES;
    const int own = blockIdx.x * blockDim.x + threadIdx.x, first = own - lane;
    int shared = 0, source_row = 0, target_row = 0;
    if (own < count) {
        shared = shared_ancestors(positions[sources[own]], positions[targets[own]], nodes, leaps);
        source_row = source_rows[own];
        target_row = target_rows[own];
    }
    unsigned int found = UNREACHABLE;
    const int pairs_left = min(LANES, count - first);
    for (int i = 0; i < pairs_left; ++i) {
        const int depths = __shfl_sync(ALL_LANES, shared, i);
        const unsigned int *one = from_source + (size_t)__shfl_sync(ALL_LANES, source_row, i) * height;
        const unsigned int *other = to_target + (size_t)__shfl_sync(ALL_LANES, target_row, i) * height;
        unsigned int best = UNREACHABLE;
#pragma unroll 4
        for (int depth = lane; depth < depths; depth += LANES)
            best = min(best, one[depth] + other[depth]);
#pragma unroll
        for (int apart = LANES / 2; apart > 0; apart /= 2)
            best = min(best, __shfl_xor_sync(ALL_LANES, best, apart));
        if (lane == i)
            found = best;
    }
    if (own < count)
        distances[own] = (int)found;
}
