// Label correcting, locality: a thread follows the distances it lowers for k steps, depth first.
//
// Idea over harish: one launch moves the frontier by up to k steps, and the host need not wait for every launch. A
// vertex that is reached in the k-th step waits for the next launch in the `next` flags, which are then the `current`
// ones; so no launch both sets and clears a flag. Whoever lowers a distance carries on from there, now or in the next
// launch, so nothing is lost where several threads meet.
// Threads: one for VERTICES_PER_THREAD neighbouring vertices. Memory: CSR, a distance and two bytes of flags a vertex,
// and one word that `relax_and_tell` sets where a vertex was left waiting.
// Source: M. Safari and A. Ebnenasir, "Locality-Based Relaxation: An Efficient Method for GPU-Based Computation of
// Shortest Paths", TTCS 2017, section 3.2.
#include "warpath_study/published/shared/distances.cuh"
#include "warpath_study/published/shared/count.cuh"

#ifndef STEPS
#define STEPS 4
#endif
#ifndef VERTICES_PER_THREAD
#define VERTICES_PER_THREAD 2
#endif

// Relax the arcs within `steps` steps of `tail`, depth first; true if a vertex was left waiting. The depth is known to
// the compiler: the search is `steps` nested loops.
//
// An arc that cannot lower the distance of its head is left alone. A distance read here may be stale, but distances only
// fall: at worst that of the head is too large, and a step is made in vain. Whoever lowers a distance carries on from
// there, so that of the tail need not be the latest either.
template <int steps>
__device__ __forceinline__ bool spread(int tail, const int *indptr, const int *indices, const int *weights,
                                       int *distances, unsigned char *next, int &atomics)
{
    bool waiting = false;
    for (int arc = indptr[tail]; arc < indptr[tail + 1]; ++arc) {
        const int head = indices[arc];
        const long long candidate = (long long)distances[tail] + weights[arc]; // 64 bits: it may pass UNREACHABLE
        if (candidate >= distances[head])
            continue;
        lower(&distances[head], (int)candidate, atomics);
        if constexpr (steps > 1) {
            waiting |= spread<steps - 1>(head, indptr, indices, weights, distances, next, atomics);
        } else {
            next[head] = 1;
            waiting = true;
        }
    }
    return waiting;
}

// Spread from those vertices of this thread that wait in `current`, one after the other, and clear their flags; true if
// a vertex was left waiting.
__device__ __forceinline__ bool spread_from_own(int vertices, const int *indptr, const int *indices, const int *weights,
                                                int *distances, unsigned char *current, unsigned char *next,
                                                unsigned long long *counted)
{
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const long long first = thread * VERTICES_PER_THREAD;
    bool waiting = false;
    int atomics = 0;
#pragma unroll 1
    for (long long vertex = first; vertex < first + VERTICES_PER_THREAD && vertex < vertices; ++vertex) {
        if (!current[vertex])
            continue;
        current[vertex] = 0;
        waiting |= spread<STEPS>((int)vertex, indptr, indices, weights, distances, next, atomics);
    }
    count(atomics, &counted[thread]);
    return waiting;
}

extern "C" __global__ void relax(int vertices, const int *indptr, const int *indices, const int *weights,
                                 int *distances, unsigned char *current, unsigned char *next,
                                 unsigned long long *counted)
{
    spread_from_own(vertices, indptr, indices, weights, distances, current, next, counted);
}

extern "C" __global__ void relax_and_tell(int vertices, const int *indptr, const int *indices, const int *weights,
                                          int *distances, unsigned char *current, unsigned char *next,
                                          unsigned long long *counted, int *waiting)
{
    if (spread_from_own(vertices, indptr, indices, weights, distances, current, next, counted))
        *waiting = 1;
}
