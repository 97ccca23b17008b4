// Transitive closure, bitset: 64 columns a word.
//
// Idea over blocked: a pair is a bit, so that one instruction joins many pairs and the matrix is 32 times smaller. Bit
// b of word w in row i says whether i reaches vertex 64 w + b. Row i joins the rows of all intermediate vertices that
// it reaches: of the 64 in the primary block at once, chosen by one word of row i.
// `place` sets the bits of the arcs. Passes: 1 closes the primary block of 64 rows and one word. 2 joins, in the primary
// rows, rows of the block, and in the primary word of all other rows, words of the block. 3 joins primary rows into all
// other rows, in all other words.
// Each pass steps over what earlier passes did by index arithmetic. A thread reads nothing that another writes in the
// same pass.
// Threads: pass 1: one a row. Passes 2 and 3: WORDS x GROUPS, neighbouring threads on neighbouring words of a row, so
// that a row has one choice for all of them. In pass 3 a block first joins all subsets of four neighbouring primary rows;
// then a thread walks down ROWS / GROUPS rows, and joins 16 words from these tables to each (the "four Russians").
// Memory: n * ceil(n / 64) words. Bits past the last vertex stay 0.
// Source: our own; the passes are those of Katz and Kider, 2008, section 4.
#include "warpath/solvers/shared/skip.cuh"

#define BITS 64
#define FOUR 4     // rows that a table joins
#define SUBSETS 16 // of them
#ifndef WORDS
#define WORDS 16
#endif
#ifndef GROUPS
#define GROUPS 16
#endif
#define ROWS (WORDS * GROUPS) // of a block, one a thread

typedef unsigned long long word_t;

// The row number `index` among all but the 64 primary ones.
__device__ __forceinline__ int row_stepped_over(int index, int primary)
{
    return index + (index >= primary * BITS ? BITS : 0);
}

// Set the bits of a vertex and of its heads in its row, which is 0 before: a block a vertex.
extern "C" __global__ void place(int words, const int *indptr, const int *indices, word_t *rows)
{
    word_t *const row = rows + (size_t)blockIdx.x * words;
    if (threadIdx.x == 0)
        atomicOr(&row[blockIdx.x / BITS], (word_t)1 << blockIdx.x % BITS);
    for (long long arc = (long long)indptr[blockIdx.x] + threadIdx.x; arc < indptr[blockIdx.x + 1]; arc += blockDim.x)
        atomicOr(&row[indices[arc] / BITS], (word_t)1 << indices[arc] % BITS);
}

extern "C" __global__ void pass1(int vertices, int words, int primary, word_t *rows)
{
    __shared__ word_t block[BITS];
    const int i = primary * BITS + threadIdx.x;
    const size_t place = (size_t)i * words + primary;
    block[threadIdx.x] = i < vertices ? rows[place] : 0;
    __syncthreads();
    for (int k = 0; k < BITS; ++k) {
        // Row k does not change in step k, so one barrier a step is enough.
        if (threadIdx.x != k && block[threadIdx.x] >> k & 1)
            block[threadIdx.x] |= block[k];
        __syncthreads();
    }
    if (i < vertices)
        rows[place] = block[threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(WORDS *GROUPS) pass2(int vertices, int words, int primary, word_t *rows)
{
    __shared__ word_t closed[BITS];
    __shared__ word_t tile[BITS][WORDS];
    const int thread = threadIdx.y * WORDS + threadIdx.x;
    const int first = primary * BITS;
    const int depth = min(BITS, vertices - first);
    for (int k = thread; k < BITS; k += ROWS)
        closed[k] = k < depth ? rows[(size_t)(first + k) * words + primary] : 0;

    if (blockIdx.y == 1) { // the primary word of the other rows, a thread a row
        __syncthreads();
        const int index = blockIdx.x * ROWS + thread;
        const int i = row_stepped_over(index, primary);
        if (i >= vertices)
            return;
        const word_t choice = rows[(size_t)i * words + primary];
        word_t own = choice;
        for (int k = 0; k < BITS; ++k)
            if (choice >> k & 1)
                own |= closed[k];
        rows[(size_t)i * words + primary] = own;
        return;
    }
    // The other words of the primary rows.
    const int index = blockIdx.x * WORDS + threadIdx.x;
    const int w = stepped_over(index, primary);
    for (int k = threadIdx.y; k < BITS; k += GROUPS)
        tile[k][threadIdx.x] = k < depth && w < words ? rows[(size_t)(first + k) * words + w] : 0;
    __syncthreads();
    if (w >= words)
        return;
    for (int i = threadIdx.y; i < depth; i += GROUPS) {
        word_t own = tile[i][threadIdx.x];
        for (word_t choice = closed[i]; choice; choice &= choice - 1)
            own |= tile[__ffsll((long long)choice) - 1][threadIdx.x];
        rows[(size_t)(first + i) * words + w] = own;
    }
}

extern "C" __global__ void __launch_bounds__(WORDS *GROUPS) pass3(int vertices, int words, int primary, word_t *rows)
{
    __shared__ word_t choices[ROWS];
    static_assert(BITS / FOUR * SUBSETS * WORDS + ROWS <= 6144, "more static shared memory than a block has");
    __shared__ word_t joins[BITS / FOUR][SUBSETS][WORDS];
    const int thread = threadIdx.y * WORDS + threadIdx.x;
    const int first_index = blockIdx.y * ROWS;
    const int own_row = row_stepped_over(first_index + thread, primary);
    choices[thread] = own_row < vertices ? rows[(size_t)own_row * words + primary] : 0;
    const int w = stepped_over(blockIdx.x * WORDS + threadIdx.x, primary);
    for (int four = threadIdx.y; four < BITS / FOUR; four += GROUPS) {
        joins[four][0][threadIdx.x] = 0;
#pragma unroll
        for (int k = 0; k < FOUR; ++k) {
            const int i = primary * BITS + four * FOUR + k;
            const word_t row = i < vertices && w < words ? rows[(size_t)i * words + w] : 0;
            for (int subset = 0; subset < 1 << k; ++subset)
                joins[four][1 << k | subset][threadIdx.x] = row | joins[four][subset][threadIdx.x];
        }
    }
    __syncthreads();
    if (w >= words)
        return;
    for (int row = threadIdx.y; row < ROWS; row += GROUPS) {
        const word_t choice = choices[row];
        if (choice == 0) // also every row past the last
            continue;
        const size_t place = (size_t)row_stepped_over(first_index + row, primary) * words + w;
        const word_t own = rows[place];
        word_t joined = own;
#pragma unroll
        for (int four = 0; four < BITS / FOUR; ++four)
            joined |= joins[four][choice >> four * FOUR & (SUBSETS - 1)][threadIdx.x];
        if (joined != own)
            rows[place] = joined;
    }
}
