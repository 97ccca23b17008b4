// Floyd-Warshall, super naive shared: d[i][k] is read once a block.
//
// Idea over super_naive: a block stays within one row, so all its threads need the same d[i][k]. The first thread
// loads it into shared memory, from where a read is a broadcast without bank conflicts.
// Threads: blocks of 1024 x 1, ceil(n / 1024) of them along a row; rows along the grid's y, and on along z where y ends
// (at 65,535). Memory: as super_naive, and one shared word.
// Source: Bodra, section 2.3.2.
#include "algorithms/distances.cuh"

extern "C" __global__ void relax(int vertices, int k, int *distances, int *predecessors)
{
    __shared__ int to_k;
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.z * gridDim.y + blockIdx.y;
    if (i >= vertices)
        return; // the whole block
    if (threadIdx.x == 0)
        to_k = distances[(size_t)i * vertices + k];
    __syncthreads(); // before the test for j: every thread of the block has to arrive
    if (j >= vertices)
        return;
    const size_t ij = (size_t)i * vertices + j;
    const size_t kj = (size_t)k * vertices + j;
    if (to_k != UNREACHABLE && distances[kj] != UNREACHABLE && joined(to_k, distances[kj]) < (length_t)distances[ij]) {
        distances[ij] = (int)joined(to_k, distances[kj]);
        predecessors[ij] = predecessors[kj];
    }
}
