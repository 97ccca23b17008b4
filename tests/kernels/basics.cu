// Small kernels for the tests of the host device, each about one thing.

extern "C" __global__ void add_one(const int* __restrict__ input, int* __restrict__ output, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) output[i] = input[i] + 1;
}

extern "C" __global__ void trivial(int* output) { output[threadIdx.x] = 1; }

// Each block sums its numbers in a tree; blockDim.x is a power of two.
extern "C" __global__ void block_sums(const int* input, int* sums) {
    __shared__ int part[1024];
    const int t = threadIdx.x;
    part[t] = input[blockIdx.x * blockDim.x + t];
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) part[t] += part[t + half];
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

extern "C" __global__ void barriers(int* output, int times) {
    for (int i = 0; i < times; ++i) __syncthreads();
    output[threadIdx.x] = times;
}
