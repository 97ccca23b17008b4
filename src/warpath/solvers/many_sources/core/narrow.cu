// Sparse all pairs, narrow: distances of 16 bits with a guard, two sources a word; or, if PACKED is 1, a word for each
// distance: floats, and the rows that 16 bits cannot hold.
//
//   solve        the rows of a group of sources;
//   fill_rows    the rows of sources without outgoing arcs, where there are too many for solve.
// Idea of 16 bits: a word serves two sources, one instruction relaxes both, and a vector of 16 bytes has eight.
// Threads and memory: pull.cuh.
// Guard: `far` means unreachable. It is 65,535 minus the largest weight, so that no sum wraps. Sums of `far` or more
// become `far`. A distance is lost only if another vertex has a finite distance of at least `far` minus the largest
// weight. In that case the group sets its word of `overflowed`, and whole words solve it again.
// Whole words are compared as unsigned ones, so a sum beyond UNREACHABLE loses against it.
#include "warpath/solvers/shared/lengths.cuh"

#ifndef PACKED
#define PACKED 2 // sources of a word
#endif

#if PACKED == 2
typedef unsigned int Word;
typedef unsigned int arc_t; // the tail in the upper half, the weight in the lower

__device__ __forceinline__ unsigned int tail_of(arc_t arc)
{
    return arc >> 16;
}

// The weight in both halves.
__device__ __forceinline__ unsigned int weight_of(arc_t arc)
{
    return arc << 16 | (arc & 0xffff);
}

__device__ __forceinline__ unsigned int lowered(unsigned int reached, unsigned int weight, unsigned int current)
{
    return __viaddmin_u16x2(reached, weight, current);
}
#else
#if FLOAT_BITS == 64
typedef unsigned long long Word;
#else
typedef unsigned int Word;
#endif
typedef Arc arc_t;

__device__ __forceinline__ int tail_of(arc_t arc)
{
    return arc.end;
}

__device__ __forceinline__ Weight weight_of(arc_t arc)
{
    return arc.weight;
}

__device__ __forceinline__ Word lowered(Word reached, Weight weight, Word current)
{
    return min((Word)extended((Length)reached, weight), current);
}
#endif

#include "warpath/solvers/many_sources/core/pull.cuh"

#define SOURCES (PACKED * WORDS)

// `rows` are the rows to solve, of which there are `count`, and `filled_rows` those to fill; `sources[row]` is the source
// of a row. `slices` are those of the core, `slices_of_all` those of all vertices. In 16 bits, block g writes the word g
// of `overflowed`. Whole words read it, if it is given: a word for each `rows_a_word` rows, which are solved if it is set.
extern "C" __global__ void __launch_bounds__(1024)
    solve(int vertices, int slices, const int *__restrict__ slice_starts, const arc_t *__restrict__ arcs,
          const int *__restrict__ out_starts, const int *__restrict__ out_heads, int slices_of_all,
          const int *__restrict__ slice_starts_of_all, const arc_t *__restrict__ arcs_of_all,
          const int *__restrict__ positions, const int *__restrict__ sources, const int *__restrict__ rows, int count,
          const int *__restrict__ filled_rows, int filled_count, int weight_max, int *overflowed, int rows_a_word,
          Length *all_distances, int *unfinished)
{
    DYNAMIC_SHARED(Vector, memory);
    const int first_row = blockIdx.x * SOURCES;
#if PACKED == 2
    const unsigned int far = 65535 - weight_max;
    const Vector nowhere = all_of(far << 16 | far);
    bool late = false;
#else
    if (overflowed && !overflowed[first_row / rows_a_word])
        return;
    const Vector nowhere = all_of(UNREACHABLE);
#endif
    Core core(memory, slices, slice_starts, nowhere);
    __syncthreads();
    if (threadIdx.x < WORDS) // a word by one thread, because both its sources may be the same vertex
        for (int part = 0; part < PACKED; ++part) {
            const int row = first_row + PACKED * threadIdx.x + part;
            if (row < count)
                core.start(positions[sources[rows[row]]], threadIdx.x, PACKED == 1 ? 0 : part ? 0xffff : 0xffff0000);
        }
    __syncthreads();
    Filling filling = {filled_rows, filled_count, (int)blockIdx.x};
    if (!settle(core, arcs, out_starts, out_heads,
                [&] { filling.fill(FILLS_A_SWEEP, vertices, sources, all_distances); })) {
        if (threadIdx.x == 0)
            *unfinished = 1;
        return;
    }
    pull_slices(
        core.distances, slices_of_all, slice_starts_of_all, arcs_of_all, [&](int) { return nowhere; },
        [&](int slice, const Vector &, const Vector &found) {
            const int vertex = slice * LANES + threadIdx.x % LANES;
            if (vertex >= vertices)
                return;
#pragma unroll
            for (int i = 0; i < SOURCES; ++i) {
#if PACKED == 2
                const unsigned int near = found.word[i / 2] >> 16 * (i % 2) & 0xffff;
                late |= near < far && near + weight_max >= far;
#define DISTANCE (near < far ? (Length)near : (Length)UNREACHABLE)
#else
#define DISTANCE ((Length)found.word[i])
#endif
                if (first_row + i < count)
                    __stcs(all_distances + (size_t)rows[first_row + i] * vertices + vertex, DISTANCE);
            }
        });
    filling.fill(filled_count, vertices, sources, all_distances);
#if PACKED == 2
    late = __syncthreads_or(late);
    if (threadIdx.x == 0)
        overflowed[blockIdx.x] = late;
#endif
}

extern "C" __global__ void fill_rows(int vertices, const int *__restrict__ sources, const int *__restrict__ rows,
                                     Length *all_distances)
{
    fill_row(vertices, rows[blockIdx.x], sources, all_distances);
}
