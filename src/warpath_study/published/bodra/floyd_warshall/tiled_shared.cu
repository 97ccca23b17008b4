// Floyd-Warshall, tiled in shared memory: the three phases of tiled, each on tiles that it loads once.
//
// Idea over tiled: a phase reads every cell of its tiles TILE times. So a block loads the one, two or three tiles that
// it needs into shared memory, relaxes there, and writes its own tile back; all loads and stores are coalesced.
// Threads: as tiled. Memory: as tiled, and up to three tiles of distances a block in shared memory.
// A thread keeps its own cell in a register in phases 2 and 3, and the intermediate vertex that last improved it; the
// predecessor of that vertex's row is fetched at the end of a phase. Distances and predecessors are read when a phase
// begins and written when it ends, improved or not. Phase 1 carries predecessors along in shared memory, because those
// of row k change there. Outside the matrix, tiles hold UNREACHABLE.
// Source: Bodra, section 2.3.5, after G. J. Katz and J. T. Kider, "All-Pairs Shortest-Paths for Large Graphs on the
// GPU", 2008.
#include "warpath_study/published/shared/distances.cuh"

#ifndef TILE
#define TILE 32
#endif

typedef int Tile[TILE][TILE];

__device__ __forceinline__ int or_unreachable(int vertices, int i, int j, const int *distances)
{
    return i < vertices && j < vertices ? distances[(size_t)i * vertices + j] : UNREACHABLE;
}

// The thread's cell in the tile, relaxed through the vertices of the primary tile on tiles that do not change any more.
// `through` becomes the vertex that last improved it, where `first` is the first one of that tile, or stays negative.
__device__ __forceinline__ int relaxed(int distance, const Tile &to_primary, const Tile &from_primary, int first,
                                       int &through)
{
    through = NO_PREDECESSOR;
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
        const int to_k = to_primary[threadIdx.y][k];
        const int from_k = from_primary[k][threadIdx.x];
        const length_t candidate = joined(to_k, from_k);
        if (to_k != UNREACHABLE && from_k != UNREACHABLE && candidate < (length_t)distance) {
            through = first + k;
            distance = (int)candidate;
        }
    }
    return distance;
}

extern "C" __global__ void phase1(int vertices, int primary, int *distances, int *predecessors)
{
    __shared__ Tile tile;
    __shared__ Tile tile_predecessors;
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int i = primary * TILE + y;
    const int j = primary * TILE + x;
    const bool inside = i < vertices && j < vertices;
    const size_t ij = (size_t)i * vertices + j;
    tile[y][x] = or_unreachable(vertices, i, j, distances);
    tile_predecessors[y][x] = inside ? predecessors[ij] : NO_PREDECESSOR;
    __syncthreads();
    // Row k and column k do not change in step k.
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
        __syncthreads();
        if (tile[y][k] != UNREACHABLE && tile[k][x] != UNREACHABLE &&
            joined(tile[y][k], tile[k][x]) < (length_t)tile[y][x]) {
            tile[y][x] = (int)joined(tile[y][k], tile[k][x]);
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
    __shared__ Tile primary_tile;
    __shared__ Tile own_tile;
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    primary_tile[y][x] = or_unreachable(vertices, primary * TILE + y, primary * TILE + x, distances);
    __syncthreads();

    const bool in_row = blockIdx.y == 0;
    const int i = (in_row ? primary : blockIdx.x) * TILE + y;
    const int j = (in_row ? blockIdx.x : primary) * TILE + x;
    const bool inside = i < vertices && j < vertices;
    const size_t ij = (size_t)i * vertices + j;
    own_tile[y][x] = or_unreachable(vertices, i, j, distances);
    int predecessor = inside ? predecessors[ij] : NO_PREDECESSOR;
    __syncthreads();

    // The primary tile is closed: a best path enters it once. So the own tile as loaded is enough.
    const int first = primary * TILE;
    int through;
    const int distance = in_row ? relaxed(own_tile[y][x], primary_tile, own_tile, first, through)
                                : relaxed(own_tile[y][x], own_tile, primary_tile, first, through);
    // In the primary row, row `through` of predecessors belongs to this very tile: read before anyone writes.
    if (inside && through >= 0)
        predecessor = predecessors[(size_t)through * vertices + j];
    __syncthreads();
    if (inside) {
        distances[ij] = distance;
        predecessors[ij] = predecessor;
    }
}

extern "C" __global__ void phase3(int vertices, int primary, int *distances, int *predecessors)
{
    if (blockIdx.x == primary || blockIdx.y == primary)
        return;
    __shared__ Tile row_tile;
    __shared__ Tile column_tile;
    __shared__ Tile own_tile;
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int i = blockIdx.y * TILE + y;
    const int j = blockIdx.x * TILE + x;
    const bool inside = i < vertices && j < vertices;
    const size_t ij = (size_t)i * vertices + j;
    row_tile[y][x] = or_unreachable(vertices, primary * TILE + y, j, distances);
    column_tile[y][x] = or_unreachable(vertices, i, primary * TILE + x, distances);
    own_tile[y][x] = or_unreachable(vertices, i, j, distances);
    int predecessor = inside ? predecessors[ij] : NO_PREDECESSOR;
    __syncthreads();

    int through;
    const int distance = relaxed(own_tile[y][x], column_tile, row_tile, primary * TILE, through);
    if (inside) {
        if (through >= 0)
            predecessor = predecessors[(size_t)through * vertices + j];
        distances[ij] = distance;
        predecessors[ij] = predecessor;
    }
}
