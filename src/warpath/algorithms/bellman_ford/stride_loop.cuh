// The grid-stride loop over vertices that stride and stride_flag share.
#pragma once

#include "algorithms/bellman_ford/relax.cuh"

// 64-bit, because vertex + stride may pass 2^31 before the loop ends.
#define FOR_EACH_VERTEX_IN_STRIDES(vertex, vertices)                                        \
    for (long long vertex = (long long)blockIdx.x * blockDim.x + threadIdx.x; vertex < (vertices); \
         vertex += (long long)gridDim.x * blockDim.x)
