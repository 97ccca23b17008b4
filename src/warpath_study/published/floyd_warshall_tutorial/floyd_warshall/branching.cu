// Floyd-Warshall, branching: one intermediate vertex k for all pairs, and only a pair that improves is written.
//
// Idea against branchless: the test that the work removes. Loops, grid and reads are those of branchless; the threads of
// a warp part where some of their cells improve and others do not. In return a cell that keeps its distance costs a read
// alone, half of the memory traffic of branchless.
// Threads: any grid and block, counted through all their dimensions. Memory: distances alone, 64-bit indices. Row k and
// column k are read by others, but never written, because d[k][k] is 0.
// Source: "Parallel Programming With CUDA Tutorial (Part-4: The Floyd-Warshall Algorithm)": the loop body of its second
// step, in the loops of its last one. The work prints no branching kernel.
// Limit: int counters, so rows and blocks together, and columns and threads of a block, must stay below 2^31.
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
            if (through_k < (length_t)distances[ij])
                distances[ij] = (int)through_k;
        }
    }
}
