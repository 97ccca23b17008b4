// Floyd-Warshall, staged: output tiles in registers, one instruction a relaxation, predecessors only where asked for.
//
// Idea over tiled_shared: there every relaxation reads shared memory and carries along which vertex was best. Here a
// block of phase 3 takes an output tile of SIDE x SIDE cells, larger than the primary tile, and each of its threads
// keeps CELLS x CELLS of them in registers; it stages the slices of the primary column and row that the tile needs
// through shared memory, so that 2 * CELLS words read there serve CELLS * CELLS relaxations. In the inner loop the
// length alone counts: an addition and a minimum, which Hopper has as one instruction (VIADDMNMX). The tile's old
// cells are read when the loop is done. Those that fell, a few in a hundred, go on a list; which vertex each owes it
// to is then looked up in the slices, which are still in shared memory.
// Threads: THREADS_SIDE x THREADS_SIDE a block (16 x 16 with 8 x 8 cells each make tiles of 128); phase 1 is one block
// of TILE x THREADS_SIDE. Memory: as tiled, and (2 * TILE + some) rows of SIDE words a block in shared memory.
// Floor: n^3 instructions; on an H200, 64 lanes of 132 multiprocessors at 1.98 GHz do 1.7e13 a second.
// An index past the matrix is replaced by the last vertex, which is inside the same tile: taking a vertex twice changes
// no minimum, and no load needs a test.
// Source: B. Lund and J. W. Smith, "A Multi-Stage CUDA Kernel for Floyd-Warshall", arXiv:1001.4108, 2010, who stage
// slices for 32 x 32 tiles with several cells a thread. The list is ours; without it the paper's kernel has no
// predecessors.
#include "algorithms/min_plus.cuh"
#include "device/simt/dynamic_shared.cuh"

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
            slices.to[k][i] = (length_t)distances[(size_t)min(first_i + i, last) * vertices + min(first_k + k, last)];
#pragma unroll
    for (int k = y; k < TILE + y; k += THREADS_SIDE)
#pragma unroll
        for (int j = x; j < WIDTH + x; j += THREADS_SIDE)
            slices.from[k][j] = (length_t)distances[(size_t)min(first_k + k, last) * vertices + min(first_j + j, last)];
    if (x == 0 && y == 0)
        slices.fallen = 0;
}

// Relax the tile at (first_i, first_j) of WIDTH x WIDTH cells through the vertices of the primary tile.
template <int WIDTH>
__device__ __forceinline__ void relax_tile(int vertices, int first_i, int first_j, int first_k, int *distances,
                                           int *predecessors, Slices<WIDTH> &slices)
{
    constexpr int cells = WIDTH / THREADS_SIDE;
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    load_slices(vertices, first_i, first_j, first_k, distances, slices);
    __syncthreads();

    length_t best[cells][cells];
    shortest_through(slices, best);

    unsigned long long fallen = 0;  // a bit a cell
#pragma unroll
    for (int group = 0; group < cells; group += GROUP) {
        length_t old[GROUP][cells];  // read together: no load can pass a store into the same matrix
#pragma unroll
        for (int row = 0; row < GROUP; ++row)
#pragma unroll
            for (int column = 0; column < cells; ++column) {
                const int i = min(first_i + place(y, group + row), vertices - 1);
                const int j = min(first_j + place(x, column), vertices - 1);
                old[row][column] = (length_t)distances[(size_t)i * vertices + j];
            }
#pragma unroll
        for (int row = 0; row < GROUP; ++row)
#pragma unroll
            for (int column = 0; column < cells; ++column) {
                const int i = first_i + place(y, group + row);
                const int j = first_j + place(x, column);
                if (best[group + row][column] < old[row][column] && i < vertices && j < vertices) {
                    distances[(size_t)i * vertices + j] = (int)best[group + row][column];
                    fallen |= 1ull << ((group + row) * cells + column);
                }
            }
    }
    list_fallen(slices, fallen);
    __syncthreads();

    // The predecessor of (k, j) does not change in this phase if (i, j) owes its length to k: had (k, j) fallen too,
    // (i, j) would have fallen further.
    for (unsigned int next = y * THREADS_SIDE + x; next < slices.fallen; next += THREADS) {
        const int row = slices.fallen_cells[next] / WIDTH;
        const int column = slices.fallen_cells[next] % WIDTH;
        const size_t ij = (size_t)(first_i + row) * vertices + first_j + column;
        const int k = owed_to(slices, row, column, (length_t)distances[ij]);
        predecessors[ij] = predecessors[(size_t)(first_k + k) * vertices + first_j + column];
    }
}

extern "C" __global__ void phase1(int vertices, int primary, int *distances, int *predecessors)
{
    constexpr int rows = TILE / THREADS_SIDE;  // of a thread
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
    for (int k = 0; k < depth; ++k) {
        // Row k and column k do not change in step k, so one barrier a step is enough.
        const int from_k = tile[k][x];
#pragma unroll
        for (int row = 0; row < rows; ++row) {
            const int y = row * THREADS_SIDE + threadIdx.y;
            const length_t candidate = joined(tile[y][k], from_k);
            if (candidate < own[row]) {
                own[row] = candidate;
                tile[y][x] = (int)candidate;
                tile_predecessors[y][x] = tile_predecessors[k][x];
            }
        }
        __syncthreads();
    }
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
extern "C" __global__ void __launch_bounds__(THREADS) phase2(int vertices, int primary, int *distances, int *predecessors)
{
    if (blockIdx.x == primary)
        return;
    DYNAMIC_SHARED(uint4, shared);
    const int first_i = (blockIdx.y == 0 ? primary : blockIdx.x) * TILE;
    const int first_j = (blockIdx.y == 0 ? blockIdx.x : primary) * TILE;
    relax_tile(vertices, first_i, first_j, primary * TILE, distances, predecessors,
               *reinterpret_cast<Slices<TILE> *>(shared));
}

// All tiles. Those of the primary row and column are closed under the primary tile: none of their cells falls any
// more, so nothing that another block reads is written.
extern "C" __global__ void __launch_bounds__(THREADS, 2) phase3(int vertices, int primary, int *distances, int *predecessors)
{
    DYNAMIC_SHARED(uint4, shared);
    relax_tile(vertices, blockIdx.y * SIDE, blockIdx.x * SIDE, primary * TILE, distances, predecessors,
               *reinterpret_cast<Slices<SIDE> *>(shared));
}
