// Predecessors of one source from its final distances.
//
// `claim` needs positive weights: then a tight arc leads to a strictly larger distance, and whichever thread writes last,
// a tree results. `settle` allows all weights: a launch grows the tree by at least one step (see tight_tree.cuh).
// Threads: one a vertex. Memory: one word, `grown`, that the host reads after each launch of `settle`; the tree is
// complete once a launch leaves it 0.
#include "algorithms/bellman_ford/relax.cuh"
#include "algorithms/tight_tree.cuh"

extern "C" __global__ void claim(int vertices, const int *indptr, const int *indices, const int *weights,
                                 const int *distances, int *predecessors)
{
    const int tail = blockIdx.x * blockDim.x + threadIdx.x;
    if (tail < vertices)
        claim_heads_of(tail, indptr, indices, weights, distances, predecessors);
}

extern "C" __global__ void settle(int vertices, int source, const int *indptr, const int *indices, const int *weights,
                                  const int *distances, int *predecessors, int *grown)
{
    const int tail = blockIdx.x * blockDim.x + threadIdx.x;
    if (tail < vertices && hang_heads_on(tail, source, indptr, indices, weights, distances, predecessors))
        *grown = 1;
}
