// Floyd-Warshall, super naive: one intermediate vertex k for all pairs.
//
// Idea: the n launches of the outer loop are ordered, everything inside one is independent: row k and column k cannot
// improve in step k, because d[k][k] is 0. So every pair gets a thread.
// Threads: a 2-D grid of 32 x 32 blocks over the matrix. Memory: distances and predecessors, 64-bit indices.
// Source: Bodra, section 2.3.1.
#include "warpath_study/published/shared/distances.cuh"

extern "C" __global__ void relax(int vertices, int k, int *distances, int *predecessors)
{
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vertices || j >= vertices)
        return;
    const size_t ij = (size_t)i * vertices + j;
    const size_t ik = (size_t)i * vertices + k;
    const size_t kj = (size_t)k * vertices + j;
    // Of a pair without a path through k, the own distance is not read; in sparse graphs most pairs are such.
    if (distances[ik] != UNREACHABLE && distances[kj] != UNREACHABLE &&
        joined(distances[ik], distances[kj]) < (length_t)distances[ij]) {
        predecessors[ij] = predecessors[kj];
        distances[ij] = (int)joined(distances[ik], distances[kj]);
    }
}
