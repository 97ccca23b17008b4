// Predecessors of one source where weights may be zero or negative: one step of growing the tree (see tight_tree.cuh).
//
// Threads: grid-stride over the vertices, any grid. Memory: one word, `grown`, that the host reads after each launch; the
// tree is complete once a launch leaves it 0.
#include "algorithms/bellman_ford/stride_loop.cuh"
#include "algorithms/tight_tree.cuh"

extern "C" __global__ void settle(int vertices, int source, const int *indptr, const int *indices, const int *weights,
                                  const int *distances, int *predecessors, int *grown)
{
    FOR_EACH_VERTEX_IN_STRIDES(tail, vertices)
        if (hang_heads_on((int)tail, source, indptr, indices, weights, distances, predecessors))
            *grown = 1;
}
