// Floyd-Warshall, staged: output tiles in registers, an instruction a relaxation.
//
// Idea over tiled_shared: there every relaxation reads shared memory and keeps track of the best vertex. Here a block
// of phase 3 takes an output tile of SIDE x SIDE cells, larger than the primary tile, and each of its threads keeps
// CELLS x CELLS of them in registers. Slices of the primary column and row are staged through shared memory, so that
// 2 * CELLS words read there serve CELLS * CELLS relaxations; see min_plus.cuh. The tile's old cells are read after the
// loop, and cells that fell get their predecessor from the primary row.
// Why it exists beside blocked_all_pairs register_blocked, with which it shares min_plus.cuh: here, as in all variants
// of Floyd-Warshall, cells hold distance and predecessor, the matrix is not padded, and predecessors are final with the
// last stage. There, cells hold the intermediate vertex, which pages in other memories need.
// Threads: THREADS_SIDE x THREADS_SIDE a block (16 x 16 with 8 x 8 cells each make tiles of 128); phase 1 is one block
// of TILE x THREADS_SIDE. Memory: as tiled, and (2 * TILE + some) rows of SIDE words a block in shared memory.
// Floor: n^3 instructions; on an H200, 64 lanes of 132 multiprocessors at 1.98 GHz do 1.7e13 a second.
// An index past the matrix is replaced by the last vertex, which is in the same tile. Taking a vertex twice changes no
// minimum, and loads need no test.
// Source: our own, after B. Lund and J. W. Smith, "A Multi-Stage CUDA Kernel for Floyd-Warshall", arXiv:1001.4108,
// 2010, who stage slices for 32 x 32 tiles with several cells a thread; predecessors are ours.
#include "warpath_study/experiments/min_plus.cuh"
#include "warpath/device/dynamic_shared.cuh"

template <int WIDTH>
__device__ __forceinline__ void load_slices(int vertices, int first_i, int first_j, int first_k, const int *distances,
                                            Slices<WIDTH> &slices)
{
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int last = vertices - 1;
#pragma unroll
    for (int i = y; i < WIDTH + y; i += THREADS_SIDE)
#pragma unroll
        for (int k = x; k < TILE + x; k += THREADS_SIDE)
            slices.to[k][i] = key_of(distances[(size_t)min(first_i + i, last) * vertices + min(first_k + k, last)]);
#pragma unroll
    for (int k = y; k < TILE + y; k += THREADS_SIDE)
#pragma unroll
        for (int j = x; j < WIDTH + x; j += THREADS_SIDE) {
            const size_t kj = (size_t)min(first_k + k, last) * vertices + min(first_j + j, last);
            slices.from[k][j] = key_from(min(k, last - first_k), distances[kj]);
        }
}

// An output tile in the matrix, whose first cell is (first_i, first_j). See relax_cells.
struct MatrixTile {
    int vertices;
    int first_i;
    int first_j;
    int first_k; // the first vertex of the slices
    int *distances;
    int *predecessors;

    __device__ __forceinline__ size_t at(int row, int column) const
    {
        return (size_t)(first_i + row) * vertices + first_j + column;
    }
    __device__ __forceinline__ void read(int row, int column, length_t *four) const
    {
        const bool row_inside = first_i + row < vertices;
#pragma unroll
        for (int cell = 0; cell < GROUP; ++cell) {
            const bool inside = row_inside && first_j + column + cell < vertices;
            four[cell] = inside ? (length_t)distances[at(row, column + cell)] : LEAST_LENGTH;
        }
    }
    __device__ __forceinline__ void write(int row, int column, const length_t *four, unsigned int fallen)
    {
#pragma unroll
        for (int cell = 0; cell < GROUP; ++cell)
            if (fallen >> cell & 1)
                distances[at(row, column + cell)] = (int)four[cell];
    }
    __device__ __forceinline__ length_t length(int row, int column) const
    {
        return (length_t)distances[at(row, column)];
    }
    // If (i, j) owes its length to k, the predecessor of (k, j) does not change in this phase: had (k, j) fallen too,
    // (i, j) would have fallen further.
    __device__ __forceinline__ void owe(int row, int column, int k)
    {
        predecessors[at(row, column)] = predecessors[(size_t)(first_k + k) * vertices + first_j + column];
    }
};

// Relax a tile of WIDTH x WIDTH cells through the vertices of the primary tile.
template <int WIDTH>
__device__ __forceinline__ void relax_tile(MatrixTile tile, Slices<WIDTH> &slices)
{
    load_slices(tile.vertices, tile.first_i, tile.first_j, tile.first_k, tile.distances, slices);
    __syncthreads();
    relax_cells(slices, tile);
}

extern "C" __global__ void phase1(int vertices, int primary, int *distances, int *predecessors)
{
    constexpr int rows = TILE / THREADS_SIDE; // of a thread
    __shared__ int tile[TILE][TILE];
    __shared__ int tile_predecessors[TILE][TILE];
    const int x = threadIdx.x;
    const int first = primary * TILE;
    const int depth = min(TILE, vertices - first);
    length_t own[rows];
#pragma unroll
    for (int row = 0; row < rows; ++row) {
        const int y = row * THREADS_SIDE + threadIdx.y;
        const bool inside = x < depth && y < depth;
        const size_t ij = (size_t)(first + y) * vertices + first + x;
        own[row] = (length_t)(inside ? distances[ij] : UNREACHABLE);
        tile[y][x] = (int)own[row];
        tile_predecessors[y][x] = inside ? predecessors[ij] : NO_PREDECESSOR;
    }
    __syncthreads();
    close_diagonal(tile, own, depth, [&](int row, int k) {
        tile_predecessors[row * THREADS_SIDE + threadIdx.y][x] = tile_predecessors[k][x];
    });
#pragma unroll
    for (int row = 0; row < rows; ++row) {
        const int y = row * THREADS_SIDE + threadIdx.y;
        if (x < depth && y < depth) {
            const size_t ij = (size_t)(first + y) * vertices + first + x;
            distances[ij] = tile[y][x];
            predecessors[ij] = tile_predecessors[y][x];
        }
    }
}

// Tiles of the primary row (blockIdx.y 0) and column (1). The primary tile is closed, so a best path enters it once,
// and the tile as it was loaded is enough.
extern "C" __global__ void __launch_bounds__(THREADS)
    phase2(int vertices, int primary, int *distances, int *predecessors)
{
    if (blockIdx.x == primary)
        return;
    DYNAMIC_SHARED(uint4, shared);
    const int other = blockIdx.x;
    const int first_i = (blockIdx.y == 0 ? primary : other) * TILE;
    const int first_j = (blockIdx.y == 0 ? other : primary) * TILE;
    relax_tile({vertices, first_i, first_j, primary * TILE, distances, predecessors},
               *reinterpret_cast<Slices<TILE> *>(shared));
}

// All tiles. Those of the primary row and column are closed under the primary tile: their cells do not fall any more,
// so no block writes what another reads.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    phase3(int vertices, int primary, int *distances, int *predecessors)
{
    DYNAMIC_SHARED(uint4, shared);
    const int first_i = blockIdx.y * SIDE;
    const int first_j = blockIdx.x * SIDE;
    relax_tile({vertices, first_i, first_j, primary * TILE, distances, predecessors},
               *reinterpret_cast<Slices<SIDE> *>(shared));
}
