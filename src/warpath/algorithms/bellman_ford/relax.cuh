// What every Bellman-Ford variant does with one vertex; the variants differ in which thread does it, and when.
#pragma once

#include "algorithms/distances.cuh"

// Relax the arcs leaving `tail`, from the distances of the previous round into those of this one.
//
// Several threads may lower the same head at once, hence atomicMin. The plain read before it only saves atomics: a
// stale value is never too small to be lowered, since distances only fall.
__device__ __forceinline__ void relax_arcs_of(int tail, const int *indptr, const int *indices, const int *weights,
                                              const int *previous, int *distances)
{
    const int reached = previous[tail];
    if (reached == UNREACHABLE)
        return;
    const int end = indptr[tail + 1];
    for (int arc = indptr[tail]; arc < end; ++arc) {
        const int head = indices[arc];
        const long long candidate = (long long)reached + weights[arc];  // 64 bits: the sum may pass UNREACHABLE
        if (candidate < distances[head])
            atomicMin(&distances[head], (int)candidate);
    }
}

// Make `tail` the predecessor of each head whose distance it explains, once distances are final. Needs positive
// weights: then a tight arc leads to a strictly larger distance, so whichever thread writes last, a tree results.
__device__ __forceinline__ void claim_heads_of(int tail, const int *indptr, const int *indices, const int *weights,
                                               const int *distances, int *predecessors)
{
    const int reached = distances[tail];
    if (reached == UNREACHABLE)
        return;
    const int end = indptr[tail + 1];
    for (int arc = indptr[tail]; arc < end; ++arc)
        if ((long long)reached + weights[arc] == distances[indices[arc]])
            predecessors[indices[arc]] = tail;
}
