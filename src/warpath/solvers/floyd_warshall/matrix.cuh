// A padded matrix of words, cut into tiles.
#pragma once

#include "warpath/solvers/floyd_warshall/product.cuh"

// The padded matrix, `side` cells each way.
struct Matrix {
    word_t *words;
    size_t stride; // words of a row
    int tiles;     // primary tiles, and tiles of a column; a row has tiles / PACKED

    __device__ __forceinline__ Matrix(int *words, int side)
        : words(reinterpret_cast<word_t *>(words)), stride(side / PACKED), tiles(side / TILE)
    {
    }
    __device__ __forceinline__ word_t *row(int row) const
    {
        return words + (size_t)row * stride;
    }
    // The passage of a stage: TILE rows of `side` words.
    __device__ __forceinline__ word_t *passage(int *passages, int stage) const
    {
        return reinterpret_cast<word_t *>(passages) + (size_t)(stage & 1) * TILE * tiles * TILE;
    }
};

// The number of the primary tile that column `word` of a row belongs to.
__device__ __forceinline__ int primary_of(int word)
{
    return word * PACKED / TILE;
}

// Whether any column of tile_j has a primary tile other than `one` and `other`.
__device__ __forceinline__ bool has_columns_beside(int tile_j, int one, int other)
{
    bool any = false;
#pragma unroll
    for (int part = 0; part < PACKED; ++part) {
        const int primary = tile_j * PACKED + part;
        any |= primary != one && primary != other;
    }
    return any;
}
