// Blocked all pairs, standard: the baseline, one intermediate vertex k for all pairs.
//
// Idea: the n launches of the outer loop are ordered, everything inside one is independent: row k and column k cannot
// improve in step k, because a vertex is at length 0 from itself. So every pair gets a thread.
// Threads: a 2-D grid of 32 x 8 blocks. Memory: lengths and intermediate vertices, 64-bit indices.
// Source: P. Harish and P. J. Narayanan, "Accelerating Large Graph Algorithms on the GPU Using CUDA", 2007, with which
// Katz and Kider compare in their Figure 6; the cell of two values is theirs.
#include "warpath_study/published/shared/distances.cuh"

extern "C" __global__ void relax(int vertices, int k, int *lengths, int *intermediates)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= vertices)
        return;
    const int from_k = lengths[(size_t)k * vertices + j];
    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < vertices; i += gridDim.y * blockDim.y) {
        // As in a minimum, both are read before anything is compared.
        const int to_k = lengths[(size_t)i * vertices + k]; // the same word for all threads of a warp
        const size_t ij = (size_t)i * vertices + j;
        const length_t length = (length_t)lengths[ij];
        const length_t candidate = joined(to_k, from_k);
        if (candidate < length) {
            lengths[ij] = (int)candidate;
            intermediates[ij] = k;
        }
    }
}
