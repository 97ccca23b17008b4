// The weights of the arcs after an elimination: those of the graph, lowered by the paths through each vertex.
//
// Idea: a vertex that is eliminated joins each two of its ancestors that its arcs lead to. So its arcs have their weights
// once those of all its descendants have been used, and all vertices of the same height above the leaves go at once.
// Threads: place: a thread for the arcs of a vertex of the graph. lower: a block for a vertex, a warp for its arcs to one
// ancestor, joined with those to the ancestors above. Both look for the arc to lower in a sorted row.
// Memory: the arcs of the elimination, 12 bytes each; atomics in L2, where a shorter path has been found.
// Limit: latency, as many launches as the tree is high.
// Source: J. Dibbelt, B. Strasser and D. Wagner, "Customizable Contraction Hierarchies", 2016.
#include "warpath/solvers/many_sources/sweep/tree.cuh"

// The place of `head`, which is there, in `heads[begin:end]`, which descend.
__device__ __forceinline__ int place_of_head(int head, int begin, int end, const int *__restrict__ heads)
{
    while (end - begin > 1) {
        const int middle = (begin + end) / 2;
        if (heads[middle] >= head)
            begin = middle;
        else
            end = middle;
    }
    return begin;
}

__device__ __forceinline__ void lower_to(unsigned int *weight, unsigned int other)
{
    if (other < *weight)
        atomicMin(weight, other);
}

extern "C" __global__ void place(int vertices, const int *__restrict__ indptr, const int *__restrict__ indices,
                                 const int *__restrict__ weights, const int *__restrict__ positions,
                                 const int *__restrict__ starts, const int *__restrict__ heads, unsigned int *up,
                                 unsigned int *down)
{
    const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= vertices)
        return;
    const int tail = positions[vertex];
    for (int arc = indptr[vertex]; arc < indptr[vertex + 1]; ++arc) {
        const int head = positions[indices[arc]];
        if (head == tail)
            continue;
        const int low = max(tail, head);
        const int slot = place_of_head(min(tail, head), starts[low], starts[low + 1], heads);
        lower_to(tail == low ? &up[slot] : &down[slot], weights[arc]);
    }
}

// Use the arcs of vertex `lows[blockIdx.x]`.
extern "C" __global__ void lower(const int *__restrict__ lows, const int *__restrict__ starts,
                                 const int *__restrict__ heads, unsigned int *up, unsigned int *down)
{
    const int low = lows[blockIdx.x], last = starts[low + 1];
    for (int one = starts[low] + threadIdx.x / LANES; one < last; one += blockDim.x / LANES) {
        const int middle = heads[one], begin = starts[middle], end = starts[middle + 1];
        const unsigned int from_middle = down[one], to_middle = up[one];
        for (int other = one + 1 + threadIdx.x % LANES; other < last; other += LANES) {
            const int slot = place_of_head(heads[other], begin, end, heads);
            lower_to(&up[slot], from_middle + up[other]);
            lower_to(&down[slot], down[other] + to_middle);
        }
    }
}
