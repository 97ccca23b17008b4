// Contraction hierarchy, sweep: distances from many sources, a lane for each source.
//
// Idea: eliminating the vertices of a graph in an order of nested dissection puts arcs in for the paths through each of
// them, after which every shortest path climbs from its source to an ancestor and descends again. The ancestors of a
// vertex are few (at most 258 in New York). So a source climbs first, and then all vertices take the least of what
// their ancestors offer, each after its parent: every arc is relaxed once, without queues and in a fixed order.
//   climb      a warp a source: distances of its ancestors by climbing paths alone; for a few targets, table.cu joins them;
//   top        (top.cu) a block for a few sources: the vertices that have many descendants, level by level;
//   cells      a warp for 32 sources and a stretch of whole subtrees, one vertex after another; a launch for each tier;
//   rows       the distances in the order of the graph.
// A few sources climb, too, and then descend one after another by closed.cu.
// Threads: lane l of a warp works for source l of its group, so that all lanes read the same arc, and the distances of
// a vertex from a group of sources lie side by side. A lane reads what it wrote itself, or what the launches before wrote; no
// warp waits for another. Numbers of vertices are new ones: the descendants of v are v + 1, ..., v + size - 1.
// Memory: an arc is 8 bytes, a vertex 16; `work` holds n distances for each source, of shape (groups of 32 sources, n, 32),
// with 64-bit indices.
// Limit: latency, then memory. A pair of arcs and 32 sources take two reads of shared memory after a third, and a warp has
// nothing else to do; a vertex and source are written twice and read once (3.2 GB for 1,024 sources of New York).
// Source: J. Dibbelt, B. Strasser and D. Wagner, "Customizable Contraction Hierarchies", 2016; the sweep after D.
// Delling, A. Goldberg, A. Nowatzyk and R. Werneck, "PHAST: Hardware-Accelerated Shortest Path Trees", 2011.
#include "warpath/solvers/many_sources/sweep/tree.cuh"

#define TILE_VERTICES 128
#define LEAP 16
// Of how many ancestors the arcs are read ahead.
#define ANCESTORS_AHEAD 4

// How many times 32 arcs of a vertex are read ahead.
#define CHUNKS_AHEAD 3

// The first arcs of a vertex, CHUNKS_AHEAD for each lane.
struct FirstArcs {
    arc_t of_lane[CHUNKS_AHEAD];
};

__device__ __forceinline__ FirstArcs first_arcs_of(int first, int last, const arc_t *__restrict__ arcs)
{
    FirstArcs ahead;
#pragma unroll
    for (int chunk = 0; chunk < CHUNKS_AHEAD; ++chunk)
        ahead.of_lane[chunk] = arc_of_lane(first + chunk * LANES, last, arcs);
    return ahead;
}

// The first arcs of the ancestor at `depth`; none below depth 0.
__device__ __forceinline__ FirstArcs arcs_of_depth(int depth, const unsigned int *first_arcs,
                                                   const unsigned int *last_arcs, const arc_t *__restrict__ arcs)
{
    return depth >= 0 ? first_arcs_of(first_arcs[depth], last_arcs[depth], arcs) : FirstArcs{};
}

// Lower what the arcs' heads are reached at; `count` arcs, at most one a lane.
__device__ __forceinline__ void relax(arc_t arc, int count, unsigned int distance, unsigned int *reached)
{
    if ((int)threadIdx.x % LANES < count) {
        const unsigned int head = head_of(arc); // another one for each lane
        reached[head] = min(reached[head], distance + weight_of(arc));
    }
}

// A warp a vertex: the first `sources` of `vertices` are sources, and the others targets, which climb against the arcs.
// `arcs_out` and `arcs_in` tell an ancestor by its depth. `leaps` is the ancestor LEAP levels up, -1 where there is none:
// lane 0 leaps to the root, and then each lane walks the way between two leaps. `climbed` has `height` distances a
// vertex, by depth, and so has `chains` the ancestors, unless it is null; no source and target share what is no ancestor.
extern "C" __global__ void climb(int height, const Node *__restrict__ nodes, const int *__restrict__ leaps,
                                 const arc_t *__restrict__ arcs_out, const arc_t *__restrict__ arcs_in,
                                 const int *__restrict__ positions, const int *__restrict__ vertices, int sources,
                                 int *climbed, int *chains)
{
    DYNAMIC_SHARED(unsigned int, reached); // by depth; then the first arc of each ancestor, and the one after its last
    unsigned int *first_arcs = reached + height, *last_arcs = first_arcs + height;
    const int lane = threadIdx.x;
    const bool is_source = blockIdx.x < sources;
    const arc_t *__restrict__ arcs = is_source ? arcs_out : arcs_in;
    const int source = positions[vertices[blockIdx.x]];
    const size_t own = (size_t)blockIdx.x * height;
    const int deepest = nodes[source].depth;
    if (lane == 0)
        for (int vertex = source, depth = deepest; vertex >= 0; vertex = leaps[vertex], depth -= LEAP)
            first_arcs[depth] = vertex; // for now
    __syncwarp();
    for (int top = deepest - lane * LEAP; top >= 0; top -= LANES * LEAP) {
        int vertex = first_arcs[top];
        for (int depth = top; depth >= 0 && depth > top - LEAP; --depth) {
            const Node node = nodes[vertex];
            first_arcs[depth] = node.first_arc;
            last_arcs[depth] = nodes[vertex + 1].first_arc;
            if (chains)
                chains[own + depth] = vertex;
            vertex = node.parent;
        }
    }
    for (int depth = lane; depth < height; depth += LANES) {
        reached[depth] = depth == deepest ? 0 : UNREACHABLE;
        if (chains && depth > deepest)
            chains[own + depth] = is_source ? NO_SOURCE : NO_TARGET;
    }
    __syncwarp();
    FirstArcs ahead[ANCESTORS_AHEAD];
#pragma unroll
    for (int j = 0; j < ANCESTORS_AHEAD; ++j)
        ahead[j] = arcs_of_depth(deepest - j, first_arcs, last_arcs, arcs);
    for (int bottom = deepest; bottom > 0; bottom -= ANCESTORS_AHEAD) {
#pragma unroll
        for (int j = 0; j < ANCESTORS_AHEAD; ++j) {
            const int depth = bottom - j;
            if (depth <= 0)
                break;
            const FirstArcs first = ahead[j];
            ahead[j] = arcs_of_depth(depth - ANCESTORS_AHEAD, first_arcs, last_arcs, arcs);
            const unsigned int distance = reached[depth];
            const int begin = first_arcs[depth], end = last_arcs[depth];
#pragma unroll
            for (int chunk = 0; chunk < CHUNKS_AHEAD; ++chunk)
                relax(first.of_lane[chunk], end - begin - chunk * LANES, distance, reached);
            for (int place = begin + CHUNKS_AHEAD * LANES; place < end; place += LANES)
                relax(arc_of_lane(place, end, arcs), end - place, distance, reached);
            __syncwarp();
        }
    }
    for (int depth = lane; depth < height; depth += LANES)
        climbed[own + depth] = (int)reached[depth];
}

// Take the vertices of a stretch in order, for the source at position `source`, -1 for none. `slots` are the lane's distances,
// `next_slot` that of the first vertex; `own` is its column of the work array, and `climbed` has its distances by climbing
// paths. If SOURCES_INSIDE, a vertex may be an ancestor of a source of the warp.
template <bool SOURCES_INSIDE>
__device__ __forceinline__ void descend(const Pair *pairs, int pair_count, const Item *item, const unsigned int *slots,
                                        unsigned int *next_slot, int source, const int *climbed, unsigned int *own)
{
    unsigned int best = UNREACHABLE;
    Pair pair = pairs[0];
    for (int i = 1; i <= pair_count; ++i) {
        const Pair next = pairs[i]; // after the last one come the items
        best = min(best, slots[(pair.slot & ~LAST) * LANES] + pair.weight);
        best = min(best, slots[pair.other_slot * LANES] + pair.other_weight);
        if (pair.slot & LAST) {
            const int vertex = item->vertex;
            if (SOURCES_INSIDE && leads_to(vertex, item->size, source))
                best = min(best, (unsigned int)climbed[item->depth]);
            own[(size_t)vertex * LANES] = best;
            *next_slot = best;
            best = UNREACHABLE;
            next_slot += LANES;
            ++item;
        }
        pair = next;
    }
}

// A warp for a stretch and 32 sources, with `slots` distances of each source in shared memory: first those of the borders,
// then those of the vertices. A lane reads what it wrote itself. The warps of a block share stretch blockIdx.x, which has
// at most `pairs_max` pairs and `items_max` - 1 items.
extern "C" __global__ void cells(const Stretch *__restrict__ stretches, const int *__restrict__ borders,
                                 const Item *__restrict__ all_items, const Pair *__restrict__ all_pairs, int slots,
                                 int pairs_max, int items_max, const int *__restrict__ positions,
                                 const int *__restrict__ sources, int count, int groups, int height,
                                 const int *__restrict__ climbed, int vertices, unsigned int *work)
{
    DYNAMIC_SHARED(Pair, pairs);
    Item *items = (Item *)(pairs + pairs_max);
    const int warp = threadIdx.x / LANES, lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    const int group = blockIdx.y * warps + warp;
    const Stretch stretch = stretches[blockIdx.x];
    unsigned int *distances = (unsigned int *)(items + items_max) + warp * slots * LANES + lane;
    const int place = group * LANES + lane;
    unsigned int *own = distances_from(work, place, vertices), *next_slot = distances;
    if (group < groups)
#pragma unroll 8
        for (int i = stretch.first_border; i < stretch.last_border; ++i, next_slot += LANES)
            *next_slot = own[(size_t)borders[i] * LANES];
    const int item_count = stretch.last_item - stretch.first_item;
    const int first_pair = all_items[stretch.first_item].first_pair,
              last_pair = all_items[stretch.last_item].first_pair;
    for (int i = threadIdx.x; i <= item_count; i += blockDim.x)
        items[i] = all_items[stretch.first_item + i];
    for (int i = threadIdx.x; i < last_pair - first_pair; i += blockDim.x)
        pairs[i] = all_pairs[first_pair + i];
    __syncthreads();
    if (group >= groups)
        return;
    const int source = place < count ? positions[sources[place]] : -1;
    const int pair_count = last_pair - first_pair;
    climbed += (size_t)place * height;
    if (stretch.first_border == stretch.last_border)
        distances[0] = UNREACHABLE; // pairs without an arc tell slot 0
    if (__any_sync(ALL_LANES, source >= stretch.first_vertex && source < stretch.end_vertex))
        descend<true>(pairs, pair_count, items, distances, next_slot, source, climbed, own);
    else
        descend<false>(pairs, pair_count, items, distances, next_slot, source, climbed, own);
}

// A block of (32, r) threads for a tile of 128 vertices and 32 sources, turned in shared memory.
extern "C" __global__ void rows(int vertices, const int *__restrict__ positions, int count, unsigned int *work,
                                int *distances)
{
    __shared__ unsigned int tile[TILE_VERTICES][LANES + 1];
    const int first_vertex = blockIdx.x * TILE_VERTICES, first_row = blockIdx.y * LANES;
    const unsigned int *own = distances_from(work, first_row + threadIdx.x, vertices);
#pragma unroll 8
    for (int i = threadIdx.y; i < TILE_VERTICES; i += blockDim.y)
        if (first_vertex + i < vertices)
            tile[i][threadIdx.x] = __ldcs(own + (size_t)positions[first_vertex + i] * LANES);
    __syncthreads();
    for (int row = threadIdx.y; row < LANES && first_row + row < count; row += blockDim.y)
#pragma unroll
        for (int i = threadIdx.x; i < TILE_VERTICES; i += LANES)
            if (first_vertex + i < vertices)
                __stcs(distances + (size_t)(first_row + row) * vertices + first_vertex + i, (int)tile[i][row]);
}
