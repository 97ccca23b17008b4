// Floyd-Warshall, branchless: one intermediate vertex k for all pairs, and every pair is written.
//
// Idea against super_naive: no branch. A comparison is 1 or 0, so that the shorter of two lengths is a sum of products,
// and all threads do the same. The price is that every cell is written in every step, improved or not: 8 bytes of
// memory traffic a cell and step on any graph. Blocks stride over the rows and threads over a row, so any grid will do.
// Threads: any grid and block, counted through all their dimensions. Memory: distances alone, 64-bit indices. Row k and
// column k are read by others while they are written; because d[k][k] is 0 they are written with the values they have.
// Source: "Parallel Programming With CUDA Tutorial (Part-4: The Floyd-Warshall Algorithm)".
#include "warpath_study/published/shared/distances.cuh"

extern "C" __global__ void relax(int vertices, int k, int *distances)
{
    const int thread = blockDim.x * blockDim.y * threadIdx.z + blockDim.x * threadIdx.y + threadIdx.x;
    const int block = gridDim.x * gridDim.y * blockIdx.z + gridDim.x * blockIdx.y + blockIdx.x;
    const int threads = blockDim.x * blockDim.y * blockDim.z;
    const int blocks = gridDim.x * gridDim.y * gridDim.z;
    for (int i = block; i < vertices; i += blocks) {
        for (int j = thread; j < vertices; j += threads) {
            const size_t ij = (size_t)i * vertices + j;
            const length_t through_k = joined(distances[(size_t)i * vertices + k], distances[(size_t)k * vertices + j]);
            const length_t direct = (length_t)distances[ij];
            distances[ij] = (int)(through_k * (through_k < direct) + direct * (through_k >= direct));
        }
    }
}
