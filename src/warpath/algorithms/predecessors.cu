// Predecessors from final distances, for variants whose iterations do not keep them.
//
// An arc is tight if the distance of its tail and its weight add up to the distance of its head; the tail of any tight
// arc may be the predecessor of the head, as long as predecessors form a tree.
//   claim      one source, positive weights: a tight arc leads to a larger distance, so they form no cycle, and a tree
//              results whichever thread writes last;
//   grow       one source, any weights: one step of growing the tree from the source;
//   grow_all   all sources, any weights: each block grows the tree of one source to the end.
// With weights of zero or less, tight arcs can form a cycle. So a vertex becomes a predecessor only once it hangs on
// the source itself, and it is claimed once, by compare-and-swap.
// Threads: claim and grow take any grid; grow_all takes a block of any size for each source. Memory: CSR; distances and
// predecessors of shape (n,) or (n, n), with 64-bit indices.
// Source: claim after Bodra, section 2.1.1, where each variant of Bellman-Ford launches such a kernel at the end.
#include "algorithms/distances.cuh"
#include "algorithms/grid_stride.cuh"

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

extern "C" __global__ void grow_all(int vertices, const int *indptr, const int *indices, const int *weights,
                                    const int *all_distances, int *all_predecessors)
{
    const int source = blockIdx.x;
    const int *distances = all_distances + (size_t)source * vertices;
    int *predecessors = all_predecessors + (size_t)source * vertices;
    for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
        predecessors[vertex] = NO_PREDECESSOR;
    __syncthreads();
    bool grown = true;
    while (grown) {
        bool any = false;
        for (int tail = threadIdx.x; tail < vertices; tail += blockDim.x)
            any |= hang_heads_on(tail, source, indptr, indices, weights, distances, predecessors);
        grown = __syncthreads_or(any);
    }
}
