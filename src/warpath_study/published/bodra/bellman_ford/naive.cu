// Bellman-Ford, naive: the distances after one more round.
//
// Idea: one thread a vertex relaxes its outgoing arcs. A round reads `previous` and writes `distances`, so that no arc
// sees a value of its own round; a second kernel then copies one over the other. The host runs n - 1 rounds.
// Threads: ceil(n / 1024) blocks of 1024. Memory: CSR, two distance arrays, one of predecessors.
// Source: D. Bodra, "Accelerating Shortest Path Algorithms on the GPU using CUDA", section 2.1.1.
#include "warpath_study/published/bodra/bellman_ford/relax.cuh"

extern "C" __global__ void relax(int vertices, const int *indptr, const int *indices, const int *weights,
                                 const int *previous, int *distances)
{
    const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex < vertices)
        relax_arcs_of(vertex, indptr, indices, weights, previous, distances);
}

extern "C" __global__ void update(int vertices, int *previous, const int *distances)
{
    const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex < vertices)
        previous[vertex] = distances[vertex];
}
