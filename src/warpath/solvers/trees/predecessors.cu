// Predecessors from final distances, for variants whose iterations do not keep them.
//
// An arc is tight if the distance of its tail and its weight add up to the distance of its head; the tail of any tight
// arc may be the predecessor of the head, as long as predecessors form a tree.
//   claim      one source, positive weights: a tight arc leads to a larger distance, so they form no cycle, and a tree
//              results whichever thread writes last;
//   grow       one source, any weights: one step of growing the tree from the source;
//   claim_rows many sources: every vertex looks for a tight arc of positive weight into it, and writes once;
//   grow_rows  many sources: each block grows the tree of one source to the end, by the arcs that are left.
// With weights of zero or less, tight arcs can form a cycle. So a vertex becomes a predecessor only once it hangs on
// the source itself, and it is claimed once, by compare-and-swap. Rows are quicker where only zero is the trouble: along
// a positive tight arc the distance rises, so what claim_rows wrote leads to vertices that lie nearer, and hangs on the
// source as soon as they do; only chains of arcs of weight zero are grown.
// Threads: claim and grow take any grid, a vertex in turn a thread; claim_rows takes blocks of any size, (rows, pieces of
// a row); grow_rows takes a block of any size for each row. Memory: CSR, or arcs by head, or lists of arcs; distances
// and predecessors of shape (n,) or (k, n), with 64-bit indices.
// Source: claim after Bodra, section 2.1.1, where each variant of Bellman-Ford launches such a kernel at the end.
#include "warpath/solvers/shared/distances.cuh"
#include "warpath/solvers/shared/grid_stride.cuh"

extern "C" __global__ void claim(int vertices, const int *indptr, const int *indices, const int *weights,
                                 const int *distances, int *predecessors)
{
    FOR_EACH_VERTEX_IN_STRIDES(tail, vertices) {
        const int reached = distances[tail];
        if (reached == UNREACHABLE)
            continue;
        const int end = indptr[tail + 1];
        for (int arc = indptr[tail]; arc < end; ++arc)
            if ((long long)reached + weights[arc] == distances[indices[arc]])
                predecessors[indices[arc]] = (int)tail;
    }
}

// Hang the heads of tight arcs from `tail` on it, if `tail` hangs on the source itself; true if there was one.
__device__ __forceinline__ bool hang_heads_on(int tail, int source, const int *indptr, const int *indices,
                                              const int *weights, const int *distances, int *predecessors)
{
    if (tail != source && predecessors[tail] == NO_PREDECESSOR)
        return false;
    bool any = false;
    const long long reached = distances[tail];
    const int end = indptr[tail + 1];
    for (int arc = indptr[tail]; arc < end; ++arc) {
        const int head = indices[arc];
        if (head != source && predecessors[head] == NO_PREDECESSOR && reached + weights[arc] == distances[head])
            any |= atomicCAS(&predecessors[head], NO_PREDECESSOR, tail) == NO_PREDECESSOR;
    }
    return any;
}

// The host reads `grown` after each launch; the tree is complete once a launch leaves it 0.
extern "C" __global__ void grow(int vertices, int source, const int *indptr, const int *indices, const int *weights,
                                const int *distances, int *predecessors, int *grown)
{
    FOR_EACH_VERTEX_IN_STRIDES(tail, vertices)
        if (hang_heads_on((int)tail, source, indptr, indices, weights, distances, predecessors))
            *grown = 1;
}

// Row blockIdx.x, of the source of the same number where `sources` is null. Arcs are those of positive weight, by head.
extern "C" __global__ void claim_rows(int vertices, const int *sources, const int *__restrict__ starts,
                                      const int *__restrict__ tails, const int *__restrict__ weights,
                                      const int *__restrict__ all_distances, int *all_predecessors)
{
    const int source = sources ? sources[blockIdx.x] : blockIdx.x;
    const int *distances = all_distances + (size_t)blockIdx.x * vertices;
    int *predecessors = all_predecessors + (size_t)blockIdx.x * vertices;
    const int stride = blockDim.x * gridDim.y;
    for (long long head = (long long)blockIdx.y * blockDim.x + threadIdx.x; head < vertices; head += stride) {
        const int reached = distances[head];
        int predecessor = NO_PREDECESSOR;
        if (reached != UNREACHABLE && head != source) {
            const int end = starts[head + 1];
            for (int arc = starts[head]; arc < end; ++arc)
                if ((long long)distances[tails[arc]] + weights[arc] == reached) {
                    predecessor = tails[arc];
                    break;
                }
        }
        predecessors[head] = predecessor;
    }
}

// Row blockIdx.x, as above, of which claim_rows has done its part. Arcs are all others, in any order. A round that
// grows a tree hangs a vertex on it, so there are at most as many rounds as vertices.
extern "C" __global__ void grow_rows(int vertices, const int *sources, int arcs, const int *__restrict__ tails,
                                     const int *__restrict__ heads, const int *__restrict__ weights,
                                     const int *__restrict__ all_distances, int *all_predecessors)
{
    const int source = sources ? sources[blockIdx.x] : blockIdx.x;
    const int *distances = all_distances + (size_t)blockIdx.x * vertices;
    int *predecessors = all_predecessors + (size_t)blockIdx.x * vertices;
    bool grown = true;
    while (grown) {
        bool any = false;
        for (long long arc = threadIdx.x; arc < arcs; arc += blockDim.x) {
            const int tail = tails[arc], head = heads[arc];
            if (head == source || predecessors[head] != NO_PREDECESSOR)
                continue;
            if (tail != source && predecessors[tail] == NO_PREDECESSOR)
                continue;
            if ((long long)distances[tail] + weights[arc] == distances[head])
                any |= atomicCAS(&predecessors[head], NO_PREDECESSOR, tail) == NO_PREDECESSOR;
        }
        grown = __syncthreads_or(any);
    }
}
