// Floyd-Warshall, lookahead: a min-plus product near the chip's limit, and the next stage's primary tile first.
//
// A stage takes the TILE intermediate vertices of the primary tile, in three launches:
//   relax_next     phase 3 of the stage before for the tiles of the primary row and column; and phase 1: the block that
//                  has the primary tile closes it (close_primary does that for the first stage);
//   relax_panels   phase 2: the primary row and column. The column is also written transposed, as `passage`: row k of it
//                  holds the lengths to intermediate vertex k, so that phase 3 copies slices without turning them;
//   relax_rest     phase 3 for all other tiles.
// Idea over staged: relax_next and relax_panels of the next stage are enqueued in a stream that goes first, and run
// beside relax_rest of this stage. Whatever the small phases wait for, the large one fills the chip.
// There are two passages, which take turns. relax_rest writes neither the primary row and column of its stage, which it
// reads, nor those of the next, which the other stream works on; so no block uses what another one writes.
// Cells of 32 bits, or two of 16 bits a word (see tiles.cuh): then a tile is TILE rows and 2 * TILE columns, two primary
// tiles share it, and each group of words is written or left alone by the primary tile that its columns belong to.
// The matrix is padded to whole tiles with FAR, and no load or store needs a test.
// Threads: (TILE / CELLS)^2 a block. Memory: the matrix, two passages of TILE rows; slices in dynamic shared memory.
// Limit: one VIADDMNMX a word and vertex, n^3 / PACKED in all, 64 lanes of each multiprocessor every cycle: 16.0 to
// 16.3e12 a second on an H200. Measured, n = 36,682, a whole solve: 14.9e12, 92 %; 29.3e12 cells of 16 bits, 91 % of
// twice that. Memory is read and written once a stage, 8 n^2 / PACKED bytes: 1 TB/s of 4.3.
// Float32 takes two additions and one VIMNMX3 for two vertices, float64 an addition and a comparison for each. Sums are
// rounded in the order of the stages; guided_rows.cu makes them exact.
// Source: blocked scheme of Katz and Kider; look-ahead after P. Sao et al., "Scalable All-pairs Shortest Paths for Huge
// Graphs on Multi-GPU Clusters", HPDC 2021, who hide the panels of a distributed one. Registers and 16 bits are ours.
#include "warpath/solvers/all_pairs/tiles.cuh"
#include "warpath/device/dynamic_shared.cuh"

// Phase 3 for one tile. Words are written where `wanted(primary)` of their columns' primary tile.
template <class Wanted>
__device__ __forceinline__ void relax_tile(Matrix matrix, const word_t *passage, int stage, int tile_i, int tile_j,
                                           Slice *slices, Wanted wanted)
{
    const Seat seat;
    const int first_i = tile_i * TILE;
    const int first_j = tile_j * TILE; // in words
    word_t words[CELLS][CELLS];
    relax_product(passage + first_i, (size_t)matrix.tiles * TILE, matrix.row(stage * TILE) + first_j, matrix.stride,
                  slices, seat, words, [&]() {
#pragma unroll
                      for (int row = 0; row < CELLS; ++row)
#pragma unroll
                          for (int column = 0; column < CELLS; column += GROUP)
                              read_group(matrix.row(first_i + place(seat.y, row)) + first_j + place(seat.x, column),
                                         &words[row][column]);
                  });
#pragma unroll
    for (int column = 0; column < CELLS; column += GROUP) {
        const int j = first_j + place(seat.x, column);
        if (!wanted(primary_of(j)))
            continue;
#pragma unroll
        for (int row = 0; row < CELLS; ++row)
            write_group(&words[row][column], matrix.row(first_i + place(seat.y, row)) + j);
    }
}

#ifndef BAND
#define BAND 16
#endif

// Grid: (columns of tiles, rows of tiles). `next` is -1 in the last stage.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    relax_rest(int side, int stage, int next, Weight *words, Weight *passages)
{
    DYNAMIC_SHARED(uint4, shared);
    const Matrix matrix(words, side);
    // Bands of BAND rows, taken column by column: the blocks that run at a time read few different slices.
    const int columns = gridDim.x;
    const int index = blockIdx.y * columns + blockIdx.x;
    const int band = index / (BAND * columns);
    const int height = min(BAND, matrix.tiles - band * BAND);
    const int within = index - band * BAND * columns;
    const int tile_i = band * BAND + within % height;
    const int tile_j = within / height;
    if (tile_i == stage || tile_i == next || !has_columns_beside(tile_j, stage, next))
        return;
    relax_tile(matrix, matrix.passage(passages, stage), stage, tile_i, tile_j, reinterpret_cast<Slice *>(shared),
               [&](int primary) { return primary != stage && primary != next; });
}

// Grid: the tiles of the next primary row and column. Block 0 has the one on the diagonal, and closes it at once; then
// come the others of the row, (columns of tiles), and of the column, (rows of tiles).
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    relax_next(int side, int stage, int next, Weight *words, Weight *passages, Weight *closed)
{
    DYNAMIC_SHARED(uint4, shared);
    Slice *slices = reinterpret_cast<Slice *>(shared);
    const Matrix matrix(words, side);
    const int columns = matrix.tiles / PACKED;
    const int in_row = blockIdx.x - 1;
    const int in_column = in_row - columns;
    if (in_row >= 0 && in_column < 0) {
        if (has_columns_beside(in_row, stage, next))
            relax_tile(matrix, matrix.passage(passages, stage), stage, next, in_row, slices,
                       [&](int primary) { return primary != stage && primary != next; });
        return;
    }
    if (in_column == stage || in_column == next)
        return;
    const int tile_i = in_row < 0 ? next : in_column;
    relax_tile(matrix, matrix.passage(passages, stage), stage, tile_i, next / PACKED, slices,
               [&](int primary) { return primary == next; });
    if (in_row < 0) {
        __syncthreads();
        close_tile(matrix, next, reinterpret_cast<word_t *>(closed));
    }
}

// Phase 1 of the first stage, one block.
extern "C" __global__ void __launch_bounds__(THREADS) close_primary(int side, int stage, Weight *words, Weight *closed)
{
    close_tile(Matrix(words, side), stage, reinterpret_cast<word_t *>(closed));
}

// Grid: (tiles, 2), TILE words of the primary row (y 0), or of the transposed primary column.
extern "C" __global__ void __launch_bounds__(THREADS)
    relax_panels(int side, int stage, Weight *words, Weight *passages, const Weight *closed)
{
    DYNAMIC_SHARED(uint4, shared);
    const Matrix matrix(words, side);
    const int tile = blockIdx.x;
    if (!has_columns_beside(tile, stage, stage))
        return;
    Panel &panel = *reinterpret_cast<Panel *>(shared);
    if (blockIdx.y == 0)
        relax_panel_of_row(matrix, stage, tile, reinterpret_cast<const word_t *>(closed) + TILE * TILE, panel);
    else
        relax_panel_of_column(matrix, stage, tile, reinterpret_cast<const word_t *>(closed),
                              matrix.passage(passages, stage), panel);
}

// The paths of at most one arc: 0 on the diagonal, else the lightest arc. A block of any size a row.
extern "C" __global__ void one_arc_lengths(int vertices, const int *indptr, const int *indices, const Weight *weights,
                                           Length *all_distances)
{
    const int tail = blockIdx.x;
    Length *distances = all_distances + (size_t)tail * vertices;
    for (int head = threadIdx.x; head < vertices; head += blockDim.x)
        distances[head] = head == tail ? 0 : UNREACHABLE;
    __syncthreads();
    for (int arc = indptr[tail] + threadIdx.x; arc < indptr[tail + 1]; arc += blockDim.x)
        if (indices[arc] != tail)
            atomicMin(&distances[indices[arc]], length_of(weights[arc])); // parallel arcs
}

// Distances, shape (vertices, vertices), into the padded matrix. A block of any size a row of it.
extern "C" __global__ void pack(int vertices, int side, const Weight *distances, Weight *matrix_words)
{
    const Matrix matrix(matrix_words, side);
    const int i = blockIdx.x;
    for (int j = threadIdx.x; j < side; j += blockDim.x) {
        const bool inside = i < vertices && j < vertices;
        const value_t length = inside ? (value_t)distances[(size_t)i * vertices + j] : FAR;
        reinterpret_cast<cell_t *>(matrix.row(i))[j] = (cell_t)min(length, FAR);
    }
}

// The way back. `farthest` gets the largest length below FAR, and `far` 1 if there is a cell of FAR; both from 0.
extern "C" __global__ void unpack(int vertices, int side, const Weight *matrix_words, Weight *distances,
                                  int *farthest_and_far)
{
    const Matrix matrix(const_cast<Weight *>(matrix_words), side);
    const int i = blockIdx.x;
#if CELL_BITS == 16
    int farthest = 0;
    bool far = false;
#endif
    for (int j = threadIdx.x; j < vertices; j += blockDim.x) {
        const value_t length = reinterpret_cast<const cell_t *>(matrix.row(i))[j];
#if CELL_BITS == 16
        distances[(size_t)i * vertices + j] = length == FAR ? UNREACHABLE : (int)length;
        far |= length == FAR;
        if (length != FAR)
            farthest = max(farthest, (int)length);
#else
        distances[(size_t)i * vertices + j] = (Weight)length; // FAR is UNREACHABLE
#endif
    }
#if CELL_BITS == 16
    if (farthest > farthest_and_far[0]) // most are not, and need no atomic operation
        atomicMax(&farthest_and_far[0], farthest);
    if (far)
        farthest_and_far[1] = 1;
#endif
}
