// A min-plus product in registers: what kernels share whose blocks own an output tile of lengths and whose threads own
// CELLS x CELLS of its cells each.
//
// A block stages slices of two operands, TILE deep, through shared memory, so that 2 * CELLS words read there serve
// CELLS * CELLS relaxations. In the inner loop the length alone counts: an addition and a minimum, which Hopper has as one
// instruction (VIADDMNMX). The tile's old cells are compared when the loop is done. Those that fell, a few in a hundred, go
// on a list; to which vertex each owes it is then looked up in the slices, which are still in shared memory.
// Source: B. Lund and J. W. Smith, "A Multi-Stage CUDA Kernel for Floyd-Warshall", arXiv:1001.4108, 2010, who stage slices
// for 32 x 32 tiles with several cells a thread. The list is ours; without it there are no paths.
#pragma once

#include "algorithms/distances.cuh"

#ifndef TILE
#define TILE 64
#endif
#ifndef THREADS_SIDE
#define THREADS_SIDE 16
#endif
#ifndef CELLS
#define CELLS 8
#endif
#define SIDE (THREADS_SIDE * CELLS)
#define THREADS (THREADS_SIDE * THREADS_SIDE)
// A thread's cells are groups of four by four, read from shared memory as one 16-byte word each way.
#define GROUP 4

// The length of a path, and no test whether it is one: what comes out is only compared.
__device__ __forceinline__ length_t shorter(length_t best, length_t head, length_t tail)
{
    return min(best, joined((int)head, (int)tail));
}

// Slices of the primary column and row for an output tile of WIDTH x WIDTH cells, and its cells that fell.
template <int WIDTH>
struct Slices {
    // Indexed [k][i] and [k][j]. The rows of the transposed one are longer, so that neighbouring k of one i fall
    // into different banks.
    length_t to[TILE][WIDTH + GROUP];
    length_t from[TILE][WIDTH];
    unsigned int fallen;
    unsigned short fallen_cells[WIDTH * WIDTH];  // row * WIDTH + column
};

// Four neighbouring words of shared memory.
__device__ __forceinline__ void read_group(const length_t *words, length_t *group)
{
    const uint4 four = *reinterpret_cast<const uint4 *>(words);
    group[0] = (length_t)four.x;
    group[1] = (length_t)four.y;
    group[2] = (length_t)four.z;
    group[3] = (length_t)four.w;
}

// Where a thread's cell number `cell` of a row or column of the tile lies: groups of four, one group of each thread after
// the other, so that neighbouring threads read neighbouring groups.
__device__ __forceinline__ int place(int thread, int cell)
{
    return (cell / GROUP * THREADS_SIDE + thread) * GROUP + cell % GROUP;
}

// The shortest lengths through the vertices of the slices, for the cells of thread (x, y) = (threadIdx.x, threadIdx.y).
template <int WIDTH, int COUNT>
__device__ __forceinline__ void shortest_through(const Slices<WIDTH> &slices, length_t (&best)[COUNT][COUNT])
{
    static_assert(COUNT == WIDTH / THREADS_SIDE && COUNT % GROUP == 0 && COUNT * COUNT <= 64, "cells of a thread");
#pragma unroll
    for (int row = 0; row < COUNT; ++row)
#pragma unroll
        for (int column = 0; column < COUNT; ++column)
            best[row][column] = UNREACHABLE;
#pragma unroll 4
    for (int k = 0; k < TILE; ++k) {
        length_t to[COUNT], from[COUNT];
#pragma unroll
        for (int cell = 0; cell < COUNT; cell += GROUP) {
            read_group(&slices.to[k][place(threadIdx.y, cell)], to + cell);
            read_group(&slices.from[k][place(threadIdx.x, cell)], from + cell);
        }
#pragma unroll
        for (int row = 0; row < COUNT; ++row)
#pragma unroll
            for (int column = 0; column < COUNT; ++column)
                best[row][column] = shorter(best[row][column], to[row], from[column]);
    }
}

// Put the cells of this thread that `fallen` has a bit for, number row * COUNT + column, on the block's list.
template <int WIDTH>
__device__ __forceinline__ void list_fallen(Slices<WIDTH> &slices, unsigned long long fallen)
{
    constexpr int count = WIDTH / THREADS_SIDE;
    if (!fallen)
        return;
    unsigned int next = atomicAdd(&slices.fallen, (unsigned int)__popcll(fallen));
    for (; fallen; fallen &= fallen - 1) {
        const int cell = __ffsll(fallen) - 1;
        slices.fallen_cells[next++] = place(threadIdx.y, cell / count) * WIDTH + place(threadIdx.x, cell % count);
    }
}

// The first vertex of the slices to which cell (row, column) of the tile owes its new length.
template <int WIDTH>
__device__ __forceinline__ int owed_to(const Slices<WIDTH> &slices, int row, int column, length_t length)
{
    int k = 0;
    while (joined((int)slices.to[k][row], (int)slices.from[k][column]) != length)
        ++k;
    return k;
}
