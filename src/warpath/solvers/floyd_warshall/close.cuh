// Phase 1: a block closes a tile on the diagonal, its cells in registers, a step a vertex.
//
// A thread has CELLS x CELLS cells, at the places that its words have in a product. For step k the threads that have row
// k and column k publish them in shared memory. They do so in the step before, as soon as those cells are relaxed, so
// that nobody waits for it; and there are two buffers, so one barrier a step is enough.
// Limit: TILE steps of TILE^2 cells on one multiprocessor, 33 thousand cycles for 128, and a barrier a step.
#pragma once

#include "warpath/solvers/floyd_warshall/matrix.cuh"

struct Cross {
    length_t row[TILE];
    length_t column[TILE];
};

// Publish the row and the column of a vertex. It is number `group + vertex` of the cells of the threads number `owner`.
__device__ __forceinline__ void publish(Seat seat, const length_t (&cells)[CELLS][CELLS], int owner, int vertex,
                                        Cross &cross)
{
    if (seat.y == owner)
#pragma unroll
        for (int column = 0; column < CELLS; column += GROUP)
            write_group(&cells[vertex][column], cross.row + place(seat.x, column));
    if (seat.x == owner)
#pragma unroll
        for (int row = 0; row < CELLS; ++row)
            cross.column[place(seat.y, row)] = cells[row][vertex];
}

// Relax the cells in row and column number `vertex` of the thread's cells, or all others.
template <bool on_cross>
__device__ __forceinline__ void relax_cross(length_t (&cells)[CELLS][CELLS], const length_t (&to_k)[CELLS],
                                            const length_t (&from_k)[CELLS], int vertex)
{
#pragma unroll
    for (int row = 0; row < CELLS; ++row)
#pragma unroll
        for (int column = 0; column < CELLS; ++column)
            if ((row == vertex || column == vertex) == on_cross)
                cells[row][column] = min(cells[row][column], joined((int)to_k[row], (int)from_k[column]));
}

// `closed` gets the tile twice, a word a cell: by rows, and transposed.
__device__ __forceinline__ void close_tile(Matrix matrix, int primary, word_t *closed)
{
    __shared__ __align__(16) Cross crosses[2];
    const Seat seat;
    word_t *first = matrix.row(primary * TILE) + primary * TILE / PACKED;
    length_t cells[CELLS][CELLS];
#pragma unroll
    for (int row = 0; row < CELLS; ++row)
#pragma unroll
        for (int column = 0; column < CELLS; ++column)
            cells[row][column] = cell_of(first + (size_t)place(seat.y, row) * matrix.stride, place(seat.x, column));

    publish(seat, cells, 0, 0, crosses[0]);
#pragma unroll
    for (int group = 0; group < CELLS; group += GROUP)
#pragma unroll 1
        for (int owner = 0; owner < SIDE; ++owner)
#pragma unroll
            for (int vertex = group; vertex < group + GROUP; ++vertex) {
                __syncthreads();
                const Cross &cross = crosses[vertex & 1];
                length_t to_k[CELLS], from_k[CELLS];
#pragma unroll
                for (int cell = 0; cell < CELLS; cell += GROUP) {
                    read_group(cross.column + place(seat.y, cell), to_k + cell);
                    read_group(cross.row + place(seat.x, cell), from_k + cell);
                }
                const int following = vertex + 1 < group + GROUP ? vertex + 1 : group;
                relax_cross<true>(cells, to_k, from_k, following);
                Cross &next = crosses[~vertex & 1];
                publish(seat, cells, following == group ? owner + 1 : owner, following, next);
                relax_cross<false>(cells, to_k, from_k, following);
                if (following == group && owner + 1 == SIDE && group + GROUP < CELLS)
                    publish(seat, cells, 0, group + GROUP, next);
            }

#pragma unroll
    for (int row = 0; row < CELLS; ++row)
#pragma unroll
        for (int column = 0; column < CELLS; ++column) {
            const int i = place(seat.y, row);
            const int j = place(seat.x, column);
            reinterpret_cast<cell_t *>(first + (size_t)i * matrix.stride)[j] = (cell_t)cells[row][column];
            closed[i * TILE + j] = closed[TILE * TILE + j * TILE + i] = word_of(cells[row][column]);
        }
}
