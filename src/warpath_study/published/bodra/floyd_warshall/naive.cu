// Floyd-Warshall, naive: a thread a row.
//
// Idea against super_naive: fewer threads. A thread keeps its row and walks along it, so that a grid of n threads is
// enough; the price is that neighbouring threads read n words apart. As published, d[i][k] is read and tested again for
// every j.
// Threads: ceil(n / 1024) blocks of 1024. Memory: as super_naive.
// Source: Bodra, section 2.3.3.
#include "warpath_study/published/shared/distances.cuh"

extern "C" __global__ void relax(int vertices, int k, int *distances, int *predecessors)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vertices)
        return;
    const size_t ik = (size_t)i * vertices + k;
    for (int j = 0; j < vertices; ++j) {
        const size_t kj = (size_t)k * vertices + j;
        const size_t ij = (size_t)i * vertices + j;
        if (distances[ik] != UNREACHABLE && distances[kj] != UNREACHABLE &&
            joined(distances[ik], distances[kj]) < (length_t)distances[ij]) {
            predecessors[ij] = predecessors[kj];
            distances[ij] = (int)joined(distances[ik], distances[kj]);
        }
    }
}
