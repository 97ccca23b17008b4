// Bellman-Ford, stride with flag: rounds that skip vertices whose distance has not fallen.
//
// Idea over stride: an arc can lower its head only if its tail's distance fell in the round before. The update kernel
// flags each vertex whose distance fell; the relax kernel works on flagged vertices alone and clears their flags.
// Threads: as stride. Memory: as stride, and a byte a vertex for the flags.
// Source: Bodra, section 2.1.3, after P. Agarwal and M. Dutta, "New Approach of Bellman Ford Algorithm on GPU using
// Compute Unified Design Architecture (CUDA)", 2015.
#include "warpath_study/published/bodra/bellman_ford/relax.cuh"

extern "C" __global__ void relax(int vertices, const int *indptr, const int *indices, const int *weights,
                                 const int *previous, int *distances, unsigned char *flags)
{
    const unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int vertex = blockIdx.x * blockDim.x + threadIdx.x; vertex < vertices; vertex += stride) {
        if (flags[vertex]) {
            flags[vertex] = 0;
            relax_arcs_of(vertex, indptr, indices, weights, previous, distances);
        }
    }
}

extern "C" __global__ void update(int vertices, int *previous, const int *distances, unsigned char *flags)
{
    const unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int vertex = blockIdx.x * blockDim.x + threadIdx.x; vertex < vertices; vertex += stride) {
        if (previous[vertex] > distances[vertex])
            flags[vertex] = 1;
        previous[vertex] = distances[vertex];
    }
}
