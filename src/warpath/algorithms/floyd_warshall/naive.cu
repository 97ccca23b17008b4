// Floyd-Warshall, naive: a thread a row.
//
// Idea against super_naive: fewer threads. A thread keeps its row and walks along it, so that a grid of n threads is
// enough; the price is that neighbouring threads read n words apart.
// Threads: ceil(n / 1024) blocks of 1024. Memory: as super_naive.
// Source: Bodra, section 2.3.3.
#include "algorithms/distances.cuh"

extern "C" __global__ void relax(int vertices, int k, int *distances, int *predecessors)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vertices)
        return;
    const size_t row_i = (size_t)i * vertices;
    const size_t row_k = (size_t)k * vertices;
    const int to_k = distances[row_i + k];
    if (to_k == UNREACHABLE)
        return;
    for (int j = 0; j < vertices; ++j) {
        // The same word for all threads. Where it is UNREACHABLE, the scattered read of d[i][j] is not needed.
        const int from_k = distances[row_k + j];
        if (from_k == UNREACHABLE)
            continue;
        const length_t candidate = joined(to_k, from_k);
        if (candidate < (length_t)distances[row_i + j]) {
            distances[row_i + j] = (int)candidate;
            predecessors[row_i + j] = predecessors[row_k + j];
        }
    }
}
