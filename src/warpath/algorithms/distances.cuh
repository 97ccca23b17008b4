// Distances on the device, as warpath.distances defines them: int32, with UNREACHABLE for "no path".
#pragma once

#define UNREACHABLE 0x7fffffff
#define NO_PREDECESSOR (-1)

// The length of a path of length `head` prolonged by one of length `tail`, for minimum tests against a distance.
//
// Without negative weights the sum is unsigned: both terms are at most 2^31 - 1, so it cannot wrap, and a sum with
// UNREACHABLE in it is never below a distance. One addition and one comparison, no test for UNREACHABLE.
// With negative weights UNREACHABLE has to be told apart; finite sums stay inside int32, because graphs whose paths
// could leave it are refused before they come here.
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
