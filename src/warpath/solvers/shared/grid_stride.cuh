// The grid-stride loop over vertices: thread t of S takes vertices t, t + S, t + 2S, ..., so any grid is large enough.
#pragma once

// 64-bit, because vertex + stride may pass 2^31 before the loop ends.
#define FOR_EACH_VERTEX_IN_STRIDES(vertex, vertices)                                               \
    for (long long vertex = (long long)blockIdx.x * blockDim.x + threadIdx.x; vertex < (vertices); \
         vertex += (long long)gridDim.x * blockDim.x)
