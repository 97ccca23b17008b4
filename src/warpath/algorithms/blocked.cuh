// The blocked scheme: three passes over tiles of TILE x TILE cells in shared memory, one thread a cell.
//
// A stage takes the TILE intermediate vertices of the primary tile, which lies on the diagonal. Pass 1 closes the
// primary tile; pass 2 the tiles of its row and its column, which depend on it and on themselves; pass 3 relaxes all
// others, each on one tile of that row and one of that column. Every tile is read and written once a stage, not once a
// vertex.
// The kernels that include this file say where a block's tile lies, what a cell does, and what is written back:
//   struct Cell {
//       static constexpr int NONE;                           outside the matrix; relaxes no other cell
//       typedef ... value_t;                                 a value in a register
//       void relax_in_place(int to_k, int from_k, int k, int &value, int &through);      pass 1, in shared memory
//       void relax(int to_k, int from_k, int k, value_t &value, int &through);           passes 2 and 3
//   };
// `through` becomes the number k in the primary tile of the vertex that last improved the value; it is negative if none
// did. With NONE outside the matrix, no loop needs a bound.
// Value and vertex are variables of the kernel, not members of the cell: as members the compiler reads so far ahead that
// passes 2 and 3 take 48 registers a thread instead of 32, one block a multiprocessor instead of two, and 1.4 times as
// long on an H200.
// Source: G. J. Katz and J. T. Kider, "All-Pairs Shortest-Paths for Large Graphs on the GPU", 2008,
// sections 4.1 and 4.2.
#pragma once

#include "algorithms/distances.cuh"

#ifndef TILE
#define TILE 32
#endif

template <class Cell>
__device__ __forceinline__ int value_or_none(int vertices, int i, int j, const int *values)
{
    return i < vertices && j < vertices ? values[(size_t)i * vertices + j] : Cell::NONE;
}

// Pass 1 for cell (i, j) of the primary tile; returns its value.
template <class Cell>
__device__ __forceinline__ int close_primary_tile(Cell cell, int vertices, int i, int j, const int *values,
                                                  int &through)
{
    __shared__ int tile[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    tile[y][x] = value_or_none<Cell>(vertices, i, j, values);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
        // Row k and column k do not change in step k, so one barrier a step is enough.
        cell.relax_in_place(tile[y][k], tile[k][x], k, tile[y][x], through);
        __syncthreads();
    }
    return tile[y][x];
}

// Pass 2 for cell (i, j), in the primary row or the primary column.
template <class Cell>
__device__ __forceinline__ void relax_beside_primary(Cell cell, int vertices, int primary, bool in_row, int i, int j,
                                                     const int *values, typename Cell::value_t &value, int &through)
{
    __shared__ int primary_tile[TILE][TILE];
    __shared__ int own_tile[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    primary_tile[y][x] = value_or_none<Cell>(vertices, primary * TILE + y, primary * TILE + x, values);
    own_tile[y][x] = value_or_none<Cell>(vertices, i, j, values);
    __syncthreads();

    // The primary tile is closed: a best path enters it once. So the own tile as loaded is enough, nothing in shared
    // memory changes any more, and the steps need no barriers.
    const int (*to_k)[TILE] = in_row ? primary_tile : own_tile;
    const int (*from_k)[TILE] = in_row ? own_tile : primary_tile;
    value = (typename Cell::value_t)own_tile[y][x];
#pragma unroll
    for (int k = 0; k < TILE; ++k)
        cell.relax(to_k[y][k], from_k[k][x], k, value, through);
}

// Pass 3 for cell (i, j), outside the primary row and column.
template <class Cell>
__device__ __forceinline__ void relax_through_primary(Cell cell, int vertices, int primary, int i, int j,
                                                      const int *values, typename Cell::value_t &value, int &through)
{
    __shared__ int to_primary[TILE][TILE];
    __shared__ int from_primary[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    to_primary[y][x] = value_or_none<Cell>(vertices, i, primary * TILE + x, values);
    from_primary[y][x] = value_or_none<Cell>(vertices, primary * TILE + y, j, values);
    value = (typename Cell::value_t)value_or_none<Cell>(vertices, i, j, values);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k)
        cell.relax(to_primary[y][k], from_primary[k][x], k, value, through);
}

// The cell of shortest paths: a length.
struct LengthCell {
    static constexpr int NONE = UNREACHABLE;
    typedef length_t value_t;

    __device__ __forceinline__ void relax(int to_k, int from_k, int k, length_t &length, int &through)
    {
        const length_t candidate = joined(to_k, from_k);
        if (candidate < length) {
            length = candidate;
            through = k;
        }
    }
    __device__ __forceinline__ void relax_in_place(int to_k, int from_k, int k, int &length, int &through)
    {
        const length_t candidate = joined(to_k, from_k);
        if (candidate < (length_t)length) {
            length = (int)candidate;
            through = k;
        }
    }
};
