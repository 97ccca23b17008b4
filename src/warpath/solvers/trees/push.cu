// The tree of shortest paths from one source, from final distances, for weights of any type.
//
// An arc is tight if the distance of its tail, extended by its weight, is the distance of its head. The predecessor of a
// vertex is the tail of a tight arc, and of several such tails always the same one, whichever thread comes first:
//   claim      a vertex takes the lowest tail from which the distance rises along a tight arc, or the source, if it is at
//              the same distance: no other tail is that near, so the first step of `grow` would find no other;
//   find_open  whether a vertex is left over, which no such arc leads to: a distance may stay equal along a tight arc,
//              if the weight is 0, or if the sum is rounded to the tail's distance;
//   grow       a step: of those that are left, each takes the lowest tail among the vertices that were hung in the step
//              before, which for the first step are all that have a predecessor, and the source.
// Predecessors of the first kind lead to nearer vertices, those of the second kind to vertices of an earlier step. So
// both form a tree, and each tail is the least of a set that depends on the graph alone. With negative weights, which
// may form cycles of weight 0, `claim` is left out.
//
// Claims are atomic minima of unsigned words, of which NO_PREDECESSOR is the largest. A step may change no vertex that
// was hung in an earlier step, nor look at one of its own: so what steps write are fresh predecessors of two kinds, in
// turn, `kind` times n above the tail. A compare-and-swap replaces NO_PREDECESSOR, or a larger one of its own kind. A
// step looks at the arcs of vertices of the other kind alone, and writes the tail instead: so no predecessor is fresh
// after a step that hangs no vertex.
//
// `lanes` threads of a warp take a vertex, and a block the arcs of a heavy vertex, which few threads would take most of
// the time for.
//
// Threads: any grid of blocks of whole warps, of up to BLOCK_MAX threads. Memory: CSR, with 64-bit indices; distances and
// predecessors of shape (n,). Limit: of claim, two random words for each arc of a reached vertex. Fresh predecessors
// need 3 n < 2^32. Source: our own.
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

struct Answer {
    int source;
    const Length *distances;
    unsigned int *predecessors;
};

// The heavy vertices among those of a block.
struct Heavy {
    int count;
    int tails[BLOCK_MAX];
};

// Hang a head on a tail of `fresh`, kind and tail, unless it hangs on a lower one; whether it had no predecessor.
__device__ __forceinline__ bool hang(unsigned int *predecessor, unsigned int fresh, unsigned int end_of_kind)
{
    unsigned int seen = *predecessor;
    while (seen > fresh && (seen < end_of_kind || seen == (unsigned int)NO_PREDECESSOR)) {
        const unsigned int before = atomicCAS(predecessor, seen, fresh);
        if (before == seen)
            return seen == (unsigned int)NO_PREDECESSOR;
        seen = before;
    }
    return false;
}

// Hang the heads of tight arcs from `tail` on it; if `kind` is 0, where the distance rises, or `tail` is the source.
// Looks at each `step`th arc from number `first` on. Returns whether a vertex of no predecessor was hung by a `kind` of
// growing.
__device__ __forceinline__ bool hang_each(unsigned int kind, int first, int step, int tail, const Graph &graph,
                                          const Answer &answer)
{
    const Length reached = answer.distances[tail];
    if (reached == UNREACHABLE)
        return false;
    bool any = false;
    const int end = graph.indptr[tail + 1];
    const unsigned int begin_of_kind = kind * graph.vertices;
    for (long long arc = (long long)graph.indptr[tail] + first; arc < end; arc += step) {
        const int head = graph.indices[arc];
        const Length at_head = answer.distances[head];
        if (head == answer.source || at_head == UNREACHABLE || extended_by_any(reached, graph.weights[arc]) != at_head)
            continue;
        if (kind)
            any |= hang(&answer.predecessors[head], begin_of_kind + tail, begin_of_kind + graph.vertices);
        else if (tail == answer.source || number_of(reached) < number_of(at_head))
            atomicMin(&answer.predecessors[head], (unsigned int)tail);
    }
    return any;
}

// The same for all arcs of the tails of a block, where `is_tail`; called by whole blocks.
__device__ __forceinline__ bool hang_all(unsigned int kind, bool is_tail, int tail, int lanes, const Graph &graph,
                                         const Answer &answer, Heavy &heavy)
{
    const int lane = threadIdx.x % lanes;
    if (threadIdx.x == 0)
        heavy.count = 0;
    __syncthreads();
    bool any = false;
    if (is_tail) {
        if (graph.indptr[tail + 1] - graph.indptr[tail] <= HEAVY_DEGREE * lanes)
            any = hang_each(kind, lane, lanes, tail, graph, answer);
        else if (lane == 0)
            heavy.tails[atomicAdd(&heavy.count, 1)] = tail;
    }
    __syncthreads();
    for (int number = 0; number < heavy.count; ++number)
        any |= hang_each(kind, threadIdx.x, blockDim.x, heavy.tails[number], graph, answer);
    __syncthreads();
    return any;
}

// Predecessors are NO_PREDECESSOR before.
extern "C" __global__ void claim(int vertices, int source, int lanes, const int *indptr, const int *indices,
                                 const Weight *weights, const Length *distances, int *predecessors)
{
    __shared__ Heavy heavy;
    const Graph graph = {vertices, indptr, indices, weights};
    const Answer answer = {source, distances, (unsigned int *)predecessors};
    const int in_block = blockDim.x / lanes;
    for (long long first = (long long)blockIdx.x * in_block; first < vertices;
         first += (long long)gridDim.x * in_block) {
        const long long tail = first + threadIdx.x / lanes;
        hang_all(0, tail < vertices, (int)tail, lanes, graph, answer, heavy);
    }
}

// `open`, in the memory of the host, is 0 before. A block writes it once.
extern "C" __global__ void find_open(int vertices, int source, const Length *distances, const int *predecessors,
                                     int *open)
{
    bool any = false;
    for (long long vertex = (long long)blockIdx.x * blockDim.x + threadIdx.x; vertex < vertices;
         vertex += (long long)gridDim.x * blockDim.x)
        any |= predecessors[vertex] == NO_PREDECESSOR && vertex != source && distances[vertex] != UNREACHABLE;
    if (__syncthreads_or(any) && threadIdx.x == 0)
        *open = 1;
}

// A step of kind 1 or 2; the first one is of kind 1. The tree is complete once a step leaves `grown` 0.
extern "C" __global__ void grow(int is_first_step, int kind, int vertices, int source, int lanes, const int *indptr,
                                const int *indices, const Weight *weights, const Length *distances, int *predecessors,
                                int *grown)
{
    __shared__ Heavy heavy;
    const Graph graph = {vertices, indptr, indices, weights};
    const Answer answer = {source, distances, (unsigned int *)predecessors};
    const unsigned int others = (3 - kind) * (unsigned int)vertices; // where fresh ones of the other kind begin
    const int in_block = blockDim.x / lanes;
    bool any = false;
    for (long long first = (long long)blockIdx.x * in_block; first < vertices;
         first += (long long)gridDim.x * in_block) {
        const long long tail = first + threadIdx.x / lanes;
        unsigned int predecessor = tail < vertices ? answer.predecessors[tail] : NO_PREDECESSOR;
        // What the first lane has read counts, because it may write before another one reads.
        predecessor = __shfl_sync(ALL_LANES, predecessor, threadIdx.x % 32 / lanes * lanes);
        const bool is_fresh = predecessor >= others && predecessor - others < (unsigned int)vertices;
        if (is_fresh && threadIdx.x % lanes == 0)
            answer.predecessors[tail] = predecessor - others;
        const bool looks = is_fresh || (is_first_step && (tail == source || predecessor < (unsigned int)vertices));
        if (__syncthreads_or(looks))
            any |= hang_all(kind, looks, (int)tail, lanes, graph, answer, heavy);
    }
    if (any)
        *grown = 1;
}
