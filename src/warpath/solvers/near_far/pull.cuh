// Rounds in which every vertex looks through its inbound arcs, which are sorted by weight.
#pragma once

#include "warpath/solvers/near_far/grid.cuh"

// How many arcs a lane reads before it uses the first.
#define PULLED_AT_ONCE 2
// A lane pulls so many times for its vertex; then the whole warp pulls what is left.
#ifndef PULLS_OF_A_LANE
#define PULLS_OF_A_LANE 8
#endif

// What a vertex looks for among its inbound arcs, one after another: the shortest way.
struct ShortestWay {
    int low, best;
    __device__ __forceinline__ bool over(int weight) const
    {
        return weight >= best - low;
    }
    __device__ __forceinline__ void look(int, int reached, int weight)
    {
        best = (int)min((unsigned int)best, (unsigned int)reached + weight);
    }
    __device__ __forceinline__ void join(const ShortestWay &other)
    {
        best = min(best, other.best);
    }
    __device__ __forceinline__ ShortestWay of_lane(int lane) const
    {
        return {__shfl_sync(ALL_LANES, low, lane), __shfl_sync(ALL_LANES, best, lane)};
    }
};

// The same: a tight arc, if it has positive weight. `tail` is NO_PREDECESSOR until there is one.
struct TightArc {
    int distance, tail;
    __device__ __forceinline__ bool over(int weight) const
    {
        return tail != NO_PREDECESSOR || weight > distance;
    }
    __device__ __forceinline__ void look(int from, int reached, int weight)
    {
        if ((unsigned int)reached + weight == (unsigned int)distance)
            tail = from;
    }
    __device__ __forceinline__ void join(const TightArc &other)
    {
        tail = max(tail, other.tail);
    }
    __device__ __forceinline__ TightArc of_lane(int lane) const
    {
        return {__shfl_sync(ALL_LANES, distance, lane), __shfl_sync(ALL_LANES, tail, lane)};
    }
};

// Look through inbound arcs `arc`, ..., `end` - 1, a row a lane. All lanes of a warp call.
template <class Wanted>
__device__ __forceinline__ void look_through(const Graph &graph, int arc, int end, const int *distances, Wanted &wanted)
{
    const int2 no_arc = make_int2(0, UNREACHABLE);
    bool on = arc < end;
    for (int time = 0; time < PULLS_OF_A_LANE && on; ++time) {
        int2 arcs[PULLED_AT_ONCE];
        int reached[PULLED_AT_ONCE];
#pragma unroll
        for (int one = 0; one < PULLED_AT_ONCE; ++one)
            arcs[one] = arc + one < end ? graph.in_arcs[arc + one] : no_arc;
#pragma unroll
        for (int one = 0; one < PULLED_AT_ONCE; ++one)
            reached[one] = wanted.over(arcs[one].y) ? UNREACHABLE : distances[arcs[one].x];
#pragma unroll
        for (int one = 0; one < PULLED_AT_ONCE; ++one)
            if (reached[one] < UNREACHABLE)
                wanted.look(arcs[one].x, reached[one], arcs[one].y);
        on = !wanted.over(arcs[PULLED_AT_ONCE - 1].y);
        arc += PULLED_AT_ONCE;
    }
    for (unsigned int rows = __ballot_sync(ALL_LANES, on && arc < end); rows; rows &= rows - 1) {
        const int owner = __ffs(rows) - 1;
        Wanted shared = wanted.of_lane(owner);
        const int last = __shfl_sync(ALL_LANES, end, owner);
        int next = __shfl_sync(ALL_LANES, arc, owner) + threadIdx.x % 32;
        for (bool more = true; more; next += 32) {
            const int2 one = next < last ? graph.in_arcs[next] : no_arc;
            if (!shared.over(one.y)) {
                const int reached = distances[one.x];
                if (reached < UNREACHABLE)
                    shared.look(one.x, reached, one.y);
            }
#pragma unroll
            for (int step = 16; step; step /= 2)
                shared.join(shared.of_lane(threadIdx.x % 32 ^ step));
            more = __any_sync(ALL_LANES, !shared.over(one.y));
        }
        if (threadIdx.x % 32 == owner)
            wanted = shared;
    }
}

// A round of all blocks that pulls. What fell in the round before is at `low` or beyond, and everybody sees it now.
__device__ __forceinline__ void pull(const Graph &graph, int low, int *distances, int *done, int &lowest, int &fallen)
{
    const long long thread = (long long)blockIdx.x * BLOCK + threadIdx.x, threads = (long long)gridDim.x * BLOCK;
    const int lane = threadIdx.x % 32;
    int next_reached = 0, next_arc = 0, next_end = 0; // read ahead
    for (long long begin = thread - lane - threads; begin < graph.vertices; begin += threads) {
        const long long head = begin + lane, next = head + threads;
        const int reached = next_reached, arc = next_arc, end = next_reached > low ? next_end : next_arc;
        if (next < graph.vertices) {
            next_reached = distances[next];
            next_arc = graph.in_indptr[next];
            next_end = graph.in_indptr[next + 1];
        }
        if (begin < 0)
            continue;
        ShortestWay way = {low, reached};
        look_through(graph, head < graph.vertices ? arc : end, end, distances, way);
        if (head < graph.vertices) {
            done[head] = reached;
            if (way.best < reached) {
                distances[head] = way.best;
                lowest = min(lowest, way.best);
                ++fallen;
            }
        }
    }
}

// The last round: predecessors from final distances, where all weights are positive.
__device__ __forceinline__ void claim(const Graph &graph, int source, const int *distances, int *predecessors)
{
    const long long thread = (long long)blockIdx.x * BLOCK + threadIdx.x, threads = (long long)gridDim.x * BLOCK;
    const int lane = threadIdx.x % 32;
    for (long long begin = thread - lane; begin < graph.vertices; begin += threads) {
        const long long head = begin + lane;
        const int distance = head < graph.vertices ? distances[head] : UNREACHABLE;
        int arc = 0, end = 0;
        if (distance < UNREACHABLE && head != source) {
            arc = graph.in_indptr[head];
            end = graph.in_indptr[head + 1];
        }
        TightArc tight = {distance, NO_PREDECESSOR};
        look_through(graph, arc, end, distances, tight);
        if (head < graph.vertices)
            predecessors[head] = tight.tail;
    }
}
