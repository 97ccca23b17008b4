// What all blocks of a solve share: the graph, what a block keeps in shared memory, and the barrier of the grid.
//
// The barrier: thread 0 of a block adds the block's arrival and its two counts to one 64-bit word, and polls it until
// all blocks have arrived. All blocks run at the same time (the host asks the device how many do), so none waits for one
// that cannot start. What a block wrote is visible to all afterwards: its threads' writes happen before thread 0's fence
// (__syncthreads), the fence before its atomicAdd, which the polls of the others read, and those are followed by a fence
// and __syncthreads. The words of round r serve round r + 4 again. Block 0 clears them in round r + 2: by then all blocks
// have arrived at round r + 1, so they have read them. A block that polls for seconds sets `status`, and all blocks end.
#pragma once

#include "warpath/solvers/distances.cuh"

#ifndef BLOCK
#define BLOCK 512
#endif
#define RESIDENT 2 // blocks of a multiprocessor: 64 registers a thread
#define ALL_LANES 0xffffffffu
#define WARPS (BLOCK / 32)
#define POLLS_MAX (1 << 23) // some seconds

// One of many blocks puts so many vertices into the queue at most; if more fell, all blocks go on anyway.
#define QUEUED_OF_A_BLOCK (gridDim.x > 1 ? 32 : BLOCK)

// `control` is `status`, and then two sets of words, of which a launch takes one and clears the other. A set has a line
// for each of four rounds: the word of arrivals, the lowest distance that waits (as UNREACHABLE less it, so that 0 is
// none), and how many vertices are in the queue.
#define LINE 32
#define LINES 4
#define SET_WORDS (LINES * LINE)
#define ARRIVALS 0
#define LOWEST 2
#define QUEUED 3

// The word of arrivals: how many blocks have arrived, how many distances fell, and how many vertices wait beyond the
// threshold.
#define COUNT_BITS 26
#define COUNT_MAX ((1 << COUNT_BITS) - 1)

struct Graph {
    int vertices, pieces, piece;
    const int *__restrict__ indptr;
    const int *__restrict__ indices;
    const int *__restrict__ weights;
    const int *__restrict__ piece_tails; // of the pieces after the first of their rows
    const int *__restrict__ piece_firsts;
    const int *__restrict__ in_indptr;
    const int2 *__restrict__ in_arcs; // tail and weight
};

// Rows that a warp is to relax, and the distances of their tails.
struct WarpQueue {
    int rows[64], reached[64];
};

// The rows that a block relaxes alone: the prefix sums of their degrees, their first arcs, the distances of their tails.
struct RowsAlone {
    int upto[BLOCK], first[BLOCK], reached[BLOCK];
};

struct Block {
    int fallen, lowest, waiting; // of this block in this round; `fallen` below the threshold
    int all_fallen, all_waiting; // of all blocks in the round before
    int all_lowest, all_queued;
    int queued_before, stopped;
    int warp_sums[WARPS];
    int list[BLOCK]; // the first vertices that fell
    union {
        WarpQueue queues[WARPS];
        RowsAlone alone;
    };
};

// A word that other blocks write, as it is in the L2 cache.
__device__ __forceinline__ int fresh(const int *word)
{
    return *(const volatile int *)word;
}

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
        if (block.lowest < UNREACHABLE)
            atomicMax(&line[LOWEST], UNREACHABLE - block.lowest);
        if (blockIdx.x == 0)
            for (int word = 0; word < 4; ++word)
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
            block.all_lowest = UNREACHABLE - fresh(&line[LOWEST]);
            block.all_queued = fresh(&line[QUEUED]);
        }
        block.fallen = block.waiting = 0;
        block.lowest = UNREACHABLE;
    }
    __syncthreads();
    return !block.stopped;
}
