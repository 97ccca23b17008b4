// A min-plus product in registers, for kernels whose blocks own an output tile of lengths and whose threads own
// CELLS x CELLS of its cells each.
//
// A block stages slices of two operands, TILE deep, through shared memory. So 2 * CELLS words read there serve CELLS *
// CELLS relaxations. Keys are added and compared: a key is a length and, below it in VERTEX_BITS bits, the number of
// the slices' vertex that the path leads over. So the inner loop is an addition and a minimum, which Hopper has as one
// instruction (VIADDMNMX), and the result says for each cell to which vertex it owes its length. The tile's old cells
// are compared after the loop.
// Keys need lengths below 2^(31 - VERTEX_BITS). Where a graph may have longer or negative ones, VERTEX_BITS is 0: keys
// are lengths alone, cells that fell go on a list, and the vertex that each owes its length to is looked up in the
// slices, which are still in shared memory.
// Source: B. Lund and J. W. Smith, "A Multi-Stage CUDA Kernel for Floyd-Warshall", arXiv:1001.4108, 2010, who stage
// slices for 32 x 32 tiles with several cells a thread. Keys and list are ours: they are what gives the paths.
#pragma once

#include "warpath/solvers/shared/distances.cuh"

#ifndef TILE
#define TILE 64
#endif
#ifndef THREADS_SIDE
#define THREADS_SIDE 16
#endif
#ifndef CELLS
#define CELLS 8
#endif
#ifndef VERTEX_BITS
#define VERTEX_BITS 0
#endif
#define SIDE (THREADS_SIDE * CELLS)
#define THREADS (THREADS_SIDE * THREADS_SIDE)

// A thread's cells are groups of as many cells each way, read from shared memory as one 16-byte word.
#define GROUP 4

// Stands for UNREACHABLE in keys. The sum of two such keys fits into 32 unsigned bits, and a sum with one in it is not
// below the key of an UNREACHABLE cell.
#define FAR ((length_t)((1u << (31 - VERTEX_BITS)) - 1))

static_assert(VERTEX_BITS == 0 || TILE <= 1 << VERTEX_BITS, "numbers of the slices' vertices fit");
static_assert(VERTEX_BITS == 0 || (length_t)-1 > 0, "no keys of negative lengths");

__device__ __forceinline__ length_t key_of(int length)
{
    return min((length_t)length, FAR) << VERTEX_BITS;
}

// The key of the part of a path that begins at number `k` of the slices' vertices.
__device__ __forceinline__ length_t key_from(int k, int length)
{
    return VERTEX_BITS ? key_of(length) | (length_t)k : key_of(length);
}

// Slices of the primary column and row for an output tile of WIDTH x WIDTH cells, and a list of the cells that fell.
template <int WIDTH>
struct Slices {
    // Keys, indexed [k][i] and [k][j]. Rows of `to`, which is transposed, are longer, so that neighbouring k of one i
    // lie in different banks.
    length_t to[TILE][WIDTH + GROUP];
    length_t from[TILE][WIDTH];
#if !VERTEX_BITS
    unsigned int fallen;
    unsigned short fallen_cells[WIDTH * WIDTH]; // row * WIDTH + column
#endif
};

// Neighbouring words, the first of them at a multiple of 16 bytes.
__device__ __forceinline__ void read_group(const length_t *words, length_t *group)
{
    const uint4 four = *reinterpret_cast<const uint4 *>(words);
    group[0] = (length_t)four.x;
    group[1] = (length_t)four.y;
    group[2] = (length_t)four.z;
    group[3] = (length_t)four.w;
}

__device__ __forceinline__ void write_group(const length_t *group, length_t *words)
{
    *reinterpret_cast<uint4 *>(words) =
        make_uint4((unsigned int)group[0], (unsigned int)group[1], (unsigned int)group[2], (unsigned int)group[3]);
}

// Where a thread's cell number `cell` lies in a row or column of the tile. Cells come in groups, the groups of
// all threads side by side, so that neighbouring threads read neighbouring groups.
__device__ __forceinline__ int place(int thread, int cell)
{
    return (cell / GROUP * THREADS_SIDE + thread) * GROUP + cell % GROUP;
}

// The smallest keys through the vertices of the slices, for the cells of thread (x, y) = (threadIdx.x, threadIdx.y).
template <int WIDTH, int COUNT>
__device__ __forceinline__ void shortest_through(const Slices<WIDTH> &slices, length_t (&best)[COUNT][COUNT])
{
    static_assert(COUNT == WIDTH / THREADS_SIDE && COUNT % GROUP == 0 && COUNT * COUNT <= 64, "cells of a thread");
#pragma unroll
    for (int row = 0; row < COUNT; ++row)
#pragma unroll
        for (int column = 0; column < COUNT; ++column)
            best[row][column] = key_of(UNREACHABLE);
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
                best[row][column] = min(best[row][column], joined((int)to[row], (int)from[column]));
    }
}

// The number of the slices' first vertex to which cell (row, column) of the tile owes `length`.
template <int WIDTH>
__device__ __forceinline__ int owed_to(const Slices<WIDTH> &slices, int row, int column, length_t length)
{
    int k = 0;
    while (joined((int)slices.to[k][row], (int)slices.from[k][column]) != length)
        ++k;
    return k;
}

// Close the tile on the diagonal through its first `depth` vertices, in a block of TILE x THREADS_SIDE threads. The
// lengths are in `cells`; a thread has its own in `own`, those of one column in every THREADS_SIDE-th row. `owe(row,
// k)` notes that a thread's cell number `row` owes its length to vertex k of the tile.
template <class Owe>
__device__ __forceinline__ void close_diagonal(int (&cells)[TILE][TILE], length_t (&own)[TILE / THREADS_SIDE],
                                               int depth, Owe owe)
{
    const int x = threadIdx.x;
    for (int k = 0; k < depth; ++k) {
        // Row k and column k do not change in step k, so one barrier a step is enough.
        const int from_k = cells[k][x];
#pragma unroll
        for (int row = 0; row < TILE / THREADS_SIDE; ++row) {
            const int y = row * THREADS_SIDE + threadIdx.y;
            const length_t candidate = joined(cells[y][k], from_k);
            if (candidate < own[row]) {
                own[row] = candidate;
                cells[y][x] = (int)candidate;
                owe(row, k);
            }
        }
        __syncthreads();
    }
}

// Relax all cells of an output tile through the vertices of the slices, which the block has loaded. All threads call.
//
// OutputTile is where the cells lie. It has
//   read(row, column, four)     the lengths of GROUP neighbouring cells; LEAST_LENGTH for a cell that must not fall;
//   write(row, column, four, fallen)   write the four back; `fallen` has a bit for each that fell;
//   length(row, column)         the length of a cell, once written;
//   owe(row, column, k)         note that the cell owes its length to number k of the slices' vertices.
template <int WIDTH, class OutputTile>
__device__ __forceinline__ void relax_cells(Slices<WIDTH> &slices, OutputTile tile)
{
    constexpr int cells = WIDTH / THREADS_SIDE;
    length_t best[cells][cells];
    shortest_through(slices, best);

    unsigned long long all_fallen = 0; // a bit a cell
#pragma unroll
    for (int group = 0; group < cells; group += GROUP) {
        length_t old[GROUP][cells]; // read together: the compiler moves no load across a store into the same matrix
#pragma unroll
        for (int row = 0; row < GROUP; ++row)
#pragma unroll
            for (int column = 0; column < cells; column += GROUP)
                tile.read(place(threadIdx.y, group + row), place(threadIdx.x, column), old[row] + column);
#pragma unroll
        for (int row = 0; row < GROUP; ++row)
#pragma unroll
            for (int column = 0; column < cells; column += GROUP) {
                unsigned int fallen = 0;
                length_t four[GROUP];
#pragma unroll
                for (int cell = 0; cell < GROUP; ++cell) {
                    const length_t key = best[group + row][column + cell];
                    const bool fell = key < key_of((int)old[row][column + cell]);
                    four[cell] = fell ? key >> VERTEX_BITS : old[row][column + cell];
                    fallen |= (unsigned int)fell << cell;
                }
                if (!fallen)
                    continue;
                const int i = place(threadIdx.y, group + row);
                const int j = place(threadIdx.x, column);
                tile.write(i, j, four, fallen);
#pragma unroll
                for (int cell = 0; cell < GROUP; ++cell)
                    if (VERTEX_BITS && fallen >> cell & 1)
                        tile.owe(i, j + cell, (int)best[group + row][column + cell] & ((1 << VERTEX_BITS) - 1));
                all_fallen |= (unsigned long long)fallen << ((group + row) * cells + column);
            }
    }
#if !VERTEX_BITS
    const int thread = threadIdx.y * THREADS_SIDE + threadIdx.x;
    if (thread == 0)
        slices.fallen = 0;
    __syncthreads();
    if (all_fallen) {
        unsigned int next = atomicAdd(&slices.fallen, (unsigned int)__popcll(all_fallen));
        for (; all_fallen; all_fallen &= all_fallen - 1) {
            const int cell = __ffsll(all_fallen) - 1;
            slices.fallen_cells[next++] = place(threadIdx.y, cell / cells) * WIDTH + place(threadIdx.x, cell % cells);
        }
    }
    __syncthreads();
    for (unsigned int next = thread; next < slices.fallen; next += THREADS) {
        const int row = slices.fallen_cells[next] / WIDTH;
        const int column = slices.fallen_cells[next] % WIDTH;
        tile.owe(row, column, owed_to(slices, row, column, tile.length(row, column)));
    }
#endif
}
