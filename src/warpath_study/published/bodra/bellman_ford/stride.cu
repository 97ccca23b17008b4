// Bellman-Ford, stride: the same round with fewer threads than vertices.
//
// Idea over naive: a grid-stride loop. Thread t takes vertices t, t + S, t + 2S, ... for a grid of S threads, so that
// the grid may have any size and need not grow with the graph. Vertices are counted without a sign, because t + S may
// pass 2^31 once, before the loop ends.
// Threads: half the blocks of naive, 1024 threads each. Memory: as naive.
// Source: Bodra, section 2.1.2.
#include "warpath_study/published/bodra/bellman_ford/relax.cuh"

extern "C" __global__ void relax(int vertices, const int *indptr, const int *indices, const int *weights,
                                 const int *previous, int *distances)
{
    const unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int vertex = blockIdx.x * blockDim.x + threadIdx.x; vertex < vertices; vertex += stride)
        relax_arcs_of(vertex, indptr, indices, weights, previous, distances);
}

extern "C" __global__ void update(int vertices, int *previous, const int *distances)
{
    const unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int vertex = blockIdx.x * blockDim.x + threadIdx.x; vertex < vertices; vertex += stride)
        previous[vertex] = distances[vertex];
}
