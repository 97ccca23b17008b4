// Certificate of answers whose arcs are spread over the whole grid: for one source, and for rows too long for the
// shared memory of a block.
//
// A row holds the distances from one source, and predecessors, if they are given. It is exact if the source is at 0, no
// arc gives a shorter path, and each other reached vertex is explained by a tight arc (see arc_rules.cuh) such that
// steps back along explaining arcs end at the source.
//   judge_arcs       looks at each arc; marks the heads that a tight arc explains;
//   grow             marks heads of tight arcs from marked tails, where an arc may be tight from a tail that is not
//                    nearer, without predecessors; the host reads `grown` after each launch, and the marks are
//                    complete once a launch leaves it 0;
//   judge_vertices   looks at each vertex and its mark; counts the vertices reached;
//   begin_walks, double_walks, end_walks   follow all chains of predecessors at once, each step twice as far as the
//                    last, for answers in which a predecessor that is not the source may be as far from it as its vertex.
// A mark is the number of the call, so that marks of earlier calls count for nothing and need no clearing.
// Threads: one an arc or a vertex; blockIdx.y is the row. Memory: tail, head and weight of each arc; distances,
// predecessors and marks of shape (rows, n), ancestors too where walks are needed; 64-bit indices.
// Source: our own; the conditions are those of the certificate on the host.
#include "warpath/certificates/arc_rules.cuh"

#define THREAD ((long long)blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void judge_arcs(int vertices, int arcs, const int *tails, const int *heads, const Number *weights,
                                      Number lightest, const int *sources, const Number *all_distances,
                                      int has_predecessors, const int *all_predecessors, unsigned int call,
                                      unsigned int *all_marks, unsigned int *faulty_rows, unsigned long long *verdict)
{
    const long long arc = THREAD;
    if (arc >= arcs)
        return;
    const size_t row = (size_t)blockIdx.y * vertices;
    const Number *distances = all_distances + row;
    const int tail = tails[arc], head = heads[arc];
    const Number weight = weights[arc], at_tail = distances[tail], at_head = distances[head];
    if (is_broken(at_tail, weight, at_head)) {
        faulty_rows[blockIdx.y] = call;
        verdict[FAULT] = call;
    } else if (is_tight(at_tail, weight, at_head) &&
               explains(tail, head, at_tail, at_head, lightest, has_predecessors, all_predecessors + row)) {
        all_marks[row + head] = call;
        if (may_circle(tail, sources[blockIdx.y], at_tail, at_head))
            verdict[CIRCLES_POSSIBLE] = call;
    }
}

extern "C" __global__ void grow(int vertices, int arcs, const int *tails, const int *heads, const Number *weights,
                                const int *sources, const Number *all_distances, unsigned int call,
                                unsigned int *all_marks, int *grown)
{
    const long long arc = THREAD;
    if (arc >= arcs)
        return;
    const size_t row = (size_t)blockIdx.y * vertices;
    const Number *distances = all_distances + row;
    unsigned int *marks = all_marks + row;
    const int tail = tails[arc], head = heads[arc];
    if (marks[head] != call && (marks[tail] == call || tail == sources[blockIdx.y]) &&
        is_tight(distances[tail], weights[arc], distances[head])) {
        marks[head] = call;
        *grown = 1;
    }
}

extern "C" __global__ void judge_vertices(int vertices, const int *sources, const Number *all_distances,
                                          int has_predecessors, const int *all_predecessors, unsigned int call,
                                          const unsigned int *all_marks, unsigned int *faulty_rows,
                                          unsigned long long *verdict)
{
    const long long vertex = THREAD;
    bool reached = false;
    if (vertex < vertices) {
        const size_t place = (size_t)blockIdx.y * vertices + vertex;
        const Number distance = all_distances[place];
        const int predecessor = has_predecessors ? all_predecessors[place] : NO_PREDECESSOR;
        reached = distance != UNREACHABLE;
        if (is_wrong(vertex == sources[blockIdx.y], distance, predecessor, all_marks[place] == call)) {
            faulty_rows[blockIdx.y] = call;
            verdict[FAULT] = call;
        }
    }
    const int count = __syncthreads_count(reached);
    if (threadIdx.x == 0)
        atomicAdd(&verdict[REACHED], (unsigned long long)count);
}

// Walks begin once judge_vertices has found no fault, so every predecessor is a vertex.
extern "C" __global__ void begin_walks(int vertices, const int *sources, const int *predecessors, int *ancestors)
{
    if (THREAD >= vertices)
        return;
    const size_t place = (size_t)blockIdx.y * vertices + THREAD;
    ancestors[place] = predecessors[place] == NO_PREDECESSOR ? sources[blockIdx.y] : predecessors[place];
}

// A thread may meet an ancestor that another has already moved back, hence the volatile read: its own ancestor then moves
// the further. Atomic reads of the root, where most walks meet, would wait for one another.
extern "C" __global__ void double_walks(int vertices, int *all_ancestors)
{
    if (THREAD >= vertices)
        return;
    int *ancestors = all_ancestors + (size_t)blockIdx.y * vertices;
    const int ancestor = ancestors[THREAD]; // only this thread moves it
    ancestors[THREAD] = *(volatile int *)&ancestors[ancestor];
}

extern "C" __global__ void end_walks(int vertices, const int *sources, const int *ancestors, unsigned int call,
                                     unsigned int *faulty_rows, unsigned long long *verdict)
{
    if (THREAD >= vertices)
        return;
    if (ancestors[(size_t)blockIdx.y * vertices + THREAD] != sources[blockIdx.y]) {
        faulty_rows[blockIdx.y] = call;
        verdict[FAULT] = call;
    }
}
