// Rounds that push: vertices that wait below the threshold lower the distances of their heads.
#pragma once

#include "warpath/solvers/near_far/grid.cuh"

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
__device__ __forceinline__ bool lowered(int head, unsigned int candidate, int *distances)
{
    return candidate < UNREACHABLE && (int)candidate < atomicMin(&distances[head], (int)candidate);
}

// Note what fell, if `fell`: vertices below the threshold go to the block's list while there is room. All lanes of a
// warp call.
__device__ __forceinline__ void note(bool fell, int head, int candidate, int threshold, Block &block, int &lowest)
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
                                           int threshold, int *distances, Block &block, int &lowest)
{
    const int lane = threadIdx.x % 32;
    int reached = 0, first = 0, degree = 0;
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
        unsigned int candidates[PUSHED_AT_ONCE];
#pragma unroll
        for (int one = 0; one < PUSHED_AT_ONCE; ++one) {
            const int number = begin + 32 * one + lane;
            int owner = 0;
#pragma unroll
            for (int step = 16; step; step /= 2)
                owner += __shfl_sync(ALL_LANES, upto, owner + step - 1) <= number ? step : 0;
            const int arc = __shfl_sync(ALL_LANES, offset, owner) + number;
            const unsigned int so_far = __shfl_sync(ALL_LANES, reached, owner);
            heads[one] = number < total ? graph.indices[arc] : 0;
            candidates[one] = number < total ? so_far + graph.weights[arc] : UNREACHABLE;
        }
        // Most do not fall, and a read takes less than an atomic operation.
        int seen[PUSHED_AT_ONCE];
#pragma unroll
        for (int one = 0; one < PUSHED_AT_ONCE; ++one)
            seen[one] = candidates[one] < UNREACHABLE ? distances[heads[one]] : 0;
        bool fell[PUSHED_AT_ONCE];
#pragma unroll
        for (int one = 0; one < PUSHED_AT_ONCE; ++one)
            fell[one] = candidates[one] < (unsigned int)seen[one] && lowered(heads[one], candidates[one], distances);
#pragma unroll
        for (int one = 0; one < PUSHED_AT_ONCE; ++one)
            note(fell[one], heads[one], (int)candidates[one], threshold, block, lowest);
    }
}

// Put the rows of those lanes that have one into the queue, and relax 32 as soon as there are so many.
__device__ __forceinline__ void enqueue(const Graph &graph, bool near, int row, int reached, int threshold,
                                        int *distances, int *done, WarpQueue &queue, int &count, Block &block,
                                        int &lowest)
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

// The first `count` of four words, 1 to 3 of them; 0 for the others.
__device__ __forceinline__ int4 some_of_four(const int *words, int count)
{
    return make_int4(words[0], count > 1 ? words[1] : 0, count > 2 ? words[2] : 0, 0);
}

// A round of all blocks that pushes: relax what waits below the threshold, count what waits beyond it. Neighbouring rows
// may well be heavy together, the further pieces of a vertex above all. So a warp takes rows that lie far apart; only
// vertices in numbers that keep all warps busy anyway are read four at a time.
__device__ __forceinline__ void push(const Graph &graph, int threshold, int *distances, int *done, Block &block,
                                     int &lowest, int &waiting)
{
    const int lane = threadIdx.x % 32;
    const long long warp = (long long)blockIdx.x * WARPS + threadIdx.x / 32, warps = (long long)gridDim.x * WARPS;
    const bool by_fours = graph.vertices >= 4 * 32 * warps;
    const long long rows = (long long)graph.vertices + graph.pieces;
    WarpQueue &queue = block.queues[threadIdx.x / 32];
    int count = 0;
    for (long long begin = by_fours ? graph.vertices : 0; begin < rows; begin += 32 * warps) {
        const long long row = begin + warps * lane + warp;
        int reached = 0;
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
        int4 reached = make_int4(0, 0, 0, 0), before = reached;
        if (first + 3 < graph.vertices) {
            reached = *reinterpret_cast<const int4 *>(distances + first);
            before = *reinterpret_cast<const int4 *>(done + first);
        } else if (first < graph.vertices) {
            reached = some_of_four(distances + first, (int)(graph.vertices - first));
            before = some_of_four(done + first, (int)(graph.vertices - first));
        }
        const int reached_of[4] = {reached.x, reached.y, reached.z, reached.w};
        const bool waits_of[4] = {reached.x != before.x, reached.y != before.y, reached.z != before.z,
                                  reached.w != before.w};
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
__device__ __forceinline__ int push_alone(const Graph &graph, int count, int threshold, int *distances, int *done,
                                          const int *queue, Block &block, int &lowest)
{
    const int thread = threadIdx.x;
    if (thread < count)
        block.list[thread] = fresh(&queue[thread]);
    for (int round = 0; count; ++round) {
        __syncthreads();
        int tail = 0, reached = 0, degree = 0;
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
            unsigned int candidate = UNREACHABLE;
            if (number < total) {
                int owner = 0;
                for (int step = BLOCK / 2; step; step /= 2)
                    owner += block.alone.upto[owner + step - 1] <= number ? step : 0;
                const int arc = block.alone.first[owner] + number - (owner ? block.alone.upto[owner - 1] : 0);
                head = graph.indices[arc];
                candidate = (unsigned int)block.alone.reached[owner] + graph.weights[arc];
            }
            note(lowered(head, candidate, distances), head, (int)candidate, threshold, block, lowest);
        }
        __syncthreads();
        count = block.fallen;
        if (count > BLOCK)
            return BLOCK + 1;
    }
    return 0;
}
