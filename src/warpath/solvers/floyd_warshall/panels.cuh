// Phase 2: TILE words of the primary row, or of the primary column, relaxed through the closed primary tile.
//
// The primary tile is closed, so a best path enters it once, and the words as they were loaded are enough. They lie in
// shared memory as a whole, beside the primary tile. Those of the column are transposed on the way in, and their result
// goes three ways: transposed to the passage, a word a cell; to shared memory; and from there back to the column.
#pragma once

#include "warpath/solvers/floyd_warshall/matrix.cuh"

struct Panel {
    word_t to[TILE][TILE];
    word_t from[TILE][TILE];
};

// Copy `to`, the closed tile as an operand, wait for all copies, and relax.
__device__ __forceinline__ void relax_panel(const word_t *to, Seat seat, Panel &panel, word_t (&words)[CELLS][CELLS])
{
    for (int word = threadIdx.x * GROUP; word < TILE * TILE; word += THREADS * GROUP)
        copy_group(&panel.to[0][word], to + word);
    end_of_copies();
#pragma unroll
    for (int row = 0; row < CELLS; ++row)
#pragma unroll
        for (int column = 0; column < CELLS; ++column)
            words[row][column] = word_of(FAR);
    wait_for_copies<0>();
    __syncthreads();
    relax_through<TILE>(panel.to, panel.from, seat, words);
}

// `closed` is the transposed closed tile.
__device__ __forceinline__ void relax_panel_of_row(Matrix matrix, int stage, int tile, const word_t *closed,
                                                   Panel &panel)
{
    const Seat seat;
    word_t *own = matrix.row(stage * TILE) + tile * TILE;
    for (int word = threadIdx.x * GROUP; word < TILE * TILE; word += THREADS * GROUP)
        copy_group(&panel.from[0][word], own + word / TILE * matrix.stride + word % TILE);
    word_t words[CELLS][CELLS];
    relax_panel(closed, seat, panel, words);
#pragma unroll
    for (int column = 0; column < CELLS; column += GROUP) {
        const int j = place(seat.x, column);
        if (primary_of(tile * TILE + j) == stage)
            continue;
#pragma unroll
        for (int row = 0; row < CELLS; ++row)
            write_group(&words[row][column], own + place(seat.y, row) * matrix.stride + j);
    }
}

// Where group number `group` of a column's words lies: row `i` of the panel, words from `word` on. Neighbouring threads
// take neighbouring rows, which become neighbouring cells.
struct ColumnGroup {
    static constexpr int COUNT = TILE * TILE / GROUP;
    int i, word;

    __device__ __forceinline__ ColumnGroup(int group)
        : i(group % (TILE * PACKED)), word(group / (TILE * PACKED) * GROUP)
    {
    }
};

__device__ __forceinline__ void relax_panel_of_column(Matrix matrix, int stage, int tile, const word_t *closed,
                                                      word_t *passage, Panel &panel)
{
    const Seat seat;
    const int first_i = tile * TILE * PACKED;
    word_t *own = matrix.row(first_i) + stage * TILE / PACKED;
    for (int group = threadIdx.x; group < ColumnGroup::COUNT; group += THREADS) {
        const ColumnGroup at(group);
        word_t four[GROUP];
        read_group(own + at.i * matrix.stride + at.word, four);
#pragma unroll
        for (int cell = 0; cell < GROUP * PACKED; ++cell)
            reinterpret_cast<cell_t *>(panel.from[at.word * PACKED + cell])[at.i] = (cell_t)cell_of(four, cell);
    }
    word_t words[CELLS][CELLS];
    relax_panel(closed, seat, panel, words);

    __syncthreads(); // all have read `from`, which takes the result
    const size_t passage_stride = (size_t)matrix.tiles * TILE;
#pragma unroll
    for (int row = 0; row < CELLS; ++row)
#pragma unroll
        for (int column = 0; column < CELLS; column += GROUP) {
            const int k = place(seat.y, row);
            const int i = place(seat.x, column) * PACKED;
            write_group(&words[row][column], &panel.from[k][i / PACKED]);
            word_t cells[GROUP * PACKED];
#pragma unroll
            for (int cell = 0; cell < GROUP * PACKED; ++cell)
                cells[cell] = word_of(cell_of(&words[row][column], cell));
#pragma unroll
            for (int part = 0; part < GROUP * PACKED; part += GROUP)
                write_group(cells + part, passage + k * passage_stride + first_i + i + part);
        }
    __syncthreads();
    for (int group = threadIdx.x; group < ColumnGroup::COUNT; group += THREADS) {
        const ColumnGroup at(group);
        if ((first_i + at.i) / TILE == stage)
            continue;
        word_t four[GROUP];
#pragma unroll
        for (int part = 0; part < GROUP; ++part) {
            const int k = (at.word + part) * PACKED;
            four[part] = 0;
#pragma unroll
            for (int cell = 0; cell < PACKED; ++cell)
                four[part] |= (word_t) reinterpret_cast<const cell_t *>(panel.from[k + cell])[at.i] << cell * 16;
        }
        write_group(four, own + at.i * matrix.stride + at.word);
    }
}
