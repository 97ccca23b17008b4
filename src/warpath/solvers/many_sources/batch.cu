// Label correcting, batch: distances from many sources, 32 or 64 for each read of an arc, for graphs of low diameter.
//
// Idea: the distances of a vertex from a group of sources lie side by side, in a row of 128 bytes. In a round, each
// vertex pulls along its inbound arcs from the tails whose row fell in the round before. A row is read in whole lines,
// no two threads lower the same row, and the sources of a group share the read of an arc and the test of its tail. Four
// things save most of the time that Bellman-Ford would take:
//   - inbound arcs are sorted by weight. `low` is the least distance from each source that fell in the round before. An
//     arc of weight w lowers nothing in a row whose distances are at most `low` + w, so there the vertex stops. On
//     power-law and R-MAT graphs that leaves between 0.5 and 3.5 reads of a row for each arc and group (simulated);
//   - `near` is the same for each tail: how far the nearest distance that fell is beyond `low`. It is read before the row
//     of the tail, and saves almost half of these reads;
//   - if few rows fell, `wake` marks the heads of their vertices, and only those pull;
//   - with BITS of 16, a word has two distances, and a row 64. Guard: `nowhere` means unreachable, in each half. It is
//     65,535 less the largest weight, so that no sum wraps. A distance is lost only if another vertex has a finite
//     distance of at least `nowhere` less the largest weight. batch_answers.cu notices that, and the host solves
//     again with BITS of 32.
// Weights may be floats; then a row has 32 distances, 256 bytes of float64.
// A round in which nothing falls is the last one. A row may fall while others read it. They see old or new distances;
// the vertex is marked, so they see the new ones in the next round.
//   begin   starting values;
//   wake    clears what the next round writes, and marks the heads if few rows fell;
//   pull    a round. A vertex with many arcs has several pieces, whose threads lower its row by atomic operations.
// batch_answers.cu reads the rows.
// Threads: any grid, of which y is the group. Eight lanes, a team, have a row; a warp pulls four vertices at a time.
// Memory: arcs as pairs, by head. For each vertex and group, with 64-bit indices: a row; three words, which are `far` and
// `near` for this round and the next one; and as many times two bits, which say whose row fell, and who is to pull.
// Limit: memory. Each read of a row is 128 bytes of device memory, or of L2 where it has the rows of a group. Measured on
// an H200, with 1,048,576 vertices, 16.8 million arcs and 256 sources: 24 ms for a power-law graph, of which a round
// takes up to 3.1 ms, and 30 ms for a random one.
// Source: our own. Several sources for each access: M. Then et al., "The More the Merrier: Efficient Multi-Source Graph
// Traversal", VLDB 2014.
#include "warpath/solvers/many_sources/batch_rows.cuh"

// How many rows a team reads before it uses the first.
#ifndef ROWS_AT_ONCE
#define ROWS_AT_ONCE 4
#endif
// Blocks of a multiprocessor: 128, 80 or 64 registers a thread.
#ifndef RESIDENT
#define RESIDENT (FLOAT_BITS == 64 ? 2 : BITS == 16 || FLOAT_BITS ? 3 : 4)
#endif

// Arcs of one direction. A vertex has a first piece of up to `piece` arcs; the others are in `pieces` further pieces of
// all vertices. A further piece begins at `piece_firsts` and belongs to the vertex of `piece_ends`.
struct Arcs {
    int vertices, pieces, piece;
    const int *__restrict__ indptr;
    const int *__restrict__ piece_ends;
    const int *__restrict__ piece_firsts;
};

// A piece of the arcs of a vertex, which `shares` the vertex with other pieces.
struct Piece {
    int vertex, first, end;
    bool shares;
};

__device__ __forceinline__ int words_of(int vertices)
{
    return (vertices - 1) / LANES + 1;
}

// A task is 32 pieces. The further ones come first, since they belong to vertices with many arcs.
__device__ __forceinline__ int tasks_of(const Arcs &arcs)
{
    return words_of(arcs.vertices) + (arcs.pieces + LANES - 1) / LANES;
}

// The piece of this lane in `task`; without arcs if there is none.
__device__ __forceinline__ Piece piece_of(const Arcs &arcs, int task)
{
    const int lane = threadIdx.x % LANES, tasks_of_further = (arcs.pieces + LANES - 1) / LANES;
    if (task < tasks_of_further) {
        const int number = task * LANES + lane;
        if (number >= arcs.pieces)
            return {0, 0, 0, true};
        const int vertex = arcs.piece_ends[number], first = arcs.piece_firsts[number];
        return {vertex, first, first + min(arcs.piece, arcs.indptr[vertex + 1] - first), true};
    }
    const int vertex = (task - tasks_of_further) * LANES + lane;
    if (vertex >= arcs.vertices)
        return {0, 0, 0, false};
    const int first = arcs.indptr[vertex], degree = arcs.indptr[vertex + 1] - first;
    return {vertex, first, first + min(arcs.piece, degree), degree > arcs.piece};
}

__device__ __forceinline__ bool is_set(const unsigned int *bits, int vertex)
{
    return bits[vertex / LANES] >> vertex % LANES & 1;
}

// Whether a task has no piece of a vertex whose bit is set, as far as one word tells.
__device__ __forceinline__ bool is_idle(const Arcs &arcs, int task, const unsigned int *bits)
{
    const int word = task - (arcs.pieces + LANES - 1) / LANES;
    return word >= 0 && !bits[word];
}

// The state of a group. What comes twice is `now` for this round, and `next` for the next one. `turn` alternates.
struct Group {
    Four *rows;  // TEAM of them for each vertex
    word_t *far; // no distance of the row is larger
    // Of a row that fell: how far the nearest distance that fell is beyond the `low` of the round in which it fell.
    const word_t *near_now;
    word_t *near_next;
    const unsigned int *fell_now;
    unsigned int *fell_next, *waiting_now, *waiting_next;
    word_t *low_before, *low_now, *low_next;
    const int *moved_now; // the number of pieces whose row fell
    int *moved_next;

    __device__ __forceinline__ Group(int vertices, int turn, word_t *all_rows, word_t *all_far, word_t *near,
                                     unsigned int *fell, unsigned int *waiting, word_t *low, int *moved)
    {
        const size_t groups = gridDim.y, group = blockIdx.y, words = words_of(vertices);
        const size_t now = turn * groups + group, next = (1 - turn) * groups + group;
        rows = (Four *)all_rows + group * vertices * TEAM;
        far = all_far + group * vertices;
        near_now = near + now * vertices;
        near_next = near + next * vertices;
        fell_now = fell + now * words;
        fell_next = fell + next * words;
        waiting_now = waiting + now * words;
        waiting_next = waiting + next * words;
        low_before = low + (2 * groups + group) * LANES;
        low_now = low + now * LANES;
        low_next = low + next * LANES;
        moved_now = moved + now;
        moved_next = moved + next;
    }
};

#define STATE_PARAMETERS                                                                                               \
    int turn, word_t *all_rows, word_t *all_far, word_t *near, unsigned int *fell, unsigned int *waiting, word_t *low, \
        int *moved
#define STATE turn, all_rows, all_far, near, fell, waiting, low, moved

// The first round is that of the other turn. `sources` has `count` sources; the last group repeats the last of them.
extern "C" __global__ void begin(int vertices, word_t nowhere, int count, const int *__restrict__ sources,
                                 STATE_PARAMETERS)
{
    const Group group(vertices, STATE);
    const int lane = threadIdx.x % LANES;
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x,
                    threads = (long long)gridDim.x * blockDim.x;
    int own[PER_WORD]; // the sources of this lane's word of each row
    for (int i = 0; i < PER_WORD; ++i)
        own[i] = sources[min(count - 1, (int)blockIdx.y * SOURCES + lane * PER_WORD + i)];
    word_t *const words = (word_t *)group.rows;
    for (long long word = thread; word < (long long)vertices * LANES; word += threads) {
        word_t distances = nowhere;
        for (int i = 0; i < PER_WORD; ++i)
            if (word / LANES == own[i])
                distances &= PER_WORD == 1 ? 0u : 0xffff0000u >> 16 * i;
        words[word] = distances;
    }
    for (long long vertex = thread; vertex < vertices; vertex += threads) {
        group.far[vertex] = largest_of(nowhere);
        group.near_next[vertex] = 0;
    }
    for (long long word = thread / LANES; word < words_of(vertices); word += threads / LANES) {
        unsigned int bits = 0;
        for (int i = 0; i < PER_WORD; ++i)
            bits |= own[i] / LANES == word ? 1u << own[i] % LANES : 0;
        for (int step = LANES / 2; step; step /= 2)
            bits |= __shfl_xor_sync(ALL_LANES, bits, step);
        if (lane == 0) {
            group.fell_next[word] = bits;
            group.waiting_now[word] = group.waiting_next[word] = 0;
        }
    }
    if (thread < LANES)
        group.low_now[thread] = group.low_next[thread] = 0;
    if (thread == 0)
        *group.moved_next = 1;
}

extern "C" __global__ void wake(int vertices, int pieces, int piece, const int *__restrict__ indptr,
                                const int *__restrict__ piece_ends, const int *__restrict__ piece_firsts,
                                const int *__restrict__ heads, int few, STATE_PARAMETERS)
{
    const Group group(vertices, STATE);
    const Arcs arcs = {vertices, pieces, piece, indptr, piece_ends, piece_firsts};
    const int lane = threadIdx.x % LANES;
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x,
                    threads = (long long)gridDim.x * blockDim.x;
    for (long long word = thread; word < words_of(vertices); word += threads)
        group.fell_next[word] = 0;
    for (long long vertex = thread; vertex < vertices; vertex += threads)
        group.near_next[vertex] = UNREACHABLE;
    if (thread < LANES) {
        group.low_before[thread] = group.low_next[thread];
        group.low_next[thread] = NONE;
    }
    if (thread == 0)
        *group.moved_next = 0;
    if (!*group.moved_now || *group.moved_now >= few)
        return;
    for (long long task = thread / LANES; task < tasks_of(arcs); task += threads / LANES) {
        if (is_idle(arcs, (int)task, group.fell_now))
            continue;
        const Piece own = piece_of(arcs, (int)task);
        for (unsigned int left = __ballot_sync(ALL_LANES, own.first < own.end && is_set(group.fell_now, own.vertex));
             left; left &= left - 1) {
            const int owner = __ffs((int)left) - 1;
            const int end = __shfl_sync(ALL_LANES, own.end, owner);
            for (int arc = __shfl_sync(ALL_LANES, own.first, owner) + lane; arc < end; arc += LANES)
                atomicOr(&group.waiting_now[heads[arc] / LANES], 1u << heads[arc] % LANES);
        }
    }
}

// What a team pulls: a piece, and a weight from which on no arc lowers anything in the row, 0 if there is no piece.
struct Work {
    Piece piece;
    word_t bound;
};

// The work of a team: the piece of that lane of the warp whose bit is the team's first, second, ... in `left`. `bound` is
// that of this lane's piece.
__device__ __forceinline__ Work work_of(unsigned int left, const Piece &own, word_t bound)
{
    for (int team = 0; team < (int)threadIdx.x % LANES / TEAM; ++team)
        left &= left - 1;
    const int owner = max(__ffs((int)left) - 1, 0);
    Work work;
    work.piece.vertex = __shfl_sync(ALL_LANES, own.vertex, owner);
    work.piece.first = __shfl_sync(ALL_LANES, own.first, owner);
    work.piece.end = __shfl_sync(ALL_LANES, own.end, owner);
    work.piece.shares = __shfl_sync(ALL_LANES, (int)own.shares, owner);
    work.bound = __shfl_sync(ALL_LANES, bound, owner);
    work.bound = left ? work.bound : 0;
    return work;
}

// What is known of the distances that fell in the round before: none is below `low`, and in the row of vertex v none is
// below `before` + near_now[v].
struct Lows {
    Part low, before;

    // From what weight on no arc lowers anything in `row`, and the same of the sum of a weight and near_now.
    __device__ __forceinline__ void bounds_of(const Part &row, word_t &of_weight, word_t &of_sum) const
    {
        const word_t weight = row.above(low).largest_word(), sum = row.above(before).largest_word();
#if BITS == 16
        word_t both = larger((weight & 0xffff) | sum << 16, weight >> 16 | (sum & 0xffff0000));
#pragma unroll
        for (int step = TEAM / 2; step; step /= 2)
            both = larger(both, __shfl_xor_sync(ALL_LANES, both, step));
        of_weight = both & 0xffff;
        of_sum = both >> 16;
#else
        of_weight = bound_of(largest_of_team(weight));
        of_sum = bound_of(largest_of_team(sum));
#endif
    }
};

// Do the work of each team. Returns the number of rows of the warp that fell. `lowest` falls to the distances that fell.
// All lanes of a warp call this.
__device__ __forceinline__ int pull_rows(const Group &group, const Arc *__restrict__ in_arcs, const Work &work,
                                         const Lows &lows, Part &lowest)
{
    const int lane = threadIdx.x % TEAM, shift = threadIdx.x % LANES - lane;
    const unsigned int team = (1u << TEAM) - 1;
    Four *const own_row = group.rows + (size_t)work.piece.vertex * TEAM + lane;
    Part best = all_of(0), before = best;
    word_t bound = work.bound, bound_of_sum = 0;
    bool has_row = false, stale = true, on = bound; // `stale`: the bounds are those of an older row
    for (int arc = work.piece.first; __any_sync(ALL_LANES, on);) {
        const Arc own = on && arc + lane < work.piece.end ? in_arcs[arc + lane] : no_arc();
        const word_t own_weight = length_of(own.weight);
        bool open = own_weight < bound && is_set(group.fell_now, own.end);
        const word_t sum = open ? sum_of(group.near_now[own.end], own_weight) : 0;
        const unsigned int wanted = __ballot_sync(ALL_LANES, open) >> shift & team;
        if (__any_sync(ALL_LANES, wanted)) {
            if (wanted && !has_row) {
                best.words = before.words = *own_row;
                has_row = true;
            }
            if (__any_sync(ALL_LANES, wanted && stale)) {
                word_t exact;
                lows.bounds_of(best, exact, bound_of_sum);
                bound = has_row ? exact : bound;
                stale = !has_row;
            }
            open = open && own_weight < bound && sum < bound_of_sum;
        }
        unsigned int votes = __ballot_sync(ALL_LANES, open) >> shift & team;
        stale |= votes != 0;
        while (__any_sync(ALL_LANES, votes)) {
            Four rows[ROWS_AT_ONCE];
            word_t weights[ROWS_AT_ONCE];
#pragma unroll
            for (int one = 0; one < ROWS_AT_ONCE; ++one) {
                const int which = max(__ffs((int)votes) - 1, 0);
                const int tail = __shfl_sync(ALL_LANES, own.end, which, TEAM);
                weights[one] = __shfl_sync(ALL_LANES, own_weight, which, TEAM);
                rows[one] = before.words; // lowers nothing
                if (votes)
                    rows[one] = group.rows[(size_t)tail * TEAM + lane];
                else
                    weights[one] = 0;
                votes &= votes - 1;
            }
#pragma unroll
            for (int one = 0; one < ROWS_AT_ONCE; ++one)
                best.lower(rows[one], word_of(weights[one]));
        }
        const word_t last = __shfl_sync(ALL_LANES, own_weight, TEAM - 1, TEAM);
        arc += TEAM;
        on = on && arc < work.piece.end && last < bound;
    }
    bool any = best != before;
    if (any && !work.piece.shares)
        *own_row = best.words;
    if (any && work.piece.shares) {
        word_t *const words = (word_t *)own_row;
        before.words = make_four(lower_word(words, best.words.x), lower_word(words + 1, best.words.y),
                                 lower_word(words + 2, best.words.z), lower_word(words + 3, best.words.w));
        best.lower(before.words, 0);
        any = best != before;
    }
    const unsigned int lanes = __ballot_sync(ALL_LANES, any);
    if (!lanes)
        return 0;
    const Part fell = best.fallen_from(before);
    lowest.lower(fell.words, 0);
    const word_t farthest = largest_of_team(best.largest_distance());
    const word_t nearest = least_of_team(fell.above(lows.low).least_distance());
    if (lane == 0 && lanes >> shift & team) {
        atomicOr(&group.fell_next[work.piece.vertex / LANES], 1u << work.piece.vertex % LANES);
        if (work.piece.shares) {
            atomicMin(&group.far[work.piece.vertex], farthest);
            atomicMin(&group.near_next[work.piece.vertex], nearest);
        } else {
            group.far[work.piece.vertex] = farthest;
            group.near_next[work.piece.vertex] = nearest;
        }
    }
    int moved = 0;
#pragma unroll
    for (int i = 0; i < TEAMS; ++i)
        moved += (lanes >> i * TEAM & team) != 0;
    return moved;
}

// Lower *word to the least `value` of the lanes with this number in their teams.
__device__ __forceinline__ void lower_of_teams(word_t *word, word_t value)
{
    for (int step = TEAM; step < LANES; step *= 2)
        value = least(value, __shfl_xor_sync(ALL_LANES, value, step));
    const word_t old = *(volatile word_t *)word;
    if (threadIdx.x % LANES < TEAM && least(value, old) != old)
        lower_word(word, value);
}

// `unfinished` becomes 1 if a distance fell.
extern "C" __global__ void __launch_bounds__(BLOCK_MAX, RESIDENT)
    pull(int vertices, int pieces, int piece, const int *__restrict__ indptr, const int *__restrict__ piece_ends,
         const int *__restrict__ piece_firsts, const Arc *__restrict__ in_arcs, int few, int *unfinished,
         STATE_PARAMETERS)
{
    const Group group(vertices, STATE);
    const Arcs arcs = {vertices, pieces, piece, indptr, piece_ends, piece_firsts};
    const int lane = threadIdx.x % LANES, lane_of_team = lane % TEAM;
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x,
                    threads = (long long)gridDim.x * blockDim.x;
    for (long long word = thread; word < words_of(vertices); word += threads)
        group.waiting_next[word] = 0;
    const int fell_before = *group.moved_now;
    if (!fell_before)
        return;
    const bool all_pull = fell_before >= few;
    Lows lows = {{((const Four *)group.low_now)[lane_of_team]}, {((const Four *)group.low_before)[lane_of_team]}};
    lows.before.forget(lows.low);
    const word_t low_of_all = least_of_team(lows.low.least_distance());
    Part lowest = all_of(NONE);
    int moved_of_warp = 0;
    for (long long task = thread / LANES; task < tasks_of(arcs); task += threads / LANES) {
        if (!all_pull && is_idle(arcs, (int)task, group.waiting_now))
            continue;
        const Piece own = piece_of(arcs, (int)task);
        const bool pulls = own.first < own.end && (all_pull || is_set(group.waiting_now, own.vertex));
        const word_t far = pulls ? group.far[own.vertex] : 0,
                     bound = bound_of(far > low_of_all ? above(far, low_of_all) : 0);
        unsigned int left = __ballot_sync(ALL_LANES, bound != 0);
        while (left) {
            moved_of_warp += pull_rows(group, in_arcs, work_of(left, own, bound), lows, lowest);
            for (int team = 0; team < TEAMS; ++team)
                left &= left - 1;
        }
    }
    if (!moved_of_warp)
        return;
    word_t *const low_next = group.low_next + 4 * lane_of_team;
    lower_of_teams(low_next, lowest.words.x);
    lower_of_teams(low_next + 1, lowest.words.y);
    lower_of_teams(low_next + 2, lowest.words.z);
    lower_of_teams(low_next + 3, lowest.words.w);
    if (lane == 0) {
        atomicAdd(group.moved_next, moved_of_warp);
        *unfinished = 1;
    }
}
