// Floyd-Warshall, super naive: one intermediate vertex k for all pairs.
//
// Idea: the n launches of the outer loop are ordered, everything inside one is independent: row k and column k cannot
// improve in step k, because d[k][k] is 0. So every pair gets a thread.
// Threads: a 2-D grid of 32 x 32 blocks over the matrix. Memory: distances and predecessors, 64-bit indices.
// Source: Bodra, section 2.3.1.
#include "algorithms/distances.cuh"

extern "C" __global__ void relax(int vertices, int k, int *distances, int *predecessors)
{
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vertices || j >= vertices)
        return;
    // A pair without a path through k returns before its own distance is read; in sparse graphs most pairs do.
    const int to_k = distances[(size_t)i * vertices + k];
    if (to_k == UNREACHABLE)
        return;
    const size_t kj = (size_t)k * vertices + j;
    const int from_k = distances[kj];
    if (from_k == UNREACHABLE)
        return;
    const size_t ij = (size_t)i * vertices + j;
    const length_t candidate = joined(to_k, from_k);
    if (candidate < (length_t)distances[ij]) {
        distances[ij] = (int)candidate;
        predecessors[ij] = predecessors[kj];
    }
}
