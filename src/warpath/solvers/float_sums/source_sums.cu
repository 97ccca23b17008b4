// Distances of floats, exact, from those that are rounded in any order, for graphs of which few arcs are shortest paths.
//
// The length of a path is the sum of its weights from the source on, rounded after each addition. Floyd-Warshall adds in
// another order, so that its sums differ in the last digits. They are good enough to find the arcs that a shortest path
// can use: those whose weight is at most the rounded distance of their ends, and a slack. Of a complete graph with random
// weights about n log n arcs are left. Along them, the sums from each source are made again.
//   farthest       the greatest finite distance, from which the host computes the slack;
//   count, place   pick the arcs, by tail, and the lightest one of each tail;
//   sum_rows       one source a block: a warp takes vertices whose sums have fallen, and extends them by their arcs. It
//                  leaves a vertex alone while its sum is beyond its rounded distance, since that will fall again, and a vertex
//                  whose arcs all lead beyond the farthest one. So most vertices are taken once. At the end, vertices
//                  take the lowest tail of a tight arc from a nearer vertex as predecessor; the others, if there are
//                  any, are hung on vertices that have one, round by round, as in pull.cu.
// Why nothing is lost: a rounded distance is a sum of n steps at most, each off by half a unit of the last place. The
// slack and `factor` are more than twice what that makes; see source_sums.py.
// Threads: farthest, count and place take a block of any size for each row; sum_rows takes blocks of whole warps, of
// which each takes rows in turn. Memory: CSR; distances in rows of `stride`, predecessors in rows of n, 64-bit indices;
// in sum_rows n bits in shared memory, and a row of sums, there or, if it does not fit, in `sums`.
// Limit: of sum_rows, for each source the picked arcs about once, 8 or 12 bytes each from L2, and an atomic operation in
// shared memory where a sum falls. Source: our own.
#include "warpath/solvers/shared/lengths.cuh"
#include "warpath/device/dynamic_shared.cuh"

#define WARP 32
#define GROUP 8
#define ALL_LANES 0xffffffffu

// Distances are at least 0, so that their bits have their order.
extern "C" __global__ void farthest(int vertices, int stride, const Length *distances, Length *found)
{
    const Length *row = distances + (size_t)blockIdx.x * stride;
    Length most = 0;
    for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
        if (row[vertex] != UNREACHABLE)
            most = max(most, row[vertex]);
    if (most > *found) // most are not, and need no atomic operation
        atomicMax(found, most);
}

// Whether a shortest path can use an arc; `row` are the rounded distances from its tail.
__device__ __forceinline__ bool is_useful(int tail, int head, Weight weight, const Length *row, Weight slack)
{
    return head != tail && weight <= number_of(row[head]) + slack;
}

// Row i of the distances is that of vertex `first` + i, and so are the counts, and what place makes.
extern "C" __global__ void count(int first, int stride, const int *indptr, const int *indices, const Weight *weights,
                                 const Length *distances, Weight slack, int *counts)
{
    const int tail = first + blockIdx.x;
    const Length *row = distances + (size_t)blockIdx.x * stride;
    int found = 0;
    for (int arc = indptr[tail] + threadIdx.x; arc < indptr[tail + 1]; arc += blockDim.x)
        found += is_useful(tail, indices[arc], weights[arc], row, slack);
    if (found)
        atomicAdd(&counts[blockIdx.x], found);
}

// `next` has the place for the next arc of each tail.
extern "C" __global__ void place(int first, int stride, const int *indptr, const int *indices, const Weight *weights,
                                 const Length *distances, Weight slack, int *next, int *heads, Weight *picked_weights,
                                 int *tails)
{
    const int tail = first + blockIdx.x;
    const Length *row = distances + (size_t)blockIdx.x * stride;
    for (int arc = indptr[tail] + threadIdx.x; arc < indptr[tail + 1]; arc += blockDim.x) {
        const int head = indices[arc];
        const Weight weight = weights[arc];
        if (!is_useful(tail, head, weight, row, slack))
            continue;
        const int at = atomicAdd(&next[blockIdx.x], 1);
        heads[at] = head;
        picked_weights[at] = weight;
        tails[at] = tail;
    }
}

// The lightest of the picked arcs of each tail, which are UNREACHABLE before. Any grid.
extern "C" __global__ void lighten(int arcs, const int *tails, const Weight *weights, Length *lightest)
{
    for (long long arc = (long long)blockIdx.x * blockDim.x + threadIdx.x; arc < arcs;
         arc += (long long)gridDim.x * blockDim.x)
        atomicMin(&lightest[tails[arc]], length_of(weights[arc]));
}

// The picked arcs, and how far they may lead.
struct Arcs {
    const int *starts;
    const int *heads;
    const Weight *weights;
    const Length *lightest;
    Weight limit; // no shortest path is longer

    __device__ __forceinline__ bool lead_beyond(int tail, Length sum) const
    {
        return number_of(sum) + number_of(lightest[tail]) > limit;
    }
};

// The position of set bit number `rank` of `bits`, which has more than so many.
__device__ __forceinline__ int bit_of_rank(unsigned int bits, int rank)
{
    int position = 0;
#pragma unroll
    for (int width = WARP / 2; width; width /= 2) {
        const int below = __popc(bits >> position & ((1u << width) - 1));
        if (rank >= below) {
            rank -= below;
            position += width;
        }
    }
    return position;
}

// Call `extend(tail, sum, head, weight)` for each arc from the tails of those lanes that are `wanted`. GROUP lanes take
// the arcs of one tail at a time, which are few.
template <class Extend>
__device__ __forceinline__ void for_each_arc(const Arcs &arcs, bool wanted, int tail, Length sum, Extend extend)
{
    const int lane = threadIdx.x % WARP;
    const int begin = wanted ? arcs.starts[tail] : 0;
    const int end = wanted ? arcs.starts[tail + 1] : 0;
    const unsigned int owners = __ballot_sync(ALL_LANES, wanted);
    const int count = __popc(owners), owner_of_rank = bit_of_rank(owners, lane);
    for (int first = 0; first < count; first += WARP / GROUP) {
        const int rank = first + lane / GROUP;
        const int owner = __shfl_sync(ALL_LANES, owner_of_rank, rank % WARP) % WARP;
        const int from = __shfl_sync(ALL_LANES, tail, owner);
        const int last = __shfl_sync(ALL_LANES, end, owner);
        const Length at_tail = __shfl_sync(ALL_LANES, sum, owner);
        const int first_arc = __shfl_sync(ALL_LANES, begin, owner) + lane % GROUP;
        // Two at a time: both are read before the first is extended, so that the lane waits once.
        for (int arc = first_arc; rank < count && arc < last; arc += 2 * GROUP) {
            const int other = min(arc + GROUP, last - 1);
            const int heads[] = {arcs.heads[arc], arcs.heads[other]};
            const Weight weights[] = {arcs.weights[arc], arcs.weights[other]};
            extend(from, at_tail, heads[0], weights[0]);
            if (arc + GROUP < last)
                extend(from, at_tail, heads[1], weights[1]);
        }
    }
}

// Make the sums of a row. All vertices but the source are UNREACHABLE before, and the source is marked.
__device__ __forceinline__ void make_sums(int vertices, const Arcs &arcs, const Length *rounded, Weight factor,
                                          Length *sums, unsigned int *marks)
{
    const int lane = threadIdx.x % WARP;
    const int words = (vertices + WARP - 1) / WARP;
    bool any = true;
    while (__syncthreads_or(any)) {
        any = false;
        for (int word = threadIdx.x / WARP; word < words; word += blockDim.x / WARP) {
            const unsigned int taken = lane == 0 ? atomicExch(&marks[word], 0u) : 0u;
            const unsigned int marked = __shfl_sync(ALL_LANES, taken, 0);
            if (!marked)
                continue;
            const int tail = word * WARP + lane;
            bool wanted = marked >> lane & 1;
            const Length sum = wanted ? fresh(&sums[tail]) : 0; // if it falls from now on, the vertex is marked again
            if (wanted)
                wanted = number_of(sum) <= number_of(rounded[tail]) * factor && !arcs.lead_beyond(tail, sum);
            for_each_arc(arcs, wanted, tail, sum, [&](int, Length at_tail, int head, Weight weight) {
                const Length further = length_of(number_of(at_tail) + weight);
                if (further < fresh(&sums[head]) && further < atomicMin(&sums[head], further)) {
                    atomicOr(&marks[head / WARP], 1u << head % WARP);
                    any = true;
                }
            });
        }
    }
}

// Call `extend` for each tight arc.
template <class Wanted, class Extend>
__device__ __forceinline__ void for_each_tight_arc(int vertices, const Arcs &arcs, const Length *sums, Wanted wanted,
                                                   Extend extend)
{
    for (int first = threadIdx.x / WARP * WARP; first < vertices; first += blockDim.x) {
        const int tail = first + threadIdx.x % WARP;
        const Length sum = tail < vertices ? sums[tail] : (Length)UNREACHABLE;
        const bool leads_on = sum != UNREACHABLE && !arcs.lead_beyond(tail, sum) && wanted(tail);
        for_each_arc(arcs, leads_on, tail, sum, [&](int from, Length at_tail, int head, Weight weight) {
            const Length at_head = sums[head];
            if (at_head != UNREACHABLE && number_of(at_tail) + weight == number_of(at_head))
                extend(from, at_tail, head, at_head);
        });
    }
}

// Predecessors for the sums of a row.
__device__ __forceinline__ void find_predecessors(int vertices, int source, const Arcs &arcs, const Length *sums,
                                                  unsigned int *predecessors)
{
    const unsigned int none = NO_PREDECESSOR, fresh_from = vertices; // what a round hangs is so far above the tail
    for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
        predecessors[vertex] = none;
    __syncthreads();
    for_each_tight_arc(
        vertices, arcs, sums, [](int) { return true; },
        [&](int tail, Length at_tail, int head, Length at_head) {
            if (at_tail < at_head)
                atomicMin(&predecessors[head], (unsigned int)tail);
        });
    __syncthreads();
    bool open = false;
    for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
        open |= vertex != source && sums[vertex] != UNREACHABLE && predecessors[vertex] == none;
    // A round that grows the tree hangs a vertex on it, so there are at most n rounds.
    while (__syncthreads_or(open)) {
        open = false;
        for_each_tight_arc(
            vertices, arcs, sums, [&](int tail) { return tail == source || fresh(&predecessors[tail]) < fresh_from; },
            [&](int tail, Length, int head, Length) {
                if (head != source && fresh(&predecessors[head]) > fresh_from + tail)
                    open |= atomicMin(&predecessors[head], fresh_from + tail) == none;
            });
        __syncthreads();
        for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
            if (predecessors[vertex] >= fresh_from && predecessors[vertex] != none)
                predecessors[vertex] -= fresh_from;
    }
}

__device__ __forceinline__ void sum_row(int vertices, int source, Arcs arcs, Weight factor, Length *distances,
                                        int *predecessors, Length *sums, unsigned int *marks)
{
    __shared__ Length most;
    if (threadIdx.x == 0)
        most = 0;
    __syncthreads();
    Length own_most = 0;
    for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x) {
        if (distances[vertex] != UNREACHABLE)
            own_most = max(own_most, distances[vertex]);
        sums[vertex] = vertex == source ? 0 : UNREACHABLE;
    }
    for (int word = threadIdx.x; word < (vertices + WARP - 1) / WARP; word += blockDim.x)
        marks[word] = word == source / WARP ? 1u << source % WARP : 0u;
    atomicMax(&most, own_most);
    __syncthreads();
    arcs.limit = arcs.limit * number_of(most);
    make_sums(vertices, arcs, distances, factor, sums, marks);
    if (predecessors)
        find_predecessors(vertices, source, arcs, sums, (unsigned int *)predecessors);
    for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x)
        distances[vertex] = sums[vertex];
    __syncthreads(); // before the next row
}

// Row i is that of source `first` + i. Its distances are rounded before and exact afterwards. No shortest path is longer
// than its greatest distance times `limit`. No predecessors, none are found.
extern "C" __global__ void __launch_bounds__(1024)
    sum_rows(int vertices, int stride, int first, int rows, const int *starts, const int *heads, const Weight *weights,
             const Length *lightest, Weight factor, Weight limit, Length *distances, int *all_predecessors,
             int row_in_shared, Length *all_sums)
{
    DYNAMIC_SHARED(Length, shared);
    unsigned int *marks = reinterpret_cast<unsigned int *>(shared + (row_in_shared ? vertices : 0));
    const Arcs arcs = {starts, heads, weights, lightest, limit};
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        Length *of_row = distances + (size_t)row * stride;
        int *predecessors = all_predecessors ? all_predecessors + (size_t)row * vertices : nullptr;
        if (row_in_shared)
            sum_row(vertices, first + row, arcs, factor, of_row, predecessors, shared, marks);
        else
            sum_row(vertices, first + row, arcs, factor, of_row, predecessors, all_sums + (size_t)blockIdx.x * vertices,
                    marks);
    }
}
