// The product of two square float32 matrices, in tiles.
//
// Idea: a block takes a TILE x TILE tile of the product and walks along a row of tiles of the left matrix and a column
// of tiles of the right one, each loaded into shared memory once, so that every entry is read from memory size / TILE
// times.
// Threads: TILE x TILE a block, one thread an entry. Memory: three matrices, row-major, 64-bit indices. Entries
// outside the matrix are zeros in shared memory. A sum is taken in order of its terms, each rounded (or fused) to
// float32.
// Source: K. P. Telang, "Single Source Shortest Path using CUDA", section "Multiplication".
#ifndef TILE
#define TILE 32
#endif

extern "C" __global__ void multiply(int size, const float *left, const float *right, float *product)
{
    __shared__ float left_tile[TILE][TILE];
    __shared__ float right_tile[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int row = blockIdx.y * TILE + y;
    const int column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int first = 0; first < size; first += TILE) {
        const bool left_inside = row < size && first + x < size;
        const bool right_inside = first + y < size && column < size;
        left_tile[y][x] = left_inside ? left[(size_t)row * size + first + x] : 0.0f;
        right_tile[y][x] = right_inside ? right[(size_t)(first + y) * size + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k)
            sum += left_tile[y][k] * right_tile[k][x];
        __syncthreads(); // before the next tiles overwrite these
    }
    if (row < size && column < size)
        product[(size_t)row * size + column] = sum;
}
