// Distances on the device, as warpath.distances defines them: int32, with UNREACHABLE for "no path".
#pragma once

#define UNREACHABLE 0x7fffffff
#define NO_PREDECESSOR (-1)

// The length of a path of length `head` followed by one of length `tail`, to be compared with a distance.
//
// Without negative weights the sum is unsigned. Both terms are at most 2^31 - 1, so it cannot wrap, and a sum with
// UNREACHABLE in it is never below a distance: one addition and one comparison, and no test for UNREACHABLE.
// With negative weights the test is needed. Finite sums stay inside int32, because graphs whose paths could leave it
// are refused before a solve.
#if defined(NEGATIVE_WEIGHTS) && NEGATIVE_WEIGHTS
typedef int length_t;
#define LEAST_LENGTH ((int)0x80000000)
__device__ __forceinline__ length_t joined(int head, int tail)
{
    return head == UNREACHABLE || tail == UNREACHABLE ? UNREACHABLE : head + tail;
}
#else
typedef unsigned int length_t;
#define LEAST_LENGTH 0u
__device__ __forceinline__ length_t joined(int head, int tail)
{
    return (unsigned int)head + (unsigned int)tail;
}
#endif
