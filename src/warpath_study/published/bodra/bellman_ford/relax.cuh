// Relaxing the arcs of one vertex; the variants that include this differ in which thread does it, and when.
#pragma once

#include "warpath_study/published/shared/distances.cuh"

// Relax the arcs leaving `tail`, from the distances of the previous round into those of this one. As published, an arc
// of a vertex that is not reached yet is read like any other, and the distance of the tail and the end of its arcs are
// read again for every arc.
//
// Several threads may lower the same head at once, hence atomicMin. The plain read before it saves atomics. It may be
// stale, but distances only fall, so a stale value is at worst too large, and then the atomic changes nothing.
__device__ __forceinline__ void relax_arcs_of(int tail, const int *indptr, const int *indices, const int *weights,
                                              const int *previous, int *distances)
{
    for (int arc = indptr[tail]; arc < indptr[tail + 1]; ++arc) {
        const int head = indices[arc];
        const int weight = weights[arc];
        // 64 bits: the sum may pass UNREACHABLE. Where it is below a distance, it fits into 32.
        if (previous[tail] != UNREACHABLE && (long long)previous[tail] + weight < distances[head])
            atomicMin(&distances[head], previous[tail] + weight);
    }
}
