// The blocked scheme: three passes over blocks of TILE x TILE cells in shared memory, one thread a cell.
//
// A stage takes the TILE intermediate vertices of the primary block, which lies on the diagonal. Pass 1 closes the
// primary block; pass 2 the blocks of its row and its column, which depend on it and on themselves; pass 3 relaxes all
// others, each on one block of that row and one of that column. As published, one, two and three blocks lie in shared
// memory, the own block among them; each is relaxed there, and all of it is written back at the end.
// The kernels that include this file say where a thread block's own block lies, and what a cell is:
//   struct Cell {
//       typedef ... value_t;                                 what a matrix holds
//       static value_t none();                               outside the matrix; relaxes no other cell
//       static void relax(int k, const value_t &to_k, const value_t &from_k, value_t &own);    through vertex k
//   };
// Others read row k and column k of a block in step k. So `relax` must not write these, not even with the values that
// they have, and need not, because nothing improves on the way through the vertex itself.
// Source: G. J. Katz and J. T. Kider, "All-Pairs Shortest-Paths for Large Graphs on the GPU", 2008,
// sections 4.1 and 4.2.
#pragma once

#ifndef TILE
#define TILE 32
#endif

template <class Cell>
struct Blocks {
    typedef typename Cell::value_t value_t;
    typedef value_t Block[TILE][TILE];

    int vertices;
    value_t *cells;

    // Load the cell that the thread has in block (row, column).
    __device__ __forceinline__ void load(int row, int column, Block &block) const
    {
        const int i = row * TILE + threadIdx.y;
        const int j = column * TILE + threadIdx.x;
        block[threadIdx.y][threadIdx.x] = i < vertices && j < vertices ? cells[(size_t)i * vertices + j] : Cell::none();
    }

    __device__ __forceinline__ void save(int row, int column, const Block &block) const
    {
        const int i = row * TILE + threadIdx.y;
        const int j = column * TILE + threadIdx.x;
        if (i < vertices && j < vertices)
            cells[(size_t)i * vertices + j] = block[threadIdx.y][threadIdx.x];
    }
};

// Pass 1: the primary block, one step after the other.
template <class Cell>
__device__ __forceinline__ void close_primary(const Blocks<Cell> &blocks, int primary)
{
    __shared__ typename Blocks<Cell>::Block own;
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    blocks.load(primary, primary, own);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
        Cell::relax(primary * TILE + k, own[y][k], own[k][x], own[y][x]);
        __syncthreads();
    }
    blocks.save(primary, primary, own);
}

// Pass 2: block number `other` of the primary row, or of the primary column.
template <class Cell>
__device__ __forceinline__ void close_beside_primary(const Blocks<Cell> &blocks, int primary, bool in_row, int other)
{
    __shared__ typename Blocks<Cell>::Block closed;
    __shared__ typename Blocks<Cell>::Block own;
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int row = in_row ? primary : other;
    const int column = in_row ? other : primary;
    blocks.load(primary, primary, closed);
    blocks.load(row, column, own);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
        if (in_row)
            Cell::relax(primary * TILE + k, closed[y][k], own[k][x], own[y][x]);
        else
            Cell::relax(primary * TILE + k, own[y][k], closed[k][x], own[y][x]);
        __syncthreads();
    }
    blocks.save(row, column, own);
}

// Pass 3: any other block. A thread changes its own cell, and no other thread reads that.
template <class Cell>
__device__ __forceinline__ void relax_through_primary(const Blocks<Cell> &blocks, int primary, int row, int column)
{
    __shared__ typename Blocks<Cell>::Block to_primary;
    __shared__ typename Blocks<Cell>::Block from_primary;
    __shared__ typename Blocks<Cell>::Block own;
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    blocks.load(row, primary, to_primary);
    blocks.load(primary, column, from_primary);
    blocks.load(row, column, own);
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
        Cell::relax(primary * TILE + k, to_primary[y][k], from_primary[k][x], own[y][x]);
    blocks.save(row, column, own);
}
