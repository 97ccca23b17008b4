// Every warp function, each writing one row of the output: row * blockDim.x + thread.

extern "C" __global__ void votes(const int *input, unsigned *output)
{
    const int t = threadIdx.x, n = blockDim.x, x = input[t];
    output[0 * n + t] = __ballot_sync(0xffffffff, x > 0);
    output[1 * n + t] = __any_sync(0xffffffff, x > 90);
    output[2 * n + t] = __all_sync(0xffffffff, x > -90);
}

// `distance` is the argument of the four: a lane, a step up, a step down, bits to flip.
template <class T>
__device__ void shuffle(const T *input, T *output, int distance, int width)
{
    const int t = threadIdx.x, n = blockDim.x;
    const T x = input[t];
    output[0 * n + t] = __shfl_sync(0xffffffff, x, distance, width);
    output[1 * n + t] = __shfl_up_sync(0xffffffff, x, distance, width);
    output[2 * n + t] = __shfl_down_sync(0xffffffff, x, distance, width);
    output[3 * n + t] = __shfl_xor_sync(0xffffffff, x, distance, width);
}

extern "C" __global__ void shuffle_int(const int *input, int *output, int distance, int width)
{
    shuffle(input, output, distance, width);
}

extern "C" __global__ void shuffle_double(const double *input, double *output, int distance, int width)
{
    shuffle(input, output, distance, width);
}

// The two halves of a warp meet separately, the first one twice as often, and then together.
extern "C" __global__ void halves(int *output)
{
    const int lane = threadIdx.x % 32;
    int sum = 0;
    if (lane < 16) {
        sum += __popc(__ballot_sync(0x0000ffff, lane > 3));
        sum += __popc(__ballot_sync(0x0000ffff, 1));
    } else {
        sum += __popc(__ballot_sync(0xffff0000, lane > 20));
    }
    __syncwarp();
    output[threadIdx.x] = __shfl_xor_sync(0xffffffff, sum, 16);
}

// Lanes that have ended are not waited for; the block's last warp is not full.
extern "C" __global__ void ended_lanes(unsigned *output)
{
    if (threadIdx.x % 32 < 4)
        return;
    output[threadIdx.x] = __ballot_sync(0xffffffff, 1);
}

// Sums a block's numbers by warps first.
extern "C" __global__ void block_sum(const int *input, int *sum)
{
    __shared__ int sums[32];
    const int t = threadIdx.x, lane = t % warpSize, warp = t / warpSize;
    int x = input[t];
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_down_sync(0xffffffff, x, step);
    if (lane == 0)
        sums[warp] = x;
    __syncthreads();
    if (warp != 0)
        return;
    x = lane < int(blockDim.x) / warpSize ? sums[lane] : 0;
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_xor_sync(0xffffffff, x, step);
    if (lane == 0)
        *sum = x;
}

extern "C" __global__ void wrong_mask(int *output)
{
    output[threadIdx.x] = __shfl_sync(0x0000ffff, 1, 0);
}
