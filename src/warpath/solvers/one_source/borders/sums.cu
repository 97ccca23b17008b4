// Partition, sums: the lengths of paths, added from the source on, from the same lengths added in another order.
//
// `nearly` has what finish_parts wrote: lengths of shortest paths, of which the table added some arcs first. So their last
// bits may differ from those of the sum from the source on, which is a chain of a thousand additions. This chain is cut
// into stretches, from one entered vertex to the next. All are found and copied at once; then only the additions themselves
// follow one another, a stretch of them at a time in one thread.
//
//   lower_entered    a thread a vertex: the least length that an arc brings to each entered vertex;
//   choose_tails     a thread a vertex: for each vertex an arc that gives its length, from a vertex that is nearer; and a
//                    list of arcs for vertices without;
//   choose_others    a thread an arc of the list: wait a little for its tail to have an arc, and set it to a vertex without;
//   add_stretches    a thread an entered vertex: go back along these arcs to the entered vertex before, or to the source,
//                    and note the weights; wait for the sum there, add the weights in order, and write the sum to `reached`,
//                    from where finish_parts settles each part once more.
//
// No tail is nearer where weights are 0, or so small that they are lost in the sum, or in the difference that the order of
// additions makes. A cycle of such arcs may even make a length of `nearly` too small. So nearer means nearer by SLACK, and
// if no arc gives the length, one may that gives at most SLACK more.
// Each sum is that of a path, so no distance is less. Whether one is greater, the queue finds out (GIVEN in
// near_far/queue.cu), and lowers it. That may be where two paths are of nearly the same length, and where a sum is
// missing: behind many arcs of weight 0, or beyond the largest float.
// Why no thread walks or waits for ever: a walk ends after as many arcs as a part has vertices, and a thread leaves if no
// sum has come anywhere for a while. That happens behind a missing sum, and in a cycle of arcs, which choose_others does
// not quite rule out. All blocks run at the same time, and the threads of each look in turns.
// Memory: two words of 64 bits a vertex, a weight for each arc of a stretch. Limit: a step from one stretch to the next is a
// write to L2 and a read from there, about 1 us on an H200, and the additions of the stretch.
#include "warpath/solvers/shared/lengths.cuh"

// Words of `control`: how many sums have come, how many blocks have walked, and how much of `pool` and of `others` is taken.
#define COME 0
#define WALKED 1
#define POOLED 2
#define LISTED 3
#define CONTROL_WORDS 4

#define TRIES 32      // of a thread, to set an arc of the list
#define SLACK 64      // units of the last place
#define WALK_MAX 4096 // VERTICES_PER_THREAD_MAX * THREADS_MAX of borders.py
#define PATIENCE 512  // looks of a thread without a new sum, some tenths of a millisecond
#define LOOKS 32      // after so many, a thread asks whether a sum has come

// The arcs from `tail` on, if it is reached: `visit(head, sum, arc)`.
template <class Visit>
__device__ __forceinline__ void visit_arcs(int tail, const int *indptr, const int *indices, const Weight *weights,
                                           Length reached, Visit visit)
{
    if (reached == UNREACHABLE)
        return;
    for (int arc = indptr[tail]; arc < indptr[tail + 1]; ++arc)
        visit(indices[arc], (Length)extended(reached, weights[arc]), arc);
}

// `item_of` is the number of a vertex among those entered, or -1. `best` is UNREACHABLE before.
extern "C" __global__ void lower_entered(int vertices, const int *indptr, const int *indices, const Weight *weights,
                                         const Length *nearly, const int *item_of, Length *best, long long *arc_to,
                                         int *control)
{
    const long long tail = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (tail < CONTROL_WORDS)
        control[tail] = 0;
    if (tail >= vertices)
        return;
    arc_to[tail] = -1;
    visit_arcs((int)tail, indptr, indices, weights, nearly[tail], [&](int head, Length sum, int arc) {
        if (item_of[head] >= 0)
            atomicMin(&best[item_of[head]], sum);
    });
}

// Set the arc to `head`, unless it is set. So a vertex that leads back, by arcs that were set before, goes on to do so.
__device__ __forceinline__ void set_once(long long *arc_to, int head, long long word)
{
    atomicCAS((unsigned long long *)&arc_to[head], ~0ull, (unsigned long long)word);
}

// `arc_to` gets the tail in its upper half, and the arc in its lower one. Of several, any. `others` has such words, too.
extern "C" __global__ void choose_tails(int vertices, const int *indptr, const int *indices, const Weight *weights,
                                        const Length *nearly, const int *item_of, const Length *best, long long *arc_to,
                                        long long *others, int *control)
{
    __shared__ int listed, first;
    const long long tail = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const Length reached = tail < vertices ? nearly[tail] : UNREACHABLE;
    const auto is_other = [&](int head, Length sum) {
        return reached + SLACK >= nearly[head] && sum <= nearly[head] + SLACK;
    };
    if (threadIdx.x == 0)
        listed = 0;
    __syncthreads();
    int own = 0;
    visit_arcs((int)tail, indptr, indices, weights, reached, [&](int head, Length sum, int arc) {
        const int item = item_of[head];
        if (is_other(head, sum))
            ++own;
        else if (sum == (item < 0 ? nearly[head] : best[item]))
            *(volatile long long *)&arc_to[head] = tail << 32 | arc;
        else if (sum <= nearly[head] + SLACK)
            set_once(arc_to, head, tail << 32 | arc);
    });
    int place = own ? atomicAdd(&listed, own) : 0;
    __syncthreads();
    if (threadIdx.x == 0)
        first = listed ? atomicAdd(&control[LISTED], listed) : 0;
    __syncthreads();
    if (!own)
        return;
    place += first;
    visit_arcs((int)tail, indptr, indices, weights, reached, [&](int head, Length sum, int arc) {
        if (is_other(head, sum) && place < vertices)
            others[place++] = tail << 32 | arc;
    });
}

extern "C" __global__ void choose_others(int vertices, const int *indices, const long long *others, int source,
                                         long long *arc_to, const int *control)
{
    const auto is_set = [&](int vertex) { return *(volatile long long *)&arc_to[vertex] >= 0; };
    const int count = min(control[LISTED], vertices), threads = gridDim.x * blockDim.x;
    for (int place = blockIdx.x * blockDim.x + threadIdx.x; place < count; place += threads) {
        const int tail = (int)(others[place] >> 32), head = indices[(int)others[place]];
        for (int tries = 0; tries < TRIES && head != source && !is_set(head); ++tries)
            if (tail == source || is_set(tail))
                set_once(arc_to, head, others[place]);
    }
}

// From the sum at `begin`, an entered vertex, or NO_VERTEX for the source; `count` weights from `first` on.
struct Stretch {
    int begin, first, count;
};
#define NO_VERTEX (-1)
#define SETTLED (-1) // instead of a count

// The stretch to vertex `end`; false if there is none.
__device__ __forceinline__ bool stretch_to(int end, int source, const int *item_of, const long long *arc_to,
                                           const Weight *weights, Weight *pool, int pool_size, int *control,
                                           Stretch &stretch)
{
    int count = 0, vertex = end;
    do {
        if (arc_to[vertex] < 0 || count == WALK_MAX)
            return false;
        vertex = (int)(arc_to[vertex] >> 32);
        ++count;
    } while (vertex != source && item_of[vertex] < 0);
    const int first = atomicAdd(&control[POOLED], count);
    if (first > pool_size - count)
        return false;
    stretch = {vertex == source ? NO_VERTEX : item_of[vertex], first, count};
    vertex = end;
    for (int place = first + count - 1; place >= first; --place) {
        pool[place] = weights[(int)arc_to[vertex]];
        vertex = (int)(arc_to[vertex] >> 32);
    }
    return true;
}

// `reached` has the sums at the `entered` vertices. The grid is of blocks that run at the same time.
extern "C" __global__ void add_stretches(int entered_count, const int *entered, const int *item_of, int source,
                                         const Weight *weights, const Length *nearly, const long long *arc_to,
                                         Length *best, Length *reached, int *stretch_words, Weight *pool, int pool_size,
                                         int *control)
{
    Stretch *const stretches = reinterpret_cast<Stretch *>(stretch_words);
    // Neighbours go to different warps, since one adds while the others of its warp wait.
    const int warps = gridDim.x * blockDim.x / 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int begin = threadIdx.x % 32 * warps + warp, step = 32 * warps;
    int left = 0;
    for (long long item = begin; item < entered_count; item += step) {
        const int vertex = entered[item];
        stretches[item].count = SETTLED;
        best[item] = UNREACHABLE; // for the next solve
        if (vertex == source || nearly[vertex] == UNREACHABLE)
            continue;
        Stretch stretch;
        if (stretch_to(vertex, source, item_of, arc_to, weights, pool, pool_size, control, stretch)) {
            stretches[item] = stretch;
            ++left;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&control[WALKED], 1);
    const int patience = PATIENCE + entered_count / step;
    int come = 0, looks = 0;
    const bool one = begin + (long long)step >= entered_count;
    long long item = begin;
    Stretch stretch = item < entered_count ? stretches[item] : Stretch{NO_VERTEX, 0, SETTLED};
    while (__syncthreads_or(left)) {
        if (left && stretch.count != SETTLED) {
            const Length sum_there = stretch.begin == NO_VERTEX ? (Length)0 : fresh(&reached[stretch.begin]);
            if (sum_there != UNREACHABLE) {
                Weight sum = number_of(sum_there);
#pragma unroll 8
                for (int place = stretch.first; place < stretch.first + stretch.count; ++place)
                    sum = sum + pool[place];
                *(volatile Length *)&reached[item] = length_of(sum);
                atomicAdd(&control[COME], 1);
                stretch.count = SETTLED;
                if (!one)
                    stretches[item].count = SETTLED;
                --left;
            } else if (++looks % LOOKS == 0) {
                const int come_now = fresh(&control[COME]);
                if (come_now != come || fresh(&control[WALKED]) < (int)gridDim.x)
                    looks = 0;
                else if (looks > patience)
                    left = 0;
                come = come_now;
            }
        }
        if (!one && left) {
            item = item + step < entered_count ? item + step : begin;
            stretch = stretches[item];
        }
    }
}
