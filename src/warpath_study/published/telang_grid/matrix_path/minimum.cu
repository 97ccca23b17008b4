// The smallest entry of a matrix and where it is, by iterated block reduction.
//
// Idea: a block halves its entries until one is left, the smallest, and puts it into the place of its number; the host
// launches this again on what the blocks left, until that is one. An entry travels with its index in one 64-bit word,
// value above, so that the smaller word is the smaller entry and, of equal ones, the first. That works for values that
// are not negative, whose bits are ordered as they are.
// Threads: blocks of THREADS, a power of two, one entry a thread. Memory: 8 bytes for every THREADS entries.
// Source: K. P. Telang, "Single Source Shortest Path using CUDA", section "Minimum".
#ifndef THREADS
#define THREADS 256
#endif
#define NOTHING 0xffffffffffffffffull

__device__ __forceinline__ void leave_smallest(unsigned long long entry, unsigned long long *smallest)
{
    __shared__ unsigned long long entries[THREADS];
    const int thread = threadIdx.x;
    entries[thread] = entry;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (thread < half)
            entries[thread] = min(entries[thread], entries[thread + half]);
        __syncthreads();
    }
    if (thread == 0)
        smallest[blockIdx.x] = entries[0];
}

// From the matrix itself, its entries in row-major order.
extern "C" __global__ void smallest_of_matrix(int count, const float *matrix, unsigned long long *smallest)
{
    const int index = blockIdx.x * THREADS + threadIdx.x;
    unsigned long long entry = NOTHING;
    if (index < count)
        entry = (unsigned long long)__float_as_uint(matrix[index]) << 32 | (unsigned int)index;
    leave_smallest(entry, smallest);
}

// From what blocks left.
extern "C" __global__ void smallest_of_smallest(int count, const unsigned long long *entries,
                                                unsigned long long *smallest)
{
    const int index = blockIdx.x * THREADS + threadIdx.x;
    leave_smallest(index < count ? entries[index] : NOTHING, smallest);
}
