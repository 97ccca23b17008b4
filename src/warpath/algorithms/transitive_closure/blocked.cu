// Transitive closure, blocked: the three passes of blocked.cuh on cells that are 1 where there is a path, else 0.
//
// Idea over naive: TILE intermediate vertices a stage, on tiles in shared memory.
// Threads: one a cell. Pass 2 is a grid of (tiles - 1) x 2, pass 3 of (tiles - 1) x (tiles - 1): a block's place steps
// over the primary tile, so that no block is idle. Memory: an int a pair, 64-bit indices; up to two tiles a block in
// shared memory.
// Source: Katz and Kider, 2008, sections 4.1 and 4.2, who chose ints "to remove bank conflicts".
#include "algorithms/blocked.cuh"
#include "algorithms/skip.cuh"

struct ReachedCell {
    static constexpr int NONE = 0; // nothing is reached through it
    typedef int value_t;

    __device__ __forceinline__ void relax(int to_k, int from_k, int, int &reached, int &)
    {
        reached |= to_k & from_k;
    }
    // Others read row k and column k in step k, so these must not be written, not even with the value that they have.
    // References, so that a cell that is 1 already reads nothing.
    __device__ __forceinline__ void relax_in_place(const int &to_k, const int &from_k, int, int &value, int &)
    {
        if (!value && (to_k & from_k))
            value = 1;
    }
};

__device__ __forceinline__ void keep(int reached, int vertices, int i, int j, int *cells)
{
    if (i < vertices && j < vertices)
        cells[(size_t)i * vertices + j] = reached;
}

extern "C" __global__ void pass1(int vertices, int primary, int *cells)
{
    const int i = primary * TILE + threadIdx.y;
    const int j = primary * TILE + threadIdx.x;
    int through; // a closure keeps no vertex
    const int reached = close_primary_tile(ReachedCell(), vertices, i, j, cells, through);
    keep(reached, vertices, i, j, cells);
}

extern "C" __global__ void pass2(int vertices, int primary, int *cells)
{
    const bool in_row = blockIdx.y == 0;
    const int other = stepped_over(blockIdx.x, primary);
    const int i = (in_row ? primary : other) * TILE + threadIdx.y;
    const int j = (in_row ? other : primary) * TILE + threadIdx.x;
    int reached, through;
    relax_beside_primary(ReachedCell(), vertices, primary, in_row, i, j, cells, reached, through);
    keep(reached, vertices, i, j, cells);
}

extern "C" __global__ void pass3(int vertices, int primary, int *cells)
{
    const int i = stepped_over(blockIdx.y, primary) * TILE + threadIdx.y;
    const int j = stepped_over(blockIdx.x, primary) * TILE + threadIdx.x;
    int reached, through;
    relax_through_primary(ReachedCell(), vertices, primary, i, j, cells, reached, through);
    keep(reached, vertices, i, j, cells);
}
