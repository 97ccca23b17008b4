// Rows of label correcting, batch: the distances of a vertex from 32 or 64 sources, in words of 16, 32 or 64 bits.
//
// Lane i of a team has words 4 i to 4 i + 3 of a row, as a `Part`. With BITS of 16, a word has two distances, and its
// arithmetic is that of both. Floats are words of their bits.
#pragma once
#include "warpath/solvers/shared/lengths.cuh"

#ifndef BITS
#define BITS 32
#endif
#define PER_WORD (BITS == 16 ? 2 : 1)
#define LANES 32 // and the words of a row
#define ALL_LANES 0xffffffffu
#define SOURCES (LANES * PER_WORD)
#define TEAM 8 // lanes
#define TEAMS (LANES / TEAM)
#define BLOCK_MAX 256

// A word of distances, and four of them. `NONE` is no distance.
#if FLOAT_BITS == 64
typedef unsigned long long word_t;
struct alignas(16) Four {
    word_t x, y, z, w;
};

__device__ __forceinline__ Four make_four(word_t x, word_t y, word_t z, word_t w)
{
    return {x, y, z, w};
}
#else
typedef unsigned int word_t;
typedef uint4 Four;

__device__ __forceinline__ Four make_four(word_t x, word_t y, word_t z, word_t w)
{
    return make_uint4(x, y, z, w);
}
#endif

#if BITS == 16
#define NONE 0xffffffffu

__device__ __forceinline__ unsigned int lowered(unsigned int best, unsigned int reached, unsigned int weight)
{
    return __viaddmin_u16x2(reached, weight, best);
}

// `weight` for each distance of a word.
__device__ __forceinline__ unsigned int word_of(unsigned int weight)
{
    return weight << 16 | weight;
}

__device__ __forceinline__ unsigned int largest_of(unsigned int word)
{
    return max(word >> 16, word & 0xffff);
}

__device__ __forceinline__ unsigned int least_of(unsigned int word)
{
    return min(word >> 16, word & 0xffff);
}

// NONE for each distance of a word that is NONE, 0 for the others.
__device__ __forceinline__ unsigned int none_of(unsigned int word)
{
    return ((word & 0xffff) == 0xffff ? 0xffff : 0) | (word >> 16 == 0xffff ? 0xffff0000 : 0);
}

// The distances of `now` that are below those of `before`; NONE for the others.
__device__ __forceinline__ unsigned int fallen(unsigned int now, unsigned int before)
{
    return now | none_of(~(now ^ before));
}

// NONE where `other` is NONE.
__device__ __forceinline__ unsigned int forgotten(unsigned int word, unsigned int other)
{
    return word | none_of(other);
}

// Lower each distance of *word to that of `value`. Returns the old word.
__device__ __forceinline__ unsigned int lower_word(unsigned int *word, unsigned int value)
{
    unsigned int old = *(volatile unsigned int *)word, expected;
    do {
        expected = old;
        const unsigned int wanted = lowered(expected, value, 0);
        if (wanted == expected)
            break;
        old = atomicCAS(word, expected, wanted);
    } while (old != expected);
    return old;
}
#else
#define NONE ((word_t)UNREACHABLE)

__device__ __forceinline__ word_t lowered(word_t best, word_t reached, word_t weight)
{
#if FLOAT_BITS
    return min(best, (word_t)length_of(number_of((Length)reached) + number_of((Length)weight)));
#else
    return min(best, reached + weight);
#endif
}

__device__ __forceinline__ word_t word_of(word_t weight)
{
    return weight;
}

__device__ __forceinline__ word_t largest_of(word_t word)
{
    return word;
}

__device__ __forceinline__ word_t least_of(word_t word)
{
    return word;
}

__device__ __forceinline__ word_t fallen(word_t now, word_t before)
{
    return now < before ? now : NONE;
}

__device__ __forceinline__ word_t forgotten(word_t word, word_t other)
{
    return other == NONE ? NONE : word;
}

__device__ __forceinline__ word_t lower_word(word_t *word, word_t value)
{
    return atomicMin(word, value);
}
#endif

#if BITS == 16
__device__ __forceinline__ word_t least(word_t a, word_t b)
{
    return lowered(a, b, 0);
}

// The larger of each two distances: their sum less the smaller.
__device__ __forceinline__ word_t larger(word_t a, word_t b)
{
    return a + b - least(a, b);
}
#else
__device__ __forceinline__ word_t least(word_t a, word_t b)
{
    return min(a, b);
}

__device__ __forceinline__ word_t larger(word_t a, word_t b)
{
    return max(a, b);
}
#endif

// Each distance of a word less that of `low`, 0 if it is below it. Of floats, it is rounded.
__device__ __forceinline__ word_t above(word_t distance, word_t low)
{
#if FLOAT_BITS
    const word_t sign = (word_t)1 << (FLOAT_BITS - 1);
    return distance <= low ? 0 : length_of(number_of((Length)distance) + number_of((Length)(low | sign)));
#else
    return distance - least(distance, low);
#endif
}

// The bound of weights that are at most `difference`. Rounding keeps the order, so an arc that lowers a distance has at
// most the rounded difference. The sum of a weight and `near` is rounded twice, each time by at most half the step by
// which such an arc lowers a distance, so it is at most the rounded difference, too.
__device__ __forceinline__ word_t bound_of(word_t difference)
{
#if FLOAT_BITS
    return difference ? min(difference + 1, NONE) : 0;
#else
    return difference;
#endif
}

__device__ __forceinline__ word_t sum_of(word_t a, word_t b)
{
#if FLOAT_BITS
    return length_of(number_of((Length)a) + number_of((Length)b));
#else
    return a + b;
#endif
}

// A lane's part of a row.
struct Part {
    Four words;

    __device__ __forceinline__ void lower(const Four &reached, word_t weight)
    {
        words.x = lowered(words.x, reached.x, weight);
        words.y = lowered(words.y, reached.y, weight);
        words.z = lowered(words.z, reached.z, weight);
        words.w = lowered(words.w, reached.w, weight);
    }
    __device__ __forceinline__ Part fallen_from(const Part &before) const
    {
        return {make_four(fallen(words.x, before.words.x), fallen(words.y, before.words.y),
                          fallen(words.z, before.words.z), fallen(words.w, before.words.w))};
    }
    __device__ __forceinline__ bool operator!=(const Part &other) const
    {
        return words.x != other.words.x || words.y != other.words.y || words.z != other.words.z ||
               words.w != other.words.w;
    }
    __device__ __forceinline__ word_t largest_word() const
    {
        return larger(larger(words.x, words.y), larger(words.z, words.w));
    }
    __device__ __forceinline__ word_t largest_distance() const
    {
        return largest_of(largest_word());
    }
    __device__ __forceinline__ word_t least_distance() const
    {
        return least_of(least(least(words.x, words.y), least(words.z, words.w)));
    }
    // NONE where `other` is NONE.
    __device__ __forceinline__ void forget(const Part &other)
    {
        words.x = forgotten(words.x, other.words.x);
        words.y = forgotten(words.y, other.words.y);
        words.z = forgotten(words.z, other.words.z);
        words.w = forgotten(words.w, other.words.w);
    }
    __device__ __forceinline__ Part above(const Part &low) const
    {
        return {make_four(::above(words.x, low.words.x), ::above(words.y, low.words.y), ::above(words.z, low.words.z),
                          ::above(words.w, low.words.w))};
    }
};

__device__ __forceinline__ Part all_of(word_t word)
{
    return {make_four(word, word, word, word)};
}

__device__ __forceinline__ word_t largest_of_team(word_t value)
{
#pragma unroll
    for (int step = TEAM / 2; step; step /= 2)
        value = max(value, __shfl_xor_sync(ALL_LANES, value, step));
    return value;
}

__device__ __forceinline__ word_t least_of_team(word_t value)
{
#pragma unroll
    for (int step = TEAM / 2; step; step /= 2)
        value = min(value, __shfl_xor_sync(ALL_LANES, value, step));
    return value;
}

// An arc that lowers nothing.
__device__ __forceinline__ Arc no_arc()
{
    return {0, number_of(UNREACHABLE)};
}
