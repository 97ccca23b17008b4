// Blocked all pairs, blocked: three passes over blocks of TILE x TILE cells in shared memory.
//
// Idea over standard: TILE intermediate vertices a stage, those of the primary block on the diagonal. Pass 1 closes the primary
// block; pass 2 the blocks of its row and its column, which depend on it and on themselves; pass 3 all others, each on one of
// either. Every block is read and written once a stage, not once a vertex.
// A cell holds an intermediate vertex and a length. A cell that falls takes the vertex's number and reads no other's, so that
// lengths alone lie in shared memory, and a thread keeps its own cell's vertex in a register.
// Threads: one a cell. Pass 2 is a grid of (blocks - 1) x 2, pass 3 of (blocks - 1) x (blocks - 1): a block's place steps over
// the primary one, so that no block is idle. Memory: two ints a pair, in two matrices, 64-bit indices; two or three blocks in
// shared memory. Cells outside the matrix are UNREACHABLE there: they never improve anything, and no loop needs a bound.
// Source: Katz and Kider, 2008, sections 4.1 to 4.3. Blocks are as large as the threads of a block allow, which was 18 x 18
// then and is 32 x 32 now.
#include "algorithms/distances.cuh"
#include "algorithms/skip.cuh"

#ifndef TILE
#define TILE 32
#endif

__device__ __forceinline__ int cell_or_unreachable(int vertices, int i, int j, const int *lengths)
{
    return i < vertices && j < vertices ? lengths[(size_t)i * vertices + j] : UNREACHABLE;
}

// Relax cell (i, j) through the vertices of the primary block.
__device__ __forceinline__ void relax_cell(int vertices, int i, int j, int first_vertex, length_t best,
                                           const int (*to_k)[TILE], const int (*from_k)[TILE], int *lengths,
                                           int *intermediates)
{
    int best_k = NO_PREDECESSOR;
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
        const length_t candidate = joined(to_k[threadIdx.y][k], from_k[k][threadIdx.x]);
        if (candidate < best) {
            best = candidate;
            best_k = k;
        }
    }
    if (best_k >= 0) { // never so outside the matrix
        const size_t ij = (size_t)i * vertices + j;
        lengths[ij] = (int)best;
        intermediates[ij] = first_vertex + best_k;
    }
}

extern "C" __global__ void pass1(int vertices, int primary, int *lengths, int *intermediates)
{
    __shared__ int tile[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int i = primary * TILE + y;
    const int j = primary * TILE + x;
    int best_k = NO_PREDECESSOR;
    tile[y][x] = cell_or_unreachable(vertices, i, j, lengths);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
        // Row k and column k do not change in step k, so one barrier a step is enough.
        const length_t candidate = joined(tile[y][k], tile[k][x]);
        if (candidate < (length_t)tile[y][x]) {
            tile[y][x] = (int)candidate;
            best_k = k;
        }
        __syncthreads();
    }
    if (best_k >= 0) {
        lengths[(size_t)i * vertices + j] = tile[y][x];
        intermediates[(size_t)i * vertices + j] = primary * TILE + best_k;
    }
}

extern "C" __global__ void pass2(int vertices, int primary, int *lengths, int *intermediates)
{
    __shared__ int primary_tile[TILE][TILE];
    __shared__ int own_tile[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const bool in_row = blockIdx.y == 0;
    const int other = stepped_over(blockIdx.x, primary);
    const int i = (in_row ? primary : other) * TILE + y;
    const int j = (in_row ? other : primary) * TILE + x;

    primary_tile[y][x] = cell_or_unreachable(vertices, primary * TILE + y, primary * TILE + x, lengths);
    own_tile[y][x] = cell_or_unreachable(vertices, i, j, lengths);
    __syncthreads();
    // The primary block is closed: a best path enters it once. So the block as loaded is enough, nothing in shared memory
    // changes any more, and the steps need no barriers.
    relax_cell(vertices, i, j, primary * TILE, (length_t)own_tile[y][x], in_row ? primary_tile : own_tile,
               in_row ? own_tile : primary_tile, lengths, intermediates);
}

extern "C" __global__ void pass3(int vertices, int primary, int *lengths, int *intermediates)
{
    __shared__ int to_primary[TILE][TILE];
    __shared__ int from_primary[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int i = stepped_over(blockIdx.y, primary) * TILE + y;
    const int j = stepped_over(blockIdx.x, primary) * TILE + x;

    to_primary[y][x] = cell_or_unreachable(vertices, i, primary * TILE + x, lengths);
    from_primary[y][x] = cell_or_unreachable(vertices, primary * TILE + y, j, lengths);
    const length_t own = (length_t)cell_or_unreachable(vertices, i, j, lengths);
    __syncthreads();
    relax_cell(vertices, i, j, primary * TILE, own, to_primary, from_primary, lengths, intermediates);
}
