// Certificate of many answers, one block a row: for rows that fit the shared memory of a block.
//
// Idea over spread_rows: the row of distances is read once, into shared memory, where each arc finds the distances of
// its two ends; marks are bits beside it. All steps of a row follow each other in one launch. The conditions and the
// words for the host are those of spread_rows.
// Walks back along predecessors take the place of the row, whose distances are no longer needed then.
// Threads: a block of any size a row. Memory: tail, head and weight of each arc; distances and predecessors of shape
// (rows, n), 64-bit indices. Dynamic shared memory: n distances, and ceil(n / 32) + 1 words of
// 32 bits.
// Source: our own; the conditions are those of the certificate on the host.
#include "warpath/certificates/arc_rules.cuh"
#include "warpath/device/dynamic_shared.cuh"

#define BITS 32

// Read atomically: while marks grow, other threads set bits of the same word.
__device__ __forceinline__ bool is_marked(unsigned int *marks, int vertex)
{
    return atomicOr(&marks[vertex / BITS], 0u) >> (vertex % BITS) & 1;
}

__device__ __forceinline__ void mark(unsigned int *marks, int vertex)
{
    atomicOr(&marks[vertex / BITS], 1u << (vertex % BITS));
}

// Mark the heads of tight arcs from marked tails, until no more are found. The source counts as marked.
__device__ void grow(int arcs, const int *tails, const int *heads, const Number *weights, int source,
                     const Number *distances, unsigned int *marks)
{
    bool grown = true;
    while (grown) {
        bool any = false;
        for (unsigned int arc = threadIdx.x; arc < arcs; arc += blockDim.x) {
            const int tail = tails[arc], head = heads[arc];
            if (!is_marked(marks, head) && (tail == source || is_marked(marks, tail)) &&
                is_tight(distances[tail], weights[arc], distances[head])) {
                mark(marks, head);
                any = true;
            }
        }
        grown = __syncthreads_or(any);
    }
}

// Whether a chain of predecessors does not end at the source. Every predecessor is a vertex.
__device__ bool has_circle(int vertices, int source, const int *predecessors, int *ancestors)
{
    for (unsigned int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
        ancestors[vertex] = predecessors[vertex] == NO_PREDECESSOR ? source : predecessors[vertex];
    // Each step at least doubles how far back an ancestor is; a chain without a circle has fewer than n arcs. A thread
    // may meet an ancestor that another has already moved back, hence the atomic read and write.
    for (unsigned int steps = 1; steps < vertices; steps *= 2) {
        __syncthreads();
        for (unsigned int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x) {
            const int ancestor = atomicAdd(&ancestors[vertex], 0);
            atomicExch(&ancestors[vertex], atomicAdd(&ancestors[ancestor], 0));
        }
    }
    __syncthreads();
    bool caught = false;
    for (unsigned int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
        caught |= ancestors[vertex] != source;
    return __syncthreads_or(caught);
}

extern "C" __global__ void judge_rows(int vertices, int arcs, const int *__restrict__ tails,
                                      const int *__restrict__ heads, const Number *__restrict__ weights,
                                      Number lightest, const int *sources, const Number *__restrict__ all_distances,
                                      int has_predecessors, const int *__restrict__ all_predecessors, unsigned int call,
                                      unsigned int *faulty_rows, unsigned long long *verdict)
{
    DYNAMIC_SHARED(Number, distances);
    unsigned int *marks = (unsigned int *)(distances + vertices);
    const unsigned int mark_words = (vertices + BITS - 1) / BITS;
    int *reached = (int *)(marks + mark_words);
    const size_t row = (size_t)blockIdx.x * vertices;
    const int *predecessors = all_predecessors + row;
    const int source = sources[blockIdx.x];
    for (unsigned int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
        distances[vertex] = all_distances[row + vertex];
    for (unsigned int word = threadIdx.x; word < mark_words; word += blockDim.x)
        marks[word] = 0;
    if (threadIdx.x == 0)
        *reached = 0;
    __syncthreads();

    bool wrong = false, circles_possible = false;
    for (unsigned int arc = threadIdx.x; arc < arcs; arc += blockDim.x) {
        const int tail = tails[arc], head = heads[arc];
        const Number weight = weights[arc], at_tail = distances[tail], at_head = distances[head];
        wrong |= is_broken(at_tail, weight, at_head);
        if (is_tight(at_tail, weight, at_head) &&
            explains(tail, head, at_tail, at_head, lightest, has_predecessors, predecessors)) {
            mark(marks, head);
            circles_possible |= may_circle(tail, source, at_tail, at_head);
        }
    }
    __syncthreads();
    if (!has_predecessors && (lightest <= 0 || FLOAT_BITS))
        grow(arcs, tails, heads, weights, source, distances, marks);

    int count = 0;
    for (unsigned int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x) {
        const int predecessor = has_predecessors ? predecessors[vertex] : NO_PREDECESSOR;
        wrong |= is_wrong(vertex == source, distances[vertex], predecessor, is_marked(marks, vertex));
        count += distances[vertex] != UNREACHABLE;
    }
    atomicAdd(reached, count);
    bool faulty = __syncthreads_or(wrong);
    if (__syncthreads_or(circles_possible) && !faulty)
        faulty = has_circle(vertices, source, predecessors, (int *)distances);
    if (threadIdx.x != 0)
        return;
    atomicAdd(&verdict[REACHED], (unsigned long long)*reached);
    if (faulty) {
        faulty_rows[blockIdx.x] = call;
        verdict[FAULT] = call;
    }
}
