// Floyd-Warshall, staged: output tiles in registers, one instruction a relaxation, predecessors only where asked for.
//
// Idea over tiled_shared: there every relaxation reads shared memory and carries along which vertex was best. Here a
// block of phase 3 takes an output tile of SIDE x SIDE cells, larger than the primary tile, and each of its threads keeps
// CELLS x CELLS of them in registers; it stages the slices of the primary column and row that the tile needs through
// shared memory, so that 2 * CELLS words read there serve CELLS * CELLS relaxations. In the inner loop the length alone
// counts: an addition and a minimum, which Hopper has as one instruction (VIADDMNMX). The tile's old cells are read when
// the loop is done. Those that fell, a few in a hundred, go on a list; which vertex each owes it to is then looked up in
// the slices, which are still in shared memory.
// Threads: THREADS_SIDE x THREADS_SIDE a block (16 x 16 with 8 x 8 cells each make tiles of 128); phase 1 is one block of
// TILE x THREADS_SIDE. Memory: as tiled, and (2 * TILE + some) rows of SIDE words a block in shared memory.
// Floor: n^3 instructions; on an H200, 64 lanes of 132 multiprocessors at 1.98 GHz do 1.7e13 a second.
// An index past the matrix is replaced by the last vertex, which is inside the same tile: taking a vertex twice changes
// no minimum, and no load needs a test.
// Source: B. Lund and J. W. Smith, "A Multi-Stage CUDA Kernel for Floyd-Warshall", arXiv:1001.4108, 2010, who stage slices
// for 32 x 32 tiles with several cells a thread. The list is ours; without it the paper's kernel has no predecessors.
#include "algorithms/distances.cuh"
#include "device/simt/dynamic_shared.cuh"

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

template <int WIDTH>
__device__ __forceinline__ void load_slices(int vertices, int first_i, int first_j, int first_k, const int *distances,
                                            Slices<WIDTH> &slices)
{
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int last = vertices - 1;
#pragma unroll
    for (int i = y; i < WIDTH + y; i += THREADS_SIDE)
#pragma unroll
        for (int k = x; k < TILE + x; k += THREADS_SIDE)
            slices.to[k][i] = (length_t)distances[(size_t)min(first_i + i, last) * vertices + min(first_k + k, last)];
#pragma unroll
    for (int k = y; k < TILE + y; k += THREADS_SIDE)
#pragma unroll
        for (int j = x; j < WIDTH + x; j += THREADS_SIDE)
            slices.from[k][j] = (length_t)distances[(size_t)min(first_k + k, last) * vertices + min(first_j + j, last)];
    if (x == 0 && y == 0)
        slices.fallen = 0;
}

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

// Relax the tile at (first_i, first_j) of WIDTH x WIDTH cells through the vertices of the primary tile.
template <int WIDTH>
__device__ __forceinline__ void relax_tile(int vertices, int first_i, int first_j, int first_k, int *distances,
                                           int *predecessors, Slices<WIDTH> &slices)
{
    constexpr int cells = WIDTH / THREADS_SIDE;
    static_assert(cells % GROUP == 0 && cells * cells <= 64, "cells of a thread");
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    load_slices(vertices, first_i, first_j, first_k, distances, slices);
    __syncthreads();

    length_t best[cells][cells];
#pragma unroll
    for (int row = 0; row < cells; ++row)
#pragma unroll
        for (int column = 0; column < cells; ++column)
            best[row][column] = UNREACHABLE;
#pragma unroll 4
    for (int k = 0; k < TILE; ++k) {
        length_t to[cells], from[cells];
#pragma unroll
        for (int cell = 0; cell < cells; cell += GROUP) {
            read_group(&slices.to[k][place(y, cell)], to + cell);
            read_group(&slices.from[k][place(x, cell)], from + cell);
        }
#pragma unroll
        for (int row = 0; row < cells; ++row)
#pragma unroll
            for (int column = 0; column < cells; ++column)
                best[row][column] = shorter(best[row][column], to[row], from[column]);
    }

    unsigned long long fallen = 0;  // a bit a cell
#pragma unroll
    for (int group = 0; group < cells; group += GROUP) {
        length_t old[GROUP][cells];  // read together: no load can pass a store into the same matrix
#pragma unroll
        for (int row = 0; row < GROUP; ++row)
#pragma unroll
            for (int column = 0; column < cells; ++column) {
                const int i = min(first_i + place(y, group + row), vertices - 1);
                const int j = min(first_j + place(x, column), vertices - 1);
                old[row][column] = (length_t)distances[(size_t)i * vertices + j];
            }
#pragma unroll
        for (int row = 0; row < GROUP; ++row)
#pragma unroll
            for (int column = 0; column < cells; ++column) {
                const int i = first_i + place(y, group + row);
                const int j = first_j + place(x, column);
                if (best[group + row][column] < old[row][column] && i < vertices && j < vertices) {
                    distances[(size_t)i * vertices + j] = (int)best[group + row][column];
                    fallen |= 1ull << ((group + row) * cells + column);
                }
            }
    }
    if (fallen) {
        unsigned int next = atomicAdd(&slices.fallen, (unsigned int)__popcll(fallen));
        for (; fallen; fallen &= fallen - 1) {
            const int cell = __ffsll(fallen) - 1;
            slices.fallen_cells[next++] = place(y, cell / cells) * WIDTH + place(x, cell % cells);
        }
    }
    __syncthreads();

    // The predecessor of (k, j) does not change in this phase if (i, j) owes its length to k: had (k, j) fallen too, (i, j)
    // would have fallen further.
    for (unsigned int next = y * THREADS_SIDE + x; next < slices.fallen; next += THREADS) {
        const int row = slices.fallen_cells[next] / WIDTH;
        const int column = slices.fallen_cells[next] % WIDTH;
        const size_t ij = (size_t)(first_i + row) * vertices + first_j + column;
        const length_t length = (length_t)distances[ij];
        int k = 0;
        while (joined((int)slices.to[k][row], (int)slices.from[k][column]) != length)
            ++k;
        predecessors[ij] = predecessors[(size_t)(first_k + k) * vertices + first_j + column];
    }
}

extern "C" __global__ void phase1(int vertices, int primary, int *distances, int *predecessors)
{
    constexpr int rows = TILE / THREADS_SIDE;  // of a thread
    __shared__ int tile[TILE][TILE];
    __shared__ int tile_predecessors[TILE][TILE];
    const int x = threadIdx.x;
    const int first = primary * TILE;
    const int depth = min(TILE, vertices - first);
    length_t own[rows];
#pragma unroll
    for (int row = 0; row < rows; ++row) {
        const int y = row * THREADS_SIDE + threadIdx.y;
        const bool inside = x < depth && y < depth;
        const size_t ij = (size_t)(first + y) * vertices + first + x;
        own[row] = (length_t)(inside ? distances[ij] : UNREACHABLE);
        tile[y][x] = (int)own[row];
        tile_predecessors[y][x] = inside ? predecessors[ij] : NO_PREDECESSOR;
    }
    __syncthreads();
    for (int k = 0; k < depth; ++k) {
        // Row k and column k do not change in step k, so one barrier a step is enough.
        const int from_k = tile[k][x];
#pragma unroll
        for (int row = 0; row < rows; ++row) {
            const int y = row * THREADS_SIDE + threadIdx.y;
            const length_t candidate = joined(tile[y][k], from_k);
            if (candidate < own[row]) {
                own[row] = candidate;
                tile[y][x] = (int)candidate;
                tile_predecessors[y][x] = tile_predecessors[k][x];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int row = 0; row < rows; ++row) {
        const int y = row * THREADS_SIDE + threadIdx.y;
        if (x < depth && y < depth) {
            const size_t ij = (size_t)(first + y) * vertices + first + x;
            distances[ij] = tile[y][x];
            predecessors[ij] = tile_predecessors[y][x];
        }
    }
}

// Tiles of the primary row (blockIdx.y 0) and column (1). The primary tile is closed, so a best path enters it once, and the
// tile as it was loaded is enough.
extern "C" __global__ void __launch_bounds__(THREADS) phase2(int vertices, int primary, int *distances, int *predecessors)
{
    if (blockIdx.x == primary)
        return;
    DYNAMIC_SHARED(uint4, shared);
    const int first_i = (blockIdx.y == 0 ? primary : blockIdx.x) * TILE;
    const int first_j = (blockIdx.y == 0 ? blockIdx.x : primary) * TILE;
    relax_tile(vertices, first_i, first_j, primary * TILE, distances, predecessors,
               *reinterpret_cast<Slices<TILE> *>(shared));
}

// All tiles. Those of the primary row and column are closed under the primary tile: none of their cells falls any more, so
// nothing that another block reads is written.
extern "C" __global__ void __launch_bounds__(THREADS, 2) phase3(int vertices, int primary, int *distances, int *predecessors)
{
    DYNAMIC_SHARED(uint4, shared);
    relax_tile(vertices, blockIdx.y * SIDE, blockIdx.x * SIDE, primary * TILE, distances, predecessors,
               *reinterpret_cast<Slices<SIDE> *>(shared));
}
