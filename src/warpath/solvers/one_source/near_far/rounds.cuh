// Rounds of near-far: how all blocks end one, and rounds that pull and push.
#pragma once

#include "warpath/solvers/shared/lengths.cuh"

// What all blocks of a solve share: the graph, what a block keeps in shared memory, and the barrier of the grid.
//
// The barrier: thread 0 of a block adds the block's arrival and its two counts to one 64-bit word, and polls it until
// all blocks have arrived. All blocks run at the same time (the host asks the device how many do), so none waits for one
// that cannot start. What a block wrote is visible to all afterwards: its threads' writes happen before thread 0's fence
// (__syncthreads), the fence before its atomicAdd, which the polls of the others read, and those are followed by a fence
// and __syncthreads. The words of round r serve round r + 4 again. Block 0 clears them in round r + 2: by then all blocks
// have arrived at round r + 1, so they have read them. A block that polls for seconds sets `status`, and all blocks end.

#ifndef BLOCK
#define BLOCK 512
#endif
#define RESIDENT 2 // blocks of a multiprocessor: 64 registers a thread
#define ALL_LANES 0xffffffffu
#define WARPS (BLOCK / 32)
#define POLLS_MAX (1 << 23) // some seconds

// One of many blocks puts so many vertices into the queue at most; if more fell, all blocks go on anyway.
#define QUEUED_OF_A_BLOCK (gridDim.x > 1 ? 32 : BLOCK)

// `status` is memory of the host. `control` is two sets of words, of which a launch takes one and clears the other. A
// set has a line for each of four rounds: the word of arrivals, the lowest distance that waits (a Length, as UNREACHABLE
// less it, so that 0 is none), and how many vertices are in the queue.
#define LINE 32
#define LINES 4
#define SET_WORDS (LINES * LINE)
#define ARRIVALS 0
#define LOWEST 2
#define QUEUED 4
#define WORDS_OF_ROUND 5

// The word of arrivals: how many blocks have arrived, how many distances fell, and how many vertices wait beyond the
// threshold.
#define COUNT_BITS 26
#define COUNT_MAX ((1 << COUNT_BITS) - 1)

struct Graph {
    int vertices, pieces, piece;
    const int *__restrict__ indptr;
    const int *__restrict__ indices;
    const Weight *__restrict__ weights;
    const int *__restrict__ piece_tails; // of the pieces after the first of their rows
    const int *__restrict__ piece_firsts;
    const int *__restrict__ in_indptr;
    const Arc *__restrict__ in_arcs; // the ends are tails
};

// Rows that a warp is to relax, and the distances of their tails.
struct WarpQueue {
    int rows[64];
    Length reached[64];
};

// The rows that a block relaxes alone: the prefix sums of their degrees, their first arcs, the distances of their tails.
struct RowsAlone {
    int upto[BLOCK], first[BLOCK];
    Length reached[BLOCK];
};

struct Block {
    int fallen, waiting; // of this block in this round; `fallen` below the threshold
    Length lowest;
    int all_fallen, all_waiting; // of all blocks in the round before
    Length all_lowest;
    int all_queued;
    int queued_before, stopped;
    int warp_sums[WARPS];
    int list[BLOCK]; // the first vertices that fell
    union {
        WarpQueue queues[WARPS];
        RowsAlone alone;
    };
};

// The end of a round: all blocks meet, and learn what fell and what waits. The lowest distance that waits and the
// length of the queue are read only where few vertices fell, or if they are `wanted` anyway. False where one of the blocks gave up.
__device__ __forceinline__ bool meet(unsigned int round, int *words, int *status, int *queue, bool wanted, Block &block)
{
    int *const line = words + LINE * (round % LINES);
    __syncthreads();
    const int fallen = block.fallen;
    const bool queued = fallen && fallen <= QUEUED_OF_A_BLOCK;
    if (fallen && threadIdx.x == 0) {
        if (queued)
            block.queued_before = atomicAdd(&line[QUEUED], fallen);
        else
            atomicAdd(&line[QUEUED], BLOCK + 1); // more than any queue: not all of them are there
    }
    __syncthreads();
    if (queued && threadIdx.x < fallen && block.queued_before + threadIdx.x < BLOCK)
        queue[block.queued_before + threadIdx.x] = block.list[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned long long *const arrivals = (unsigned long long *)&line[ARRIVALS];
        Length *const lowest = (Length *)&line[LOWEST];
        if (block.lowest < UNREACHABLE)
            atomicMax(lowest, UNREACHABLE - block.lowest);
        if (blockIdx.x == 0)
            for (int word = 0; word < WORDS_OF_ROUND; ++word)
                words[LINE * ((round + 2) % LINES) + word] = 0;
        __threadfence();
        const int most = COUNT_MAX / gridDim.x; // so that no sum leaves its bits
        atomicAdd(arrivals, 1ull << 2 * COUNT_BITS | (unsigned long long)min(fallen, most) << COUNT_BITS |
                                min(block.waiting, most));
        unsigned long long word;
        for (int polls = 0; (word = *(volatile unsigned long long *)arrivals) >> 2 * COUNT_BITS < gridDim.x;)
            if (++polls % 1024 == 0 && (polls > POLLS_MAX || fresh(status))) {
                *status = 1;
                block.stopped = 1;
                break;
            }
        __threadfence();
        block.all_fallen = (int)(word >> COUNT_BITS & COUNT_MAX);
        block.all_waiting = (int)(word & COUNT_MAX);
        if (wanted || block.all_fallen <= BLOCK) {
            block.all_lowest = UNREACHABLE - fresh(lowest);
            block.all_queued = fresh(&line[QUEUED]);
        }
        block.fallen = block.waiting = 0;
        block.lowest = UNREACHABLE;
    }
    __syncthreads();
    return !block.stopped;
}

// Rounds in which every vertex looks through its inbound arcs, which are sorted by weight.

// How many arcs a lane reads before it uses the first.
#define PULLED_AT_ONCE 2
// A lane pulls so many times for its vertex; then the whole warp pulls what is left.
#ifndef PULLS_OF_A_LANE
#define PULLS_OF_A_LANE 8
#endif

// What a vertex looks for among its inbound arcs, one after another: the shortest way.
struct ShortestWay {
    Length low, best;
    __device__ __forceinline__ bool over(Weight weight) const
    {
        return extended(low, weight) >= (Sum)best;
    }
    __device__ __forceinline__ bool wants(int) const
    {
        return true;
    }
    __device__ __forceinline__ void look(int, Length reached, Weight weight)
    {
        best = (Length)min((Sum)best, extended(reached, weight));
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

// The same: the lowest tail of a tight arc, if all have positive weight. `tail` is NO_PREDECESSOR until there is one.
struct TightArc {
    Length distance;
    unsigned int tail;
    __device__ __forceinline__ bool over(Weight weight) const
    {
        return extended(0, weight) > (Sum)distance;
    }
    __device__ __forceinline__ bool wants(int from) const
    {
        return (unsigned int)from < tail;
    }
    __device__ __forceinline__ void look(int from, Length reached, Weight weight)
    {
        if (extended(reached, weight) == (Sum)distance)
            tail = min(tail, (unsigned int)from);
    }
    __device__ __forceinline__ void join(const TightArc &other)
    {
        tail = min(tail, other.tail);
    }
    __device__ __forceinline__ TightArc of_lane(int lane) const
    {
        return {__shfl_sync(ALL_LANES, distance, lane), __shfl_sync(ALL_LANES, tail, lane)};
    }
};

// Look through inbound arcs `arc`, ..., `end` - 1, a row a lane. All lanes of a warp call.
template <class Wanted>
__device__ __forceinline__ void look_through(const Graph &graph, int arc, int end, const Length *distances,
                                             Wanted &wanted)
{
    const Arc no_arc = {0, number_of(UNREACHABLE)};
    bool on = arc < end;
    for (int time = 0; time < PULLS_OF_A_LANE && on; ++time) {
        Arc arcs[PULLED_AT_ONCE];
        Length reached[PULLED_AT_ONCE];
#pragma unroll
        for (int one = 0; one < PULLED_AT_ONCE; ++one)
            arcs[one] = arc + one < end ? graph.in_arcs[arc + one] : no_arc;
#pragma unroll
        for (int one = 0; one < PULLED_AT_ONCE; ++one)
            reached[one] = !wanted.over(arcs[one].weight) && wanted.wants(arcs[one].end) ? distances[arcs[one].end]
                                                                                         : (Length)UNREACHABLE;
#pragma unroll
        for (int one = 0; one < PULLED_AT_ONCE; ++one)
            if (reached[one] < UNREACHABLE)
                wanted.look(arcs[one].end, reached[one], arcs[one].weight);
        on = !wanted.over(arcs[PULLED_AT_ONCE - 1].weight);
        arc += PULLED_AT_ONCE;
    }
    for (unsigned int rows = __ballot_sync(ALL_LANES, on && arc < end); rows; rows &= rows - 1) {
        const int owner = __ffs(rows) - 1;
        Wanted shared = wanted.of_lane(owner);
        const int last = __shfl_sync(ALL_LANES, end, owner);
        int next = __shfl_sync(ALL_LANES, arc, owner) + threadIdx.x % 32;
        for (bool more = true; more; next += 32) {
            const Arc one = next < last ? graph.in_arcs[next] : no_arc;
            if (!shared.over(one.weight) && shared.wants(one.end)) {
                const Length reached = distances[one.end];
                if (reached < UNREACHABLE)
                    shared.look(one.end, reached, one.weight);
            }
#pragma unroll
            for (int step = 16; step; step /= 2)
                shared.join(shared.of_lane(threadIdx.x % 32 ^ step));
            more = __any_sync(ALL_LANES, !shared.over(one.weight));
        }
        if (threadIdx.x % 32 == owner)
            wanted = shared;
    }
}

// A round of all blocks that pulls. What fell in the round before is at `low` or beyond, and everybody sees it now.
__device__ __forceinline__ void pull(const Graph &graph, Length low, Length *distances, Length *done, Length &lowest,
                                     int &fallen)
{
    const long long thread = (long long)blockIdx.x * BLOCK + threadIdx.x, threads = (long long)gridDim.x * BLOCK;
    const int lane = threadIdx.x % 32;
    Length next_reached = 0; // read ahead
    int next_arc = 0, next_end = 0;
    for (long long begin = thread - lane - threads; begin < graph.vertices; begin += threads) {
        const long long head = begin + lane, next = head + threads;
        const Length reached = next_reached;
        const int arc = next_arc, end = next_reached > low ? next_end : next_arc;
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
__device__ __forceinline__ void claim(const Graph &graph, int source, const Length *distances, int *predecessors)
{
    const long long thread = (long long)blockIdx.x * BLOCK + threadIdx.x, threads = (long long)gridDim.x * BLOCK;
    const int lane = threadIdx.x % 32;
    for (long long begin = thread - lane; begin < graph.vertices; begin += threads) {
        const long long head = begin + lane;
        const Length distance = head < graph.vertices ? distances[head] : UNREACHABLE;
        int arc = 0, end = 0;
        if (distance < UNREACHABLE && head != source) {
            arc = graph.in_indptr[head];
            end = graph.in_indptr[head + 1];
        }
        TightArc tight = {distance, (unsigned int)NO_PREDECESSOR};
        look_through(graph, arc, end, distances, tight);
        if (head < graph.vertices)
            predecessors[head] = (int)tight.tail;
    }
}

// Rounds that push: vertices that wait below the threshold lower the distances of their heads.

// How many arcs a lane reads before it uses the first.
#define PUSHED_AT_ONCE 4
// One block goes on alone while its vertices have so many arcs at most.
#ifndef ARCS_ALONE_MAX
#define ARCS_ALONE_MAX (4 * BLOCK)
#endif
// After so many rounds it meets the others, which would else give up on very long paths.
#ifndef ROUNDS_ALONE_MAX
#define ROUNDS_ALONE_MAX (1 << 16)
#endif

// The inclusive prefix sums over the lanes of a warp.
__device__ __forceinline__ int sum_upto_lane(int value)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const int before = __shfl_up_sync(ALL_LANES, value, step);
        value += lane >= step ? before : 0;
    }
    return value;
}

// Lower the distance of `head` to `candidate`; whether it fell. No distance falls to UNREACHABLE.
__device__ __forceinline__ bool lowered(int head, Sum candidate, Length *distances)
{
    return candidate < UNREACHABLE && (Length)candidate < atomicMin(&distances[head], (Length)candidate);
}

// Note what fell, if `fell`: vertices below the threshold go to the block's list while there is room. All lanes of a
// warp call.
__device__ __forceinline__ void note(bool fell, int head, Length candidate, Length threshold, Block &block,
                                     Length &lowest)
{
    const bool near = fell && candidate < threshold;
    if (fell && !near)
        lowest = min(lowest, candidate);
    const unsigned int lanes = __ballot_sync(ALL_LANES, near);
    if (lanes) {
        const int lane = threadIdx.x % 32, leader = __ffs(lanes) - 1;
        int place = 0;
        if (lane == leader)
            place = atomicAdd(&block.fallen, __popc(lanes));
        place = __shfl_sync(ALL_LANES, place, leader) + __popc(lanes & ((1u << lane) - 1));
        if (near && place < BLOCK)
            block.list[place] = head;
    }
}

// Relax rows of a warp's queue: each lane the one at `place`, if any. A row from `vertices` on is a further piece.
__device__ __forceinline__ void relax_rows(const Graph &graph, const WarpQueue &queue, int place, bool any,
                                           Length threshold, Length *distances, Block &block, Length &lowest)
{
    const int lane = threadIdx.x % 32;
    Length reached = 0;
    int first = 0, degree = 0;
    if (any) {
        const int row = queue.rows[place], further = row - graph.vertices;
        reached = queue.reached[place];
        first = further < 0 ? graph.indptr[row] : graph.piece_firsts[further];
        degree = min(graph.indptr[(further < 0 ? row : graph.piece_tails[further]) + 1] - first, graph.piece);
    }
    const int upto = sum_upto_lane(degree);
    const int total = __shfl_sync(ALL_LANES, upto, 31);
    const int offset = first - (upto - degree); // number k of the warp's arcs is arc offset + k of the graph
    for (int begin = 0; begin < total; begin += 32 * PUSHED_AT_ONCE) {
        int heads[PUSHED_AT_ONCE];
        Sum candidates[PUSHED_AT_ONCE];
#pragma unroll
        for (int one = 0; one < PUSHED_AT_ONCE; ++one) {
            const int number = begin + 32 * one + lane;
            int owner = 0;
#pragma unroll
            for (int step = 16; step; step /= 2)
                owner += __shfl_sync(ALL_LANES, upto, owner + step - 1) <= number ? step : 0;
            const int arc = __shfl_sync(ALL_LANES, offset, owner) + number;
            const Length so_far = __shfl_sync(ALL_LANES, reached, owner);
            heads[one] = number < total ? graph.indices[arc] : 0;
            candidates[one] = number < total ? extended(so_far, graph.weights[arc]) : (Sum)UNREACHABLE;
        }
        // Most do not fall, and a read takes less than an atomic operation.
        Length seen[PUSHED_AT_ONCE];
#pragma unroll
        for (int one = 0; one < PUSHED_AT_ONCE; ++one)
            seen[one] = candidates[one] < UNREACHABLE ? distances[heads[one]] : 0;
        bool fell[PUSHED_AT_ONCE];
#pragma unroll
        for (int one = 0; one < PUSHED_AT_ONCE; ++one)
            fell[one] = candidates[one] < (Sum)seen[one] && lowered(heads[one], candidates[one], distances);
#pragma unroll
        for (int one = 0; one < PUSHED_AT_ONCE; ++one)
            note(fell[one], heads[one], (Length)candidates[one], threshold, block, lowest);
    }
}

// Put the rows of those lanes that have one into the queue, and relax 32 as soon as there are so many.
__device__ __forceinline__ void enqueue(const Graph &graph, bool near, int row, Length reached, Length threshold,
                                        Length *distances, Length *done, WarpQueue &queue, int &count, Block &block,
                                        Length &lowest)
{
    const int lane = threadIdx.x % 32;
    const unsigned int lanes = __ballot_sync(ALL_LANES, near);
    if (near) {
        const int place = count + __popc(lanes & ((1u << lane) - 1));
        queue.rows[place] = row;
        queue.reached[place] = reached;
        done[row] = reached;
    }
    count += __popc(lanes);
    __syncwarp();
    if (count >= 32) {
        count -= 32;
        relax_rows(graph, queue, count + lane, true, threshold, distances, block, lowest);
        __syncwarp();
    }
}

// A round of all blocks that pushes: relax what waits below the threshold, count what waits beyond it. Neighbouring rows
// may well be heavy together, the further pieces of a vertex above all. So a warp takes rows that lie far apart; only
// vertices in numbers that keep all warps busy anyway are read four at a time.
__device__ __forceinline__ void push(const Graph &graph, Length threshold, Length *distances, Length *done,
                                     Block &block, Length &lowest, int &waiting)
{
    const int lane = threadIdx.x % 32;
    const long long warp = (long long)blockIdx.x * WARPS + threadIdx.x / 32, warps = (long long)gridDim.x * WARPS;
    const bool by_fours = graph.vertices >= 4 * 32 * warps;
    const long long rows = (long long)graph.vertices + graph.pieces;
    WarpQueue &queue = block.queues[threadIdx.x / 32];
    int count = 0;
    for (long long begin = by_fours ? graph.vertices : 0; begin < rows; begin += 32 * warps) {
        const long long row = begin + warps * lane + warp;
        Length reached = 0;
        bool waits = false;
        if (row < rows) {
            reached = distances[row < graph.vertices ? row : graph.piece_tails[row - graph.vertices]];
            waits = reached != done[row];
        }
        const bool near = waits && reached < threshold;
        if (waits && !near && row < graph.vertices) {
            lowest = min(lowest, reached);
            ++waiting;
        }
        if (__any_sync(ALL_LANES, near))
            enqueue(graph, near, (int)row, reached, threshold, distances, done, queue, count, block, lowest);
    }
    for (long long begin = 128 * warp; by_fours && begin < graph.vertices; begin += 128 * warps) {
        const long long first = begin + 4 * lane;
        Length reached_of[4], done_of[4];
        read_four(distances, first, graph.vertices, reached_of);
        read_four(done, first, graph.vertices, done_of);
        const bool waits_of[4] = {reached_of[0] != done_of[0], reached_of[1] != done_of[1], reached_of[2] != done_of[2],
                                  reached_of[3] != done_of[3]};
        const bool waits = waits_of[0] || waits_of[1] || waits_of[2] || waits_of[3];
        if (!__any_sync(ALL_LANES, waits))
            continue;
#pragma unroll
        for (int one = 0; one < 4; ++one) {
            const bool near = waits_of[one] && reached_of[one] < threshold;
            if (waits_of[one] && !near) {
                lowest = min(lowest, reached_of[one]);
                ++waiting;
            }
            if (__any_sync(ALL_LANES, near))
                enqueue(graph, near, (int)first + one, reached_of[one], threshold, distances, done, queue, count, block,
                        lowest);
        }
    }
    if (count)
        relax_rows(graph, queue, lane, lane < count, threshold, distances, block, lowest);
}

// Rounds of one block alone, from the `count` vertices of `queue`, until no distance falls below the threshold: 0. What
// is too much for one block is left waiting for all of them: BLOCK + 1.
__device__ __forceinline__ int push_alone(const Graph &graph, int count, Length threshold, Length *distances,
                                          Length *done, const int *queue, Block &block, Length &lowest)
{
    const int thread = threadIdx.x;
    if (thread < count)
        block.list[thread] = fresh(&queue[thread]);
    for (int round = 0; count; ++round) {
        __syncthreads();
        int tail = 0, degree = 0;
        Length reached = 0;
        bool near = false, in_pieces = false;
        if (thread < count) {
            tail = block.list[thread];
            reached = fresh(&distances[tail]);
            near = reached != fresh(&done[tail]) && reached < threshold;
            block.alone.first[thread] = graph.indptr[tail];
            degree = graph.indptr[tail + 1] - graph.indptr[tail];
            in_pieces = degree > graph.piece; // even if its first piece has been relaxed
            block.alone.reached[thread] = reached;
        }
        degree = near ? degree : 0;
        const int upto = sum_upto_lane(degree);
        if (thread % 32 == 31)
            block.warp_sums[thread / 32] = upto;
        const bool heavy = __syncthreads_or(in_pieces);
        int total = 0, before = 0;
        for (int warp = 0; warp < WARPS; ++warp) {
            before += warp < thread / 32 ? block.warp_sums[warp] : 0;
            total += block.warp_sums[warp];
        }
        if (heavy || total > ARCS_ALONE_MAX || round == ROUNDS_ALONE_MAX)
            return BLOCK + 1;
        if (near)
            done[tail] = reached;
        block.alone.upto[thread] = before + upto;
        if (thread == 0)
            block.fallen = 0;
        __syncthreads();
        for (int begin = 0; begin < total; begin += BLOCK) {
            const int number = begin + thread;
            int head = 0;
            Sum candidate = UNREACHABLE;
            if (number < total) {
                int owner = 0;
                for (int step = BLOCK / 2; step; step /= 2)
                    owner += block.alone.upto[owner + step - 1] <= number ? step : 0;
                const int arc = block.alone.first[owner] + number - (owner ? block.alone.upto[owner - 1] : 0);
                head = graph.indices[arc];
                candidate = extended(block.alone.reached[owner], graph.weights[arc]);
            }
            note(lowered(head, candidate, distances), head, (Length)candidate, threshold, block, lowest);
        }
        __syncthreads();
        count = block.fallen;
        if (count > BLOCK)
            return BLOCK + 1;
    }
    return 0;
}
