// Predecessors where weights may be zero or negative: the tree grows from the source, one tight arc at a time.
//
// Idea: with such weights tight arcs can run in a circle, and claiming any of them might close one. So a vertex may
// become a predecessor only when it hangs on the source already. Each launch adds at least one vertex or ends it; a
// vertex is claimed once, by compare-and-swap.
// Threads: grid-stride, any grid. Memory: one `changed` word that the host reads after each launch.
#include "algorithms/bellman_ford/stride_loop.cuh"

extern "C" __global__ void settle(int vertices, int source, const int *indptr, const int *indices, const int *weights,
                                  const int *distances, int *predecessors, int *changed)
{
    FOR_EACH_VERTEX_IN_STRIDES(tail, vertices) {
        if (tail != source && predecessors[tail] == NO_PREDECESSOR)
            continue;
        const long long reached = distances[tail];
        for (int arc = indptr[tail]; arc < indptr[tail + 1]; ++arc) {
            const int head = indices[arc];
            if (head != source && predecessors[head] == NO_PREDECESSOR && reached + weights[arc] == distances[head]
                && atomicCAS(&predecessors[head], NO_PREDECESSOR, (int)tail) == NO_PREDECESSOR)
                *changed = 1;
        }
    }
}
