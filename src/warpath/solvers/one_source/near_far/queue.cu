// Near-far, queue: one source on the whole GPU in one launch, for long paths, without preparation.
//
// Idea: the frontier, a queue, holds vertices whose distance fell below the threshold. Each block takes a share of it,
// relaxes the share and lists the vertices that fall in shared memory. It relaxes that list in the next hop, and so on
// for `hops` hops. Then all blocks meet at a barrier, and their last lists become the next frontier. So a hop costs two
// dependent memory accesses and a barrier of the block, and the barrier of the grid comes once in `hops` hops. When the
// frontier is empty, the threshold rises, and a scan of all vertices fills the frontier with those below it. These
// rules keep hops few and cheap:
//   - If the mean frontier of a step had fewer than FEW vertices, the step of the threshold doubles. If it had more
//     than MANY, the step halves, down to its first value. A larger step makes fewer hops and more work.
//   - If the first frontier of a step, multiplied by its growth since the step before, exceeds WIDE vertices, this step
//     alone is halved, but not below the first value. So fewer vertices are relaxed in vain. Those beyond the lower
//     threshold go on waiting.
//   - LANES neighbouring threads relax a vertex. They read its first LANES arcs as records, which are contiguous.
//   - With FEW_LANES, the records of a head are read to the L1 cache while the atomic operation on its distance is on its
//     way, so the next hop finds them there. The first LANES arcs of an entry of a list are then relaxed without reading
//     its distance again, and the further arcs only if the distance is still that of the entry.
//   - If a vertex has more than HEAVY_ARCS further arcs, the whole block relaxes these, in its first hop. In a later hop
//     it puts the vertex into the queue. In both cases it returns its list at once, since the neighbours of a heavy
//     vertex are many, and often heavy.
//   - If the frontier is a single share, one block follows it for `hops_alone` hops.
//
// A vertex waits while `distances` differs from `done`, the distance that it was relaxed with last. Reads of both race
// with other blocks. This is correct: if a distance is read before another thread lowers it, that thread lists the
// vertex again. Only a group that relaxes a vertex with a distance writes this distance to `done`, so a vertex that was
// lowered since differs from `done` and waits. A heavy vertex that is put into the queue has a `done` of UNREACHABLE, so it
// waits, too. A group that leaves out the further arcs of a vertex, because it was lowered meanwhile, has written another
// distance to `done`, and whoever lowered the vertex has listed it. If the entries of a frontier do not all fit into the
// queue, a scan finds each waiting vertex once. The barrier of the grid is that of rounds.cuh, which argues that it is correct.
//
// A launch ends early after `steps_max` steps of about a microsecond. A sweep of a block over its share and a part of a
// scan are one step each, and a barrier is two. The first block counts its own and stops all blocks at a barrier. Then
// the vertices whose `distances` and `done` differ wait, so a further launch finds them all by a scan and goes on.
//
// Threads: blocks of BLOCK threads, as many as run at the same time; any number is correct. Memory: CSR, and 4 + 2 LANES
// words for each vertex. Limit: the hops of the longest shortest path, some 0.7 us each, and two accesses to the L2
// cache for each relaxation. Source: near-far is from Davidson et al., IPDPS 2014. Hops of a block between barriers,
// records and the rule for the step are our own.
#include "warpath/solvers/shared/lengths.cuh"

#ifndef BLOCK
#define BLOCK 512
#endif
#define RESIDENT 2 // blocks of a multiprocessor
#ifndef LANES
#define LANES 4 // a power of two, at most 32
#endif
#ifndef LIST_MAX
#define LIST_MAX 1024 // vertices that a block lists in shared memory; others go to the queue immediately
#endif
#ifndef HEAVY_ARCS
#define HEAVY_ARCS (16 * LANES)
#endif
#ifndef HEAVY_MAX
#define HEAVY_MAX 32 // heavy vertices that a block relaxes in a round
#endif
#ifndef FEW
#define FEW 2000
#endif
#ifndef MANY
#define MANY 20000
#endif
#ifndef WIDE
#define WIDE 400000
#endif
#define SWEEPS_MAX 4       // a block follows a share of more than SWEEPS_MAX * GROUPS vertices for one hop only
#define LIST_SWEEPS_MAX 16 // a block returns a list of more than LIST_SWEEPS_MAX * GROUPS vertices to the queue
#ifndef HOPS_WIDE
#define HOPS_WIDE 8 // after HOPS_WIDE hops, it returns one of more than GROUPS vertices
#endif
#define GROUPS (BLOCK / LANES)
#define ALL_LANES 0xffffffffu
#define FEW_LANES (LANES <= 4)
#define NO_END 0x7fffffff // no head, inverted or not
#define SECTOR_BYTES 32   // what a read brings to the cache
#define SECTORS ((LANES * (int)sizeof(Arc) + SECTOR_BYTES - 1) / SECTOR_BYTES)
#define POLLS_MAX (1 << 23) // some seconds
#define POLLS_AWAKE 16      // further polls are rarer: those of many blocks slow down a block that works alone
#define SLEEP_NS 250
#ifndef GIVEN
#define GIVEN 0 // if 1, `distances` has lengths of paths before, and vertices whose arcs lower one wait first
#endif

// `status` has four words in memory of the host, which the GPU seldom reads. `control` has two sets of words. A launch uses
// one set and clears the other. A set has a line for each of four rounds. The line has a 64-bit word with the number of
// blocks that have arrived and the number of vertices in the queue, and a Length for the lowest distance that waits, as
// UNREACHABLE minus it; 0 is none. The topmost bit of the first word is LAST_ROUND.
#define LINE 32
#define GAVE_UP 0 // words of `status`
#define OVERFLOWED 1
#define UNFINISHED 2
#define REACHED 3 // the share of the vertices that are reached, in 1 / SHARES; of a launch with a limit
#define SHARES (SAMPLES * BLOCK)
#define SAMPLES 8 // vertices that a thread looks at for this share
#define LINES 4
#define SET_WORDS (LINES * LINE)
#define LOWEST 2
#define DELTA 6 // in the first line, the step of the threshold for a launch that goes on
#define QUEUED_BITS 40
#define QUEUED_MASK ((1ull << QUEUED_BITS) - 1)
#define LAST_ROUND (1ull << 63) // the first block adds this with its arrival
#define STEPS_OF_BARRIER 2
#define NO_LIMIT 0x7fffffffffffffffll

// A vertex, and the distance to which it fell.
struct alignas(2 * sizeof(Length)) Entry {
    int vertex;
    Length distance;
};

struct Graph {
    int vertices;
    const int *__restrict__ indptr;
    const int *__restrict__ indices;
    const Weight *__restrict__ weights;
    const Arc *records;
};

struct Block {
    Entry lists[2][LIST_MAX];
    int counts[3], heavy_counts[3]; // sizes of the list and of `heavy`, of three hops in turn
    int heavy[HEAVY_MAX];
    Length heavy_reached[HEAVY_MAX];
    Length lowest; // distance at or beyond the threshold that this block wrote or read since the last scan began
    Length all_lowest;
    int stopped, overflowed, unfinished;
    unsigned long long first, all_queued;
    long long steps_left; // only the first block counts
};

// The output of relaxations: distances, and the queue of the next round.
struct Solve {
    Length *distances, *done;
    int *queue;
    unsigned long long *queued;
    int capacity; // of the queue, enough for each vertex once; if it does not suffice, a scan follows
    Length threshold;
    int *overflowed; // whether the sum of an arc passed 32 bits, in shared memory
};

// The list of a hop in shared memory, its size, and the number of heavy vertices.
struct List {
    Entry *entries;
    int *count, *heavy_count;
};

__device__ __forceinline__ List list_of(Block &block, int list, int hops)
{
    return {block.lists[list], &block.counts[hops % 3], &block.heavy_counts[hops % 3]};
}

// Record `number` of the graph. A vertex has LANES records: the heads and weights of its first arcs. A record without an
// arc has the weight UNREACHABLE. If the vertex has more than LANES arcs, the head of its last record is inverted.
__device__ __forceinline__ Arc record_of(const Graph &graph, long long number)
{
    const int vertex = (int)(number / LANES), lane = (int)(number % LANES);
    const int first = graph.indptr[vertex], degree = graph.indptr[vertex + 1] - first;
    if (lane >= degree)
        return {0, number_of(UNREACHABLE)};
    const int head = graph.indices[first + lane];
    return {lane == LANES - 1 && degree > LANES ? ~head : head, graph.weights[first + lane]};
}

// Append `vertex` to the queue if `wanted`. All lanes of a warp call this.
__device__ __forceinline__ void enqueue(bool wanted, int vertex, const Solve &solve)
{
    const unsigned int lanes = __ballot_sync(ALL_LANES, wanted);
    if (!lanes)
        return;
    const int lane = threadIdx.x % 32, leader = __ffs(lanes) - 1;
    unsigned long long slot = 0;
    if (lane == leader)
        slot = atomicAdd(solve.queued, (unsigned long long)__popc(lanes)) & QUEUED_MASK;
    slot = __shfl_sync(ALL_LANES, slot, leader) + __popc(lanes & ((1u << lane) - 1));
    if (wanted && slot < solve.capacity)
        solve.queue[slot] = vertex;
}

// Append `vertex` to the list if `wanted`, or to the queue if the list is full. All lanes of a warp call this.
__device__ __forceinline__ void append(bool wanted, int vertex, Length distance, const List &list, const Solve &solve)
{
    const unsigned int lanes = __ballot_sync(ALL_LANES, wanted);
    if (!lanes)
        return;
    const int lane = threadIdx.x % 32, leader = __ffs(lanes) - 1;
    int place = 0;
    if (lane == leader)
        place = atomicAdd(list.count, __popc(lanes));
    place = __shfl_sync(ALL_LANES, place, leader) + __popc(lanes & ((1u << lane) - 1));
    if (wanted && place < LIST_MAX)
        list.entries[place] = {vertex, distance};
    enqueue(wanted && place >= LIST_MAX, vertex, solve);
}

// Lower the distance of `head` to `candidate`. Returns whether it fell. A candidate of UNREACHABLE or more is ignored.
__device__ __forceinline__ bool lower(int head, Sum candidate, const Solve &solve)
{
    const Length length = (Length)candidate;
    return candidate < UNREACHABLE && length < atomicMin(&solve.distances[head], length);
}

// List `head`, whose distance fell to `length`, if this is below the threshold. All lanes of a warp call this.
__device__ __forceinline__ void list_fallen(bool fell, int head, Length length, const Solve &solve, const List &list,
                                            Length &lowest)
{
    const bool near = fell && length < solve.threshold;
    if (fell && !near)
        lowest = min(lowest, length);
    append(near, head, length, list, solve);
}

// Note that the sum of an arc passed 32 bits. So the host knows whether a vertex can be lost by that.
__device__ __forceinline__ void note_overflow(bool is_arc, Sum candidate, const Solve &solve)
{
#if !FLOAT_BITS
    if (is_arc && candidate >= UNREACHABLE)
        atomicOr(solve.overflowed, 1);
#endif
}

// Relax the arcs `first` + `place`, `first` + `place` + `step`, ... below `end` of a tail at distance `reached`. All lanes of
// a warp call this.
__device__ __forceinline__ void relax_arcs(const Graph &graph, int first, int end, int place, int step, Length reached,
                                           const Solve &solve, const List &list, Length &lowest)
{
    int arc = place < end - first ? first + place : end; // the sum may be too large for 32 bits
    while (__any_sync(ALL_LANES, arc < end)) {
        const bool on = arc < end;
        const int head = on ? graph.indices[arc] : 0;
        const Sum candidate = on ? extended(reached, graph.weights[arc]) : (Sum)UNREACHABLE;
        note_overflow(on, candidate, solve);
        list_fallen(lower(head, candidate, solve), head, (Length)candidate, solve, list, lowest);
        arc = on && end - arc > step ? arc + step : end;
    }
}

// An entry of a frontier, as a thread reads it. It is relaxed if `reached` differs from `before`. This is `done`, or for an
// entry of a list UNREACHABLE, or `reached` if the vertex fell again.
struct Tail {
    int vertex;
    Length reached, before;
    Arc record; // of the thread's lane
};

// Entry `number` of `count`, of a list or the queue; beyond these, one that does not wait.
template <bool LISTED>
__device__ __forceinline__ Tail tail_at(int number, int count, const Graph &graph, const int *queue,
                                        const Entry *entries, const Solve &solve)
{
    Tail tail = {0, 0, 0, {0, number_of(UNREACHABLE)}};
    if (number >= count)
        return tail;
    if (LISTED) {
        tail.vertex = entries[number].vertex;
        tail.reached = entries[number].distance;
        const bool fell_again = !FEW_LANES && fresh(&solve.distances[tail.vertex]) < tail.reached;
        tail.before = fell_again ? tail.reached : UNREACHABLE;
    } else {
        tail.vertex = fresh(&queue[number]);
        tail.reached = fresh(&solve.distances[tail.vertex]);
        tail.before = fresh(&solve.done[tail.vertex]);
    }
    tail.record = graph.records[(size_t)tail.vertex * LANES + threadIdx.x % LANES];
    return tail;
}

// A hop: relax the waiting vertices below the threshold among `count` entries, but not the further arcs of heavy vertices.
// These are listed for relax_heavy, or put into the queue. A thread reads its next entry before it relaxes the current one.
template <bool LISTED>
__device__ __forceinline__ void hop(const Graph &graph, const int *queue, const Entry *entries, int count,
                                    const Solve &solve, const List &list, Block &block, Length &lowest)
{
    const int lane = threadIdx.x % LANES, leader = threadIdx.x % 32 - lane;
    Tail next = tail_at<LISTED>(threadIdx.x / LANES, count, graph, queue, entries, solve);
    for (int begin = 0; begin < count; begin += GROUPS) {
        const Tail tail = next;
        if (begin + GROUPS < count)
            next = tail_at<LISTED>(begin + GROUPS + threadIdx.x / LANES, count, graph, queue, entries, solve);
        // All lanes of a group relax with the distance that its first lane read.
        const Length reached = __shfl_sync(ALL_LANES, tail.reached, leader);
        bool waits = reached != __shfl_sync(ALL_LANES, tail.before, leader);
        if (!LISTED && waits && reached >= solve.threshold) {
            lowest = min(lowest, reached);
            waits = false;
        }
        if (waits && lane == 0)
            atomicMin(&solve.done[tail.vertex], reached);
        const Arc record = tail.record;
        const bool more = record.end < 0;
        const Sum candidate = waits ? extended(reached, record.weight) : (Sum)UNREACHABLE;
        note_overflow(waits && record.weight != number_of(UNREACHABLE), candidate, solve);
        const int head = more ? ~record.end : record.end;
        int ends[SECTORS] = {0}; // of the first record in each sector
        if (FEW_LANES && candidate < (Sum)solve.threshold)
            for (int sector = 0; sector < SECTORS; ++sector)
                ends[sector] = graph.records[(size_t)head * LANES + sector * SECTOR_BYTES / (int)sizeof(Arc)].end;
        bool fell = lower(head, candidate, solve);
        bool further = __shfl_sync(ALL_LANES, more && waits, leader + LANES - 1);
        const bool any_further = __any_sync(ALL_LANES, further); // known before `fell` is
        for (int sector = 0; FEW_LANES && sector < SECTORS; ++sector)
            fell = fell && ends[sector] != NO_END; // so that the compiler does not leave out the reads
        list_fallen(fell, head, (Length)candidate, solve, list, lowest);
        if (!any_further)
            continue;
        if (LISTED && FEW_LANES)
            further = __shfl_sync(ALL_LANES, further && fresh(&solve.distances[tail.vertex]) == reached, leader);
        int arc = 0, end = 0;
        if (further) {
            arc = graph.indptr[tail.vertex] + LANES;
            end = graph.indptr[tail.vertex + 1];
        }
        const bool heavy = end - arc > HEAVY_ARCS;
        relax_arcs(graph, arc, heavy ? arc : end, lane, LANES, reached, solve, list, lowest);
        if (!__any_sync(ALL_LANES, heavy))
            continue;
        bool later = false;
        if (heavy && lane == 0) {
            const int place = atomicAdd(list.heavy_count, 1);
            later = LISTED || place >= HEAVY_MAX;
            if (later) {
                solve.done[tail.vertex] = UNREACHABLE;
            } else {
                block.heavy[place] = tail.vertex;
                block.heavy_reached[place] = reached;
            }
        }
        enqueue(later, tail.vertex, solve);
    }
}

// Relax the further arcs of the heavy vertices of the first hop, by all threads of the block.
__device__ __forceinline__ void relax_heavy(const Graph &graph, const Solve &solve, const List &list, Block &block,
                                            Length &lowest)
{
    const int count = min(*list.heavy_count, HEAVY_MAX);
    for (int number = 0; number < count; ++number) {
        const int tail = block.heavy[number];
        relax_arcs(graph, graph.indptr[tail] + LANES, graph.indptr[tail + 1], threadIdx.x, BLOCK,
                   block.heavy_reached[number], solve, list, lowest);
    }
    __syncthreads();
}

// Follow `count` vertices of the queue for up to `hops_max` hops. Returns the number of vertices in list `current`.
__device__ __forceinline__ int follow(const Graph &graph, const int *vertices, int count, int hops_max,
                                      const Solve &solve, Block &block, int &current, Length &lowest)
{
    hop<false>(graph, vertices, nullptr, count, solve, list_of(block, 0, 0), block, lowest);
    for (int hops = 1;; ++hops) {
        __syncthreads();
        const List list = list_of(block, current, hops - 1);
        const bool met_heavy = *list.heavy_count;
        if (met_heavy && hops == 1)
            relax_heavy(graph, solve, list, block, lowest);
        const int left = min(*list.count, LIST_MAX);
        const int left_max = (hops < HOPS_WIDE ? LIST_SWEEPS_MAX : 1) * GROUPS;
        if (!left || met_heavy || hops >= hops_max || left > left_max) {
            if (blockIdx.x == 0 && threadIdx.x == 0)
                block.steps_left -= hops + count / GROUPS;
            return left;
        }
        if (threadIdx.x == 0) // of two hops ago: all threads read them before the last barrier
            block.counts[(hops + 1) % 3] = block.heavy_counts[(hops + 1) % 3] = 0;
        hop<true>(graph, nullptr, list.entries, left, solve, list_of(block, 1 - current, hops), block, lowest);
        current = 1 - current;
    }
}

// List all vertices that wait below the threshold. `lowest` becomes the lowest distance of the others that wait.
__device__ __forceinline__ void scan(int vertices, const Solve &solve, const List &list, Length &lowest)
{
    const long long threads = (long long)gridDim.x * BLOCK, thread = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const int lane = threadIdx.x % 32;
    for (long long begin = 4 * (thread - lane); begin < vertices; begin += 4 * threads) {
        const long long first = begin + 4 * lane;
        Length distances[4], done[4];
        read_four(solve.distances, first, vertices, distances);
        read_four(solve.done, first, vertices, done);
        if (!__any_sync(ALL_LANES, distances[0] != done[0] || distances[1] != done[1] || distances[2] != done[2] ||
                                       distances[3] != done[3]))
            continue;
#pragma unroll
        for (int one = 0; one < 4; ++one) {
            const bool waits = distances[one] != done[one], near = waits && distances[one] < solve.threshold;
            if (waits && !near)
                lowest = min(lowest, distances[one]);
            append(near, (int)first + one, distances[one], list, solve);
        }
    }
}

// End a round: append `count` listed vertices to the queue, and wait for all blocks. Returns false if a block gave up, or
// if no steps are left.
__device__ __forceinline__ bool meet(unsigned int round, int *words, int *status, const Entry *entries, int count,
                                     const Solve &solve, Block &block)
{
    if (threadIdx.x == 0 && count)
        block.first = atomicAdd(solve.queued, (unsigned long long)count) & QUEUED_MASK;
    __syncthreads();
    for (int number = threadIdx.x; number < count; number += BLOCK)
        if (block.first + number < solve.capacity)
            solve.queue[block.first + number] = entries[number].vertex;
    __syncthreads();
    if (threadIdx.x == 0) {
        int *const line = words + LINE * (round % LINES);
        Length *const lowest = (Length *)&line[LOWEST];
        if (!count && block.lowest < UNREACHABLE) // read only if the queue is empty
            atomicMax(lowest, UNREACHABLE - block.lowest);
        if (blockIdx.x == 0)
            for (int word = 0; word < 4; ++word)
                words[LINE * ((round + 2) % LINES) + word] = 0;
        __threadfence();
        const bool is_last = blockIdx.x == 0 && (block.steps_left -= STEPS_OF_BARRIER) <= 0;
        atomicAdd(solve.queued, (1ull << QUEUED_BITS) + (is_last ? LAST_ROUND : 0));
        unsigned long long word;
        for (int polls = 0;
             ((word = *(volatile unsigned long long *)solve.queued) & ~LAST_ROUND) >> QUEUED_BITS < gridDim.x;) {
            if (++polls > POLLS_AWAKE)
                __nanosleep(SLEEP_NS);
            if (polls % 1024 == 0 && (polls > POLLS_MAX || fresh(&status[GAVE_UP]))) {
                status[GAVE_UP] = 1;
                block.stopped = 1;
                break;
            }
        }
        __threadfence();
        block.all_queued = word & QUEUED_MASK;
        if (!block.all_queued)
            block.all_lowest = UNREACHABLE - fresh(lowest);
        if (word & LAST_ROUND && (block.all_queued || block.all_lowest < UNREACHABLE))
            block.stopped = block.unfinished = 1;
        for (int hop = 0; hop < 3; ++hop)
            block.counts[hop] = block.heavy_counts[hop] = 0;
    }
    __syncthreads();
    return !block.stopped;
}

// Whether an arc of `tail` gives a shorter path than the distance of its head.
__device__ __forceinline__ bool lowers_one(const Graph &graph, int tail, Length reached, const Length *distances)
{
    bool any = false;
    for (int arc = graph.indptr[tail]; arc < graph.indptr[tail + 1]; ++arc)
        any |= extended(reached, graph.weights[arc]) < (Sum)distances[graph.indices[arc]];
    return any;
}

// If `record_now` is not 0, the launch first writes `records`. If `resumed` is not 0, it goes on from the `distances` and
// `done` of a launch that was not finished. `queues` holds two queues of `vertices` entries each.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    solve(int vertices, const int *__restrict__ indptr, const int *__restrict__ indices,
          const Weight *__restrict__ weights, int source, Weight delta, Weight delta_max, int share, int hops,
          int hops_alone, Length *distances, Length *done, int *queues, Arc *records, int *control, int record_now,
          int resumed, long long steps_max, int set, int *status)
{
    __shared__ Block block;
    const Graph graph = {vertices, indptr, indices, weights, records};
    int *const words = control + set * SET_WORDS;
    const long long thread = (long long)blockIdx.x * BLOCK + threadIdx.x, threads = (long long)gridDim.x * BLOCK;

    Length lowest_given = UNREACHABLE;
    for (long long vertex = thread; vertex < vertices; vertex += threads)
        if (GIVEN || resumed) {
            const Length reached = distances[vertex];
            bool waits = reached != done[vertex];
            if (GIVEN && !resumed) {
                waits = reached < UNREACHABLE && lowers_one(graph, (int)vertex, reached, distances);
                done[vertex] = waits ? UNREACHABLE : reached;
            }
            lowest_given = waits ? min(lowest_given, reached) : lowest_given;
        } else {
            done[vertex] = UNREACHABLE;
            distances[vertex] = vertex == source ? 0 : UNREACHABLE;
        }
    if (record_now)
        for (long long number = thread; number < (long long)vertices * LANES; number += threads)
            records[number] = record_of(graph, number);
    if (blockIdx.x == 0)
        for (int word = threadIdx.x; word < SET_WORDS; word += BLOCK)
            control[(1 - set) * SET_WORDS + word] = 0; // for the next launch
    if (threadIdx.x == 0) {
        block.stopped = block.overflowed = block.unfinished = 0;
        block.steps_left = steps_max;
        block.lowest = UNREACHABLE;
        block.lists[0][0] = {source, 0};
    }
    if (GIVEN || resumed) {
        __syncthreads();
        if (lowest_given < UNREACHABLE)
            atomicMin(&block.lowest, lowest_given);
        __syncthreads();
    }

    const Weight delta_min = delta;
    if (resumed)
        delta = *(const Weight *)&words[DELTA];
    int current = 0, count = !GIVEN && !resumed && blockIdx.x == 0;
    long long frontiers = 0, rounds = 0; // of this step: the sum of frontier sizes, and their number
    int first_before = vertices; // the size of the first frontier of the last step; at first so large that none grows
    Solve solve = {distances, done, queues, (unsigned long long *)words, vertices, raised(0, delta), &block.overflowed};
    for (unsigned int round = 0; meet(round, words, status, block.lists[current], count, solve, block); ++round) {
        const int *const frontier = solve.queue;
        const long long queued = block.all_queued;
        solve.queue = queues + (size_t)((round + 1) % 2) * vertices;
        solve.queued = (unsigned long long *)(words + LINE * ((round + 1) % LINES));
        Length lowest = UNREACHABLE;
        current = count = 0;
        if (!queued) {
            if (block.all_lowest == UNREACHABLE)
                break;
            if (frontiers < FEW * rounds)
                delta = min(doubled(delta), delta_max);
            else if (frontiers > MANY * rounds)
                delta = max(halved(delta), delta_min);
            frontiers = rounds = 0;
            solve.threshold = raised(block.all_lowest, delta);
        }
        if (!queued || queued > vertices) {
            __syncthreads();
            if (threadIdx.x == 0)
                block.lowest = UNREACHABLE;
            __syncthreads();
            scan(vertices, solve, list_of(block, 0, 0), lowest);
            __syncthreads();
            if (blockIdx.x == 0 && threadIdx.x == 0)
                block.steps_left -= vertices / (4 * BLOCK) / gridDim.x;
            count = min(block.counts[0], LIST_MAX);
        } else {
            if (!rounds) {
                if (queued * queued > (long long)WIDE * first_before && delta > delta_min)
                    solve.threshold = raised(block.all_lowest, max(halved(delta), delta_min));
                first_before = (int)queued;
            }
            frontiers += queued;
            ++rounds;
            const long long part = max((long long)share, (queued + gridDim.x - 1) / gridDim.x);
            const long long first = part * blockIdx.x, own = min(part, queued - first);
            const int hops_max = queued <= part ? hops_alone : part > SWEEPS_MAX * GROUPS ? 1 : hops;
            if (own > 0)
                count = follow(graph, frontier + first, (int)own, (int)min((long long)hops_max, block.steps_left),
                               solve, block, current, lowest);
        }
        for (int step = 16; step; step /= 2)
            lowest = min(lowest, __shfl_xor_sync(ALL_LANES, lowest, step));
        if (threadIdx.x % 32 == 0 && lowest < UNREACHABLE)
            atomicMin(&block.lowest, lowest);
        __syncthreads();
    }
    if (threadIdx.x == 0 && block.overflowed)
        status[OVERFLOWED] = 1;
    if (blockIdx.x == 0 && steps_max < NO_LIMIT) {
        int reached = 0;
        for (int number = threadIdx.x; number < SHARES; number += BLOCK)
            reached += __syncthreads_count(fresh(&distances[(long long)number * vertices / SHARES]) < UNREACHABLE);
        if (threadIdx.x == 0) {
            status[UNFINISHED] = block.unfinished;
            status[REACHED] = reached;
            *(Weight *)&control[(1 - set) * SET_WORDS + DELTA] = delta;
        }
    }
}
