// Predecessors of all pairs, from final distances, where weights may be zero or negative.
//
// Idea: a block grows the tree of one source (see tight_tree.cuh) until a whole pass over the vertices adds nothing.
// Threads: one block a source, any number of threads; the sources are spread over the grid. Memory: CSR, and the n x n
// matrices, 64-bit indices.
#include "algorithms/tight_tree.cuh"

extern "C" __global__ void grow(int vertices, const int *indptr, const int *indices, const int *weights,
                                const int *all_distances, int *all_predecessors)
{
    for (int source = blockIdx.x; source < vertices; source += gridDim.x) {
        const int *distances = all_distances + (size_t)source * vertices;
        int *predecessors = all_predecessors + (size_t)source * vertices;
        for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
            predecessors[vertex] = NO_PREDECESSOR;
        __syncthreads();
        bool grown = true;
        while (grown) {
            bool any = false;
            for (int tail = threadIdx.x; tail < vertices; tail += blockDim.x)
                any |= hang_heads_on(tail, source, indptr, indices, weights, distances, predecessors);
            grown = __syncthreads_or(any);
        }
    }
}
