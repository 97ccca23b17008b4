// Transitive closure, blocked: three passes over blocks of TILE x TILE cells in shared memory.
//
// Idea over naive: TILE intermediate vertices a stage, those of the primary block on the diagonal. Pass 1 closes the primary
// block; pass 2 the blocks of its row and its column, which depend on it and on themselves; pass 3 all others, each on one of
// either. Every block is read and written once a stage, not once a vertex.
// Threads: one a cell. Pass 2 is a grid of (blocks - 1) x 2, pass 3 of (blocks - 1) x (blocks - 1): a block's place steps over
// the primary one, so that no block is idle. Memory: an int a pair, 64-bit indices; two or three blocks in shared memory.
// Cells outside the matrix are 0 in shared memory: nothing is reached through them.
// Source: Katz and Kider, 2008, sections 4.1 and 4.2. Ints, because "to remove bank conflicts" they are the paper's choice.
#include "algorithms/skip.cuh"

#ifndef TILE
#define TILE 32
#endif

__device__ __forceinline__ int cell_or_none(int vertices, int i, int j, const int *cells)
{
    return i < vertices && j < vertices ? cells[(size_t)i * vertices + j] : 0;
}

extern "C" __global__ void pass1(int vertices, int primary, int *cells)
{
    __shared__ int tile[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int i = primary * TILE + y;
    const int j = primary * TILE + x;
    tile[y][x] = cell_or_none(vertices, i, j, cells);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
        // Row k and column k do not change in step k, so one barrier a step is enough; nor are they written, though with the
        // same value, for others read them.
        if (!tile[y][x] && (tile[y][k] & tile[k][x]))
            tile[y][x] = 1;
        __syncthreads();
    }
    if (i < vertices && j < vertices)
        cells[(size_t)i * vertices + j] = tile[y][x];
}

extern "C" __global__ void pass2(int vertices, int primary, int *cells)
{
    __shared__ int primary_tile[TILE][TILE];
    __shared__ int own_tile[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const bool in_row = blockIdx.y == 0;
    const int other = stepped_over(blockIdx.x, primary);
    const int i = (in_row ? primary : other) * TILE + y;
    const int j = (in_row ? other : primary) * TILE + x;

    primary_tile[y][x] = cell_or_none(vertices, primary * TILE + y, primary * TILE + x, cells);
    own_tile[y][x] = cell_or_none(vertices, i, j, cells);
    __syncthreads();

    // The primary block is closed: a path enters it once. So the block as loaded is enough, and no step needs a barrier.
    const int(*to_k)[TILE] = in_row ? primary_tile : own_tile;
    const int(*from_k)[TILE] = in_row ? own_tile : primary_tile;
    int reached = own_tile[y][x];
#pragma unroll
    for (int k = 0; k < TILE; ++k)
        reached |= to_k[y][k] & from_k[k][x];
    if (i < vertices && j < vertices)
        cells[(size_t)i * vertices + j] = reached;
}

extern "C" __global__ void pass3(int vertices, int primary, int *cells)
{
    __shared__ int to_primary[TILE][TILE];
    __shared__ int from_primary[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int i = stepped_over(blockIdx.y, primary) * TILE + y;
    const int j = stepped_over(blockIdx.x, primary) * TILE + x;

    to_primary[y][x] = cell_or_none(vertices, i, primary * TILE + x, cells);
    from_primary[y][x] = cell_or_none(vertices, primary * TILE + y, j, cells);
    int reached = cell_or_none(vertices, i, j, cells);
    __syncthreads();

#pragma unroll
    for (int k = 0; k < TILE; ++k)
        reached |= to_primary[y][k] & from_primary[k][x];
    if (i < vertices && j < vertices)
        cells[(size_t)i * vertices + j] = reached;
}
