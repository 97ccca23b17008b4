// A min-plus product of words in registers: the block owns TILE x TILE words, a thread CELLS x CELLS of them.
//
// Slices of the operands, DEPTH vertices each, pass through shared memory; while one is used, the next ones are on their
// way, copied past the registers. Both operands lie as they are read: row k of `to` holds the words to vertex k (of 16
// bits: the same cell twice), row k of `from` those from it, so that four neighbouring words are one access.
// Threads: SIDE x SIDE. The lanes of a warp are 4 x 8, so that a warp reads few different words.
// Source: V. Volkov and J. W. Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra", 2008, for tiles in registers;
// the min-plus product is ours.
#pragma once

#include "warpath/solvers/floyd_warshall/words.cuh"

#ifndef TILE
#define TILE 128
#endif
#ifndef CELLS
#define CELLS 8
#endif
#ifndef DEPTH
#define DEPTH 16
#endif
#ifndef BUFFERS
#define BUFFERS 4
#endif
#ifndef UNROLLED
#define UNROLLED 16
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif
#define SIDE (TILE / CELLS)
#define THREADS (SIDE * SIDE)

static_assert(TILE % CELLS == 0 && CELLS % GROUP == 0 && TILE % DEPTH == 0, "tiles, threads and slices fit");
static_assert(DEPTH * TILE / GROUP % THREADS == 0, "every thread copies as much");

struct Slice {
    word_t to[DEPTH][TILE];
    word_t from[DEPTH][TILE];
};

// The place of a thread in the block.
struct Seat {
    int x, y;

    __device__ __forceinline__ Seat()
    {
        const int warp = threadIdx.x / 32;
        x = SIDE % 8 ? threadIdx.x % SIDE : threadIdx.x % 8 + warp % (SIDE / 8) * 8;
        y = SIDE % 8 ? threadIdx.x / SIDE : threadIdx.x / 8 % 4 + warp / (SIDE / 8) * 4;
    }
};

// Where a thread's number `word` lies in a row or column of the tile. Words come in groups, the groups of all threads
// side by side, so that neighbouring threads read neighbouring groups.
__device__ __forceinline__ int place(int thread, int word)
{
    return (word / GROUP * SIDE + thread) * GROUP + word % GROUP;
}

// Relax a thread's words through `depth` vertices, whose words are in shared memory.
template <int depth>
__device__ __forceinline__ void relax_through(const word_t (*to)[TILE], const word_t (*from)[TILE], Seat seat,
                                              word_t (&words)[CELLS][CELLS])
{
    constexpr int unrolled = UNROLLED;
#pragma unroll unrolled
    for (int k = 0; k < depth; ++k) {
        word_t to_k[CELLS], from_k[CELLS];
#pragma unroll
        for (int row = 0; row < CELLS; row += GROUP)
            read_group(&to[k][place(seat.y, row)], to_k + row);
#pragma unroll
        for (int column = 0; column < CELLS; column += GROUP)
            read_group(&from[k][place(seat.x, column)], from_k + column);
#pragma unroll
        for (int row = 0; row < CELLS; ++row)
#pragma unroll
            for (int column = 0; column < CELLS; ++column)
                words[row][column] = relaxed(words[row][column], to_k[row], from_k[column]);
    }
}

// Copy 16 bytes to shared memory, without waiting for them where the GPU can do that.
__device__ __forceinline__ void copy_group(word_t *shared, const word_t *words)
{
#if (defined(__CUDACC__) || defined(__CUDACC_RTC__)) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned int)__cvta_generic_to_shared(shared)),
                 "l"(words));
#else
    *reinterpret_cast<uint4 *>(shared) = *reinterpret_cast<const uint4 *>(words);
#endif
}

__device__ __forceinline__ void end_of_copies()
{
#if (defined(__CUDACC__) || defined(__CUDACC_RTC__)) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;");
#endif
}

// Wait for the thread's copies, but for those before the last `behind` ends.
template <int behind>
__device__ __forceinline__ void wait_for_copies()
{
#if (defined(__CUDACC__) || defined(__CUDACC_RTC__)) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(behind) : "memory");
#endif
}

__device__ __forceinline__ void copy_slice(const word_t *to, size_t to_stride, const word_t *from, size_t from_stride,
                                           Slice &slice)
{
    constexpr int groups = TILE / GROUP; // of a row
#pragma unroll
    for (int first = 0; first < DEPTH * groups; first += THREADS) {
        const int k = (first + (int)threadIdx.x) / groups;
        const int word = (first + (int)threadIdx.x) % groups * GROUP;
        copy_group(&slice.to[k][word], to + k * to_stride + word);
        copy_group(&slice.from[k][word], from + k * from_stride + word);
    }
    end_of_copies();
}

// Relax the block's words in `words` through TILE vertices. Row k of the operands is at `to + k * to_stride`, and so on;
// `begin` runs once the first copies are under way.
template <class Begin>
__device__ __forceinline__ void relax_product(const word_t *to, size_t to_stride, const word_t *from,
                                              size_t from_stride, Slice *slices, Seat seat,
                                              word_t (&words)[CELLS][CELLS], Begin begin)
{
    constexpr int count = TILE / DEPTH;
#pragma unroll
    for (int slice = 0; slice < BUFFERS - 1; ++slice) {
        if (slice < count)
            copy_slice(to + slice * DEPTH * to_stride, to_stride, from + slice * DEPTH * from_stride, from_stride,
                       slices[slice]);
        else
            end_of_copies();
    }
    begin();
    int used = 0, filled = BUFFERS - 1;
    to += (BUFFERS - 1) * DEPTH * to_stride;
    from += (BUFFERS - 1) * DEPTH * from_stride;
#pragma unroll 1
    for (int slice = 0; slice < count; ++slice) {
        wait_for_copies<BUFFERS - 2>();
        __syncthreads(); // the slice is there for all, and nobody uses the one before it any more
        if (slice + BUFFERS - 1 < count)
            copy_slice(to, to_stride, from, from_stride, slices[filled]);
        else
            end_of_copies();
        relax_through<DEPTH>(slices[used].to, slices[used].from, seat, words);
        to += DEPTH * to_stride;
        from += DEPTH * from_stride;
        used = used + 1 == BUFFERS ? 0 : used + 1;
        filled = filled + 1 == BUFFERS ? 0 : filled + 1;
    }
}
