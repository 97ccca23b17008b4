// Kernels whose threads wait for each other at __syncthreads, some of them wrongly.

#include "warpath/device/dynamic_shared.cuh"

#ifndef WITHOUT_BARRIER
#define WITHOUT_BARRIER 0
#endif

struct Cell {
    int value;
    short row, column;
};

extern "C" __global__ void many_barriers(int *output, int times)
{
    for (int i = 0; i < times; ++i)
        __syncthreads();
    output[threadIdx.x] = times;
}

// Each block sums its numbers in a tree; blockDim.x is a power of two.
extern "C" __global__ void block_sums(const int *input, int *sums)
{
    __shared__ int part[1024];
    const int t = threadIdx.x;
    part[t] = input[blockIdx.x * blockDim.x + t];
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
#if WITHOUT_BARRIER != 1
        __syncthreads();
#endif
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        sums[blockIdx.x] = part[0];
}

// Shifts the block's numbers left by one place, `times` times: each reads its neighbour before that is overwritten.
extern "C" __global__ void rotate(int *numbers, int times)
{
    DYNAMIC_SHARED(int, row);
    const int t = threadIdx.x, next = (t + 1) % blockDim.x;
    row[t] = numbers[t];
    for (int i = 0; i < times; ++i) {
        __syncthreads();
        const int neighbour = row[next];
#if WITHOUT_BARRIER != 2
        __syncthreads();
#endif
        row[t] = neighbour;
    }
    numbers[t] = row[t];
}

// Transposes 32 x 32 cells through shared memory.
extern "C" __global__ void transpose(const int *input, int *output)
{
    __shared__ Cell tile[32][32];
    const int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = {input[32 * y + x], short(y), short(x)};
    __syncthreads();
    const Cell cell = tile[x][y];
    output[32 * y + x] = cell.row == x && cell.column == y ? cell.value : -1;
}

// The shared memory of a block before it writes to it.
extern "C" __global__ void uninitialised(unsigned char *output)
{
    __shared__ unsigned char fixed[64];
    DYNAMIC_SHARED(unsigned char, flexible);
    output[2 * threadIdx.x] = fixed[threadIdx.x];
    output[2 * threadIdx.x + 1] = flexible[threadIdx.x];
    fixed[threadIdx.x] = flexible[threadIdx.x] = 0;
}

extern "C" __global__ void overrun(int *output, int index)
{
    DYNAMIC_SHARED(int, row);
    output[0] = row[index];
}

extern "C" __global__ void predicates(const int *input, int *output)
{
    const int t = threadIdx.x;
    const int flag = input[t];
    for (int round = 0; round < 3; ++round) {
        output[3 * t] = __syncthreads_count(flag > round);
        output[3 * t + 1] = __syncthreads_or(flag > 2);
        output[3 * t + 2] = __syncthreads_or(flag > 3);
    }
}

// Threads from `count` on return; the others do not wait for them.
extern "C" __global__ void early_exit(const int *input, int *output, int count)
{
    __shared__ int row[1024];
    const int t = threadIdx.x;
    if (t >= count)
        return;
    row[t] = input[t];
    __syncthreads();
    output[t] = row[count - 1 - t] + __syncthreads_count(1);
}

// The last thread returns only when all others wait, which releases them.
extern "C" __global__ void late_exit(int *output)
{
    if (threadIdx.x == 0) {
        __syncwarp(1);
        return;
    }
    output[threadIdx.x] = __syncthreads_count(1);
}

// Some threads wait for the block, the others for the warp: a deadlock.
extern "C" __global__ void divergent(int *output)
{
    if (blockIdx.x == 2 && threadIdx.x % 2 == 0)
        __syncthreads();
    else if (blockIdx.x == 2)
        __syncwarp();
    output[threadIdx.x] = 1;
}
