// Counting atomics. Only kernels compiled for it (-DCOUNT_ATOMICS=1) count; the compiler drops the counters from
// others.
#pragma once

#ifndef COUNT_ATOMICS
#define COUNT_ATOMICS 0
#endif

// Lower *distance to `candidate`, where another thread may do so too. `atomics` counts those of this thread.
__device__ __forceinline__ void lower(int *distance, int candidate, int &atomics)
{
    atomicMin(distance, candidate);
    if (COUNT_ATOMICS)
        ++atomics;
}

// Add what this thread counted to its own counter, `*counted`. One counter for all threads would take longer than the
// solve itself.
__device__ __forceinline__ void count(int atomics, unsigned long long *counted)
{
    if (COUNT_ATOMICS && atomics)
        *counted += atomics;
}
