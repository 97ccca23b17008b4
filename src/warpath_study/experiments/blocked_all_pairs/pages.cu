// Shortest paths of all pairs, page by page: the three passes of blocked over output tiles in registers.
//
// A page is a square of the matrix, SIDE * p cells wide: the whole matrix (register_blocked), or one of many, where the
// matrix is larger than a device's memory (out_of_core) or shared among several devices (several_devices). The three
// passes over pages are those over blocks: close the primary page; then those of its row and column; then all others.
// The same kernels do all of them, for TILE intermediate vertices at a time:
//   diagonal   closes a tile on the diagonal of the primary page;
//   strips     relaxes tiles beside or below a closed one: the tile's rows (kind 0) or columns (kind 1) of a page;
//   relax      relaxes all tiles of a page, on slices of the pages that lead to the vertices and on from them.
// Why it exists beside floyd_warshall staged, with which it shares min_plus.cuh: staged works on the n x n matrix as it
// is, and a relaxation copies the predecessor from the primary row, so that row has to be at hand. Here a cell that
// falls writes the number of the intermediate vertex and reads no other cell for that, so that a page needs the lengths
// of two others alone; and pages are padded, so that loads need no test. Predecessors take one more kernel at the end
// (resolve.cu).
// Threads: THREADS_SIDE x THREADS_SIDE a block (16 x 16 with 8 x 8 cells each make output tiles of 128), see
// min_plus.cuh; diagonal is one block of TILE x THREADS_SIDE. Memory: two matrices a page, lengths and intermediate
// vertices; cells past the last vertex are UNREACHABLE, and every row begins at a multiple of 16 bytes.
// Floor: n^3 instructions; on an H200, 64 lanes of 132 multiprocessors at 1.98 GHz do 1.7e13 a second.
// Source: passes and pages after Katz and Kider, 2008, sections 4.3 and 4.4; register tiles as in min_plus.cuh.
#include "warpath_study/experiments/min_plus.cuh"
#include "warpath_study/published/shared/skip.cuh"
#include "warpath/device/dynamic_shared.cuh"

// `to` points at the slice's first column in the tile's first row, `from` at its first row in the tile's first column.
template <int WIDTH>
__device__ __forceinline__ void load_slices(int side, const int *to, const int *from, Slices<WIDTH> &slices)
{
    constexpr int groups = WIDTH * TILE / GROUP;
    static_assert(groups % THREADS == 0, "every thread loads as many groups");
    const int thread = threadIdx.y * THREADS_SIDE + threadIdx.x;
#pragma unroll // the trip count is the same for every thread
    for (int index = thread; index < groups + thread; index += THREADS) {
        const int i = index % WIDTH; // neighbouring threads write neighbouring words of a transposed row
        const int k = index / WIDTH * GROUP;
        length_t group[GROUP];
        read_group(reinterpret_cast<const length_t *>(to + (size_t)i * side + k), group);
#pragma unroll
        for (int step = 0; step < GROUP; ++step)
            slices.to[k + step][i] = key_of((int)group[step]);
    }
#pragma unroll
    for (int index = thread; index < groups + thread; index += THREADS) {
        const int j = index % (WIDTH / GROUP) * GROUP;
        const int k = index / (WIDTH / GROUP);
        length_t group[GROUP];
        read_group(reinterpret_cast<const length_t *>(from + (size_t)k * side + j), group);
#pragma unroll
        for (int step = 0; step < GROUP; ++step)
            group[step] = key_from(k, (int)group[step]);
        write_group(group, &slices.from[k][j]);
    }
}

// An output tile in a page; `lengths` and `intermediates` point at its first cell. See relax_cells.
struct PageTile {
    int side;
    int first_vertex; // of the slices
    int *lengths;
    int *intermediates;

    __device__ __forceinline__ size_t at(int row, int column) const
    {
        return (size_t)row * side + column;
    }
    __device__ __forceinline__ void read(int row, int column, length_t *four) const
    {
        read_group(reinterpret_cast<const length_t *>(lengths + at(row, column)), four);
    }
    __device__ __forceinline__ void write(int row, int column, const length_t *four, unsigned int)
    {
        write_group(four, reinterpret_cast<length_t *>(lengths + at(row, column)));
    }
    __device__ __forceinline__ length_t length(int row, int column) const
    {
        return (length_t)lengths[at(row, column)];
    }
    __device__ __forceinline__ void owe(int row, int column, int k)
    {
        intermediates[at(row, column)] = first_vertex + k;
    }
};

// Relax an output tile through the TILE vertices of two slices.
template <int WIDTH>
__device__ __forceinline__ void relax_tile(PageTile tile, const int *to, const int *from, Slices<WIDTH> &slices)
{
    load_slices(tile.side, to, from, slices);
    __syncthreads();
    relax_cells(slices, tile);
}

extern "C" __global__ void diagonal(int side, int tile, int first_vertex, int *lengths, int *intermediates)
{
    constexpr int rows = TILE / THREADS_SIDE; // of a thread
    __shared__ int cells[TILE][TILE];
    const int x = threadIdx.x;
    const size_t corner = (size_t)tile * TILE * side + tile * TILE;
    length_t own[rows];
    int owed[rows];
#pragma unroll
    for (int row = 0; row < rows; ++row) {
        const int y = row * THREADS_SIDE + threadIdx.y;
        own[row] = (length_t)lengths[corner + (size_t)y * side + x];
        owed[row] = NO_PREDECESSOR;
        cells[y][x] = (int)own[row];
    }
    __syncthreads();
    close_diagonal(cells, own, TILE, [&](int row, int k) { owed[row] = first_vertex + k; });
#pragma unroll
    for (int row = 0; row < rows; ++row) {
        const size_t ij = corner + (size_t)(row * THREADS_SIDE + threadIdx.y) * side + x;
        if (owed[row] != NO_PREDECESSOR) {
            lengths[ij] = (int)own[row];
            intermediates[ij] = owed[row];
        }
    }
}

// blockIdx.y + first_kind says whether a block's tile lies in the rows or the columns of `tile`; blockIdx.x says which
// one it is, with number `skipped` left out. The tile on the diagonal of `closed`, which may be the page itself, is
// closed: a best path enters it once, so the own tile as loaded is enough.
extern "C" __global__ void __launch_bounds__(THREADS)
    strips(int side, int tile, int skipped, int first_kind, int first_vertex, const int *closed, int *lengths,
           int *intermediates)
{
    DYNAMIC_SHARED(uint4, shared);
    const size_t down = (size_t)tile * TILE * side;
    const size_t across = (size_t)tile * TILE;
    const size_t other = (size_t)stepped_over(blockIdx.x, skipped) * TILE;
    const bool in_rows = blockIdx.y + first_kind == 0;
    const size_t own = in_rows ? down + other : other * side + across;
    const int *const diagonal_tile = closed + down + across;
    relax_tile({side, first_vertex, lengths + own, intermediates + own}, in_rows ? diagonal_tile : lengths + own,
               in_rows ? lengths + own : diagonal_tile, *reinterpret_cast<Slices<TILE> *>(shared));
}

// All output tiles of a page, through the vertices of `stages` tiles from `tile` on, the first of which is
// `first_vertex`.
// More than one stage needs `to` and `from` to be other pages. Where they are the page itself, output tiles in the rows
// or columns of `tile` are closed already and do not fall any more, so that no block writes what another reads.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    relax(int side, int tile, int stages, int first_vertex, const int *to, const int *from, int *lengths,
          int *intermediates)
{
    DYNAMIC_SHARED(uint4, shared);
    const size_t row = (size_t)blockIdx.y * SIDE * side;
    const size_t column = (size_t)blockIdx.x * SIDE;
    // The output tile stays in the cache from stage to stage.
    for (int stage = 0; stage < stages; ++stage) {
        const size_t k = (size_t)(tile + stage) * TILE;
        relax_tile({side, first_vertex + stage * TILE, lengths + row + column, intermediates + row + column},
                   to + row + k, from + k * side + column, *reinterpret_cast<Slices<SIDE> *>(shared));
        __syncthreads(); // before the slices are overwritten
    }
}

// Make all cells but the first `rows` times `columns` UNREACHABLE.
extern "C" __global__ void pad(int side, int rows, int columns, int *lengths)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < side; i += gridDim.y * blockDim.y)
        if (j < side && (i >= rows || j >= columns))
            lengths[(size_t)i * side + j] = UNREACHABLE;
}
