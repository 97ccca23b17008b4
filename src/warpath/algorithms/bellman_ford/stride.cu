// Bellman-Ford, stride: the same round with fewer threads than vertices.
//
// Idea over naive: a grid-stride loop. Thread t takes vertices t, t + S, t + 2S, ... for a grid of S threads, so that
// the grid may have any size and need not grow with the graph.
// Threads: half the blocks of naive, 1024 threads each. Memory: as naive.
// Source: Bodra, section 2.1.2.
#include "algorithms/bellman_ford/relax.cuh"
#include "algorithms/grid_stride.cuh"

extern "C" __global__ void relax(int vertices, const int *indptr, const int *indices, const int *weights,
                                 const int *previous, int *distances)
{
    FOR_EACH_VERTEX_IN_STRIDES(vertex, vertices)
        relax_arcs_of(vertex, indptr, indices, weights, previous, distances);
}

extern "C" __global__ void update(int vertices, int *previous, const int *distances)
{
    FOR_EACH_VERTEX_IN_STRIDES(vertex, vertices)
        previous[vertex] = distances[vertex];
}
