// Every atomic function, each on its own element of `totals`, from all threads of a grid.

extern "C" __global__ void atomics_int(const int *input, int *totals, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const int x = input[i];
    atomicAdd(&totals[0], x);
    atomicSub(&totals[1], x);
    atomicMin(&totals[2], x);
    atomicMax(&totals[3], x);
    atomicAnd(&totals[4], x);
    atomicOr(&totals[5], x);
    atomicXor(&totals[6], x);
    // What goes in comes out at another thread, or stays.
    atomicAdd(&totals[8], atomicExch(&totals[7], x));
    int seen = totals[9], expected;
    do {
        expected = seen;
        seen = atomicCAS(&totals[9], expected, expected + 3);
    } while (seen != expected);
}

extern "C" __global__ void atomics_unsigned(const unsigned *input, unsigned *totals, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const unsigned x = input[i];
    atomicAdd(&totals[0], x);
    atomicSub(&totals[1], x);
    atomicMin(&totals[2], x);
    atomicMax(&totals[3], x);
    atomicAnd(&totals[4], x);
    atomicOr(&totals[5], x);
    atomicXor(&totals[6], x);
    atomicAdd(&totals[8], atomicExch(&totals[7], x));
}

extern "C" __global__ void atomics_wide(const unsigned long long *input, unsigned long long *totals,
                                        long long *signed_totals, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const unsigned long long x = input[i];
    atomicAdd(&totals[0], x);
    atomicMin(&totals[2], x);
    atomicMax(&totals[3], x);
    atomicAnd(&totals[4], x);
    atomicOr(&totals[5], x);
    atomicXor(&totals[6], x);
    atomicAdd(&totals[8], atomicExch(&totals[7], x));
    atomicMin(&signed_totals[0], (long long)x);
    atomicMax(&signed_totals[1], (long long)x);
}

// Gives each thread its own ticket.
extern "C" __global__ void tickets(unsigned *next, int *owner)
{
    owner[atomicAdd(next, 1u)] = blockIdx.x * blockDim.x + threadIdx.x;
}
