// Cells of a matrix of lengths in 32-bit words: one of 32 bits, or two of 16 bits side by side in a row.
//
// A relaxation of a word is one instruction on Hopper (VIADDMNMX), whether it holds one cell or two.
// Nothing wraps: cells start at FAR or below and only fall, so a sum has two terms of at most FAR, and 2 * FAR fits into
// the unsigned bits of a cell. A cell of 16 bits is therefore min(length, FAR), exactly: FAR means "FAR or longer", and
// the host has to find out whether that is a path or none. With 32 bits FAR is UNREACHABLE, and nothing needs converting.
#pragma once

#include "warpath/solvers/distances.cuh"

#ifndef CELL_BITS
#define CELL_BITS 32
#endif
#define PACKED (32 / CELL_BITS) // cells of a word
#define GROUP 4                 // words that are read and written together, 16 bytes

typedef length_t word_t;

#if CELL_BITS == 16
#define FAR 0x7fffu
typedef unsigned short cell_t;
static_assert((word_t)-1 > 0, "no negative lengths in 16 bits");

__device__ __forceinline__ word_t relaxed(word_t word, word_t to, word_t from)
{
    return __viaddmin_u16x2(to, from, word);
}
#else
#define FAR ((length_t)UNREACHABLE)
typedef length_t cell_t;

__device__ __forceinline__ word_t relaxed(word_t word, word_t to, word_t from)
{
    return min(word, joined((int)to, (int)from));
}
#endif

// A word whose cells are all `cell`.
__device__ __forceinline__ word_t word_of(length_t cell)
{
    return PACKED == 2 ? cell | cell << 16 : cell;
}

// Cell number `cell` of a row of words.
__device__ __forceinline__ length_t cell_of(const word_t *words, int cell)
{
    return PACKED == 2 ? words[cell / PACKED] >> (cell % PACKED * 16) & 0xffff : words[cell];
}

// Four neighbouring words, the first of them at a multiple of 16 bytes.
__device__ __forceinline__ void read_group(const word_t *words, word_t *group)
{
    const uint4 four = *reinterpret_cast<const uint4 *>(words);
    group[0] = (word_t)four.x;
    group[1] = (word_t)four.y;
    group[2] = (word_t)four.z;
    group[3] = (word_t)four.w;
}

__device__ __forceinline__ void write_group(const word_t *group, word_t *words)
{
    *reinterpret_cast<uint4 *>(words) =
        make_uint4((unsigned int)group[0], (unsigned int)group[1], (unsigned int)group[2], (unsigned int)group[3]);
}
