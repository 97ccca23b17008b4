// The elimination tree in memory, as all kernels of the family read it.
#pragma once

#include "warpath/solvers/shared/distances.cuh"
#include "warpath/device/dynamic_shared.cuh"

#define LANES 32
#define ALL_LANES 0xffffffffu
// In place of an ancestor, deeper than the vertex. They differ, so that a source and a target share none there.
#define NO_SOURCE (-1)
#define NO_TARGET (-2)

// An arc to an ancestor: what tells the ancestor in the upper half, the weight in the lower.
typedef unsigned long long arc_t;

__device__ __forceinline__ unsigned int head_of(arc_t arc)
{
    return (unsigned int)(arc >> 32);
}

__device__ __forceinline__ unsigned int weight_of(arc_t arc)
{
    return (unsigned int)arc;
}

// What is known of a vertex: its first arc, the number of its descendants and itself, how many ancestors, the parent.
struct alignas(16) Node {
    int first_arc, size, depth, parent;
};

// A stretch of whole subtrees: its vertices, in order, and the ancestors outside that their arcs lead to. The descendants
// of its vertices are among the vertices from `first_vertex` to `end_vertex` - 1.
struct alignas(8) Stretch {
    int first_item, last_item, first_border, last_border, first_vertex, end_vertex;
};

// A vertex of a stretch, and the number of its first pair of arcs.
struct alignas(16) Item {
    int first_pair, vertex, size, depth;
};

// Two arcs, which tell an ancestor by its slot; LAST is added to the first slot in the last pair of a vertex.
struct alignas(16) Pair {
    unsigned int weight, slot, other_weight, other_slot;
};
#define LAST 0x80000000u

// Whether `vertex` is an ancestor of `source`, or the source itself.
__device__ __forceinline__ bool leads_to(int vertex, int size, int source)
{
    return source >= vertex && source < vertex + size;
}

// An arc for each lane, of those from `first` to `last` - 1.
__device__ __forceinline__ arc_t arc_of_lane(int first, int last, const arc_t *__restrict__ arcs)
{
    const int place = first + threadIdx.x % LANES;
    return place < last ? arcs[place] : 0;
}

// The distances from source `column` in the work array, LANES words apart: those of 32 sources lie side by side, by vertex.
__device__ __forceinline__ unsigned int *distances_from(unsigned int *work, int column, int vertices)
{
    return work + (size_t)(column / LANES) * vertices * LANES + column % LANES;
}
