// One block settles one part in shared memory: no arc inside it, or out of it, lowers a distance any more.
//
// A thread owns VERTICES_PER_THREAD vertices. It holds their arcs in registers, and the distance that each was relaxed
// with last: where the distance in shared memory is lower, it relaxes again. All heads of a vertex are read before the
// first is compared, so that the reads are on their way together, and atomicMin returns nothing to wait for. Warps go
// PASSES times over their vertices between barriers: distances only fall, so a late read costs a pass and nothing else.
// The last barrier follows passes in which no thread has relaxed anything.
//   Limit: the chain of relaxations. Parts of New York of 1,000 vertices take 53 rounds on average, and 109 the slowest;
// all of them together 40 us on an H200, a third of a microsecond for each round of the slowest.
#pragma once

#include "warpath/solvers/distances.cuh"

#define SLOTS 4
#define NO_ARC 0xffff
#define PASSES 3
#ifndef VERTICES_PER_THREAD
#define VERTICES_PER_THREAD 1
#endif

// The arcs of all parts, see Parts in _parts.py, as parameters of a kernel; and those of one part.
#define ARCS_OF_PARTS                                                                                          \
    int all, const int *first, const int *outside_first, const unsigned short *heads, const int *weights,      \
        const int *overflow_first, const unsigned short *overflow_tails, const unsigned short *overflow_heads, \
        const int *overflow_weights
#define PART_AT(part)                                                                                        \
    part_at(part, all, first, outside_first, heads, weights, overflow_first, overflow_tails, overflow_heads, \
            overflow_weights)

// Its entries are its vertices and then its outside neighbours; `stride` is the distance between columns of arcs.
struct Part {
    int begin, vertices, outside_begin, outside, overflows;
    size_t stride;
    const unsigned short *heads, *overflow_tails, *overflow_heads;
    const int *weights, *overflow_weights;
};

__device__ __forceinline__ Part part_at(int part, ARCS_OF_PARTS)
{
    const int begin = first[part], outside = outside_first[part], overflow = overflow_first[part];
    return {begin,
            first[part + 1] - begin,
            outside,
            outside_first[part + 1] - outside,
            overflow_first[part + 1] - overflow,
            (size_t)all,
            heads + begin,
            overflow_tails + overflow,
            overflow_heads + overflow,
            weights + begin,
            overflow_weights + overflow};
}

// What a thread holds. An empty slot is a loop of length 0, which lowers nothing.
struct OwnArcs {
    int vertex[VERTICES_PER_THREAD]; // entry 0 where there is none
    int head[VERTICES_PER_THREAD][SLOTS], weight[VERTICES_PER_THREAD][SLOTS];
    int overflow_tail, overflow_head, overflow_weight; // one arc beyond the slots
};

__device__ __forceinline__ OwnArcs own_arcs(const Part &part)
{
    OwnArcs own;
#pragma unroll
    for (int i = 0; i < VERTICES_PER_THREAD; ++i) {
        const int vertex = threadIdx.x + i * blockDim.x;
        const bool there = vertex < part.vertices;
        own.vertex[i] = there ? vertex : 0;
#pragma unroll
        for (int slot = 0; slot < SLOTS; ++slot) {
            const int head = there ? part.heads[slot * part.stride + vertex] : NO_ARC;
            own.head[i][slot] = head == NO_ARC ? own.vertex[i] : head;
            own.weight[i][slot] = head == NO_ARC ? 0 : part.weights[slot * part.stride + vertex];
        }
    }
    const bool there = threadIdx.x < part.overflows;
    own.overflow_tail = there ? part.overflow_tails[threadIdx.x] : 0;
    own.overflow_head = there ? part.overflow_heads[threadIdx.x] : 0;
    own.overflow_weight = there ? part.overflow_weights[threadIdx.x] : 0;
    return own;
}

// `distances` are of all entries, written by this block. The result is there for all its threads.
__device__ __forceinline__ void settle_part(const Part &part, const OwnArcs &own, int *distances)
{
    volatile int *const distance = distances;
    int last[VERTICES_PER_THREAD], overflow_last = UNREACHABLE;
#pragma unroll
    for (int i = 0; i < VERTICES_PER_THREAD; ++i)
        last[i] = UNREACHABLE;
    bool any = true;
    while (__syncthreads_or(any)) {
        any = false;
#pragma unroll 1
        for (int pass = 0; pass < PASSES; ++pass) {
            int now[VERTICES_PER_THREAD];
#pragma unroll
            for (int i = 0; i < VERTICES_PER_THREAD; ++i)
                now[i] = distance[own.vertex[i]];
#pragma unroll
            for (int i = 0; i < VERTICES_PER_THREAD; ++i) {
                if (now[i] >= last[i])
                    continue;
                last[i] = now[i];
                any = true;
                unsigned int there[SLOTS];
#pragma unroll
                for (int slot = 0; slot < SLOTS; ++slot)
                    there[slot] = distance[own.head[i][slot]];
#pragma unroll
                for (int slot = 0; slot < SLOTS; ++slot) {
                    const unsigned int sum = joined(now[i], own.weight[i][slot]);
                    if (sum < there[slot])
                        atomicMin(&distances[own.head[i][slot]], (int)sum);
                }
            }
            const int tail = threadIdx.x < part.overflows ? distance[own.overflow_tail] : UNREACHABLE;
            if (tail < overflow_last) {
                overflow_last = tail;
                any = true;
                const unsigned int sum = joined(tail, own.overflow_weight);
                if (sum < UNREACHABLE)
                    atomicMin(&distances[own.overflow_head], (int)sum);
            }
        }
        for (int arc = threadIdx.x + blockDim.x; arc < part.overflows; arc += blockDim.x) { // stars alone have these
            const unsigned int sum = joined(distance[part.overflow_tails[arc]], part.overflow_weights[arc]);
            if (sum < (unsigned int)distance[part.overflow_heads[arc]]) {
                atomicMin(&distances[part.overflow_heads[arc]], (int)sum);
                any = true;
            }
        }
    }
}
