// Predecessors where weights may be zero or negative.
//
// With such weights tight arcs (distance of the tail + weight = distance of the head) can run in a circle, and taking
// any of them as predecessors might close one. So a tree grows from the source: a vertex becomes a predecessor only
// once it hangs on the source itself, and is claimed once, by compare-and-swap.
#pragma once

#include "algorithms/distances.cuh"

// Hang the heads of tight arcs from `tail` on it, if `tail` hangs on the source; true if there was one. All pointers to
// vertices are of one source.
__device__ __forceinline__ bool hang_heads_on(int tail, int source, const int *indptr, const int *indices,
                                              const int *weights, const int *distances, int *predecessors)
{
    if (tail != source && predecessors[tail] == NO_PREDECESSOR)
        return false;
    bool any = false;
    const long long reached = distances[tail];
    const int end = indptr[tail + 1];
    for (int arc = indptr[tail]; arc < end; ++arc) {
        const int head = indices[arc];
        if (head != source && predecessors[head] == NO_PREDECESSOR && reached + weights[arc] == distances[head])
            any |= atomicCAS(&predecessors[head], NO_PREDECESSOR, tail) == NO_PREDECESSOR;
    }
    return any;
}
