// Floyd-Warshall, tiled in shared memory: the three phases of tiled, each on tiles that it loads once.
//
// Idea over tiled: a phase reads every cell of its tiles TILE times. So a block loads the one, two or three tiles that
// it needs into shared memory, relaxes there, and writes its own tile back; all loads and stores are coalesced.
// Threads: as tiled. Memory: as tiled, and up to three tiles of distances a block in shared memory.
// A thread keeps its own cell and the intermediate vertex that last improved it in registers; the predecessor is
// fetched once, at the end. Phase 1 carries predecessors along in shared memory, because those of row k change there.
// Source: Bodra, section 2.3.5, after Katz and Kider, 2008.
#include "algorithms/blocked.cuh"

// A cell of the primary tile, with the predecessors of the whole tile.
struct PrimaryCell {
    static constexpr int NONE = UNREACHABLE;
    int (*predecessors)[TILE];

    __device__ __forceinline__ void relax_in_place(int to_k, int from_k, int k, int &distance, int &)
    {
        const length_t candidate = joined(to_k, from_k);
        if (candidate < (length_t)distance) {
            distance = (int)candidate;
            predecessors[threadIdx.y][threadIdx.x] = predecessors[k][threadIdx.x];
        }
    }
};

extern "C" __global__ void phase1(int vertices, int primary, int *distances, int *predecessors)
{
    __shared__ int tile_predecessors[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int i = primary * TILE + y;
    const int j = primary * TILE + x;
    const bool inside = i < vertices && j < vertices;
    const size_t ij = (size_t)i * vertices + j;
    tile_predecessors[y][x] = inside ? predecessors[ij] : NO_PREDECESSOR;
    int through = NO_PREDECESSOR;
    const int distance = close_primary_tile(PrimaryCell{tile_predecessors}, vertices, i, j, distances, through);
    if (inside) {
        distances[ij] = distance;
        predecessors[ij] = tile_predecessors[y][x];
    }
}

extern "C" __global__ void phase2(int vertices, int primary, int *distances, int *predecessors)
{
    if (blockIdx.x == primary)
        return;
    const bool in_row = blockIdx.y == 0;
    const int i = (in_row ? primary : blockIdx.x) * TILE + threadIdx.y;
    const int j = (in_row ? blockIdx.x : primary) * TILE + threadIdx.x;
    length_t distance;
    int through = NO_PREDECESSOR;
    relax_beside_primary(LengthCell(), vertices, primary, in_row, i, j, distances, distance, through);
    // In the primary row, row `through` of predecessors belongs to this very tile: read before anyone writes.
    const bool improved = through >= 0;
    const int predecessor = improved ? predecessors[(size_t)(primary * TILE + through) * vertices + j] : NO_PREDECESSOR;
    __syncthreads();
    if (improved) {
        const size_t ij = (size_t)i * vertices + j;
        distances[ij] = (int)distance;
        predecessors[ij] = predecessor;
    }
}

extern "C" __global__ void phase3(int vertices, int primary, int *distances, int *predecessors)
{
    if (blockIdx.x == primary || blockIdx.y == primary)
        return;
    const int i = blockIdx.y * TILE + threadIdx.y;
    const int j = blockIdx.x * TILE + threadIdx.x;
    length_t distance;
    int through = NO_PREDECESSOR;
    relax_through_primary(LengthCell(), vertices, primary, i, j, distances, distance, through);
    if (through >= 0) {
        const size_t ij = (size_t)i * vertices + j;
        distances[ij] = (int)distance;
        predecessors[ij] = predecessors[(size_t)(primary * TILE + through) * vertices + j];
    }
}
