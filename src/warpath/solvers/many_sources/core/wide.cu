// Sparse all pairs, a word for each distance, WORDS sources a block: floats, and the rows that narrow.cu cannot hold.
//
//   solve        the rows of a group of sources; where `overflowed` is given, only if the group's word there is set;
//   fill_rows    the rows of sources without outgoing arcs, where there are too many for solve.
// Idea, threads and memory: pull.cuh. Sums are compared as unsigned words, so one beyond UNREACHABLE loses against it.
#include "warpath/solvers/shared/lengths.cuh"

#define SOURCES WORDS

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

#include "warpath/solvers/many_sources/core/pull.cuh"

// `rows` are the rows to solve, of which there are `count`, and `filled_rows` those to fill; `sources[row]` is the source
// of a row. `overflowed` has a word for each `rows_a_word` rows. `slices` are those of the core, `slices_of_all` those of
// all vertices.
extern "C" __global__ void __launch_bounds__(1024)
    solve(int vertices, int slices, const int *__restrict__ slice_starts, const arc_t *__restrict__ arcs,
          const int *__restrict__ out_starts, const int *__restrict__ out_heads, int slices_of_all,
          const int *__restrict__ slice_starts_of_all, const arc_t *__restrict__ arcs_of_all,
          const int *__restrict__ positions, const int *__restrict__ sources, const int *__restrict__ rows, int count,
          const int *__restrict__ filled_rows, int filled_count, const int *overflowed, int rows_a_word,
          Length *all_distances, int *unfinished)
{
    DYNAMIC_SHARED(Vector, memory);
    const int first_row = blockIdx.x * SOURCES;
    if (overflowed && !overflowed[first_row / rows_a_word])
        return;
    const Vector nowhere = all_of(UNREACHABLE);
    Core core(memory, slices, slice_starts, nowhere);
    __syncthreads();
    if (threadIdx.x < SOURCES && first_row + threadIdx.x < count)
        core.start(positions[sources[rows[first_row + threadIdx.x]]], threadIdx.x, 0);
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
            for (int i = 0; i < SOURCES; ++i)
                if (first_row + i < count)
                    __stcs(all_distances + (size_t)rows[first_row + i] * vertices + vertex, (Length)found.word[i]);
        });
    filling.fill(filled_count, vertices, sources, all_distances);
}

extern "C" __global__ void fill_rows(int vertices, const int *__restrict__ sources, const int *__restrict__ rows,
                                     Length *all_distances)
{
    fill_row(vertices, rows[blockIdx.x], sources, all_distances);
}
