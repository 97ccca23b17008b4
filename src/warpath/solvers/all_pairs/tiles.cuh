// Floyd-Warshall in tiles: cells in words, a min-plus product of words, the padded matrix, and phases 1 and 2 of a stage.
#pragma once

#include "warpath/solvers/shared/lengths.cuh"

// Cells of a matrix of lengths in words: a whole number of 32 bits, or two of 16 bits side by side in a row; or a float.
//
// A relaxation of a word of whole numbers is one instruction on Hopper (VIADDMNMX), whether it holds one cell or two.
// Nothing wraps: cells start at FAR or below and only fall, so a sum has two terms of at most FAR, and 2 * FAR fits into
// the unsigned bits of a cell. A cell of 16 bits is therefore min(length, FAR), exactly: FAR means "FAR or longer", and
// the host has to find out whether that is a path or none. With 32 bits FAR is UNREACHABLE, and nothing needs converting.
// A relaxation of floats is an addition and a minimum, and FAR is infinity. Sums are rounded in the order of the stages.

#ifndef CELL_BITS
#define CELL_BITS 32
#endif
#if CELL_BITS == 16
#define PACKED 2 // cells of a word
#else
#define PACKED 1
#endif

// A cell in a register is a `value_t`.
#if FLOAT_BITS
typedef Weight value_t;
#else
typedef length_t value_t;
#endif
typedef value_t word_t;
#define GROUP (16 / (int)sizeof(word_t)) // words that are read and written together, 16 bytes

#if FLOAT_BITS
#define FAR (number_of(UNREACHABLE))
typedef Weight cell_t;

__device__ __forceinline__ word_t relaxed(word_t word, word_t to, word_t from)
{
    const word_t sum = to + from;
#if FLOAT_BITS == 64
    return sum < word ? sum : word; // a minimum of doubles would look for NaN
#else
    return min(word, sum);
#endif
}

#if FLOAT_BITS == 32 && !NEGATIVE_WEIGHTS
// Through two vertices. Lengths of at least 0 are ordered as their bits are, of which one instruction finds the least of
// three (VIMNMX3 on Hopper); additions and minima of floats would fill the time of the schedulers.
#define VERTICES_TOGETHER 2
__device__ __forceinline__ word_t relaxed(word_t word, word_t to, word_t from, word_t to_other, word_t from_other)
{
    return float32_of(__vimin3_s32(bits_of(word), bits_of(to + from), bits_of(to_other + from_other)));
}
#endif
#elif CELL_BITS == 16
#define FAR 0x7fffu
typedef unsigned short cell_t;
static_assert((word_t)-1 > 0, "no negative lengths in 16 bits");

__device__ __forceinline__ word_t relaxed(word_t word, word_t to, word_t from)
{
    return __viaddmin_u16x2(to, from, word);
}
#else
#define FAR ((length_t)UNREACHABLE)
typedef length_t cell_t;

__device__ __forceinline__ word_t relaxed(word_t word, word_t to, word_t from)
{
    return min(word, joined((int)to, (int)from));
}
#endif

#ifndef VERTICES_TOGETHER
#define VERTICES_TOGETHER 1
#endif

// A cell, by itself, after a relaxation.
__device__ __forceinline__ value_t relaxed_cell(value_t cell, value_t to, value_t from)
{
#if FLOAT_BITS
    return relaxed(cell, to, from);
#else
    return min(cell, joined((int)to, (int)from));
#endif
}

// A word whose cells are all `cell`.
__device__ __forceinline__ word_t word_of(value_t cell)
{
#if PACKED == 2
    return cell | cell << 16;
#else
    return cell;
#endif
}

// Cell number `cell` of a row of words.
__device__ __forceinline__ value_t cell_of(const word_t *words, int cell)
{
#if PACKED == 2
    return words[cell / PACKED] >> (cell % PACKED * 16) & 0xffff;
#else
    return words[cell];
#endif
}

// Neighbouring words, the first of them at a multiple of 16 bytes.
#if FLOAT_BITS
struct alignas(16) Group {
    word_t words[GROUP];
};

__device__ __forceinline__ void read_group(const word_t *words, word_t *group)
{
    const Group read = *reinterpret_cast<const Group *>(words);
#pragma unroll
    for (int word = 0; word < GROUP; ++word)
        group[word] = read.words[word];
}

__device__ __forceinline__ void write_group(const word_t *group, word_t *words)
{
    Group written;
#pragma unroll
    for (int word = 0; word < GROUP; ++word)
        written.words[word] = group[word];
    *reinterpret_cast<Group *>(words) = written;
}
#else
__device__ __forceinline__ void read_group(const word_t *words, word_t *group)
{
    const uint4 four = *reinterpret_cast<const uint4 *>(words);
    group[0] = (word_t)four.x;
    group[1] = (word_t)four.y;
    group[2] = (word_t)four.z;
    group[3] = (word_t)four.w;
}

__device__ __forceinline__ void write_group(const word_t *group, word_t *words)
{
    *reinterpret_cast<uint4 *>(words) =
        make_uint4((unsigned int)group[0], (unsigned int)group[1], (unsigned int)group[2], (unsigned int)group[3]);
}
#endif

// A min-plus product of words in registers: the block owns TILE x TILE words, a thread CELLS x CELLS of them.
//
// Slices of the operands, DEPTH vertices each, pass through shared memory; while one is used, the next ones are on their
// way, copied past the registers. Both operands lie as they are read: row k of `to` holds the words to vertex k (of 16
// bits: the same cell twice), row k of `from` those from it, so that a group of words is one access.
// Threads: SIDE x SIDE. The lanes of a warp are 4 x 8, so that a warp reads few different words.
// Source: V. Volkov and J. W. Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra", 2008, for tiles in registers;
// the min-plus product is ours.

#ifndef TILE
#define TILE 128
#endif
#ifndef CELLS
#define CELLS 8
#endif
#ifndef DEPTH
#define DEPTH 16
#endif
#ifndef BUFFERS
#define BUFFERS 4
#endif
#ifndef UNROLLED
#define UNROLLED 16
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif
#define SIDE (TILE / CELLS)
#define THREADS (SIDE * SIDE)

static_assert(TILE % CELLS == 0 && CELLS % GROUP == 0 && TILE % DEPTH == 0, "tiles, threads and slices fit");
static_assert(DEPTH * TILE / GROUP % THREADS == 0, "every thread copies as much");

struct Slice {
    word_t to[DEPTH][TILE];
    word_t from[DEPTH][TILE];
};

// The place of a thread in the block.
struct Seat {
    int x, y;

    __device__ __forceinline__ Seat()
    {
        const int warp = threadIdx.x / 32;
        x = SIDE % 8 ? threadIdx.x % SIDE : threadIdx.x % 8 + warp % (SIDE / 8) * 8;
        y = SIDE % 8 ? threadIdx.x / SIDE : threadIdx.x / 8 % 4 + warp / (SIDE / 8) * 4;
    }
};

// Where a thread's number `word` lies in a row or column of the tile. Words come in groups, the groups of all threads
// side by side, so that neighbouring threads read neighbouring groups.
__device__ __forceinline__ int place(int thread, int word)
{
    return (word / GROUP * SIDE + thread) * GROUP + word % GROUP;
}

// Relax a thread's words through `depth` vertices, whose words are in shared memory.
template <int depth>
__device__ __forceinline__ void relax_through(const word_t (*to)[TILE], const word_t (*from)[TILE], Seat seat,
                                              word_t (&words)[CELLS][CELLS])
{
    constexpr int unrolled = UNROLLED / VERTICES_TOGETHER;
#pragma unroll unrolled
    for (int k = 0; k < depth; k += VERTICES_TOGETHER) {
        word_t to_k[VERTICES_TOGETHER][CELLS], from_k[VERTICES_TOGETHER][CELLS];
#pragma unroll
        for (int vertex = 0; vertex < VERTICES_TOGETHER; ++vertex) {
#pragma unroll
            for (int row = 0; row < CELLS; row += GROUP)
                read_group(&to[k + vertex][place(seat.y, row)], to_k[vertex] + row);
#pragma unroll
            for (int column = 0; column < CELLS; column += GROUP)
                read_group(&from[k + vertex][place(seat.x, column)], from_k[vertex] + column);
        }
#pragma unroll
        for (int row = 0; row < CELLS; ++row)
#pragma unroll
            for (int column = 0; column < CELLS; ++column)
#if VERTICES_TOGETHER == 2
                words[row][column] =
                    relaxed(words[row][column], to_k[0][row], from_k[0][column], to_k[1][row], from_k[1][column]);
#else
                words[row][column] = relaxed(words[row][column], to_k[0][row], from_k[0][column]);
#endif
    }
}

// Copy 16 bytes to shared memory, without waiting for them where the GPU can do that.
__device__ __forceinline__ void copy_group(word_t *shared, const word_t *words)
{
#if (defined(__CUDACC__) || defined(__CUDACC_RTC__)) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned int)__cvta_generic_to_shared(shared)),
                 "l"(words));
#else
    *reinterpret_cast<uint4 *>(shared) = *reinterpret_cast<const uint4 *>(words);
#endif
}

__device__ __forceinline__ void end_of_copies()
{
#if (defined(__CUDACC__) || defined(__CUDACC_RTC__)) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;");
#endif
}

// Wait for the thread's copies, but for those before the last `behind` ends.
template <int behind>
__device__ __forceinline__ void wait_for_copies()
{
#if (defined(__CUDACC__) || defined(__CUDACC_RTC__)) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(behind) : "memory");
#endif
}

__device__ __forceinline__ void copy_slice(const word_t *to, size_t to_stride, const word_t *from, size_t from_stride,
                                           Slice &slice)
{
    constexpr int groups = TILE / GROUP; // of a row
#pragma unroll
    for (int first = 0; first < DEPTH * groups; first += THREADS) {
        const int k = (first + (int)threadIdx.x) / groups;
        const int word = (first + (int)threadIdx.x) % groups * GROUP;
        copy_group(&slice.to[k][word], to + k * to_stride + word);
        copy_group(&slice.from[k][word], from + k * from_stride + word);
    }
    end_of_copies();
}

// Relax the block's words in `words` through TILE vertices. Row k of the operands is at `to + k * to_stride`, and so on;
// `begin` runs once the first copies are under way.
template <class Begin>
__device__ __forceinline__ void relax_product(const word_t *to, size_t to_stride, const word_t *from,
                                              size_t from_stride, Slice *slices, Seat seat,
                                              word_t (&words)[CELLS][CELLS], Begin begin)
{
    constexpr int count = TILE / DEPTH;
#pragma unroll
    for (int slice = 0; slice < BUFFERS - 1; ++slice) {
        if (slice < count)
            copy_slice(to + slice * DEPTH * to_stride, to_stride, from + slice * DEPTH * from_stride, from_stride,
                       slices[slice]);
        else
            end_of_copies();
    }
    begin();
    int used = 0, filled = BUFFERS - 1;
    to += (BUFFERS - 1) * DEPTH * to_stride;
    from += (BUFFERS - 1) * DEPTH * from_stride;
#pragma unroll 1
    for (int slice = 0; slice < count; ++slice) {
        wait_for_copies<BUFFERS - 2>();
        __syncthreads(); // the slice is there for all, and nobody uses the one before it any more
        if (slice + BUFFERS - 1 < count)
            copy_slice(to, to_stride, from, from_stride, slices[filled]);
        else
            end_of_copies();
        relax_through<DEPTH>(slices[used].to, slices[used].from, seat, words);
        to += DEPTH * to_stride;
        from += DEPTH * from_stride;
        used = used + 1 == BUFFERS ? 0 : used + 1;
        filled = filled + 1 == BUFFERS ? 0 : filled + 1;
    }
}

// A padded matrix of words, cut into tiles.

// The padded matrix, `side` cells each way.
struct Matrix {
    word_t *words;
    size_t stride; // words of a row
    int tiles;     // primary tiles, and tiles of a column; a row has tiles / PACKED

    __device__ __forceinline__ Matrix(Weight *words, int side)
        : words(reinterpret_cast<word_t *>(words)), stride(side / PACKED), tiles(side / TILE)
    {
    }
    __device__ __forceinline__ word_t *row(int row) const
    {
        return words + (size_t)row * stride;
    }
    // The passage of a stage: TILE rows of `side` words.
    __device__ __forceinline__ word_t *passage(Weight *passages, int stage) const
    {
        return reinterpret_cast<word_t *>(passages) + (size_t)(stage & 1) * TILE * tiles * TILE;
    }
};

// The number of the primary tile that column `word` of a row belongs to.
__device__ __forceinline__ int primary_of(int word)
{
    return word * PACKED / TILE;
}

// Whether any column of tile_j has a primary tile other than `one` and `other`.
__device__ __forceinline__ bool has_columns_beside(int tile_j, int one, int other)
{
    bool any = false;
#pragma unroll
    for (int part = 0; part < PACKED; ++part) {
        const int primary = tile_j * PACKED + part;
        any |= primary != one && primary != other;
    }
    return any;
}

// Phase 1: a block closes a tile on the diagonal, its cells in registers, a step a vertex.
//
// A thread has CELLS x CELLS cells, at the places that its words have in a product. For step k the threads that have row
// k and column k publish them in shared memory. They do so in the step before, as soon as those cells are relaxed, so
// that nobody waits for it; and there are two buffers, so one barrier a step is enough.
// Limit: TILE steps of TILE^2 cells on one multiprocessor, 33 thousand cycles for 128, and a barrier a step.

struct Cross {
    value_t row[TILE];
    value_t column[TILE];
};

// Publish the row and the column of a vertex. It is number `group + vertex` of the cells of the threads number `owner`.
__device__ __forceinline__ void publish(Seat seat, const value_t (&cells)[CELLS][CELLS], int owner, int vertex,
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
__device__ __forceinline__ void relax_cross(value_t (&cells)[CELLS][CELLS], const value_t (&to_k)[CELLS],
                                            const value_t (&from_k)[CELLS], int vertex)
{
#pragma unroll
    for (int row = 0; row < CELLS; ++row)
#pragma unroll
        for (int column = 0; column < CELLS; ++column)
            if ((row == vertex || column == vertex) == on_cross)
                cells[row][column] = relaxed_cell(cells[row][column], to_k[row], from_k[column]);
}

// `closed` gets the tile twice, a word a cell: by rows, and transposed.
__device__ __forceinline__ void close_tile(Matrix matrix, int primary, word_t *closed)
{
    __shared__ __align__(16) Cross crosses[2];
    const Seat seat;
    word_t *first = matrix.row(primary * TILE) + primary * TILE / PACKED;
    value_t cells[CELLS][CELLS];
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
                value_t to_k[CELLS], from_k[CELLS];
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

// Phase 2: TILE words of the primary row, or of the primary column, relaxed through the closed primary tile.
//
// The primary tile is closed, so a best path enters it once, and the words as they were loaded are enough. They lie in
// shared memory as a whole, beside the primary tile. Those of the column are transposed on the way in, and their result
// goes three ways: transposed to the passage, a word a cell; to shared memory; and from there back to the column.

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
#if PACKED == 2
            four[part] = 0;
#pragma unroll
            for (int cell = 0; cell < PACKED; ++cell)
                four[part] |= (word_t) reinterpret_cast<const cell_t *>(panel.from[k + cell])[at.i] << cell * 16;
#else
            four[part] = panel.from[k][at.i];
#endif
        }
        write_group(four, own + at.i * matrix.stride + at.word);
    }
}
