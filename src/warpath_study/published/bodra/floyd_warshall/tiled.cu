// Floyd-Warshall, tiled: TILE intermediate vertices at a time, in three phases over global memory.
//
// Idea over super_naive: with the matrix cut into TILE x TILE tiles, a stage takes the TILE intermediate vertices of
// one tile on the diagonal, the primary tile. Phase 1 closes the primary tile, phase 2 the tiles of its row and column,
// which need only the primary tile and themselves, phase 3 all the others, which need one tile of that row and one of
// that column. Three launches replace TILE of them.
// Threads: TILE x TILE a block, one thread a cell; phase 1 is one block, phase 2 a grid of (tiles, 2), phase 3 of
// (tiles, tiles). Memory: as super_naive; everything, a thread's own cell included, is read from global memory in each
// step, and written there where it improves.
// Phases 1 and 2 change the tile they read, so each step ends at a barrier. The last tile may stick out of the matrix:
// threads outside have nothing to do, but take part in every barrier.
// Source: Bodra, section 2.3.4, after G. J. Katz and J. T. Kider, "All-Pairs Shortest-Paths for Large Graphs on the
// GPU", 2008.
#include "warpath_study/published/shared/distances.cuh"

#ifndef TILE
#define TILE 32
#endif

// Relax cell (i, j) through vertex k. Row k of predecessors does not change in step k, nor does row k of distances.
__device__ __forceinline__ void relax_through(int vertices, int k, int i, int j, int *distances, int *predecessors)
{
    const size_t ij = (size_t)i * vertices + j;
    const size_t ik = (size_t)i * vertices + k;
    const size_t kj = (size_t)k * vertices + j;
    if (k < vertices && distances[ik] != UNREACHABLE && distances[kj] != UNREACHABLE &&
        joined(distances[ik], distances[kj]) < (length_t)distances[ij]) {
        distances[ij] = (int)joined(distances[ik], distances[kj]);
        predecessors[ij] = predecessors[kj];
    }
}

// Relax cell (i, j) through the vertices of the primary tile, one after the other, with a barrier after each.
__device__ __forceinline__ void relax_in_place(int vertices, int primary, int i, int j, int *distances,
                                               int *predecessors)
{
    const bool inside = i < vertices && j < vertices;
    for (int step = 0; step < TILE; ++step) {
        if (inside)
            relax_through(vertices, primary * TILE + step, i, j, distances, predecessors);
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
    for (int step = 0; step < TILE; ++step)
        relax_through(vertices, primary * TILE + step, i, j, distances, predecessors);
}
