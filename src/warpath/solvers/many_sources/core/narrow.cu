// Sparse all pairs, narrow: distances of 16 bits, two sources a word, with a guard.
//
// Idea, beyond wide.cu: a word serves two sources, one instruction relaxes both, and a vector of 16 bytes has eight.
// Threads and memory: pull.cuh.
// Guard: `far` means unreachable. It is 65,535 minus the largest weight, so that no sum wraps. Sums of `far` or more
// become `far`. A distance is lost only if another vertex has a finite distance of at least `far` minus the largest
// weight. In that case the group sets its word of `overflowed`, and wide.cu solves it again.
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

#include "warpath/solvers/many_sources/core/pull.cuh"

#define SOURCES (2 * WORDS)

// As in wide.cu; block g writes the word g of `overflowed`.
extern "C" __global__ void __launch_bounds__(1024)
    solve(int vertices, int slices, const int *__restrict__ slice_starts, const arc_t *__restrict__ arcs,
          const int *__restrict__ out_starts, const int *__restrict__ out_heads, int slices_of_all,
          const int *__restrict__ slice_starts_of_all, const arc_t *__restrict__ arcs_of_all,
          const int *__restrict__ positions, const int *__restrict__ sources, const int *__restrict__ rows, int count,
          const int *__restrict__ filled_rows, int filled_count, int weight_max, int *overflowed, Length *all_distances,
          int *unfinished)
{
    DYNAMIC_SHARED(Vector, memory);
    const int first_row = blockIdx.x * SOURCES;
    const unsigned int far = 65535 - weight_max;
    const Vector nowhere = all_of(far << 16 | far);
    Core core(memory, slices, slice_starts, nowhere);
    __syncthreads();
    if (threadIdx.x < WORDS) // a word by one thread, because both its sources may be the same vertex
        for (int half = 0; half < 2; ++half) {
            const int row = first_row + 2 * threadIdx.x + half;
            if (row < count)
                core.start(positions[sources[rows[row]]], threadIdx.x, half ? 0xffff : 0xffff0000);
        }
    __syncthreads();
    Filling filling = {filled_rows, filled_count, (int)blockIdx.x};
    if (!settle(core, arcs, out_starts, out_heads,
                [&] { filling.fill(FILLS_A_SWEEP, vertices, sources, all_distances); })) {
        if (threadIdx.x == 0)
            *unfinished = 1;
        return;
    }
    bool late = false;
    pull_slices(
        core.distances, slices_of_all, slice_starts_of_all, arcs_of_all, [&](int) { return nowhere; },
        [&](int slice, const Vector &, const Vector &found) {
            const int vertex = slice * LANES + threadIdx.x % LANES;
            if (vertex >= vertices)
                return;
#pragma unroll
            for (int i = 0; i < SOURCES; ++i) {
                const unsigned int distance = found.word[i / 2] >> 16 * (i % 2) & 0xffff;
                late |= distance < far && distance + weight_max >= far;
                if (first_row + i < count)
                    __stcs(all_distances + (size_t)rows[first_row + i] * vertices + vertex,
                           distance < far ? (Length)distance : (Length)UNREACHABLE);
            }
        });
    filling.fill(filled_count, vertices, sources, all_distances);
    late = __syncthreads_or(late);
    if (threadIdx.x == 0)
        overflowed[blockIdx.x] = late;
}
