// Floyd-Warshall, super naive shared: d[i][k] is read once a block.
//
// Idea over super_naive: a block stays within one row, so all its threads need the same d[i][k]. The first thread
// loads it into shared memory, from where a read is a broadcast without bank conflicts.
// Threads: blocks of 1024 x 1, ceil(n / 1024) of them along a row; rows along the grid's y, and on along z where y ends
// (at 65,535). Memory: as super_naive, and one shared word.
// Source: Bodra, section 2.3.2.
#include "warpath_study/published/shared/distances.cuh"

extern "C" __global__ void relax(int vertices, int k, int *distances, int *predecessors)
{
    __shared__ int to_k;
    const unsigned int j = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int i = blockIdx.z * gridDim.y + blockIdx.y;
    if (i >= vertices)
        return; // the whole block
    const size_t row_i = (size_t)i * vertices;
    const size_t row_k = (size_t)k * vertices;
    if (threadIdx.x == 0)
        to_k = distances[row_i + k];
    __syncthreads(); // before the test for j: every thread of the block has to arrive
    if (j >= vertices)
        return;
    if (to_k != UNREACHABLE && distances[row_k + j] != UNREACHABLE &&
        joined(to_k, distances[row_k + j]) < (length_t)distances[row_i + j]) {
        distances[row_i + j] = (int)joined(to_k, distances[row_k + j]);
        predecessors[row_i + j] = predecessors[row_k + j];
    }
}
