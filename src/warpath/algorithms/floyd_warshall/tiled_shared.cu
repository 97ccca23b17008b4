// Floyd-Warshall, tiled in shared memory: the three phases of tiled, each on tiles that it loads once.
//
// Idea over tiled: a phase reads every cell of its tiles TILE times. So a block loads the one, two or three tiles that
// it needs into shared memory, relaxes there, and writes its own tile back; all loads and stores are coalesced.
// Threads: as tiled. Memory: as tiled, and up to three tiles of distances a block in shared memory.
// Cells outside the matrix are UNREACHABLE in shared memory: they never improve anything, and no loop needs a bound.
// A thread keeps its own cell and the intermediate vertex that last improved it in registers; the predecessor is
// fetched once, at the end.
// Source: Bodra, section 2.3.5, after Katz and Kider, 2008.
#include "algorithms/distances.cuh"

#ifndef TILE
#define TILE 32
#endif

__device__ __forceinline__ int cell_or_unreachable(int vertices, int i, int j, const int *distances)
{
    return i < vertices && j < vertices ? distances[(size_t)i * vertices + j] : UNREACHABLE;
}

extern "C" __global__ void phase1(int vertices, int primary, int *distances, int *predecessors)
{
    __shared__ int tile[TILE][TILE];
    __shared__ int tile_predecessors[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int i = primary * TILE + y;
    const int j = primary * TILE + x;
    const bool inside = i < vertices && j < vertices;
    const size_t ij = (size_t)i * vertices + j;

    tile[y][x] = cell_or_unreachable(vertices, i, j, distances);
    tile_predecessors[y][x] = inside ? predecessors[ij] : NO_PREDECESSOR;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
        // Row k and column k do not change in step k, so one barrier a step is enough.
        const length_t candidate = joined(tile[y][k], tile[k][x]);
        if (candidate < (length_t)tile[y][x]) {
            tile[y][x] = (int)candidate;
            tile_predecessors[y][x] = tile_predecessors[k][x];
        }
        __syncthreads();
    }
    if (inside) {
        distances[ij] = tile[y][x];
        predecessors[ij] = tile_predecessors[y][x];
    }
}

extern "C" __global__ void phase2(int vertices, int primary, int *distances, int *predecessors)
{
    if (blockIdx.x == primary)
        return;
    __shared__ int primary_tile[TILE][TILE];
    __shared__ int own_tile[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const bool in_row = blockIdx.y == 0;
    const int i = (in_row ? primary : blockIdx.x) * TILE + y;
    const int j = (in_row ? blockIdx.x : primary) * TILE + x;

    primary_tile[y][x] = cell_or_unreachable(vertices, primary * TILE + y, primary * TILE + x, distances);
    own_tile[y][x] = cell_or_unreachable(vertices, i, j, distances);
    __syncthreads();

    // The primary tile is closed: a best path enters it once. So the tile as loaded is enough, nothing in shared
    // memory changes any more, and the steps need no barriers.
    const int(*to_k)[TILE] = in_row ? primary_tile : own_tile;
    const int(*from_k)[TILE] = in_row ? own_tile : primary_tile;
    length_t best = (length_t)own_tile[y][x];
    int best_k = NO_PREDECESSOR;
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
        const length_t candidate = joined(to_k[y][k], from_k[k][x]);
        if (candidate < best) {
            best = candidate;
            best_k = k;
        }
    }
    // In the primary row, row best_k of predecessors belongs to this very tile: read before anyone writes.
    const bool improved = best_k >= 0;
    const int predecessor =
        improved ? predecessors[(size_t)(primary * TILE + best_k) * vertices + j] : NO_PREDECESSOR;
    __syncthreads();
    if (improved) {
        const size_t ij = (size_t)i * vertices + j;
        distances[ij] = (int)best;
        predecessors[ij] = predecessor;
    }
}

extern "C" __global__ void phase3(int vertices, int primary, int *distances, int *predecessors)
{
    if (blockIdx.x == primary || blockIdx.y == primary)
        return;
    __shared__ int to_primary[TILE][TILE];
    __shared__ int from_primary[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int i = blockIdx.y * TILE + y;
    const int j = blockIdx.x * TILE + x;

    to_primary[y][x] = cell_or_unreachable(vertices, i, primary * TILE + x, distances);
    from_primary[y][x] = cell_or_unreachable(vertices, primary * TILE + y, j, distances);
    length_t best = (length_t)cell_or_unreachable(vertices, i, j, distances);
    __syncthreads();

    int best_k = NO_PREDECESSOR;
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
        const length_t candidate = joined(to_primary[y][k], from_primary[k][x]);
        if (candidate < best) {
            best = candidate;
            best_k = k;
        }
    }
    if (best_k >= 0) {
        const size_t ij = (size_t)i * vertices + j;
        distances[ij] = (int)best;
        predecessors[ij] = predecessors[(size_t)(primary * TILE + best_k) * vertices + j];
    }
}
