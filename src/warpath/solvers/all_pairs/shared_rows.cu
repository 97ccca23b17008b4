// Floyd-Warshall, shared_rows: the stages of lookahead on several GPUs, each of which keeps some rows of the matrix.
//
// A stage takes the TILE intermediate vertices of the primary tile. Its primary row, closed, is the panel; the GPU that
// has those rows closes it, and the others copy it. A GPU makes the rest from its own rows, in three launches:
//   relax_next     phase 3 of the stage before for the tiles of the primary column, which become the passage: row k of
//                  it holds the lengths to intermediate vertex k. The GPU that has the primary row relaxes that too,
//                  and closes the primary tile (phase 1);
//   close_panel    phase 2, on that GPU alone: the primary row through the primary tile;
//   relax_rest     phase 3 for all other tiles: min(own, passage x panel).
// Idea over lookahead: phase 2 of the column is left out. The panel is the closed tile times the row, so a product with
// it closes the column on the way: the passage may hold lengths that are not closed, and the tiles of the column are
// relaxed with all others. So a GPU waits for one thing from elsewhere in a stage, the panel.
// The panel of the next stage is closed and copied while relax_rest works on this one, as in lookahead. There are two
// passages and two panels, which take turns. Who has to wait for what is in shared_rows.py.
// The matrix is padded to whole tiles with FAR. Cells are whole numbers of 32 bits, or floats; indices into the matrix have 64.
// Threads: (TILE / CELLS)^2 a block. Memory, a GPU: its rows, two passages and two panels of TILE rows; slices in
// dynamic shared memory.
// Limit: that of lookahead on each GPU. Of 131,072 vertices a panel is 67 MB, and a stage on four GPUs 37 ms.
// Source: blocked scheme of Katz and Kider; stripes of rows, of which one is sent to all, V. Kumar and V. Singh,
// "Scalability of Parallel Algorithms for the All-Pairs Shortest-Path Problem", 1991; look-ahead after P. Sao et al.,
// "Scalable All-pairs Shortest Paths for Huge Graphs on Multi-GPU Clusters", HPDC 2021.
#define CELL_BITS 32 // whatever is asked for
#include "warpath/solvers/all_pairs/tiles.cuh"
#include "warpath/device/dynamic_shared.cuh"

#ifndef BAND
#define BAND 16
#endif

// A matrix of which only the rows from tile `first_tile` on are here, `words`. They keep their numbers.
__device__ __forceinline__ Matrix rows_from(Weight *words, int side, int first_tile)
{
    Matrix matrix(words, side);
    matrix.words -= (size_t)first_tile * TILE * matrix.stride;
    return matrix;
}

__device__ __forceinline__ void read_tile(Matrix matrix, int tile_i, int tile_j, Seat seat,
                                          word_t (&words)[CELLS][CELLS])
{
#pragma unroll
    for (int row = 0; row < CELLS; ++row)
#pragma unroll
        for (int column = 0; column < CELLS; column += GROUP)
            read_group(matrix.row(tile_i * TILE + place(seat.y, row)) + tile_j * TILE + place(seat.x, column),
                       &words[row][column]);
}

__device__ __forceinline__ void write_tile(const word_t (&words)[CELLS][CELLS], Matrix matrix, int tile_i, int tile_j,
                                           Seat seat)
{
#pragma unroll
    for (int row = 0; row < CELLS; ++row)
#pragma unroll
        for (int column = 0; column < CELLS; column += GROUP)
            write_group(&words[row][column],
                        matrix.row(tile_i * TILE + place(seat.y, row)) + tile_j * TILE + place(seat.x, column));
}

// Read a tile and relax it, in registers.
__device__ __forceinline__ void relax_tile(Matrix matrix, const word_t *passage, const word_t *panel, int tile_i,
                                           int tile_j, Slice *slices, Seat seat, word_t (&words)[CELLS][CELLS])
{
    relax_product(passage + tile_i * TILE, matrix.stride, panel + tile_j * TILE, matrix.stride, slices, seat, words,
                  [&]() { read_tile(matrix, tile_i, tile_j, seat, words); });
}

// Row k of the passage gets column k of the tile.
__device__ __forceinline__ void write_passage(const word_t (&words)[CELLS][CELLS], word_t *passage, size_t stride,
                                              int tile_i, Seat seat)
{
#pragma unroll
    for (int column = 0; column < CELLS; ++column)
#pragma unroll
        for (int row = 0; row < CELLS; row += GROUP) {
            word_t group[GROUP];
#pragma unroll
            for (int part = 0; part < GROUP; ++part)
                group[part] = words[row + part][column];
            write_group(group, passage + place(seat.x, column) * stride + tile_i * TILE + place(seat.y, row));
        }
}

// Grid: the tiles of a row, then the tiles that the share has of a column. Block 0 has the primary tile, and closes it
// at once. Before the first stage `stage` is -1, and nothing is relaxed.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    relax_next(int side, int first_tile, int stage, int next, Weight *shared_words, const Weight *panel_words,
               Weight *passages, Weight *closed)
{
    DYNAMIC_SHARED(uint4, shared);
    Slice *slices = reinterpret_cast<Slice *>(shared);
    const Matrix matrix = rows_from(shared_words, side, first_tile);
    const word_t *panel = reinterpret_cast<const word_t *>(panel_words);
    const word_t *passage = matrix.passage(passages, stage);
    const int tiles_here = gridDim.x - matrix.tiles;
    const int in_column = blockIdx.x - matrix.tiles;
    const Seat seat;
    word_t words[CELLS][CELLS];
    if (in_column < 0) {
        const bool has_row = first_tile <= next && next < first_tile + tiles_here;
        const int tile_j = blockIdx.x == 0 ? next : (int)blockIdx.x - ((int)blockIdx.x <= next);
        if (!has_row)
            return;
        if (stage >= 0) {
            relax_tile(matrix, passage, panel, next, tile_j, slices, seat, words);
            write_tile(words, matrix, next, tile_j, seat);
        }
        if (tile_j == next) {
            __syncthreads();
            close_tile(matrix, next, reinterpret_cast<word_t *>(closed));
        }
        return;
    }
    const int tile_i = first_tile + in_column;
    if (tile_i == next)
        return;
    if (stage < 0 || tile_i == stage) // the panel needs no relaxing by itself
        read_tile(matrix, tile_i, next, seat, words);
    else
        relax_tile(matrix, passage, panel, tile_i, next, slices, seat, words);
    write_passage(words, matrix.passage(passages, next), matrix.stride, tile_i, seat);
}

// Grid: the tiles of a row. For the share that has the primary row.
extern "C" __global__ void __launch_bounds__(THREADS)
    close_panel(int side, int first_tile, int stage, Weight *words, const Weight *closed)
{
    DYNAMIC_SHARED(uint4, shared);
    const int tile = blockIdx.x;
    if (tile == stage)
        return;
    relax_panel_of_row(rows_from(words, side, first_tile), stage, tile,
                       reinterpret_cast<const word_t *>(closed) + TILE * TILE, *reinterpret_cast<Panel *>(shared));
}

// Grid: (tiles of a row, tiles that the share has of a column). `next` is -1 in the last stage. The tiles of column
// `next` are relaxed in the next stage through both stages, since the passage has what this one would give.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    relax_rest(int side, int first_tile, int stage, int next, Weight *shared_words, const Weight *panel_words,
               Weight *passages)
{
    DYNAMIC_SHARED(uint4, shared);
    const Matrix matrix = rows_from(shared_words, side, first_tile);
    // Bands of BAND rows, taken column by column: the blocks that run at a time read few different slices.
    const int columns = gridDim.x;
    const int index = blockIdx.y * columns + blockIdx.x;
    const int band = index / (BAND * columns);
    const int height = min(BAND, (int)gridDim.y - band * BAND);
    const int within = index - band * BAND * columns;
    const int tile_i = first_tile + band * BAND + within % height;
    const int tile_j = within / height;
    if (tile_i == stage || tile_i == next || tile_j == next)
        return;
    const Seat seat;
    word_t words[CELLS][CELLS];
    relax_tile(matrix, matrix.passage(passages, stage), reinterpret_cast<const word_t *>(panel_words), tile_i, tile_j,
               reinterpret_cast<Slice *>(shared), seat, words);
    write_tile(words, matrix, tile_i, tile_j, seat);
}

// The paths of at most one arc, padding included. A block of any size a row of the share.
extern "C" __global__ void one_arc_lengths(int vertices, int side, int first_row, const int *indptr, const int *indices,
                                           const Weight *weights, Length *words)
{
    const int tail = first_row + blockIdx.x;
    Length *lengths = words + (size_t)blockIdx.x * side;
    for (int head = threadIdx.x; head < side; head += blockDim.x)
        lengths[head] = head == tail && tail < vertices ? 0 : UNREACHABLE;
    __syncthreads();
    if (tail >= vertices)
        return;
    for (int arc = indptr[tail] + threadIdx.x; arc < indptr[tail + 1]; arc += blockDim.x)
        if (indices[arc] != tail)
            atomicMin(&lengths[indices[arc]], length_of(weights[arc])); // parallel arcs
}
