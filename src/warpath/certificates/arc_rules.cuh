// What a certificate's kernels take arrays to mean. It repeats warpath.distances, and includes nothing of the solvers:
// no answer is certified by code that made it.
#pragma once

#define UNREACHABLE 0x7fffffff
#define NO_PREDECESSOR (-1)

// The words that a certificate's kernels write for the host. The first two hold the number of the last call that set
// them, so that nothing has to be cleared between calls; the third counts on from call to call.
enum { FAULT, CIRCLES_POSSIBLE, REACHED, VERDICT_WORDS };

// Whether the arc gives a shorter path than its head's distance, or reaches a head that is called unreachable.
__device__ __forceinline__ bool is_broken(int at_tail, int weight, int at_head)
{
    return at_tail != UNREACHABLE && (at_head == UNREACHABLE || (long long)at_tail + weight < at_head);
}

// Whether the arc, which is not broken, gives exactly its head's distance.
__device__ __forceinline__ bool is_tight(int at_tail, int weight, int at_head)
{
    return at_tail != UNREACHABLE && (long long)at_tail + weight == at_head;
}

// Whether a tight arc explains its head's distance.
//
// Where predecessors are given, the arc from the predecessor does. Where they are not, an arc of positive weight does,
// if no weight is negative: its tail is nearer to the source, so steps back along such arcs return to no vertex. Heads
// that this leaves unexplained are reached by growing along tight arcs from vertices that are explained.
__device__ __forceinline__ bool explains(int tail, int head, int weight, int lightest, int has_predecessors,
                                         const int *predecessors)
{
    return has_predecessors ? predecessors[head] == tail : weight > 0 && lightest >= 0;
}

// Whether the distance or the predecessor of a vertex is wrong, once all arcs have been judged.
__device__ __forceinline__ bool is_wrong(bool is_source, int distance, int predecessor, bool explained)
{
    if (is_source)
        return distance != 0 || predecessor != NO_PREDECESSOR;
    return distance == UNREACHABLE ? predecessor != NO_PREDECESSOR : !explained;
}
