// The top of the elimination tree, for a few sources a block: the part of sweep.cu whose order is a chain of levels.
//
// Idea: a level takes little work and waits for the one before it, so distances are in shared memory, where a read takes
// 30 cycles, and nodes and arcs, which wait for nothing, are read a vertex or two ahead.
// Threads: lanes share a vertex. Lane l takes source l % SOURCES and every (LANES / SOURCES)th arc; the warps of a block
// share a level. Memory: the distances of the top and what the sources climbed to, in shared memory; 8 bytes an arc.
// Limit: a level is a barrier, a read of shared memory for each 32 / SOURCES arcs, and a few shuffles. Measured on an H200:
// 0.40 ms for 1,015 sources of New York and 4,285 vertices, 0.28 ms for 1,445 vertices.
#include "warpath/solvers/contraction_hierarchy/tree.cuh"

#ifndef SOURCES
#define SOURCES 8
#endif

// A vertex of the top: its arcs, what it is called elsewhere, and the number of its descendants and itself.
struct alignas(16) TopNode {
    int first_arc, last_arc, vertex, size;
};

// A vertex of the top: its level, and its place among all of them.
struct Place {
    int level, i;
};

// The next vertex of this warp from `place` on, perhaps on a later level; level `levels` where there is none.
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

// A block for SOURCES sources. Level l, the vertices of depth l, are `level_starts[l]` to `level_starts[l + 1]` - 1 of
// `nodes`, by which numbers the arcs tell their heads. `vertices` is the number of all vertices.
extern "C" __global__ void __launch_bounds__(1024)
    top(int levels, const int *__restrict__ level_starts, const TopNode *__restrict__ nodes,
        const arc_t *__restrict__ arcs, const int *__restrict__ positions, const int *__restrict__ sources, int count,
        int height, const int *__restrict__ climbed, int vertices, unsigned int *work)
{
    DYNAMIC_SHARED(unsigned int, distances); // of all vertices of the top; what was climbed to; where levels start
    unsigned int *reached = distances + level_starts[levels] * SOURCES;
    int *starts = (int *)(reached + SOURCES * height);
    const int column = threadIdx.x % SOURCES;
    const int own_row = blockIdx.x * SOURCES + column;
    const int source = own_row < count ? positions[sources[own_row]] : -1;
    for (int i = threadIdx.x; i < SOURCES * height; i += blockDim.x)
        reached[i] = blockIdx.x * SOURCES + i / height < count ? climbed[(size_t)blockIdx.x * SOURCES * height + i]
                                                               : UNREACHABLE;
    for (int level = threadIdx.x; level <= levels; level += blockDim.x)
        starts[level] = level_starts[level];
    __syncthreads();
    const int warps = blockDim.x / LANES;
    const auto node_at = [&](Place place) { return place.level < levels ? nodes[place.i] : TopNode{0, 0, 0, 0}; };
    const auto after = [&](Place place) { return on_a_level({place.level, place.i + warps}, levels, starts); };
    Place place = on_a_level({0, (int)threadIdx.x / LANES}, levels, starts), next_place = after(place);
    TopNode node = node_at(place), next = node_at(next_place);
    FirstArcs first_arcs = first_arcs_of(node.first_arc, node.last_arc, arcs);
    for (int level = 0; level < levels; ++level) {
        while (place.level == level) {
            const FirstArcs arcs_of_next = first_arcs_of(next.first_arc, next.last_arc, arcs);
            const Place place_after = after(next_place);
            const TopNode node_after = node_at(place_after);
            unsigned int best = UNREACHABLE;
            if (leads_to(node.vertex, node.size, source))
                best = reached[column * height + level];
            const int arc_count = node.last_arc - node.first_arc;
#pragma unroll
            for (int chunk = 0; chunk < CHUNKS_AHEAD; ++chunk)
                if (chunk * LANES < arc_count)
                    best = min(best, offered(first_arcs.of_lane[chunk], arc_count - chunk * LANES, column, distances));
            for (int done = CHUNKS_AHEAD * LANES; done < arc_count; done += LANES) {
                const arc_t arc = arc_of_lane(node.first_arc + done, node.last_arc, arcs);
                best = min(best, offered(arc, arc_count - done, column, distances));
            }
#pragma unroll
            for (int apart = SOURCES; apart < LANES; apart *= 2)
                best = min(best, __shfl_xor_sync(ALL_LANES, best, apart));
            if (threadIdx.x % LANES < SOURCES) {
                distances[place.i * SOURCES + column] = best;
                distances_from(work, own_row, vertices)[(size_t)node.vertex * LANES] = best;
            }
            place = next_place;
            next_place = place_after;
            node = next;
            next = node_after;
            first_arcs = arcs_of_next;
        }
        __syncthreads();
    }
}
