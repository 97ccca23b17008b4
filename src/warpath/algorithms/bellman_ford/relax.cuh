// Relaxing the arcs of one vertex; the variants that include this differ in which thread does it, and when.
#pragma once

#include "algorithms/distances.cuh"

// Relax the arcs leaving `tail`, from the distances of the previous round into those of this one.
//
// Several threads may lower the same head at once, hence atomicMin. The plain read before it saves atomics. It may be
// stale, but distances only fall, so a stale value is at worst too large, and then the atomic changes nothing.
__device__ __forceinline__ void relax_arcs_of(int tail, const int *indptr, const int *indices, const int *weights,
                                              const int *previous, int *distances)
{
    const int reached = previous[tail];
    if (reached == UNREACHABLE)
        return;
    const int end = indptr[tail + 1];
    for (int arc = indptr[tail]; arc < end; ++arc) {
        const int head = indices[arc];
        const long long candidate = (long long)reached + weights[arc]; // 64 bits: the sum may pass UNREACHABLE
        if (candidate < distances[head])
            atomicMin(&distances[head], (int)candidate);
    }
}
