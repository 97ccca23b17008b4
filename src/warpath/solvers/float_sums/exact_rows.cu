// Contraction hierarchy, exact rows: exact lengths of paths in a graph with floats, guided by distances of whole weights.
//
// Idea: the length of a path is the sum of its weights from the source on, rounded after each addition, but the sweep adds
// shortcuts. So it takes whole weights, each the float in some unit and rounded down, and its distances tell about how far
// a vertex is. Then labels are corrected from the source on, and a vertex is passed on to its neighbours only once its
// label is below its limit, the distance of whole weights with some slack. For most vertices this is once, and at the end.
// Whatever the limits, the answer is exact: if the list has overflowed, or vertices with a label beyond their limit are
// left, all vertices pass their labels on, in the second case with higher limits, until no label falls any more.
// Threads: a block for a source, of any size. It takes a list of the vertices whose labels have fallen, a thread for each,
// and writes the next list. Memory: CSR; a row of labels and two lists for each block, with 64-bit indices; distances of
// whole weights as tree.cuh has them.
// Limit: latency. A round takes a few reads of L2 one after another, and there are as many rounds as arcs on the longest
// path; so some blocks share a multiprocessor. Source: our own.
#include "warpath/solvers/shared/lengths.cuh"
#include "warpath/solvers/many_sources/sweep/tree.cuh"

#define TOO_FAR 0x7ffffffeu // units that say nothing
// How many arcs are read ahead.
#define ARCS_AHEAD 4
#define SLACK_GROWTH 16
#define SLACK_MAX 0x80000000u // then there are no limits

// What the sweep found from one source. `slack` is in units.
struct Guide {
    const unsigned int *rounded;
    const int *positions;
    Weight unit;
    unsigned int slack;

    // The greatest label of a vertex that may be its last.
    __device__ __forceinline__ Weight limit(int vertex) const
    {
        const unsigned int units = rounded[(size_t)positions[vertex] * LANES];
        if (units >= TOO_FAR || slack == SLACK_MAX)
            return number_of(UNREACHABLE);
#if FLOAT_BITS == 64
        return (double)(units + slack) * unit;
#else
        return Weight((float)(units + slack)) * unit;
#endif
    }
    __device__ __forceinline__ void widen()
    {
        slack = min(slack, SLACK_MAX / SLACK_GROWTH) * SLACK_GROWTH;
    }
};

// The state of a block: two lists of vertices, of which one is filled while the other is taken.
struct Lists {
    int count[2];
    int seen, allowed; // vertices that have a label, and those with a label that may be their last
    bool overflowed;
};

// Pass the label of `tail` on: `fell(head, label, old, limit)` for each label that falls.
template <class Fell>
__device__ __forceinline__ void pass_on(int tail, const int *__restrict__ indptr, const int *__restrict__ indices,
                                        const Weight *__restrict__ weights, const Guide &guide, Length *labels,
                                        Fell fell)
{
    const Weight label = number_of(fresh(&labels[tail]));
    const int end = indptr[tail + 1];
    for (int first = indptr[tail]; first < end; first += ARCS_AHEAD) {
        int heads[ARCS_AHEAD];
        Length sums[ARCS_AHEAD];
        bool falls[ARCS_AHEAD];
        Weight limits[ARCS_AHEAD]; // read before the atomic operations, so that all wait together
#pragma unroll
        for (int i = 0; i < ARCS_AHEAD; ++i) {
            const int arc = min(first + i, end - 1);
            heads[i] = indices[arc];
            sums[i] = length_of(label + weights[arc]);
        }
#pragma unroll
        for (int i = 0; i < ARCS_AHEAD; ++i)
            falls[i] = sums[i] < fresh(&labels[heads[i]]) && first + i < end;
#pragma unroll
        for (int i = 0; i < ARCS_AHEAD; ++i)
            limits[i] = falls[i] ? guide.limit(heads[i]) : label;
#pragma unroll
        for (int i = 0; i < ARCS_AHEAD; ++i)
            if (falls[i]) {
                const Length old = atomicMin(&labels[heads[i]], sums[i]);
                if (sums[i] < old)
                    fell(heads[i], sums[i], old, limits[i]);
            }
    }
}

// Row i of `distances`, of shape (rows, n), is that of source i. `work` has the distances of whole weights from it.
extern "C" __global__ void exact_rows(int vertices, const int *__restrict__ indptr, const int *__restrict__ indices,
                                      const Weight *__restrict__ weights, const int *__restrict__ positions,
                                      unsigned int *work, int rows, const int *__restrict__ sources, Weight unit,
                                      unsigned int slack, Length *distances, int *all_lists, int list_size)
{
    __shared__ Lists lists;
    int *const list = all_lists + (size_t)blockIdx.x * 2 * list_size;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        Length *const labels = distances + (size_t)row * vertices;
        const int source = sources[row];
        for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
            labels[vertex] = vertex == source ? 0 : UNREACHABLE;
        if (threadIdx.x == 0) {
            lists = {{1, 0}, 0, 0, false};
            list[0] = source;
        }
        Guide guide = {distances_from(work, row, vertices), positions, unit, slack};
        int turn = 0;
        const auto fell = [&](int head, Length label, Length old, Weight limit) {
            if (old == UNREACHABLE)
                atomicAdd(&lists.seen, 1);
            if (number_of(label) > limit)
                return;
            if (old == UNREACHABLE || number_of(old) > limit)
                atomicAdd(&lists.allowed, 1);
            const int at = atomicAdd(&lists.count[1 - turn], 1);
            if (at < list_size)
                list[(1 - turn) * list_size + at] = head;
            else
                lists.overflowed = true;
        };
        while (true) {
            __syncthreads();
            while (const int count = min(lists.count[turn], list_size)) {
                for (int i = threadIdx.x; i < count; i += blockDim.x)
                    pass_on(list[turn * list_size + i], indptr, indices, weights, guide, labels, fell);
                __syncthreads();
                if (threadIdx.x == 0)
                    lists.count[turn] = 0;
                turn = 1 - turn;
                __syncthreads();
            }
            const bool overflowed = lists.overflowed;
            // A label that was allowed stays so, because limits only rise, and each fall of it was listed.
            const bool complete = !overflowed && lists.seen == lists.allowed;
            __syncthreads();
            if (complete)
                break;
            if (threadIdx.x == 0)
                lists.overflowed = false;
            if (!overflowed)
                guide.widen();
            __syncthreads();
            bool any = false;
            for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
                if (fresh(&labels[vertex]) != UNREACHABLE)
                    pass_on(vertex, indptr, indices, weights, guide, labels,
                            [&](int head, Length label, Length old, Weight limit) {
                                any = true;
                                fell(head, label, old, limit);
                            });
            if (!__syncthreads_or(any))
                break;
            turn = 1 - turn;
        }
    }
}
