// What a certificate's kernels take arrays to mean. It repeats warpath.distances, and includes nothing of the solvers:
// no answer is certified by code that made it.
#pragma once

#include "warpath/device/float32.cuh"

// Distances and weights are int32, or floats of FLOAT_BITS bits. Sums of int32 have 64 bits. Sums of floats are rounded,
// as the length of a path is defined. An infinite sum reaches nothing. A distance that is not a number is never tight.
#ifndef FLOAT_BITS
#define FLOAT_BITS 0
#endif
#if FLOAT_BITS == 64
typedef double Number;
typedef double Sum;
#define UNREACHABLE (__longlong_as_double(0x7ff0000000000000ll))
#elif FLOAT_BITS == 32
typedef Float32 Number;
typedef Float32 Sum;
#define UNREACHABLE (float32_of(0x7f800000))
#else
typedef int Number;
typedef long long Sum;
#define UNREACHABLE 0x7fffffff
#endif
#define NO_PREDECESSOR (-1)

// The words that a certificate's kernels write for the host. The first two hold the number of the last call that set
// them, so that nothing has to be cleared between calls; the third counts on from call to call.
enum { FAULT, CIRCLES_POSSIBLE, REACHED, VERDICT_WORDS };

// Whether the arc gives a shorter path than its head's distance, or reaches a head that is called unreachable.
__device__ __forceinline__ bool is_broken(Number at_tail, Number weight, Number at_head)
{
    if (at_tail == UNREACHABLE)
        return false;
#if FLOAT_BITS
    return at_tail + weight < at_head;
#else
    return at_head == UNREACHABLE || (Sum)at_tail + weight < at_head;
#endif
}

// Whether the arc, which is not broken, gives exactly its head's distance.
__device__ __forceinline__ bool is_tight(Number at_tail, Number weight, Number at_head)
{
    return at_tail != UNREACHABLE && at_head != UNREACHABLE && (Sum)at_tail + weight == at_head;
}

// Whether a tight arc explains its head's distance.
//
// Where predecessors are given, the arc from the predecessor does. Where they are not, an arc from a nearer tail does,
// if no weight is negative: steps back along such arcs return to no vertex. Heads that this leaves unexplained are
// reached by growing along tight arcs from vertices that are explained.
__device__ __forceinline__ bool explains(int tail, int head, Number at_tail, Number at_head, Number lightest,
                                         int has_predecessors, const int *predecessors)
{
    return has_predecessors ? predecessors[head] == tail : at_tail < at_head && lightest >= 0;
}

// Whether a tight arc that explains its head's distance is one of those that each cycle of predecessors has: its head is
// no farther than its tail. The source has no predecessor, so it lies on no cycle.
__device__ __forceinline__ bool may_circle(int tail, int source, Number at_tail, Number at_head)
{
    return at_tail >= at_head && tail != source;
}

// Whether the distance or the predecessor of a vertex is wrong, once all arcs have been judged.
__device__ __forceinline__ bool is_wrong(bool is_source, Number distance, int predecessor, bool explained)
{
    if (is_source)
        return distance != 0 || predecessor != NO_PREDECESSOR;
    return distance == UNREACHABLE ? predecessor != NO_PREDECESSOR : !explained;
}
