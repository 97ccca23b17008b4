// Label correcting, batch: the answer, from the rows that the rounds of batch.cu leave.
//
//   rows    the distances of each source, one after another. Each block turns a tile of rows in shared memory;
//   trees   the predecessors, if all weights are positive whole numbers: the lowest tails of tight arcs.
// Threads: a grid of which y is the group of sources.
// Memory: the rows, once, and in `trees` the row of each tail of an arc that weighs no more than the farthest distance; the answer, in whole lines.
// Source: our own.
#include "warpath/solvers/many_sources/batch_rows.cuh"

#define TILE_VERTICES 128

// A block of (32, r) threads for a tile of 128 vertices and a group, turned in shared memory. A distance from `nowhere`
// on is UNREACHABLE. `overflowed` becomes 1 if a distance may be lost, which shows in one from `late` on.
extern "C" __global__ void rows(int vertices, int count, const word_t *__restrict__ all_rows, word_t nowhere,
                                word_t late, int *overflowed, Length *__restrict__ distances)
{
    __shared__ word_t tile[TILE_VERTICES][LANES + 1];
    const int first_vertex = blockIdx.x * TILE_VERTICES, first_source = blockIdx.y * SOURCES;
    const word_t *const words = all_rows + ((size_t)blockIdx.y * vertices + first_vertex) * LANES;
    bool any_late = false;
#pragma unroll 8
    for (int i = threadIdx.y; i < TILE_VERTICES; i += blockDim.y)
        if (first_vertex + i < vertices)
            tile[i][threadIdx.x] = __ldcs(words + (size_t)i * LANES + threadIdx.x);
    __syncthreads();
    for (int source = threadIdx.y; source < SOURCES && first_source + source < count; source += blockDim.y)
#pragma unroll
        for (int i = threadIdx.x; i < TILE_VERTICES; i += LANES) {
            if (first_vertex + i >= vertices)
                continue;
            word_t distance = tile[i][source / PER_WORD];
            if (PER_WORD > 1)
                distance = distance >> BITS % 32 * (source % PER_WORD) & 0xffff;
            any_late |= distance >= late && distance < nowhere;
            __stcs(distances + (size_t)(first_source + source) * vertices + first_vertex + i,
                   distance < nowhere ? (Length)distance : (Length)UNREACHABLE);
        }
    if (any_late)
        *overflowed = 1;
}

#if !FLOAT_BITS
// Keep `tail` as the predecessor of those distances of a word for which it is tight, unless they have a lower one.
__device__ __forceinline__ void keep_tight(unsigned int word, unsigned int reached, unsigned int weight,
                                           unsigned int tail, unsigned int *found)
{
    const unsigned int difference = word ^ (reached + word_of(weight));
#pragma unroll
    for (int i = 0; i < PER_WORD; ++i) {
        const unsigned int own = PER_WORD == 1 ? difference : difference >> 16 * i & 0xffff;
        if (!own)
            found[i] = min(found[i], tail);
    }
}

// The largest distance of a word, 0 if there is none. `nowhere` is that of one distance.
__device__ __forceinline__ unsigned int farthest_of(unsigned int word, unsigned int nowhere)
{
    unsigned int farthest = 0;
#pragma unroll
    for (int i = 0; i < PER_WORD; ++i) {
        const unsigned int own = PER_WORD == 1 ? word : word >> 16 * i & 0xffff;
        farthest = own < nowhere ? max(farthest, own) : farthest;
    }
    return farthest;
}

// A block of 256 threads for 32 vertices and a group: each team looks for tight arcs into its vertex, the lightest
// first, and the lowest tail of all. All weights are positive. The predecessors are turned in shared memory.
extern "C" __global__ void __launch_bounds__(BLOCK_MAX)
    trees(int vertices, const int *__restrict__ indptr, const Arc *__restrict__ in_arcs, int count,
          const uint4 *__restrict__ all_rows, unsigned int nowhere, int *__restrict__ predecessors)
{
    __shared__ unsigned int tile[SOURCES][LANES + 1];
    const int lane = threadIdx.x % TEAM, own_vertex = threadIdx.x / TEAM, first_vertex = blockIdx.x * LANES;
    const int vertex = min(first_vertex + own_vertex, vertices - 1), first_source = blockIdx.y * SOURCES;
    const uint4 *const rows = all_rows + (size_t)blockIdx.y * vertices * TEAM;
    const uint4 row = rows[(size_t)vertex * TEAM + lane];
    unsigned int found[4 * PER_WORD];
#pragma unroll
    for (int i = 0; i < 4 * PER_WORD; ++i)
        found[i] = NO_PREDECESSOR;
    const unsigned int farthest = largest_of_team(max(max(farthest_of(row.x, nowhere), farthest_of(row.y, nowhere)),
                                                      max(farthest_of(row.z, nowhere), farthest_of(row.w, nowhere))));
    const int end = indptr[vertex + 1];
    for (int arc = indptr[vertex];; arc += TEAM) {
        const Arc own = arc + lane < end ? in_arcs[arc + lane] : no_arc();
        const int arcs = min(TEAM, end - arc); // of this chunk; not above 0 after the last one
        const unsigned int lightest = __shfl_sync(ALL_LANES, own.weight, 0, TEAM);
        bool on = arcs > 0 && lightest <= farthest;
        if (!__any_sync(ALL_LANES, on))
            break;
#pragma unroll
        for (int one = 0; one < TEAM; ++one) {
            const int tail = __shfl_sync(ALL_LANES, own.end, one, TEAM);
            const unsigned int weight = __shfl_sync(ALL_LANES, own.weight, one, TEAM);
            on = on && one < arcs && weight <= farthest;
            if (!on)
                continue;
            const uint4 reached = rows[(size_t)tail * TEAM + lane];
            keep_tight(row.x, reached.x, weight, tail, found);
            keep_tight(row.y, reached.y, weight, tail, found + PER_WORD);
            keep_tight(row.z, reached.z, weight, tail, found + 2 * PER_WORD);
            keep_tight(row.w, reached.w, weight, tail, found + 3 * PER_WORD);
        }
        arc = min(arc, end); // so that it does not wrap
    }
#pragma unroll
    for (int i = 0; i < 4 * PER_WORD; ++i)
        tile[lane * 4 * PER_WORD + i][own_vertex] = found[i];
    __syncthreads();
    const int column = threadIdx.x % LANES;
    for (int source = threadIdx.x / LANES; source < SOURCES && first_source + source < count;
         source += blockDim.x / LANES)
        if (first_vertex + column < vertices)
            __stcs(predecessors + (size_t)(first_source + source) * vertices + first_vertex + column,
                   (int)tile[source][column]);
}
#endif
