// Transitive closure, blocked: the three passes of blocked.cuh on cells that are 1 where there is a path, else 0.
//
// Idea over naive: TILE intermediate vertices a stage, on blocks in shared memory.
// Threads: one a cell. Pass 2 is a grid of (blocks - 1) x 2, pass 3 of (blocks - 1) x (blocks - 1): a block's place steps
// over the primary one, so that none is idle. Memory: an int a pair, 64-bit indices; up to three blocks of ints in
// shared memory.
// Source: Katz and Kider, 2008, sections 4.1 to 4.3, who chose ints "to remove bank conflicts".
#include "warpath_study/published/katz_kider/blocked.cuh"
#include "warpath_study/published/shared/skip.cuh"

struct ReachedCell {
    typedef int value_t;

    static __device__ __forceinline__ int none()
    {
        return 0; // nothing is reached through it
    }
    static __device__ __forceinline__ void relax(int, const int &to_k, const int &from_k, int &reached)
    {
        if (!reached && (to_k & from_k))
            reached = 1;
    }
};

extern "C" __global__ void pass1(int vertices, int primary, int *cells)
{
    close_primary(Blocks<ReachedCell>{vertices, cells}, primary);
}

extern "C" __global__ void pass2(int vertices, int primary, int *cells)
{
    close_beside_primary(Blocks<ReachedCell>{vertices, cells}, primary, blockIdx.y == 0,
                         stepped_over(blockIdx.x, primary));
}

extern "C" __global__ void pass3(int vertices, int primary, int *cells)
{
    relax_through_primary(Blocks<ReachedCell>{vertices, cells}, primary, stepped_over(blockIdx.y, primary),
                          stepped_over(blockIdx.x, primary));
}
