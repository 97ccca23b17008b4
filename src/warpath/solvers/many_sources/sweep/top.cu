// The top of the elimination tree, for a few sources a block: the part of sweep.cu whose order is a chain of levels.
//
// Idea: a level takes little work and waits for the one before it, so distances are in shared memory, where a read takes
// 30 cycles, and pieces of rows and arcs, which wait for nothing, are read one or two pieces ahead.
// Threads: a warp takes a piece, at most 32 arcs of a vertex. Lane l takes source l % SOURCES and every
// (LANES / SOURCES)th arc; the warps of a block share the pieces of a level. Memory: the distances of the top, in shared
// memory; 8 bytes an arc.
// Limit: a level is a barrier, a read of shared memory for each 32 / SOURCES arcs, and a few shuffles.
#include "warpath/solvers/many_sources/sweep/tree.cuh"

#ifndef SOURCES
#define SOURCES 8
#endif

// A vertex of the top: its number in the order of elimination, that of its descendants and itself, and its depth.
struct alignas(16) TopNode {
    int vertex, size, depth;
};

// At most LANES arcs of vertex `number` of the top.
struct alignas(16) Piece {
    int first_arc, last_arc, number;
};

// A piece: its level, and its place among all of them.
struct Place {
    int level, i;
};

// The next piece of this warp from `place` on, perhaps on a later level; level `levels` where there is none.
__device__ __forceinline__ Place on_a_level(Place place, int levels, const int *starts)
{
    while (place.level < levels && place.i >= starts[place.level + 1]) {
        ++place.level;
        place.i = starts[place.level] + threadIdx.x / LANES;
    }
    return place;
}

// The least that `count` arcs, at most one a lane, offer source `column` of the block, of those that fall to this lane.
__device__ __forceinline__ unsigned int offered(arc_t arc, int count, int column, const unsigned int *distances)
{
    unsigned int best = UNREACHABLE;
#pragma unroll
    for (int step = 0; step < SOURCES; ++step) {
        const int from = step * (LANES / SOURCES) + threadIdx.x % LANES / SOURCES;
        const unsigned int head = __shfl_sync(ALL_LANES, head_of(arc), from);
        const unsigned int weight = __shfl_sync(ALL_LANES, weight_of(arc), from);
        if (from < count)
            best = min(best, distances[head * SOURCES + column] + weight);
    }
    return best;
}

// A block for SOURCES sources and the `tops` vertices of the top, whose numbers arcs tell as heads. The pieces of level l,
// the vertices of depth l, are `level_starts[l]` to `level_starts[l + 1]` - 1. `vertices` is the number of all vertices.
extern "C" __global__ void __launch_bounds__(1024)
    top(int levels, int tops, const int *__restrict__ level_starts, const TopNode *__restrict__ nodes,
        const Piece *__restrict__ pieces, const arc_t *__restrict__ arcs, const int *__restrict__ positions,
        const int *__restrict__ sources, int count, int height, const int *__restrict__ climbed, int vertices,
        unsigned int *work)
{
    DYNAMIC_SHARED(unsigned int, distances); // of the top; then where levels start
    int *starts = (int *)(distances + tops * SOURCES);
    const int column = threadIdx.x % SOURCES;
    const int own_row = blockIdx.x * SOURCES + column;
    const int source = own_row < count ? positions[sources[own_row]] : -1;
    for (int level = threadIdx.x; level <= levels; level += blockDim.x)
        starts[level] = level_starts[level];
#pragma unroll 4
    for (int i = threadIdx.x; i < tops * SOURCES; i += blockDim.x) {
        const TopNode node = nodes[i / SOURCES];
        const bool is_above = leads_to(node.vertex, node.size, source);
        distances[i] = is_above ? climbed[(size_t)own_row * height + node.depth] : UNREACHABLE;
    }
    __syncthreads();
    const int warps = blockDim.x / LANES;
    const auto piece_at = [&](Place place) { return place.level < levels ? pieces[place.i] : Piece{0, 0, 0}; };
    const auto after = [&](Place place) { return on_a_level({place.level, place.i + warps}, levels, starts); };
    Place place = on_a_level({0, (int)threadIdx.x / LANES}, levels, starts), next_place = after(place);
    Piece piece = piece_at(place), next = piece_at(next_place);
    arc_t arc = arc_of_lane(piece.first_arc, piece.last_arc, arcs);
    for (int level = 0; level < levels; ++level) {
        while (place.level == level) {
            const arc_t arc_of_next = arc_of_lane(next.first_arc, next.last_arc, arcs);
            const Place place_after = after(next_place);
            const Piece piece_after = piece_at(place_after);
            unsigned int best = offered(arc, piece.last_arc - piece.first_arc, column, distances);
#pragma unroll
            for (int apart = SOURCES; apart < LANES; apart *= 2)
                best = min(best, __shfl_xor_sync(ALL_LANES, best, apart));
            if (threadIdx.x % LANES < SOURCES)
                atomicMin(&distances[piece.number * SOURCES + column], best);
            place = next_place;
            next_place = place_after;
            piece = next;
            next = piece_after;
            arc = arc_of_next;
        }
        __syncthreads();
    }
    unsigned int *const own = distances_from(work, own_row, vertices);
#pragma unroll 4
    for (int i = threadIdx.x; i < tops * SOURCES; i += blockDim.x)
        own[(size_t)nodes[i / SOURCES].vertex * LANES] = distances[i];
}
