// Label correcting, four_arcs: locality that waits for memory once for four arcs.
//
// Idea over locality: a thread mostly waits for memory. So it reads up to four arcs of a vertex, and the distances at
// their ends, before it waits for any of them; and the flags of all its vertices. Before it follows an arc, it reads
// that distance once more, because its own earlier steps may have lowered it. The distance at which a vertex was
// reached is carried along.
// Threads, memory, launches and flags: as locality.
// Source: our own, over M. Safari and A. Ebnenasir, "Locality-Based Relaxation: An Efficient Method for GPU-Based
// Computation of Shortest Paths", TTCS 2017, section 3.2.
#include "warpath/solvers/shared/lengths.cuh"

#ifndef STEPS
#define STEPS 4
#endif
#ifndef VERTICES_PER_THREAD
#define VERTICES_PER_THREAD 2
#endif

#define ARCS_AT_ONCE 4

// `values[place]` without an address, so that the values stay in registers.
template <class T>
__device__ __forceinline__ T at(const T (&values)[ARCS_AT_ONCE], int place)
{
    const T low = place & 1 ? values[1] : values[0];
    const T high = place & 1 ? values[3] : values[2];
    return place & 2 ? high : low;
}

// Relax the arcs within `steps` steps of `tail`, which was reached at distance `reached`; true if a vertex was left
// waiting. The depth is known to the compiler: the recursion becomes nested loops whose state stays in registers.
template <int steps>
__device__ __forceinline__ bool spread(int tail, Length reached, const int *indptr, const int *indices,
                                       const Weight *weights, Length *distances, unsigned char *next)
{
    bool waiting = false;
    const int end = indptr[tail + 1];
    for (int first = indptr[tail]; first < end; first += ARCS_AT_ONCE) {
        int heads[ARCS_AT_ONCE];
        Length candidates[ARCS_AT_ONCE];
        unsigned int lower_heads = 0; // a bit an arc
#pragma unroll
        for (int place = 0; place < ARCS_AT_ONCE; ++place) {
            const int arc = min(first + place, end - 1); // the last one again rather than a branch
            heads[place] = indices[arc];
            const Length candidate = extended_by_any(reached, weights[arc]);
            candidates[place] = place < end - first ? candidate : UNREACHABLE;
        }
        // A distance read here may be stale, but distances only fall: at worst it is too large, and a step is made in
        // vain.
#pragma unroll
        for (int place = 0; place < ARCS_AT_ONCE; ++place)
            lower_heads |= (unsigned int)(candidates[place] < distances[heads[place]]) << place;
#pragma unroll 1
        for (; lower_heads; lower_heads &= lower_heads - 1) {
            const int place = __ffs(lower_heads) - 1;
            const int head = at(heads, place);
            const Length candidate = at(candidates, place);
            if (steps > 1 && candidate >= distances[head])
                continue; // lowered meanwhile, perhaps by this thread on its way from an arc before
            atomicMin(&distances[head], candidate);
            if constexpr (steps > 1) {
                waiting |= spread<steps - 1>(head, candidate, indptr, indices, weights, distances, next);
            } else {
                next[head] = 1;
                waiting = true;
            }
        }
    }
    return waiting;
}

// Spread from those vertices of this thread that wait in `current`, and clear their flags; true if a vertex was left
// waiting.
__device__ __forceinline__ bool spread_from_own(int vertices, const int *indptr, const int *indices,
                                                const Weight *weights, Length *distances, unsigned char *current,
                                                unsigned char *next)
{
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const long long first = thread * VERTICES_PER_THREAD;
    unsigned int own = 0; // a bit a vertex: all flags are requested before the first one is waited for
#pragma unroll
    for (int place = 0; place < VERTICES_PER_THREAD; ++place)
        if (first + place < vertices && current[first + place])
            own |= 1u << place;
    if (!own)
        return false;
    bool waiting = false;
#pragma unroll 1
    for (int place = 0; place < VERTICES_PER_THREAD; ++place) {
        if (!(own >> place & 1u))
            continue;
        const int vertex = (int)first + place;
        current[vertex] = 0;
        waiting |= spread<STEPS>(vertex, distances[vertex], indptr, indices, weights, distances, next);
    }
    return waiting;
}

extern "C" __global__ void relax(int vertices, const int *__restrict__ indptr, const int *__restrict__ indices,
                                 const Weight *__restrict__ weights, Length *distances, unsigned char *current,
                                 unsigned char *next)
{
    spread_from_own(vertices, indptr, indices, weights, distances, current, next);
}

extern "C" __global__ void relax_and_tell(int vertices, const int *__restrict__ indptr, const int *__restrict__ indices,
                                          const Weight *__restrict__ weights, Length *distances, unsigned char *current,
                                          unsigned char *next, int *waiting)
{
    if (spread_from_own(vertices, indptr, indices, weights, distances, current, next))
        *waiting = 1;
}
