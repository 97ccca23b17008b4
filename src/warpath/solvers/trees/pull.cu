// The trees of shortest paths from many sources, from final distances, for weights of any type.
//
// The trees are those of push.cu. Here every vertex looks through the arcs into it, which are sorted by tail, so that the
// first one that fits is the lowest, and each vertex is written by one lane alone:
//   pick        where few of many arcs are shortest paths, those alone are kept: every arc of a shortest path is a
//               shortest path itself. Of a complete graph with random weights about n log n of n^2 are left;
//   claim_rows  each vertex takes the first tail from which the distance rises along a tight arc, and a row where one is
//               left without is `open`;
//   grow_rows   a block hangs what is left in an open row, round by round: a vertex takes the first tail of a tight arc
//               that was hung in an earlier round. Until all have looked, what a round hangs counts for nothing: it is
//               written n above the tail, and then lowered. A round that finds something hangs a vertex, so there are at
//               most as many rounds as vertices. With negative weights there are these rounds alone.
// Threads: LANES lanes take a vertex, and a warp 32 vertices. In claim_rows the grid is (rows, pieces of a row), in pick
// and grow_rows a block has a row; blocks of whole warps. Memory: the inbound arcs; rows of distances and predecessors,
// with 64-bit indices; in claim_rows the row of distances lies in shared memory, if the host says so.
// Limit: of claim_rows, for each source the arcs up to the first that fits, and a distance at a random place for each.
// Source: our own. That few arcs matter: R. Davis and A. Prieditis, "The expected length of a shortest path", 1993.
#include "warpath/solvers/shared/lengths.cuh"
#include "warpath/device/dynamic_shared.cuh"

#ifndef LANES
#define LANES 1
#endif
#define TEAMS (32 / LANES)
#define ALL_LANES 0xffffffffu

// The arcs into each vertex, sorted by tail.
struct Inbound {
    int vertices;
    const int *__restrict__ starts;
    const int *__restrict__ tails;
    const Weight *__restrict__ weights;
};

// Keys, in any order, of the arcs from the vertices `first`, `first` + 1, ... that exceed a shortest path by `slack` at
// most: the head, and the number of the arc in the lower 32 bits. Row i of the distances, in rows of `stride`, is that of
// vertex `first` + i. `count` is 0 before; it counts those for which there is no room, too.
extern "C" __global__ void pick(int stride, int first, const int *indptr, const int *indices, const Weight *weights,
                                const Length *distances, Weight slack, int room, long long *keys, int *count)
{
    const int tail = first + blockIdx.x;
    const Length *row = distances + (size_t)blockIdx.x * stride;
    for (long long arc = (long long)indptr[tail] + threadIdx.x; arc < indptr[tail + 1]; arc += blockDim.x) {
        const int head = indices[arc];
        if (head == tail || length_of(weights[arc]) > extended_by_any(row[head], slack))
            continue;
        const int at = atomicAdd(count, 1);
        if (at < room)
            keys[at] = (long long)head << 32 | arc;
    }
}

// The lowest tail of an arc into `head` that fits(tail, weight, at_head), for each lane that `looks`. Whole warps call.
template <class Fits>
__device__ __forceinline__ int lowest_tail(bool looks, int head, Length at_head, const Inbound &arcs, Fits fits)
{
    const int lane = threadIdx.x % 32, of_team = lane / LANES * LANES;
    const unsigned int team = ALL_LANES >> (32 - LANES) << of_team;
    const int begin = looks ? arcs.starts[head] : 0;
    const int end = looks ? arcs.starts[head + 1] : 0;
    int lowest = NO_PREDECESSOR;
#pragma unroll
    for (int turn = 0; turn < LANES; ++turn) {
        const int owner = turn * TEAMS + lane / LANES; // the lane whose vertex the team looks at
        const Length reached = __shfl_sync(ALL_LANES, at_head, owner);
        const int last = __shfl_sync(ALL_LANES, end, owner);
        int found = NO_PREDECESSOR;
        for (long long next = __shfl_sync(ALL_LANES, begin, owner); next < last; next += LANES) {
            const long long arc = next + lane % LANES;
            const int tail = arc < last ? arcs.tails[arc] : 0;
            const bool is_found = arc < last && fits(tail, arcs.weights[arc], reached);
            if (const unsigned int lanes = __ballot_sync(team, is_found)) {
                found = __shfl_sync(team, tail, __ffs((int)lanes) - 1);
                break;
            }
        }
        const int own = __shfl_sync(ALL_LANES, found, lane % TEAMS * LANES);
        if (lane / TEAMS == turn)
            lowest = own;
    }
    return lowest;
}

// Whether a vertex is left over.
__device__ __forceinline__ bool claim(bool claims, int source, const Inbound &arcs, const Length *distances,
                                      int *predecessors)
{
    bool is_open = false;
    const long long thread = (long long)blockIdx.y * blockDim.x + threadIdx.x;
    for (long long first = thread / 32 * 32; first < arcs.vertices; first += (long long)blockDim.x * gridDim.y) {
        const long long head = first + threadIdx.x % 32;
        const Length at_head = head < arcs.vertices ? distances[head] : (Length)UNREACHABLE;
        const bool looks = claims && at_head != UNREACHABLE && head != source;
        const int tail = lowest_tail(looks, (int)head, at_head, arcs, [&](int tail, Weight weight, Length reached) {
            const Length at_tail = distances[tail];
            return number_of(at_tail) < number_of(reached) && extended_by_any(at_tail, weight) == reached;
        });
        if (head < arcs.vertices)
            predecessors[head] = tail;
        is_open |= looks && tail == NO_PREDECESSOR;
    }
    return is_open;
}

// Row blockIdx.x, of the source of the same number where `sources` is null. `open` is 0 before, or null if nobody asks.
// Unless it `claims`, all predecessors become NO_PREDECESSOR.
extern "C" __global__ void claim_rows(int claims, int vertices, int row_in_shared, const int *sources,
                                      const int *starts, const int *tails, const Weight *weights,
                                      const Length *all_distances, int *all_predecessors, int *open)
{
    DYNAMIC_SHARED(Length, shared_row);
    const int source = sources ? sources[blockIdx.x] : blockIdx.x;
    const Inbound arcs = {vertices, starts, tails, weights};
    const Length *distances = all_distances + (size_t)blockIdx.x * vertices;
    int *predecessors = all_predecessors + (size_t)blockIdx.x * vertices;
    bool is_open;
    if (row_in_shared) {
        for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
            shared_row[vertex] = distances[vertex];
        __syncthreads();
        is_open = claim(claims, source, arcs, shared_row, predecessors);
    } else {
        is_open = claim(claims, source, arcs, distances, predecessors);
    }
    if (open && is_open)
        open[blockIdx.x] = 1;
}

// Row blockIdx.x, as above, after claim_rows, if it is `open`; that is null for negative weights.
extern "C" __global__ void grow_rows(int vertices, const int *sources, const int *starts, const int *tails,
                                     const Weight *weights, const Length *all_distances, int *all_predecessors,
                                     const int *open)
{
    if (open && !open[blockIdx.x])
        return;
    const int source = sources ? sources[blockIdx.x] : blockIdx.x;
    const Inbound arcs = {vertices, starts, tails, weights};
    const Length *distances = all_distances + (size_t)blockIdx.x * vertices;
    unsigned int *predecessors = (unsigned int *)all_predecessors + (size_t)blockIdx.x * vertices;
    const unsigned int none = NO_PREDECESSOR, fresh_from = vertices;
    bool grown = true;
    while (grown) {
        bool any = false;
        for (long long first = threadIdx.x / 32 * 32; first < vertices; first += blockDim.x) {
            const long long head = first + threadIdx.x % 32;
            const Length at_head = head < vertices ? distances[head] : (Length)UNREACHABLE;
            const bool looks = at_head != UNREACHABLE && head != source && predecessors[head] == none;
            if (!__any_sync(ALL_LANES, looks))
                continue;
            const int tail = lowest_tail(looks, (int)head, at_head, arcs, [&](int tail, Weight weight, Length reached) {
                return (tail == source || fresh(&predecessors[tail]) < fresh_from) &&
                       extended_by_any(distances[tail], weight) == reached;
            });
            if (looks && tail != NO_PREDECESSOR) {
                predecessors[head] = fresh_from + tail;
                any = true;
            }
        }
        grown = __syncthreads_or(any);
        for (long long vertex = threadIdx.x; grown && vertex < vertices; vertex += blockDim.x)
            if (predecessors[vertex] >= fresh_from && predecessors[vertex] != none)
                predecessors[vertex] -= fresh_from;
        __syncthreads();
    }
}
