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
// Seldom is a vertex left to `grow`; `find_open` tells the rows that have one. The first step looks at the arcs of all
// vertices of the tree, and later ones at those of the vertices that were hung on it last. For this, a step writes a
// predecessor as fresh_of(tail). The step that looks at the vertex's arcs writes the tail instead, so no predecessor is
// fresh after a step that hangs no vertex: it sees all that earlier steps wrote.
//
// `lanes` threads of a warp take a vertex, and a block the arcs of a heavy vertex, which few threads would take most of
// the time for.
//
// Threads: blocks of whole warps, of up to BLOCK_MAX threads. `grow_to_end` takes a block for each row, and the others
// any grid, one row for each blockIdx.y. Memory: CSR; distances and predecessors of shape (rows, n), with 64-bit
// indices. Source: our own.
#include "warpath/solvers/shared/lengths.cuh"

#define BLOCK_MAX 1024
#define ALL_LANES 0xffffffffu
#ifndef HEAVY_DEGREE
#define HEAVY_DEGREE 64 // for each lane
#endif

struct Graph {
    int vertices;
    const int *__restrict__ indptr;
    const int *__restrict__ indices;
    const Weight *__restrict__ weights;
};

// The rows of an answer.
struct Row {
    const Length *distances;
    int *predecessors;
    int source;
};

// The heavy vertices among those of a block.
struct Heavy {
    int count;
    int tails[BLOCK_MAX];
};

// The tail, from a fresh predecessor, and the other way round. It is less than NO_PREDECESSOR.
__device__ __forceinline__ int fresh_of(int tail)
{
    return NO_PREDECESSOR - 1 - tail;
}

__device__ __forceinline__ Row row_of(long long row, int vertices, const int *sources, const Length *distances,
                                      int *predecessors)
{
    return {distances + row * vertices, predecessors + row * vertices, sources[row]};
}

// Hang the heads of tight arcs from `tail` on it, if they have no predecessor. Looks at each `step`th arc from number
// `first` on. Returns whether there was one.
template <bool NEARER>
__device__ __forceinline__ bool hang_each(int first, int step, int tail, const Graph &graph, const Row &row)
{
    const Length reached = row.distances[tail];
    if (reached == UNREACHABLE)
        return false;
    bool any = false;
    const int end = graph.indptr[tail + 1];
    for (long long arc = (long long)graph.indptr[tail] + first; arc < end; arc += step) {
        const int head = graph.indices[arc];
        const Length at_head = row.distances[head];
        if (head == row.source || at_head == UNREACHABLE || extended_by_any(reached, graph.weights[arc]) != at_head)
            continue;
        if (NEARER) {
            if (number_of(reached) < number_of(at_head))
                row.predecessors[head] = tail;
        } else if (row.predecessors[head] == NO_PREDECESSOR) {
            any |= atomicCAS(&row.predecessors[head], NO_PREDECESSOR, fresh_of(tail)) == NO_PREDECESSOR;
        }
    }
    return any;
}

// The same for all arcs of the tails of a block, where `is_tail`; called by whole blocks.
template <bool NEARER>
__device__ __forceinline__ bool hang(bool is_tail, int tail, int lanes, const Graph &graph, const Row &row,
                                     Heavy &heavy)
{
    const int lane = threadIdx.x % lanes;
    if (threadIdx.x == 0)
        heavy.count = 0;
    __syncthreads();
    bool any = false;
    if (is_tail) {
        if (graph.indptr[tail + 1] - graph.indptr[tail] <= HEAVY_DEGREE * lanes)
            any = hang_each<NEARER>(lane, lanes, tail, graph, row);
        else if (lane == 0)
            heavy.tails[atomicAdd(&heavy.count, 1)] = tail;
    }
    __syncthreads();
    for (int number = 0; number < heavy.count; ++number)
        any |= hang_each<NEARER>(threadIdx.x, blockDim.x, heavy.tails[number], graph, row);
    __syncthreads();
    return any;
}

// Whether a step looks at the arcs of a vertex. Its predecessor is fresh no more.
__device__ __forceinline__ bool takes_turn(bool is_first_step, bool is_tail, int tail, int lanes, const Row &row)
{
    int predecessor = is_tail ? row.predecessors[tail] : NO_PREDECESSOR;
    // What the first lane has read counts, because another thread may hang the vertex between two reads.
    predecessor = __shfl_sync(ALL_LANES, predecessor, threadIdx.x % 32 / lanes * lanes);
    const bool is_fresh = predecessor < NO_PREDECESSOR;
    if (is_fresh && threadIdx.x % lanes == 0)
        row.predecessors[tail] = fresh_of(predecessor);
    return is_fresh || (is_first_step && is_tail && (tail == row.source || predecessor != NO_PREDECESSOR));
}

// A step of growing, by block `block` of `blocks`; called by whole blocks. Returns whether it hung a vertex.
__device__ __forceinline__ bool grow_once(bool is_first_step, int block, int blocks, int lanes, const Graph &graph,
                                          const Row &row, Heavy &heavy)
{
    bool any = false;
    const int in_block = blockDim.x / lanes;
    for (long long first = (long long)block * in_block; first < graph.vertices; first += (long long)blocks * in_block) {
        const long long tail = first + threadIdx.x / lanes;
        const bool looks = takes_turn(is_first_step, tail < graph.vertices, (int)tail, lanes, row);
        if (__syncthreads_or(looks))
            any |= hang<false>(looks, (int)tail, lanes, graph, row, heavy);
    }
    return any;
}

// Predecessors are NO_PREDECESSOR before.
extern "C" __global__ void claim(int vertices, int rows, int lanes, const int *indptr, const int *indices,
                                 const Weight *weights, const int *sources, const Length *distances, int *predecessors)
{
    __shared__ Heavy heavy;
    const Graph graph = {vertices, indptr, indices, weights};
    const int in_block = blockDim.x / lanes;
    for (long long number = blockIdx.y; number < rows; number += gridDim.y) {
        const Row row = row_of(number, vertices, sources, distances, predecessors);
        for (long long first = (long long)blockIdx.x * in_block; first < vertices;
             first += (long long)gridDim.x * in_block) {
            const long long tail = first + threadIdx.x / lanes;
            hang<true>(tail < vertices, (int)tail, lanes, graph, row, heavy);
        }
    }
}

// `open` is 0 for each row before.
extern "C" __global__ void find_open(int vertices, int rows, const int *sources, const Length *distances,
                                     int *predecessors, int *open)
{
    for (long long number = blockIdx.y; number < rows; number += gridDim.y) {
        const Row row = row_of(number, vertices, sources, distances, predecessors);
        for (long long vertex = (long long)blockIdx.x * blockDim.x + threadIdx.x; vertex < vertices;
             vertex += (long long)gridDim.x * blockDim.x)
            if (row.predecessors[vertex] == NO_PREDECESSOR && vertex != row.source &&
                row.distances[vertex] != UNREACHABLE)
                open[number] = 1;
    }
}

// One step for rows that are open. The trees are complete once a step leaves `grown` 0; it may be null.
extern "C" __global__ void grow(int is_first_step, int vertices, int rows, int lanes, const int *indptr,
                                const int *indices, const Weight *weights, const int *sources, const Length *distances,
                                int *predecessors, const int *open, int *grown)
{
    __shared__ Heavy heavy;
    const Graph graph = {vertices, indptr, indices, weights};
    bool any = false;
    for (long long number = blockIdx.y; number < rows; number += gridDim.y) {
        const Row row = row_of(number, vertices, sources, distances, predecessors);
        if (open[number])
            any |= grow_once(is_first_step, blockIdx.x, gridDim.x, lanes, graph, row, heavy);
    }
    if (any && grown)
        *grown = 1;
}

// All steps after the first. A step that grows a tree hangs a vertex on it, so there are at most n steps.
extern "C" __global__ void grow_to_end(int vertices, int lanes, const int *indptr, const int *indices,
                                       const Weight *weights, const int *sources, const Length *distances,
                                       int *predecessors, const int *open)
{
    __shared__ Heavy heavy;
    const Graph graph = {vertices, indptr, indices, weights};
    const Row row = row_of(blockIdx.x, vertices, sources, distances, predecessors);
    while (open[blockIdx.x] && __syncthreads_or(grow_once(false, 0, 1, lanes, graph, row, heavy)))
        ;
}
