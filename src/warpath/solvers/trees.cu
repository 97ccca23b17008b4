// Predecessors from final distances, for weights of any type.
//
// An arc is tight if the distance of its tail, extended by its weight, is the distance of its head. The predecessor of a
// vertex is the tail of a tight arc. Along a tight arc the distance may stay equal, if the weight is 0, or if the sum is
// rounded to the tail's distance. Arcs of this kind can form cycles. So there are two steps:
//   claim  a vertex takes the tail of a tight arc from a nearer vertex;
//   grow   a vertex without predecessor takes the tail of any tight arc, once the tail itself has a predecessor or is
//          the source, and it is claimed once, by compare-and-swap.
// Predecessors of the first kind lead to nearer vertices. Those of the second kind lead to vertices at the same distance
// that had a predecessor earlier. So both form a tree. With negative weights, which may form cycles of weight 0, the
// first step is left out.
//
// A thread takes a vertex, and a warp the arcs of a heavy vertex, which a single thread would take most of the time for.
//
// Threads: blocks of whole warps. `claim` and `grow` take any grid, one row for each blockIdx.y; `grow_to_end` takes a
// block for each row. Memory: CSR; distances and predecessors of shape (rows, n), with 64-bit indices. Source: our own.
#include "warpath/solvers/lengths.cuh"

#define THREAD ((long long)blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS ((long long)gridDim.x * blockDim.x)
#define HEAVY_DEGREE 128
#define ALL_LANES 0xffffffffu

// The rows of an answer.
struct Row {
    const Length *distances;
    int *predecessors;
    int source;
};

__device__ __forceinline__ Row row_of(long long row, int vertices, const int *sources, const Length *distances,
                                      int *predecessors)
{
    return {distances + row * vertices, predecessors + row * vertices, sources[row]};
}

// Hang the heads of tight arcs from `tail` on it, if they have no predecessor. Looks at each `step`th arc from number
// `first` on. Returns whether there was one.
template <bool NEARER>
__device__ __forceinline__ bool hang_each(int first, int step, int tail, const int *indptr, const int *indices,
                                          const Weight *weights, const Row &row)
{
    const Length reached = row.distances[tail];
    if (reached == UNREACHABLE)
        return false;
    bool any = false;
    const int end = indptr[tail + 1];
    for (long long arc = (long long)indptr[tail] + first; arc < end; arc += step) {
        const int head = indices[arc];
        const Length at_head = row.distances[head];
        if (head == row.source || at_head == UNREACHABLE || extended_by_any(reached, weights[arc]) != at_head)
            continue;
        if (NEARER) {
            if (number_of(reached) < number_of(at_head))
                row.predecessors[head] = tail;
        } else if (row.predecessors[head] == NO_PREDECESSOR) {
            any |= atomicCAS(&row.predecessors[head], NO_PREDECESSOR, tail) == NO_PREDECESSOR;
        }
    }
    return any;
}

// The same for all arcs of the tail of each lane, where `is_tail`; called by whole warps.
template <bool NEARER>
__device__ __forceinline__ bool hang(bool is_tail, int tail, const int *indptr, const int *indices,
                                     const Weight *weights, const Row &row)
{
    const bool is_heavy = is_tail && indptr[tail + 1] - indptr[tail] > HEAVY_DEGREE;
    bool any = is_tail && !is_heavy && hang_each<NEARER>(0, 1, tail, indptr, indices, weights, row);
    for (unsigned int heavy = __ballot_sync(ALL_LANES, is_heavy); heavy; heavy &= heavy - 1) {
        const int of_warp = __shfl_sync(ALL_LANES, tail, __ffs((int)heavy) - 1);
        any |= hang_each<NEARER>(threadIdx.x % 32, 32, of_warp, indptr, indices, weights, row);
    }
    return any;
}

// Predecessors are NO_PREDECESSOR before.
extern "C" __global__ void claim(int vertices, int rows, const int *indptr, const int *indices, const Weight *weights,
                                 const int *sources, const Length *distances, int *predecessors)
{
    for (long long number = blockIdx.y; number < rows; number += gridDim.y) {
        const Row row = row_of(number, vertices, sources, distances, predecessors);
        for (long long first = THREAD / 32 * 32; first < vertices; first += THREADS) {
            const long long tail = first + threadIdx.x % 32;
            hang<true>(tail < vertices, (int)tail, indptr, indices, weights, row);
        }
    }
}

// One step of growing one row. The host reads `grown` after each launch. The tree is complete once a launch leaves it 0.
extern "C" __global__ void grow(int vertices, const int *indptr, const int *indices, const Weight *weights,
                                const int *sources, const Length *distances, int *predecessors, int *grown)
{
    const Row row = row_of(0, vertices, sources, distances, predecessors);
    for (long long first = THREAD / 32 * 32; first < vertices; first += THREADS) {
        const long long tail = first + threadIdx.x % 32;
        const bool in_tree = tail < vertices && (tail == row.source || row.predecessors[tail] != NO_PREDECESSOR);
        if (hang<false>(in_tree, (int)tail, indptr, indices, weights, row))
            *grown = 1;
    }
}

// All steps of growing rows. A step that grows a tree hangs a vertex on it, so there are at most n steps.
extern "C" __global__ void grow_to_end(int vertices, const int *indptr, const int *indices, const Weight *weights,
                                       const int *sources, const Length *distances, int *predecessors)
{
    const Row row = row_of(blockIdx.x, vertices, sources, distances, predecessors);
    bool open = false;
    for (long long vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
        open |=
            row.predecessors[vertex] == NO_PREDECESSOR && vertex != row.source && row.distances[vertex] != UNREACHABLE;
    open = __syncthreads_or(open);
    while (open) {
        bool any = false;
        for (long long first = threadIdx.x / 32 * 32; first < vertices; first += blockDim.x) {
            const long long tail = first + threadIdx.x % 32;
            const bool in_tree = tail < vertices && (tail == row.source || row.predecessors[tail] != NO_PREDECESSOR);
            any |= hang<false>(in_tree, (int)tail, indptr, indices, weights, row);
        }
        open = __syncthreads_or(any);
    }
}
