// Predecessors of all pairs from final distances, for graphs with many arcs of which few are shortest paths.
//
// Every arc of a shortest path is a shortest path itself. So the arcs whose weight is the distance of their ends are
// picked first, by n^2 comparisons at most; of a complete graph with random weights about n log n are left. Only those
// are looked at for each source, where looking at all would take n^3.
//   mark           says of each arc of some vertices whether it is one;
//   count, place   pick the arcs: those of positive weight by head, the others on one list, number `vertices`;
//   claim          a row a block: heads of the source's own arcs first, then every other vertex takes the tail of a
//                  tight arc of positive weight into it. Along such an arc the distance rises, so there is no cycle;
//   grow           where there are other arcs: vertices are hung by them on vertices that have a predecessor, until
//                  none is left. With negative arcs all arcs are on that list, since any can be part of a cycle of zero.
// Threads: a block a row, of any size that whole warps make up. In claim a warp takes 32 vertices, and LANES of its
// lanes look at the arcs into one of them. Memory: CSR, the picked arcs, and matrices of shape (n, n), with 64-bit
// indices; in claim the row of distances lies in shared memory, if it fits.
// Limit: of claim, for each source the picked arcs up to the first tight one, 8 bytes from L2 each.
// Source: our own. That few arcs matter: R. Davis and A. Prieditis, "The expected length of a shortest path", 1993.
#include "warpath/solvers/shared/distances.cuh"
#include "warpath/device/dynamic_shared.cuh"

#define LANES 8
#define TEAMS (32 / LANES)
#define ALL_LANES 0xffffffffu

// The list that an arc belongs to: that of its head, or the last one. Negative if the arc is no shortest path.
__device__ __forceinline__ int list_of(int vertices, int all_grow, int tail, int head, int weight, const int *distances)
{
    if (head == tail || weight != distances[(size_t)tail * vertices + head])
        return -1;
    return weight > 0 && !all_grow ? head : vertices;
}

extern "C" __global__ void count(int vertices, int all_grow, const int *indptr, const int *indices, const int *weights,
                                 const int *distances, int *counts)
{
    const int tail = blockIdx.x;
    for (int arc = indptr[tail] + threadIdx.x; arc < indptr[tail + 1]; arc += blockDim.x) {
        const int list = list_of(vertices, all_grow, tail, indices[arc], weights[arc], distances);
        if (list >= 0)
            atomicAdd(&counts[list], 1);
    }
}

// An arc is two numbers, tail and weight. `next` has the place for the next arc of each list. Heads are kept for the
// last list alone, which begins at `last`.
extern "C" __global__ void place(int vertices, int all_grow, const int *indptr, const int *indices, const int *weights,
                                 const int *distances, int *next, int last, int *arcs, int *heads)
{
    const int tail = blockIdx.x;
    for (int arc = indptr[tail] + threadIdx.x; arc < indptr[tail + 1]; arc += blockDim.x) {
        const int list = list_of(vertices, all_grow, tail, indices[arc], weights[arc], distances);
        if (list < 0)
            continue;
        const int at = atomicAdd(&next[list], 1);
        reinterpret_cast<int2 *>(arcs)[at] = make_int2(tail, weights[arc]);
        if (list == vertices)
            heads[at - last] = indices[arc];
    }
}

// The tail of a tight arc into a vertex at `distance`, out of the arcs begin, ..., end - 1; the same for a whole team.
__device__ __forceinline__ int tight_tail(const int2 *arcs, int begin, int end, int distance, const int *row)
{
    const int lane = threadIdx.x % LANES;
    const unsigned int team = ((1u << LANES) - 1) << threadIdx.x % 32 / LANES * LANES;
    for (int first = begin; first < end; first += LANES) {
        const bool inside = first + lane < end;
        const int2 arc = inside ? arcs[first + lane] : make_int2(0, 0);
        const bool tight = inside && (long long)row[arc.x] + arc.y == distance;
        if (const unsigned int found = __ballot_sync(team, tight))
            return __shfl_sync(team, arc.x, __ffs((int)found) - 1);
    }
    return NO_PREDECESSOR;
}

// The part of claim that looks for tight arcs; `row` are the distances from the source.
__device__ __forceinline__ void claim_heads(int vertices, int source, const int *starts, const int2 *arcs,
                                            const int *row, int *predecessors)
{
    const int lane = threadIdx.x % 32;
    for (int first = threadIdx.x / 32 * 32; first < vertices; first += blockDim.x) {
        const int head = first + lane;
        const bool open =
            head < vertices && head != source && row[head] != UNREACHABLE && predecessors[head] == NO_PREDECESSOR;
        const int begin = open ? starts[head] : 0;
        const int end = open ? starts[head + 1] : 0;
        const int distance = open ? row[head] : 0;
        int predecessor = NO_PREDECESSOR;
#pragma unroll
        for (int turn = 0; turn < LANES; ++turn) {
            const int owner = turn * TEAMS + lane / LANES; // the lane whose vertex the team looks at
            const int tail = tight_tail(arcs, __shfl_sync(ALL_LANES, begin, owner), __shfl_sync(ALL_LANES, end, owner),
                                        __shfl_sync(ALL_LANES, distance, owner), row);
            const int found = __shfl_sync(ALL_LANES, tail, lane % TEAMS * LANES);
            if (lane / TEAMS == turn)
                predecessor = found;
        }
        if (open)
            predecessors[head] = predecessor;
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    claim(int vertices, int all_grow, int row_in_shared, const int *indptr, const int *indices, const int *weights,
          const int *starts, const int *arcs, const int *all_distances, int *all_predecessors)
{
    DYNAMIC_SHARED(int, shared_row);
    const int source = blockIdx.x;
    const int *distances = all_distances + (size_t)source * vertices;
    int *predecessors = all_predecessors + (size_t)source * vertices;
    for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x) {
        predecessors[vertex] = NO_PREDECESSOR;
        if (row_in_shared)
            shared_row[vertex] = distances[vertex];
    }
    if (all_grow)
        return;
    __syncthreads();
    for (int arc = indptr[source] + threadIdx.x; arc < indptr[source + 1]; arc += blockDim.x) {
        const int head = indices[arc];
        if (list_of(vertices, 0, source, head, weights[arc], all_distances) == head)
            predecessors[head] = source;
    }
    __syncthreads();
    const int2 *pairs = reinterpret_cast<const int2 *>(arcs);
    if (row_in_shared)
        claim_heads(vertices, source, starts, pairs, shared_row, predecessors);
    else
        claim_heads(vertices, source, starts, pairs, distances, predecessors);
}

// A round that finds something hangs a vertex, so there are at most as many rounds as vertices.
extern "C" __global__ void grow(int vertices, int count, int last, const int *all_arcs, const int *heads,
                                const int *all_distances, int *all_predecessors)
{
    const int source = blockIdx.x;
    const int *distances = all_distances + (size_t)source * vertices;
    int *predecessors = all_predecessors + (size_t)source * vertices;
    const int2 *arcs = reinterpret_cast<const int2 *>(all_arcs) + last;
    bool grown = true;
    while (grown) {
        bool any = false;
        for (long long arc = threadIdx.x; arc < count; arc += blockDim.x) {
            const int tail = arcs[arc].x;
            const int head = heads[arc];
            if (head == source || predecessors[head] != NO_PREDECESSOR ||
                (tail != source && predecessors[tail] == NO_PREDECESSOR))
                continue;
            if ((long long)distances[tail] + arcs[arc].y == distances[head])
                any |= atomicCAS(&predecessors[head], NO_PREDECESSOR, tail) == NO_PREDECESSOR;
        }
        grown = __syncthreads_or(any);
    }
}

// 1 for each arc from the vertices `first`, `first` + 1, ... that is a shortest path, else 0, one after the other from
// the first such arc on. Row i of the distances is that of vertex `first` + i.
extern "C" __global__ void mark(int vertices, int first, const int *indptr, const int *indices, const int *weights,
                                const int *distances, unsigned char *marks)
{
    const int tail = first + blockIdx.x;
    const int *row = distances + (size_t)blockIdx.x * vertices;
    for (int arc = indptr[tail] + threadIdx.x; arc < indptr[tail + 1]; arc += blockDim.x)
        marks[arc - indptr[first]] = indices[arc] != tail && weights[arc] == row[indices[arc]];
}
