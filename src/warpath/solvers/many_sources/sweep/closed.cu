// The descent of sweep.cu from one source: all vertices of a tier at once, not one after another.
//
// Idea: a vertex of a stretch waits for others of it. So `find_paths` finds once the shortest path inside the stretch to
// each vertex, from each border and from each of its vertices. Then a vertex waits for the tiers above alone, however
// high the tree is: `spread` takes the least of what the borders offer. Of the vertices of a stretch, only those that the
// source climbs to offer something, too, in one stretch of each tier.
// Threads: find_paths: a thread for all paths from one border or vertex, which reads only what it wrote itself. spread: a
// block of (32, r) threads for 32 vertices of a stretch, of which each warp takes every r-th border.
// Memory: 4 bytes a path, those from one border side by side, with 64-bit indices.
// Limit: latency, of a few reads in each tier; then memory, since a path is read once.
// Source: P. Sao, R. Kannan, P. Gera and R. Vuduc, "A Supernodal All-Pairs Shortest Path Algorithm", 2020, whose
// supernodes are stretches.
#include "warpath/solvers/many_sources/sweep/tree.cuh"

// The place of the path to vertex `to` of a stretch from its border `row`, or from its vertex `row - borders`, which leads
// to no vertex before that one.
__device__ __forceinline__ long long place_of(int row, int to, int borders, int vertices)
{
    const long long from = max(0, row - borders);
    return (long long)row * vertices + to - from * (from + 1) / 2;
}

// A row a thread, blocks along y. A stretch has its paths from `first_paths` on.
extern "C" __global__ void find_paths(const Stretch *__restrict__ stretches, const Item *__restrict__ items,
                                      const Pair *__restrict__ pairs, const long long *__restrict__ first_paths,
                                      unsigned int *all_paths)
{
    const Stretch stretch = stretches[blockIdx.x];
    const int borders = stretch.last_border - stretch.first_border, vertices = stretch.last_item - stretch.first_item;
    const int row = blockIdx.y * blockDim.x + threadIdx.x;
    unsigned int *const paths = all_paths + first_paths[blockIdx.x];
    // Of the path that ends with an arc from `slot`.
    const auto length = [&](int slot, unsigned int weight) {
        if (slot == row)
            return weight;
        if (slot < borders || slot < row)
            return (unsigned int)UNREACHABLE;
        return paths[place_of(row, slot - borders, borders, vertices)] + weight;
    };
    if (row >= borders + vertices)
        return;
    for (int to = max(0, row - borders); to < vertices; ++to) {
        unsigned int best = to == row - borders ? 0 : UNREACHABLE;
        const Item *const item = items + stretch.first_item + to;
        const int last_pair = item[1].first_pair;
#pragma unroll 4
        for (int i = item->first_pair; i < last_pair; ++i) {
            const Pair pair = pairs[i];
            best = min(best, length(pair.slot & ~LAST, pair.weight));
            best = min(best, length(pair.other_slot, pair.other_weight));
        }
        paths[place_of(row, to, borders, vertices)] = best;
    }
}

// `borders` and `vertices_at`, by position, are vertices of the graph; `source` is a position. `climbed` has the distances
// of its ancestors by climbing paths, by depth.
extern "C" __global__ void __launch_bounds__(1024)
    spread(const Stretch *__restrict__ stretches, const int *__restrict__ borders, const Item *__restrict__ all_items,
           const long long *__restrict__ first_paths, const unsigned int *__restrict__ all_paths,
           const int *__restrict__ vertices_at, int source, const unsigned int *__restrict__ climbed,
           unsigned int *distances)
{
    __shared__ unsigned int least[LANES];
    const Stretch stretch = stretches[blockIdx.x];
    const int border_count = stretch.last_border - stretch.first_border;
    const int vertices = stretch.last_item - stretch.first_item, to = blockIdx.y * LANES + threadIdx.x;
    if (to - (int)threadIdx.x >= vertices)
        return;
    if (threadIdx.y == 0)
        least[threadIdx.x] = UNREACHABLE;
    __syncthreads();
    const Item *const items = all_items + stretch.first_item;
    if (to < vertices) {
        const unsigned int *const paths = all_paths + first_paths[blockIdx.x];
        unsigned int best = UNREACHABLE;
#pragma unroll 8
        for (int row = threadIdx.y; row < border_count; row += blockDim.y)
            best = min(best, distances[borders[stretch.first_border + row]] +
                                 paths[place_of(row, to, border_count, vertices)]);
        if (source >= stretch.first_vertex && source < stretch.end_vertex)
#pragma unroll 4
            for (int from = threadIdx.y; from <= to; from += blockDim.y) {
                const Item item = items[from];
                if (leads_to(item.vertex, item.size, source))
                    best = min(best,
                               climbed[item.depth] + paths[place_of(border_count + from, to, border_count, vertices)]);
            }
        atomicMin(&least[threadIdx.x], best);
    }
    __syncthreads();
    if (threadIdx.y == 0 && to < vertices)
        distances[vertices_at[items[to].vertex]] = least[threadIdx.x];
}
