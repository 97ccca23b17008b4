// Weights, and the lengths of paths, of int32, float32 or float64 as FLOAT_BITS says: 0, 32 or 64.
//
// A Length is an integer for each type, so that one kernel text serves all of them. For floats it has the bits of the
// number: floats of at least 0 are ordered as their bits are, infinity is last, and atomicMin works on them. An array of
// distances on the host or the device holds the numbers themselves. No number is -0 or NaN. If NEGATIVE_WEIGHTS is 1, all
// bits but the first of a negative number are inverted, so that the order holds for negative numbers, too.
//
// The length of a path is the sum of its weights from the source on, rounded after each addition. Rounding keeps the
// order of two sums with the same weight, so the least length of all paths does not depend on the order of relaxations.
#pragma once

#include "warpath/device/float32.cuh"
#include "warpath/solvers/shared/distances.cuh"

#ifndef FLOAT_BITS
#define FLOAT_BITS 0
#endif

#ifndef NEGATIVE_WEIGHTS
#define NEGATIVE_WEIGHTS 0
#endif

#if FLOAT_BITS == 64
#undef UNREACHABLE
#define UNREACHABLE 0x7ff0000000000000ll // infinity
typedef double Weight;
typedef long long Length;
typedef Length Sum;
__device__ __forceinline__ double number_of(Length length)
{
    return __longlong_as_double(NEGATIVE_WEIGHTS && length < 0 ? length ^ 0x7fffffffffffffffll : length);
}
__device__ __forceinline__ Length length_of(double number)
{
    const Length bits = __double_as_longlong(number);
    return NEGATIVE_WEIGHTS && bits < 0 ? bits ^ 0x7fffffffffffffffll : bits;
}
#elif FLOAT_BITS == 32
#undef UNREACHABLE
#define UNREACHABLE 0x7f800000 // infinity
typedef Float32 Weight;
typedef int Length;
typedef Length Sum;
__device__ __forceinline__ Weight number_of(Length length)
{
    return float32_of(NEGATIVE_WEIGHTS && length < 0 ? length ^ 0x7fffffff : length);
}
__device__ __forceinline__ Length length_of(Weight number)
{
    const Length bits = bits_of(number);
    return NEGATIVE_WEIGHTS && bits < 0 ? bits ^ 0x7fffffff : bits;
}
#else
typedef int Weight;
typedef int Length;
typedef unsigned int Sum;
__device__ __forceinline__ int number_of(Length length)
{
    return length;
}
__device__ __forceinline__ Length length_of(int number)
{
    return number;
}
#endif

// The length of a path of length `reached` and an arc of a weight of at least 0, to be compared with a Length. It is
// UNREACHABLE or more if it is no distance: int32 sums are unsigned, so that they cannot wrap.
__device__ __forceinline__ Sum extended(Length reached, Weight weight)
{
#if FLOAT_BITS
    return length_of(number_of(reached) + weight);
#else
    return (unsigned int)reached + (unsigned int)weight;
#endif
}

// The same for a weight that may be negative. Sums of int32 have 64 bits; one beyond UNREACHABLE becomes UNREACHABLE.
__device__ __forceinline__ Length extended_by_any(Length reached, Weight weight)
{
#if FLOAT_BITS
    return length_of(number_of(reached) + weight);
#else
    const long long sum = (long long)reached + weight;
    return sum < UNREACHABLE ? (Length)sum : UNREACHABLE;
#endif
}

// `length` and `step`, at least the next Length, at most UNREACHABLE: the next threshold, for a step of more than 0.
__device__ __forceinline__ Length raised(Length length, Weight step)
{
    const Sum sum = extended(length, step);
    return sum >= UNREACHABLE ? (Length)UNREACHABLE : max((Length)sum, length + 1);
}

// Twice a step of the threshold, and half of it.
__device__ __forceinline__ Weight doubled(Weight step)
{
#if FLOAT_BITS
    return step + step;
#else
    return 2 * min(step, UNREACHABLE / 2);
#endif
}

__device__ __forceinline__ Weight halved(Weight step)
{
#if FLOAT_BITS
    return step * Weight(0.5f);
#else
    return step / 2;
#endif
}

// The arc from or to a vertex: its other end, and its weight.
struct alignas(2 * sizeof(Weight)) Arc {
    int end;
    Weight weight;
};

// Read lengths `first` to `first` + 3 of `count`, in accesses of 16 bytes; 0 beyond the last. `first` is a multiple of 4.
__device__ __forceinline__ void read_four(const Length *lengths, long long first, long long count, Length (&four)[4])
{
    constexpr int in_piece = 16 / sizeof(Length);
    struct alignas(16) Piece {
        Length lengths[in_piece];
    };
    if (first + 3 < count) {
        const Piece *const pieces = reinterpret_cast<const Piece *>(lengths + first);
#pragma unroll
        for (int piece = 0; piece < 4 / in_piece; ++piece) {
            const Piece read = pieces[piece];
#pragma unroll
            for (int one = 0; one < in_piece; ++one)
                four[piece * in_piece + one] = read.lengths[one];
        }
    } else {
#pragma unroll
        for (int one = 0; one < 4; ++one)
            four[one] = first + one < count ? lengths[first + one] : 0;
    }
}

// A word that other blocks write, from the L2 cache.
template <class Word>
__device__ __forceinline__ Word fresh(const Word *word)
{
    return *(const volatile Word *)word;
}
