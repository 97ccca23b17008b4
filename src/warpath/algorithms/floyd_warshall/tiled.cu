// Floyd-Warshall, tiled: TILE intermediate vertices at a time, in three phases over global memory.
//
// Idea over super_naive: with the matrix cut into TILE x TILE tiles, a stage takes the TILE intermediate vertices of
// one tile on the diagonal, the primary tile. Phase 1 closes the primary tile, phase 2 the tiles of its row and column,
// which need only the primary tile and themselves, phase 3 all the others, which need one tile of that row and one of
// that column. Three launches replace TILE of them.
// Threads: TILE x TILE a block, one thread a cell; phase 1 is one block, phase 2 a grid of (tiles, 2), phase 3 of
// (tiles, tiles). Memory: as super_naive; everything is read from global memory each time.
// Phases 1 and 2 change the tile they read, so each step ends at a barrier. The last tile may stick out of the matrix:
// threads outside have nothing to do, but take part in every barrier.
// Source: Bodra, section 2.3.4, after G. J. Katz and J. T. Kider, "All-Pairs Shortest-Paths for Large Graphs on the
// GPU", 2008.
#include "algorithms/distances.cuh"

#ifndef TILE
#define TILE 32
#endif

// Relax cell (i, j) through the vertices of the primary tile, one after the other, with a barrier after each.
__device__ __forceinline__ void relax_in_place(int vertices, int primary, int i, int j, int *distances,
                                               int *predecessors)
{
    const bool inside = i < vertices && j < vertices;
    const int first = primary * TILE;
    const int end = min(first + TILE, vertices);
    for (int k = first; k < end; ++k) {
        if (inside) {
            const size_t ij = (size_t)i * vertices + j;
            const size_t kj = (size_t)k * vertices + j;
            const length_t candidate = joined(distances[(size_t)i * vertices + k], distances[kj]);
            if (candidate < (length_t)distances[ij]) {
                distances[ij] = (int)candidate;
                predecessors[ij] = predecessors[kj];
            }
        }
        __syncthreads();
    }
}

extern "C" __global__ void phase1(int vertices, int primary, int *distances, int *predecessors)
{
    relax_in_place(vertices, primary, primary * TILE + threadIdx.y, primary * TILE + threadIdx.x, distances,
                   predecessors);
}

extern "C" __global__ void phase2(int vertices, int primary, int *distances, int *predecessors)
{
    if (blockIdx.x == primary)
        return;
    const bool in_row = blockIdx.y == 0;
    const int i = (in_row ? primary : blockIdx.x) * TILE + threadIdx.y;
    const int j = (in_row ? blockIdx.x : primary) * TILE + threadIdx.x;
    relax_in_place(vertices, primary, i, j, distances, predecessors);
}

extern "C" __global__ void phase3(int vertices, int primary, int *distances, int *predecessors)
{
    if (blockIdx.x == primary || blockIdx.y == primary)
        return;
    const int i = blockIdx.y * TILE + threadIdx.y;
    const int j = blockIdx.x * TILE + threadIdx.x;
    if (i >= vertices || j >= vertices)
        return;
    const size_t ij = (size_t)i * vertices + j;
    const int first = primary * TILE;
    const int end = min(first + TILE, vertices);
    length_t best = (length_t)distances[ij];
    int best_k = NO_PREDECESSOR;
    for (int k = first; k < end; ++k) {
        const length_t candidate = joined(distances[(size_t)i * vertices + k], distances[(size_t)k * vertices + j]);
        if (candidate < best) {
            best = candidate;
            best_k = k;
        }
    }
    if (best_k >= 0) {
        distances[ij] = (int)best;
        predecessors[ij] = predecessors[(size_t)best_k * vertices + j];
    }
}
