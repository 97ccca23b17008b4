// Blocked all pairs, blocked: the three passes of blocked.cuh on cells that hold an intermediate vertex and a length.
//
// Idea over standard: TILE intermediate vertices a stage, on tiles in shared memory.
// A cell that falls takes the vertex's number and reads no other cell's. So lengths alone lie in shared memory, and a
// thread keeps its own cell's vertex in a register.
// Threads: one a cell. Pass 2 is a grid of (tiles - 1) x 2, pass 3 of (tiles - 1) x (tiles - 1): a block's place steps
// over the primary tile, so that no block is idle. Memory: two ints a pair, in two matrices, 64-bit indices; up to two
// tiles a block in shared memory.
// Source: Katz and Kider, 2008, sections 4.1 to 4.3. Tiles are as large as the threads of a block allow, which was
// 18 x 18 then and is 32 x 32 now.
#include "algorithms/blocked.cuh"
#include "algorithms/skip.cuh"

// Write back what a cell has found; cells outside the matrix have found nothing.
__device__ __forceinline__ void keep(int length, int through, int vertices, int primary, int i, int j, int *lengths,
                                     int *intermediates)
{
    if (through >= 0) {
        const size_t ij = (size_t)i * vertices + j;
        lengths[ij] = length;
        intermediates[ij] = primary * TILE + through;
    }
}

extern "C" __global__ void pass1(int vertices, int primary, int *lengths, int *intermediates)
{
    const int i = primary * TILE + threadIdx.y;
    const int j = primary * TILE + threadIdx.x;
    int through = NO_PREDECESSOR;
    const int length = close_primary_tile(LengthCell(), vertices, i, j, lengths, through);
    keep(length, through, vertices, primary, i, j, lengths, intermediates);
}

extern "C" __global__ void pass2(int vertices, int primary, int *lengths, int *intermediates)
{
    const bool in_row = blockIdx.y == 0;
    const int other = stepped_over(blockIdx.x, primary);
    const int i = (in_row ? primary : other) * TILE + threadIdx.y;
    const int j = (in_row ? other : primary) * TILE + threadIdx.x;
    length_t length;
    int through = NO_PREDECESSOR;
    relax_beside_primary(LengthCell(), vertices, primary, in_row, i, j, lengths, length, through);
    keep((int)length, through, vertices, primary, i, j, lengths, intermediates);
}

extern "C" __global__ void pass3(int vertices, int primary, int *lengths, int *intermediates)
{
    const int i = stepped_over(blockIdx.y, primary) * TILE + threadIdx.y;
    const int j = stepped_over(blockIdx.x, primary) * TILE + threadIdx.x;
    length_t length;
    int through = NO_PREDECESSOR;
    relax_through_primary(LengthCell(), vertices, primary, i, j, lengths, length, through);
    keep((int)length, through, vertices, primary, i, j, lengths, intermediates);
}
