// Distances of floats, exact: labels are corrected from each source on, guided by distances that are nearly right.
//
// Idea: the length of a path is the sum of its weights from the source on, rounded after each addition. Solvers that join
// paths or add shortcuts add in another order, so that their sums differ in the last digits. They are good enough to tell
// when a label may be final: once it is within its limit, the guide's distance and some slack. Until then its vertex is
// left alone, since the label will fall again. So most vertices pass their labels on once.
//   rows_by_lists  for graphs with long paths. The guide has whole weights, each the float in some unit and rounded down.
//                  Whatever the limits, the answer is exact: if the list has overflowed, or vertices with a label beyond
//                  their limit are left, all vertices pass their labels on, in the second case with higher limits, until
//                  no label falls any more.
//   rows_by_marks  for dense graphs, along those arcs that shortest paths can use, which pull.cu picks. The guide has sums
//                  in any order, within the bound that guided_rows.py proves, so that no path is lost. A vertex whose arcs
//                  all lead beyond the farthest one is left alone, too. In the end, vertices take the lowest tail of a
//                  tight arc from a nearer vertex as predecessor; the others, if there are any, are hung on vertices that
//                  have one, round by round, as in pull.cu.
//   farthest       the greatest finite distance, from which the host computes the slack of the arcs;
//   lighten        the lightest one of each tail.
// Threads: a block takes sources in turn. Lists: any size, and a thread for each vertex whose label has fallen; it writes
// the next list. Marks: whole warps, each of which takes the marked ones of 32 vertices; GROUP lanes share the arcs of a
// vertex. The others: any size. Memory: CSR; rows of distances, with 64-bit indices. Labels are in the row itself, beside
// two lists for each block, and the guide is as tree.cuh has it; or the guide is in the row, and labels and n bits are in
// shared memory, the labels in `all_labels` if they do not fit.
// Limit: of lists, latency: a round takes a few reads of L2 one after another, and there are as many rounds as arcs on the
// longest path; so some blocks share a multiprocessor. Of marks, for each source the picked arcs about once, 8 or 12 bytes
// each from L2, and an atomic operation in shared memory where a label falls. Source: our own.
#include "warpath/solvers/shared/lengths.cuh"
#include "warpath/solvers/many_sources/sweep/tree.cuh"

#define GROUP 8
// How many arcs a thread reads ahead.
#define AHEAD_OF_LIST 4
#define AHEAD_OF_GROUP 2
#define TOO_FAR 0x7ffffffeu // units that say nothing
#define SLACK_GROWTH 16
#define SLACK_MAX 0x80000000u // then there are no limits

struct Arcs {
    const int *starts;
    const int *heads;
    const Weight *weights;
};

// What the sweep found from one source, for whole weights. `slack` is in units.
struct WholeGuide {
    const unsigned int *distances;
    const int *positions;
    Weight unit;
    unsigned int slack;

    // The greatest label of a vertex that may be its last.
    __device__ __forceinline__ Weight limit(int vertex) const
    {
        const unsigned int units = distances[(size_t)positions[vertex] * LANES];
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

// The arcs `first`, `first` + STEP, ... before `end`, AHEAD at a time, so that a thread waits once for all of them:
// `visit(heads, sums)`, with the label of the tail extended by each arc, or UNREACHABLE if there is none.
template <int STEP, int AHEAD, class Visit>
__device__ __forceinline__ void extend(int first, int end, Length label, const Arcs &arcs, Visit visit)
{
#pragma unroll 1
    for (; first < end; first += STEP * AHEAD) {
        int heads[AHEAD];
        Length sums[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) {
            const int arc = min(first + i * STEP, end - 1);
            heads[i] = arcs.heads[arc];
            sums[i] = length_of(number_of(label) + arcs.weights[arc]);
            if (first + i * STEP >= end)
                sums[i] = UNREACHABLE;
        }
        visit(heads, sums);
    }
}

// Pass a label on along these arcs: `fallen.add(head, label, old, limit)` for each label that falls.
template <int STEP, int AHEAD, class Fallen>
__device__ __forceinline__ void pass_on(int first, int end, Length label, const Arcs &arcs, Length *labels,
                                        Fallen &fallen)
{
    extend<STEP, AHEAD>(first, end, label, arcs, [&](const int (&heads)[AHEAD], const Length(&sums)[AHEAD]) {
        bool falls[AHEAD];
        Weight limits[AHEAD]; // read before the atomic operations, so that all wait together
#pragma unroll
        for (int i = 0; i < AHEAD; ++i)
            falls[i] = sums[i] < fresh(&labels[heads[i]]);
#pragma unroll
        for (int i = 0; i < AHEAD; ++i)
            limits[i] = falls[i] ? fallen.limit(heads[i]) : number_of(label);
#pragma unroll
        for (int i = 0; i < AHEAD; ++i)
            if (falls[i]) {
                const Length old = atomicMin(&labels[heads[i]], sums[i]);
                if (sums[i] < old)
                    fallen.add(heads[i], sums[i], old, limits[i]);
            }
    });
}

// Correct the labels of a row. All but that of the source are UNREACHABLE before, and `fallen` has the source.
template <class Fallen>
__device__ __forceinline__ void relabel(Fallen &fallen)
{
    bool again = true;
    while (__syncthreads_or(again))
        again = fallen.round();
}

// Of a block: the lengths of the list that is taken, of the one that is filled, and of the one that is filled next; and
// how many vertices have a label beyond their limit.
struct ListState {
    int counts[3];
    int beyond;
};

// Vertices whose labels have fallen within their limits, in two lists of at most `size`.
struct Lists {
    int vertices;
    Arcs arcs;
    WholeGuide guide;
    Length *labels;
    int *lists;
    int size;
    ListState *state;
    int turn = 0;
    int *next, *next_count;
    bool any, overflowed = false; // whether this thread has lowered a label in this round, and found a list full

    __device__ __forceinline__ Weight limit(int head) const
    {
        return guide.limit(head);
    }
    __device__ __forceinline__ void add(int head, Length label, Length old, Weight limit)
    {
        any = true;
        const bool was_beyond = old != UNREACHABLE && number_of(old) > limit, is_beyond = number_of(label) > limit;
        if (was_beyond != is_beyond)
            atomicAdd(&state->beyond, is_beyond ? 1 : -1);
        if (is_beyond)
            return;
        const int at = atomicAdd(next_count, 1);
        if (at < size)
            next[at] = head;
        else
            overflowed = true;
    }
    __device__ __forceinline__ void pass_on_from(int tail)
    {
        pass_on<1, AHEAD_OF_LIST>(arcs.starts[tail], arcs.starts[tail + 1], fresh(&labels[tail]), arcs, labels, *this);
    }
    __device__ __forceinline__ bool round()
    {
        const int count = min(state->counts[turn % 3], size);
        const int *const list = lists + turn % 2 * size;
        ++turn;
        next = lists + turn % 2 * size;
        next_count = &state->counts[turn % 3];
        if (threadIdx.x == 0)
            state->counts[(turn + 1) % 3] = 0; // which all have read in the round before
        for (int i = threadIdx.x; i < count; i += blockDim.x)
            pass_on_from(list[i]);
        if (count)
            return true;
        // A label within its limit stays so, because limits only rise, and each fall of it was listed.
        const bool all_within = state->beyond == 0;
        const bool any_overflowed = __syncthreads_or(overflowed);
        if (all_within && !any_overflowed)
            return false;
        if (!any_overflowed)
            guide.widen();
        any = overflowed = false;
        for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
            if (fresh(&labels[vertex]) != UNREACHABLE)
                pass_on_from(vertex);
        return any;
    }
};

// Row i of `distances`, of shape (rows, n), is that of source i. `work` has the distances of whole weights from it.
extern "C" __global__ void rows_by_lists(int vertices, const int *__restrict__ indptr, const int *__restrict__ indices,
                                         const Weight *__restrict__ weights, const int *__restrict__ positions,
                                         unsigned int *work, int rows, const int *__restrict__ sources, Weight unit,
                                         unsigned int slack, Length *distances, int *all_lists, int list_size)
{
    __shared__ ListState state;
    const Arcs arcs = {indptr, indices, weights};
    int *const lists = all_lists + (size_t)blockIdx.x * 2 * list_size;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const WholeGuide guide = {distances_from(work, row, vertices), positions, unit, slack};
        Length *const labels = distances + (size_t)row * vertices;
        for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
            labels[vertex] = vertex == sources[row] ? 0 : UNREACHABLE;
        if (threadIdx.x == 0) {
            state = {{1, 0, 0}, 0};
            lists[0] = sources[row];
        }
        Lists fallen = {vertices, arcs, guide, labels, lists, list_size, &state};
        relabel(fallen);
    }
}

// The position of set bit number `rank` of `bits`, which has more than so many.
__device__ __forceinline__ int bit_of_rank(unsigned int bits, int rank)
{
    int position = 0;
#pragma unroll
    for (int width = LANES / 2; width; width /= 2) {
        const int below = __popc(bits >> position & ((1u << width) - 1));
        if (rank >= below) {
            rank -= below;
            position += width;
        }
    }
    return position;
}

// Call `visit(tail, label, first, end)` for the tails of those lanes that are `wanted`, with the first arc of each lane.
// GROUP lanes take the arcs of one tail at a time, which are few.
template <class Visit>
__device__ __forceinline__ void for_each_tail(const Arcs &arcs, bool wanted, int tail, Length label, Visit visit)
{
    const int lane = threadIdx.x % LANES;
    const int begin = wanted ? arcs.starts[tail] : 0;
    const int end = wanted ? arcs.starts[tail + 1] : 0;
    const unsigned int owners = __ballot_sync(ALL_LANES, wanted);
    const int count = __popc(owners), owner_of_rank = bit_of_rank(owners, lane);
    for (int first = 0; first < count; first += LANES / GROUP) {
        const int rank = first + lane / GROUP;
        const int owner = __shfl_sync(ALL_LANES, owner_of_rank, rank % LANES) % LANES;
        const int from = __shfl_sync(ALL_LANES, tail, owner);
        const int last = __shfl_sync(ALL_LANES, end, owner);
        const Length at_tail = __shfl_sync(ALL_LANES, label, owner);
        const int first_arc = __shfl_sync(ALL_LANES, begin, owner) + lane % GROUP;
        if (rank < count)
            visit(from, at_tail, first_arc, last);
    }
}

// Vertices whose labels have fallen, a bit for each. Limits are `factor` times the `rounded` distances.
struct Marks {
    int vertices;
    Arcs arcs;
    const Length *rounded;
    Weight factor;
    const Length *lightest; // of the arcs from each vertex
    Weight longest;         // no shortest path is longer
    Length *labels;
    unsigned int *words;
    bool any; // whether this thread has lowered a label in this round

    __device__ __forceinline__ bool leads_beyond(int tail, Length label) const
    {
        return number_of(label) + number_of(lightest[tail]) > longest;
    }
    // None: a label is compared with its limit when its mark is taken, since by then it may have fallen again.
    __device__ __forceinline__ Weight limit(int) const
    {
        return factor;
    }
    __device__ __forceinline__ void add(int head, Length, Length, Weight)
    {
        any = true;
        atomicOr(&words[head / LANES], 1u << head % LANES);
    }
    __device__ __forceinline__ bool round()
    {
        const int lane = threadIdx.x % LANES;
        any = false;
        for (int word = threadIdx.x / LANES; word < (vertices + LANES - 1) / LANES; word += blockDim.x / LANES) {
            const unsigned int taken = lane == 0 ? atomicExch(&words[word], 0u) : 0u;
            const unsigned int marked = __shfl_sync(ALL_LANES, taken, 0);
            if (!marked)
                continue;
            const int tail = word * LANES + lane;
            const bool is_marked = marked >> lane & 1;
            const Length label = is_marked ? fresh(&labels[tail]) : 0; // if it falls from now on, it is marked again
            const bool passes =
                is_marked && number_of(label) <= number_of(rounded[tail]) * factor && !leads_beyond(tail, label);
            for_each_tail(arcs, passes, tail, label, [&](int, Length at_tail, int first, int end) {
                pass_on<GROUP, AHEAD_OF_GROUP>(first, end, at_tail, arcs, labels, *this);
            });
        }
        return any;
    }

    // Predecessors from final labels. What a round hangs is n above the tail until all have looked.
    __device__ __forceinline__ void find_predecessors(int source, unsigned int *predecessors) const
    {
        const unsigned int none = NO_PREDECESSOR, fresh_from = vertices;
        for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
            predecessors[vertex] = none;
        // A round that grows the tree hangs a vertex on it, so there are at most n rounds after the first.
        bool is_first = true, open = true;
        while (__syncthreads_or(open)) {
            open = false;
            for (int warp_first = threadIdx.x / LANES * LANES; warp_first < vertices; warp_first += blockDim.x) {
                const int own = warp_first + threadIdx.x % LANES;
                const Length label = own < vertices ? labels[own] : (Length)UNREACHABLE;
                const bool leads_on = label != UNREACHABLE && !leads_beyond(own, label) &&
                                      (is_first || own == source || fresh(&predecessors[own]) < fresh_from);
                for_each_tail(arcs, leads_on, own, label, [&](int tail, Length at_tail, int first, int end) {
                    extend<GROUP, AHEAD_OF_GROUP>(first, end, at_tail, arcs, [&](const auto &heads, const auto &sums) {
#pragma unroll
                        for (int i = 0; i < AHEAD_OF_GROUP; ++i) {
                            unsigned int *const of_head = &predecessors[heads[i]];
                            if (sums[i] == UNREACHABLE || sums[i] != labels[heads[i]])
                                continue;
                            if (is_first && at_tail < sums[i])
                                atomicMin(of_head, (unsigned int)tail);
                            if (!is_first && heads[i] != source && fresh(of_head) > fresh_from + tail)
                                open |= atomicMin(of_head, fresh_from + tail) == none;
                        }
                    });
                });
            }
            __syncthreads();
            for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x) {
                const unsigned int found = predecessors[vertex];
                if (found >= fresh_from && found != none)
                    predecessors[vertex] = found - fresh_from;
                open |= is_first && found == none && vertex != source && labels[vertex] != UNREACHABLE;
            }
            is_first = false;
        }
    }
};

// The greatest distance of a row, as far as this thread looks, 0 if none is finite.
__device__ __forceinline__ Length greatest(int vertices, const Length *row)
{
    Length most = 0;
    for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
        if (row[vertex] != UNREACHABLE)
            most = max(most, row[vertex]);
    return most;
}

// Row i is that of source `first` + i. Its distances are rounded before and exact afterwards. No shortest path is longer
// than its greatest distance times `longest`. No predecessors, none are found.
extern "C" __global__ void __launch_bounds__(1024)
    rows_by_marks(int vertices, int stride, int first, int rows, const int *__restrict__ starts,
                  const int *__restrict__ heads, const Weight *__restrict__ weights,
                  const Length *__restrict__ lightest, Weight factor, Weight longest, Length *distances,
                  unsigned int *all_predecessors, int row_in_shared, Length *all_labels)
{
    DYNAMIC_SHARED(Length, shared);
    __shared__ Length most;
    unsigned int *const words = reinterpret_cast<unsigned int *>(shared + (row_in_shared ? vertices : 0));
    const Arcs arcs = {starts, heads, weights};
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        Length *const of_row = distances + (size_t)row * stride;
        if (threadIdx.x == 0)
            most = 0;
        __syncthreads();
        atomicMax(&most, greatest(vertices, of_row));
        __syncthreads();
        const auto make = [&](Length *labels) {
            for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
                labels[vertex] = vertex == first + row ? 0 : UNREACHABLE;
            for (int word = threadIdx.x; word < (vertices + LANES - 1) / LANES; word += blockDim.x)
                words[word] = word == (first + row) / LANES ? 1u << (first + row) % LANES : 0u;
            Marks fallen = {vertices, arcs, of_row, factor, lightest, longest * number_of(most), labels, words};
            relabel(fallen);
            if (all_predecessors)
                fallen.find_predecessors(first + row, all_predecessors + (size_t)row * vertices);
            for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
                of_row[vertex] = labels[vertex];
        };
        if (row_in_shared) // inlined twice, so that accesses to shared memory are compiled as such
            make(shared);
        else
            make(all_labels + (size_t)blockIdx.x * vertices);
        __syncthreads(); // before the next row
    }
}

// Distances are at least 0, so that their bits have their order.
extern "C" __global__ void farthest(int vertices, int stride, const Length *distances, Length *found)
{
    const Length most = greatest(vertices, distances + (size_t)blockIdx.x * stride);
    if (most > *found) // most are not, and need no atomic operation
        atomicMax(found, most);
}

// The lightest of the picked arcs of each tail, UNREACHABLE if there is none. A thread a tail.
extern "C" __global__ void lighten(int vertices, const int *starts, const Weight *weights, Length *lightest)
{
    const long long tail = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (tail >= vertices)
        return;
    Length least = UNREACHABLE;
    for (int arc = starts[tail]; arc < starts[tail + 1]; ++arc)
        least = min(least, length_of(weights[arc]));
    lightest[tail] = least;
}
