// Is a distance too large for 32 bits? Asked of finished answers of graphs whose weights are large.
//
// Solvers store no sum above 2^31 - 2, so a vertex beyond that looks unreachable: it is lost. Where no weight is negative,
// all that is nearer on a shortest path to it is nearer than it. So the first lost vertex of the path follows one that is
// reached, and the arc between them makes a sum of UNREACHABLE or more. Hence nothing is lost unless some vertex is
// reached at `least` or more, which is UNREACHABLE less the heaviest weight.
//   find_far    sets `far` to 1 if a row has such a vertex. Nobody else writes to it, so it stays 0 from call to call;
//   find_lost   looks at the arcs of such vertices, and only of them. `lost` falls to row * 2^32 + arc of the first arc,
//               by row and then by number, that leads to a lost vertex.
// A lost vertex is not one that an arc with too large a sum leads to: another arc may reach it.
// Threads: find_far takes CELLS_A_THREAD vertices a thread, a block's next to each other, so that loads do not wait for
// one another; find_lost takes a warp for each 32 vertices, and all its lanes for the arcs of each one that is far.
// blockIdx.y is the row, or the first of several. Memory: distances of shape (rows, n), 64-bit indices; the arcs.
// Source: our own.
#include "warpath/solvers/shared/distances.cuh"

#ifndef CELLS_A_THREAD
#define CELLS_A_THREAD 8
#endif
#define WARP 32
#define ALL_LANES 0xffffffffu

extern "C" __global__ void find_far(int vertices, int rows, const int *all_distances, int least, int *far)
{
    const long long first = (long long)blockIdx.x * blockDim.x * CELLS_A_THREAD + threadIdx.x;
    for (long long row = blockIdx.y; row < rows; row += gridDim.y) {
        const int *distances = all_distances + row * vertices;
        bool any = false;
#pragma unroll
        for (int cell = 0; cell < CELLS_A_THREAD; ++cell) {
            const long long vertex = first + (long long)cell * blockDim.x;
            const int distance = vertex < vertices ? distances[vertex] : UNREACHABLE;
            any |= distance >= least && distance != UNREACHABLE;
        }
        if (any)
            *far = 1;
    }
}

extern "C" __global__ void find_lost(int vertices, const int *indptr, const int *indices, const int *weights, int rows,
                                     const int *all_distances, int least, unsigned long long *lost)
{
    const int lane = threadIdx.x % WARP;
    const long long first = ((long long)blockIdx.x * blockDim.x + threadIdx.x) - lane;
    if (first >= vertices)
        return;
    for (long long row = blockIdx.y; row < rows; row += gridDim.y) {
        const int *distances = all_distances + row * vertices;
        const int distance = first + lane < vertices ? distances[first + lane] : UNREACHABLE;
        unsigned int left = __ballot_sync(ALL_LANES, distance >= least && distance != UNREACHABLE);
        while (left) {
            const int which = __ffs(left) - 1;
            left &= left - 1;
            const int at_tail = __shfl_sync(ALL_LANES, distance, which);
            const int end = indptr[first + which + 1];
            for (long long arc = indptr[first + which] + lane; arc < end; arc += WARP)
                if (distances[indices[arc]] == UNREACHABLE && (long long)at_tail + weights[arc] >= UNREACHABLE)
                    atomicMin(lost, ((unsigned long long)row << 32) | (unsigned long long)arc);
        }
    }
}
