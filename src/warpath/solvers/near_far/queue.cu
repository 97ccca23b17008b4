// Near-far, queue: one source by the whole GPU in one launch, for graphs of long paths, with nothing prepared.
//
// Idea: vertices whose distance fell below the threshold form a frontier. The blocks share it out, and each follows its
// share for `hops` hops on its own: what falls goes to a list in shared memory, from which the next hop starts. Then all
// blocks meet, and share out what is left. So a hop costs the latency of three dependent accesses, not a barrier of the
// grid. Once the frontier is empty, a scan over all vertices finds those below the next threshold.
// The step of the threshold follows the frontier: it doubles while the frontier is too small to keep the GPU busy, and
// halves where the frontier is far larger.
//
// A vertex waits while `distances` differs from `done`, its distance when it was relaxed last; `done` takes a value only
// from the group that relaxes with it. So nothing is lost: what finds no room in a queue is found by a scan. A distance
// that another block lowers meanwhile may be read too large; the block that lowers it lists the vertex again.
//
// Threads: blocks of BLOCK threads, as many as run at the same time; LANES threads relax a vertex. Memory: CSR, four words
// a vertex. Limit: the hops of the longest shortest path, some 0.6 us each, and a barrier every few hops.
// Source: near-far after Davidson et al., IPDPS 2014; block-local hops and the step are our own.
#include "warpath/solvers/distances.cuh"

#ifndef BLOCK
#define BLOCK 512
#endif
#ifndef LANES
#define LANES 4
#endif
#ifndef LISTED
#define LISTED 1024
#endif
#ifndef HEAVY_ARCS
#define HEAVY_ARCS (64 * LANES)
#endif
#ifndef RESIDENT
#define RESIDENT 1
#endif
#define HEAVY_LISTED 32
#define GROUPS (BLOCK / LANES)
#define ALL_LANES 0xffffffffu
#define POLLS_MAX (1 << 23) // some seconds

// `control` is `status`, and then two sets of words, of which a launch takes one and clears the other. A set has a line
// for each of four rounds: how many blocks have arrived and how many vertices are queued, in one 64-bit word; and the
// lowest distance that waits (as UNREACHABLE less it, so that 0 is none).
#define LINE 32
#define LINES 4
#define SET_WORDS (LINES * LINE)
#define LOWEST 2
#define QUEUED_BITS 40

struct Graph {
    int vertices;
    const int *__restrict__ indptr;
    const int *__restrict__ indices;
    const int *__restrict__ weights;
    const int2 *records;
};

// A vertex has LANES records: heads and weights of its first arcs. Where there are fewer, the weight is UNREACHABLE; where
// there are more, the last head is inverted.
__device__ __forceinline__ int2 record_of(const Graph &graph, long long number)
{
    const int vertex = (int)(number / LANES), lane = (int)(number % LANES);
    const int first = graph.indptr[vertex], degree = graph.indptr[vertex + 1] - first;
    if (lane >= degree)
        return make_int2(0, UNREACHABLE);
    const int head = graph.indices[first + lane];
    return make_int2(lane == LANES - 1 && degree > LANES ? ~head : head, graph.weights[first + lane]);
}

struct Block {
    int list[2][LISTED];
    int listed[3];
    int heavy[HEAVY_LISTED], heavy_reached[HEAVY_LISTED], heavies;
    int lowest;
    int all_lowest;
    int stopped;
    long long first, all_queued;
};

// A solve, as all blocks see it.
struct Solve {
    int *distances, *done;
    int *queue; // of the coming round
    unsigned long long *word; // of the coming round
    int capacity, threshold;
};

// A word that other blocks write, as it is in the L2 cache.
__device__ __forceinline__ int fresh(const int *word)
{
    return *(const volatile int *)word;
}

// List `vertex`, if `any`: in shared memory while there is room, else in the queue of all blocks. All lanes of a warp call.
__device__ __forceinline__ void list(bool any, int vertex, const Solve &solve, int *into, int *listed)
{
    const unsigned int lanes = __ballot_sync(ALL_LANES, any);
    if (!lanes)
        return;
    const int lane = threadIdx.x % 32, leader = __ffs(lanes) - 1;
    const int rank = __popc(lanes & ((1u << lane) - 1));
    int place = 0;
    if (lane == leader)
        place = atomicAdd(listed, __popc(lanes));
    place = __shfl_sync(ALL_LANES, place, leader) + rank;
    if (any && place < LISTED)
        into[place] = vertex;
    const bool beyond = any && place >= LISTED;
    const unsigned int rest = __ballot_sync(ALL_LANES, beyond);
    if (!rest)
        return;
    const int first = __ffs(rest) - 1;
    unsigned long long slot = 0;
    if (lane == first)
        slot = atomicAdd(solve.word, (unsigned long long)__popc(rest));
    slot = (__shfl_sync(ALL_LANES, slot, first) & ((1ull << QUEUED_BITS) - 1)) + __popc(rest & ((1u << lane) - 1));
    if (beyond && slot < solve.capacity)
        solve.queue[slot] = vertex;
}

// Lower the distance of `head` to `candidate`, if that is shorter, and list it below the threshold. All lanes of a warp
// call; UNREACHABLE and beyond is no candidate.
__device__ __forceinline__ void relax_arc(int head, unsigned int candidate, const Solve &solve, int *into, int *listed,
                                          int &lowest)
{
    const bool fell = candidate < UNREACHABLE && (int)candidate < atomicMin(&solve.distances[head], (int)candidate);
    const bool near = fell && (int)candidate < solve.threshold;
    if (fell && !near)
        lowest = min(lowest, (int)candidate);
    list(near, head, solve, into, listed);
}

// Relax arcs `arc`, `arc` + `step`, ... below `end`, from a tail at `reached`. All lanes of a warp call.
__device__ __forceinline__ void relax_arcs(const Graph &graph, int arc, int end, int step, int reached,
                                           const Solve &solve, int *into, int *listed, int &lowest)
{
    while (__any_sync(ALL_LANES, arc < end)) {
        const bool on = arc < end;
        const int head = on ? graph.indices[arc] : 0;
        relax_arc(head, on ? (unsigned int)reached + graph.weights[arc] : UNREACHABLE, solve, into, listed, lowest);
        arc = on ? end - arc > step ? arc + step : end : arc;
    }
}

// One hop: relax those of `count` vertices that wait. Heavy ones are noted for the whole block.
__device__ __forceinline__ void hop(const Graph &graph, const int *vertices, int count, const Solve &solve, int *into,
                                    int *listed, Block &block, int &lowest)
{
    const int lane = threadIdx.x % LANES, leader = threadIdx.x % 32 - lane;
    for (int begin = 0; begin < count; begin += GROUPS) {
        const int number = begin + threadIdx.x / LANES;
        int reached = 0, before = 0, tail = 0;
        int2 record = make_int2(0, UNREACHABLE);
        if (number < count) {
            tail = fresh(&vertices[number]);
            record = graph.records[(size_t)tail * LANES + lane];
            reached = fresh(&solve.distances[tail]);
            before = fresh(&solve.done[tail]);
        }
        // All lanes of a group relax with the distance that its first one read.
        reached = __shfl_sync(ALL_LANES, reached, leader);
        const bool waits = reached != __shfl_sync(ALL_LANES, before, leader);
        if (waits && lane == 0)
            solve.done[tail] = reached;
        const bool more = record.x < 0;
        relax_arc(more ? ~record.x : record.x, waits ? (unsigned int)reached + record.y : UNREACHABLE, solve, into,
                  listed, lowest);
        const bool further = __shfl_sync(ALL_LANES, more && waits, leader + LANES - 1);
        if (__any_sync(ALL_LANES, further)) {
            int arc = 0, end = 0;
            if (further) {
                arc = graph.indptr[tail] + LANES;
                end = graph.indptr[tail + 1];
            }
            int place = HEAVY_LISTED;
            if (lane == 0 && end - arc > HEAVY_ARCS)
                place = atomicAdd(&block.heavies, 1);
            if (place < HEAVY_LISTED) {
                block.heavy[place] = tail;
                block.heavy_reached[place] = reached;
            }
            place = __shfl_sync(ALL_LANES, place, leader);
            relax_arcs(graph, arc + lane, place < HEAVY_LISTED ? arc : end, LANES, reached, solve, into, listed, lowest);
        }
    }
}

// The further arcs of the heavy vertices that a hop met, one vertex after another, by all threads of the block.
__device__ __forceinline__ void relax_heavy(const Graph &graph, const Solve &solve, int *into, int *listed,
                                            Block &block, int &lowest)
{
    const int count = min(block.heavies, HEAVY_LISTED);
    for (int number = 0; number < count; ++number) {
        const int tail = block.heavy[number];
        relax_arcs(graph, graph.indptr[tail] + LANES + threadIdx.x, graph.indptr[tail + 1], BLOCK,
                   block.heavy_reached[number], solve, into, listed, lowest);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        block.heavies = 0;
    __syncthreads();
}

// All vertices that wait below the threshold are listed; of the others the lowest distance is noted.
__device__ __forceinline__ void scan(int vertices, const Solve &solve, int *into, int *listed, int &lowest)
{
    const long long threads = (long long)gridDim.x * BLOCK, thread = (long long)blockIdx.x * BLOCK + threadIdx.x;
    for (long long begin = 4 * (thread - threadIdx.x % 32); begin < vertices; begin += 4 * threads) {
        const long long first = begin + 4 * (threadIdx.x % 32);
        int reached[4] = {0, 0, 0, 0}, before[4] = {0, 0, 0, 0};
        if (first + 3 < vertices) {
            const int4 now = *reinterpret_cast<const int4 *>(solve.distances + first);
            const int4 then = *reinterpret_cast<const int4 *>(solve.done + first);
            reached[0] = now.x, reached[1] = now.y, reached[2] = now.z, reached[3] = now.w;
            before[0] = then.x, before[1] = then.y, before[2] = then.z, before[3] = then.w;
        } else {
            for (int one = 0; one < 4; ++one)
                if (first + one < vertices) {
                    reached[one] = fresh(&solve.distances[first + one]);
                    before[one] = fresh(&solve.done[first + one]);
                }
        }
        const bool any = reached[0] != before[0] || reached[1] != before[1] || reached[2] != before[2] ||
                         reached[3] != before[3];
        if (!__any_sync(ALL_LANES, any))
            continue;
#pragma unroll
        for (int one = 0; one < 4; ++one) {
            const bool waits = reached[one] != before[one];
            const bool near = waits && reached[one] < solve.threshold;
            if (waits && !near)
                lowest = min(lowest, reached[one]);
            list(near, (int)first + one, solve, into, listed);
        }
    }
}

// The end of a round: bring what is listed to the queue, and wait for all blocks. False where one of them gave up.
__device__ __forceinline__ bool meet(unsigned int round, int *words, int *status, const Solve &solve, const int *listed,
                                     int count, Block &block)
{
    if (threadIdx.x == 0 && count)
        block.first = atomicAdd(solve.word, (unsigned long long)count) & ((1ull << QUEUED_BITS) - 1);
    __syncthreads();
    for (int number = threadIdx.x; number < count; number += BLOCK)
        if (block.first + number < solve.capacity)
            solve.queue[block.first + number] = listed[number];
    __syncthreads();
    if (threadIdx.x == 0) {
        int *const line = words + LINE * (round % LINES);
        if (!count && block.lowest < UNREACHABLE)
            atomicMax(&line[LOWEST], UNREACHABLE - block.lowest);
        if (blockIdx.x == 0)
            for (int word = 0; word < 4; ++word)
                words[LINE * ((round + 2) % LINES) + word] = 0;
        __threadfence();
        atomicAdd(solve.word, 1ull << QUEUED_BITS);
        unsigned long long word;
        for (int polls = 0; (word = *(volatile unsigned long long *)solve.word) >> QUEUED_BITS < gridDim.x;)
            if (++polls % 1024 == 0 && (polls > POLLS_MAX || fresh(status))) {
                *status = 1;
                block.stopped = 1;
                break;
            }
        __threadfence();
        block.all_queued = word & ((1ull << QUEUED_BITS) - 1);
        if (!block.all_queued)
            block.all_lowest = UNREACHABLE - fresh(&line[LOWEST]);
        block.listed[0] = block.listed[1] = block.listed[2] = 0;
    }
    __syncthreads();
    return !block.stopped;
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    solve(int vertices, const int *__restrict__ indptr, const int *__restrict__ indices,
          const int *__restrict__ weights, int source, int delta, int delta_most, int few, int many, int hops,
          int hops_alone, int share, int *distances, int *done, int *queues, int capacity, int2 *records, int record_now,
          int *control, int set)
{
    __shared__ Block block;
    const Graph graph = {vertices, indptr, indices, weights, records};
    int *const status = control, *const words = control + LINE + set * SET_WORDS;
    const long long thread = (long long)blockIdx.x * BLOCK + threadIdx.x, threads = (long long)gridDim.x * BLOCK;

    for (long long vertex = thread; vertex < vertices; vertex += threads) {
        done[vertex] = UNREACHABLE;
        distances[vertex] = vertex == source ? 0 : UNREACHABLE;
    }
    if (record_now)
        for (long long number = thread; number < (long long)vertices * LANES; number += threads)
            records[number] = record_of(graph, number);
    if (blockIdx.x == 0)
        for (int word = threadIdx.x; word < SET_WORDS; word += BLOCK)
            control[LINE + (1 - set) * SET_WORDS + word] = 0; // for the next launch
    if (threadIdx.x == 0) {
        block.stopped = block.heavies = 0;
        block.lowest = UNREACHABLE;
        block.list[0][0] = source;
    }
    const int delta_least = delta;
    int current = 0, count = blockIdx.x == 0;
    long long frontiers = 0;
    int rounds = 0;
    Solve solve = {distances, done, queues, (unsigned long long *)words, capacity, min(delta, UNREACHABLE)};
    for (unsigned int round = 0;; ++round) {
        if (!meet(round, words, status, solve, block.list[current], count, block))
            return;
#ifdef STATISTICS
        if (thread == 0) {
            control[600] += 1;
        }
#endif
        const int *const frontier = solve.queue;
        const long long queued = block.all_queued;
        solve.queue = queues + (size_t)((round + 1) % 2) * capacity;
        solve.word = (unsigned long long *)(words + LINE * ((round + 1) % LINES));
        int lowest = UNREACHABLE;
        current = 0;
        if (queued == 0 || queued > capacity) {
            if (queued == 0) {
                if (block.all_lowest == UNREACHABLE)
                    return;
                if (rounds) {
                    if (frontiers < (long long)few * rounds)
                        delta = delta < delta_most / 2 ? 2 * delta : delta_most;
                    else if (frontiers > (long long)many * rounds)
                        delta = max(delta / 2, delta_least);
                }
                frontiers = rounds = 0;
                solve.threshold = block.all_lowest + min(delta, UNREACHABLE - block.all_lowest);
#ifdef STATISTICS
                if (thread == 0) {
                    control[601] += 1;
                    control[602] = delta;
                }
#endif
            }
            __syncthreads();
            if (threadIdx.x == 0)
                block.lowest = UNREACHABLE;
            __syncthreads();
            scan(vertices, solve, block.list[0], &block.listed[0], lowest);
            __syncthreads();
            count = min(block.listed[0], LISTED);
        } else {
            frontiers += queued;
            ++rounds;
            const long long part = max((long long)share, (queued + gridDim.x - 1) / gridDim.x);
            const long long first = part * blockIdx.x;
            const int own = (int)max(0ll, min(part, queued - first));
            const int last = queued <= part ? hops_alone : part > GROUPS * 4 ? 1 : hops;
            count = 0;
            if (own) {
                hop(graph, frontier + first, own, solve, block.list[0], &block.listed[0], block, lowest);
                for (int hopped = 1;; ++hopped) {
                    __syncthreads();
                    int *const listed = &block.listed[(hopped - 1) % 3];
                    if (block.heavies)
                        relax_heavy(graph, solve, block.list[current], listed, block, lowest);
                    count = min(*listed, LISTED);
                    if (!count || hopped >= last)
                        break;
                    if (threadIdx.x == 0)
                        block.listed[(hopped + 1) % 3] = 0;
                    hop(graph, block.list[current], count, solve, block.list[1 - current], &block.listed[hopped % 3],
                        block, lowest);
                    current = 1 - current;
#ifdef STATISTICS
                    if (threadIdx.x == 0) { atomicAdd(&control[603], 1); atomicAdd(&control[604], count); atomicMax(&control[605], count); }
#endif
                }
            }
        }
        for (int step = 16; step; step /= 2)
            lowest = min(lowest, __shfl_xor_sync(ALL_LANES, lowest, step));
        if (threadIdx.x % 32 == 0 && lowest < UNREACHABLE)
            atomicMin(&block.lowest, lowest);
        __syncthreads();
    }
}
