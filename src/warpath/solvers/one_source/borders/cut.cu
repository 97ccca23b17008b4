// A graph is cut into parts of nearly equal size with few arcs between them, by several levels.
//
// Neighbours are matched and contracted until few vertices a part are left (`propose` to `contract`). The host cuts this
// smallest graph (_cut.py). Then each level takes the parts of the level below and improves them in rounds (`choose` to
// `move`): a vertex goes to the part that most of its arcs lead to. Rounds are those of Gilbert, Madduri, Boman and
// Rajamanickam, "Jet: Multilevel graph partitioning on GPUs" (2023): a vertex may also move at a small loss, is judged as
// if better moves had been made, and rests for a round after it has moved.
//
// Threads: one a vertex. All writes are of the thread's own vertex, or sums of integers, so results are the same each time.
// Memory: a level is its arcs in rows from `begin` to `end`, with gaps between rows, since a row is given room before
// parallel arcs are joined. Level 0 has unit sizes and weights: null pointers.
// Limit: latency of a launch on coarse levels, memory on fine ones.

#define LEVEL int vertices, const int *begin, const int *end, const int *heads, const int *arc_weights, const int *sizes
#define VERTEX_OF_THREAD(vertex)                                             \
    const int vertex = (int)((size_t)blockIdx.x * blockDim.x + threadIdx.x); \
    if (vertex >= vertices)                                                  \
    return
#define ARCS_SEEN 64 // of a row; and a parallel arc is found if it is among as many before
#define WEIGHT(arc) (arc_weights ? arc_weights[arc] : 1)
#define SIZE(vertex) (sizes ? sizes[vertex] : 1)
#define NO_VERTEX 0x7fffffff
#define BUCKETS 32

__device__ __forceinline__ unsigned int mixed(unsigned int x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__device__ __forceinline__ unsigned long long mixed_pair(unsigned int one, unsigned int other)
{
    const unsigned int low = mixed(mixed(one) + other), high = mixed(mixed(other ^ 0x9e3779b9u) + one);
    return (unsigned long long)high << 32 | low;
}

__device__ __forceinline__ int last_seen(int begin, int end)
{
    return end - begin < ARCS_SEEN ? end : begin + ARCS_SEEN;
}

// `sums` come to 0 in total if each arc has an arc back, and else, all but certainly, to something else.
extern "C" __global__ void compare_directions(int vertices, const int *indptr, const int *heads, int width,
                                              unsigned long long *sums)
{
    VERTEX_OF_THREAD(tail);
    unsigned long long sum = 0;
    for (int arc = indptr[tail]; arc < indptr[tail + 1]; ++arc)
        sum += mixed_pair(tail, heads[arc]) - mixed_pair(heads[arc], tail);
    if (sum)
        atomicAdd(&sums[tail % width], sum);
}

// Both ends of each arc, either way round, as keys to sort.
extern "C" __global__ void list_both_directions(int vertices, const int *indptr, const int *heads, long long *keys)
{
    VERTEX_OF_THREAD(tail);
    for (int arc = indptr[tail]; arc < indptr[tail + 1]; ++arc) {
        keys[2 * (size_t)arc] = (long long)tail << 32 | heads[arc];
        keys[2 * (size_t)arc + 1] = (long long)heads[arc] << 32 | tail;
    }
}

// Each unmatched vertex wants the unmatched neighbour that is nearest: joined by heavy arcs, and small. Ties are broken by
// a number of the arc, the same for both ends, so that somewhere two want each other.
extern "C" __global__ void propose(LEVEL, int size_max, int round, const int *mate, int *wanted)
{
    VERTEX_OF_THREAD(vertex);
    int best = -1;
    float nearest = 0;
    unsigned int best_tie = 0;
    if (mate[vertex] < 0) {
        const int size = SIZE(vertex), last = last_seen(begin[vertex], end[vertex]);
        for (int arc = begin[vertex]; arc < last; ++arc) {
            const int other = heads[arc];
            if (other == vertex || mate[other] >= 0 || SIZE(other) > size_max - size)
                continue;
            const float weight = (float)WEIGHT(arc);
            const float near = weight * weight / ((float)SIZE(other) * (float)size);
            const unsigned int tie = mixed(mixed(min(vertex, other) + 7919 * round) + max(vertex, other));
            if (near > nearest || (near == nearest && tie > best_tie)) {
                best = other;
                nearest = near;
                best_tie = tie;
            }
        }
    }
    wanted[vertex] = best;
}

extern "C" __global__ void agree(int vertices, const int *wanted, int *mate)
{
    VERTEX_OF_THREAD(vertex);
    const int other = wanted[vertex];
    if (other >= 0 && wanted[other] == vertex)
        mate[vertex] = other;
}

// A vertex that is left over is listed with its nearest neighbour, for two of the same neighbour to be matched: leaves of
// a star, say. Those without arcs are listed together.
extern "C" __global__ void list_unmatched(LEVEL, const int *mate, long long *keys)
{
    VERTEX_OF_THREAD(vertex);
    long long best = NO_VERTEX - 1;
    float nearest = 0;
    if (mate[vertex] < 0) {
        const int last = last_seen(begin[vertex], end[vertex]);
        for (int arc = begin[vertex]; arc < last; ++arc) {
            const int other = heads[arc];
            const float weight = (float)WEIGHT(arc), near = weight * weight / (float)SIZE(other);
            if (other != vertex && (near > nearest || (near == nearest && other < best))) {
                best = other;
                nearest = near;
            }
        }
    } else {
        best = NO_VERTEX;
    }
    keys[vertex] = best << 32 | vertex;
}

// Sorted keys: the first and the second with the same neighbour are matched, the third and the fourth, and so on.
extern "C" __global__ void match_listed(int vertices, const long long *keys, const int *sizes, int size_max, int *mate)
{
    VERTEX_OF_THREAD(place);
    const long long shared = keys[place] >> 32;
    if (shared == NO_VERTEX || place + 1 == vertices || keys[place + 1] >> 32 != shared)
        return;
    int low = 0, high = place; // the first with this neighbour
    while (low < high) {
        const int middle = (low + high) / 2;
        if (keys[middle] >> 32 < shared)
            low = middle + 1;
        else
            high = middle;
    }
    const int one = (int)keys[place], other = (int)keys[place + 1];
    if ((place - low) % 2 || SIZE(other) > size_max - SIZE(one))
        return;
    mate[one] = other;
    mate[other] = one;
}

// The first of two mates leads, and so does a vertex without mate. Sums of `leads` number the leaders in their high half,
// and reserve room for arcs in their low half.
__device__ __forceinline__ int leader_of(int vertex, const int *mate)
{
    const int other = mate[vertex];
    return other >= 0 && other < vertex ? other : vertex;
}

__device__ __forceinline__ int room_for(int leader, const int *begin, const int *end, const int *mate)
{
    const int other = mate[leader];
    return end[leader] - begin[leader] + (other < 0 ? 0 : end[other] - begin[other]);
}

extern "C" __global__ void count_leaders(int vertices, const int *begin, const int *end, const int *mate,
                                         long long *leads)
{
    VERTEX_OF_THREAD(vertex);
    const bool leader = leader_of(vertex, mate) == vertex;
    leads[vertex] = leader ? 1ll << 32 | room_for(vertex, begin, end, mate) : 0;
}

// `below` is the number of each vertex in the coarse level, whose arrays have names with coarse.
extern "C" __global__ void contract(LEVEL, const int *mate, const long long *led, int *below, int *coarse_begin,
                                    int *coarse_end, int *coarse_heads, int *coarse_weights, int *coarse_sizes)
{
    VERTEX_OF_THREAD(vertex);
    const int leader = leader_of(vertex, mate), number = (int)(led[leader] >> 32) - 1;
    below[vertex] = number;
    if (leader != vertex)
        return;
    const int first = (int)(led[vertex] & 0xffffffff) - room_for(vertex, begin, end, mate);
    int free = first, size = 0;
    for (int member = vertex; member >= 0; member = member == vertex ? mate[vertex] : -1) {
        size += SIZE(member);
        for (int arc = begin[member]; arc < end[member]; ++arc) {
            const int head = (int)(led[leader_of(heads[arc], mate)] >> 32) - 1;
            if (head == number)
                continue;
            int entry = free - 1;
            while (entry >= first && entry >= free - ARCS_SEEN && coarse_heads[entry] != head)
                --entry;
            if (entry >= first && entry >= free - ARCS_SEEN) {
                coarse_weights[entry] += WEIGHT(arc);
            } else {
                coarse_heads[free] = head;
                coarse_weights[free++] = WEIGHT(arc);
            }
        }
    }
    coarse_begin[number] = first;
    coarse_end[number] = free;
    coarse_sizes[number] = size;
}

// A round of improvement. `filled` has the size of each part, twice: as it was before the round, and as it will be after.
// The two change places each round. `rounds`, shape (2,), is the number of the round: the first word for `choose` and
// `judge`, the second for `hold` and `move`, so that each is written while the other is read. A part is too large if it is beyond `limit`; then
// its vertices may leave it at any loss, also to a part that is too large, but less so. Arrays by vertex are `part`;
// `chosen`, the part that it would go to, or -1; `gain`; and `bucket`, its place among those that go to the same part, or
// -1 if it stays. `coming` and `leaving` are the sizes of all vertices of a bucket, by part.
#define ROUND                                                                                                  \
    LEVEL, int parts, int limit, int rounds_a_level, int arc_weight, int loss_percent, int *rounds, int *part, \
        int *chosen, int *gain, int *bucket, int *filled, int *coming, int *leaving
#define BEFORE(round) (filled + (size_t)parts * ((round) & 1))
#define AFTER(round) BEFORE((round) + 1)
#define LAST_ROUNDS 3 // of a level: without loss
#define IS_LAST(round) ((round) % rounds_a_level >= rounds_a_level - LAST_ROUNDS)
#define MOVED -2 // a bucket

extern "C" __global__ void choose(ROUND)
{
    const int round = rounds[0];
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)parts * BUCKETS; i += threads)
        coming[i] = leaving[i] = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        rounds[1] = round;
    VERTEX_OF_THREAD(vertex);
    const int *const before = BEFORE(round);
    const int own = part[vertex], first = begin[vertex], last = last_seen(first, end[vertex]);
    int inside = 0;
    bool outside = false;
    for (int arc = first; arc < last; ++arc) {
        const bool here = part[heads[arc]] == own;
        inside += here ? WEIGHT(arc) : 0;
        outside = outside || !here;
    }
    int best = -1, most = 0;
    if (outside) {
        const int size = SIZE(vertex);
        const bool flees = before[own] > limit;
        for (int arc = first; arc < last; ++arc) {
            const int other = part[heads[arc]];
            if (other == own || other == best)
                continue;
            const int becomes = before[other] + size;
            if (becomes > limit && !(flees && becomes < before[own]))
                continue;
            int there = 0;
            for (int further = first; further < last; ++further)
                there += part[heads[further]] == other ? WEIGHT(further) : 0;
            const unsigned int salt = round + vertex;
            if (there > most || (there == most && mixed(31 * other + salt) > mixed(31 * best + salt))) {
                best = other;
                most = there;
            }
        }
        const int loss = inside - most;
        const bool allowed = loss <= 0 || (!IS_LAST(round) && 100ll * loss < (long long)loss_percent * inside);
        if (!flees && (bucket[vertex] == MOVED || !allowed))
            best = -1;
        gain[vertex] = -loss;
    }
    chosen[vertex] = best;
}

// Better gains first, in steps of the weight of an arc, and at random among as good ones.
__device__ __forceinline__ int bucket_of(int gain, int arc_weight, unsigned int salt)
{
    const int worst = 6;
    const int rank = gain > 2 * arc_weight     ? 0
                     : gain > arc_weight       ? 1
                     : gain > 0                ? 2
                     : gain == 0               ? 3
                     : gain >= -arc_weight     ? 4
                     : gain >= -2 * arc_weight ? 5
                                               : worst;
    return 4 * rank + mixed(salt) % (rank == worst ? 8 : 4);
}

__device__ __forceinline__ int up_to(int bucket, const int *sums)
{
    int sum = 0;
    for (int i = 0; i < bucket; ++i)
        sum += sums[i];
    return sum;
}

// The gain of each chosen move if all moves of a greater gain are made.
extern "C" __global__ void judge(ROUND)
{
    const int round = rounds[0];
    VERTEX_OF_THREAD(vertex);
    const int to = chosen[vertex];
    int place = -1;
    if (to >= 0) {
        const int own = part[vertex], mine = gain[vertex], last = last_seen(begin[vertex], end[vertex]);
        int now = 0;
        for (int arc = begin[vertex]; arc < last; ++arc) {
            const int other = heads[arc];
            int where = part[other];
            if (chosen[other] >= 0 && (gain[other] > mine || (gain[other] == mine && other < vertex)))
                where = chosen[other];
            now += where == to ? WEIGHT(arc) : where == own ? -WEIGHT(arc) : 0;
        }
        const bool flees = BEFORE(round)[own] > limit;
        if (flees || now >= IS_LAST(round)) {
            place = bucket_of(now, arc_weight, 3 * vertex + 77 * round);
            atomicAdd(&(flees ? leaving : coming)[(size_t)(flees ? own : to) * BUCKETS + place], SIZE(vertex));
        }
    }
    bucket[vertex] = place;
}

// Of vertices that leave a part that is too large, those stay that need not leave.
extern "C" __global__ void hold(ROUND)
{
    const int round = rounds[1];
    const int *const before = BEFORE(round);
    int *const after = AFTER(round);
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)parts; i += threads)
        after[i] = before[i];
    if (blockIdx.x == 0 && threadIdx.x == 0)
        rounds[0] = round + 1;
    VERTEX_OF_THREAD(vertex);
    const int place = bucket[vertex], own = part[vertex];
    if (place < 0 || before[own] <= limit)
        return;
    const bool loses = place >= 16;
    if (loses && up_to(place, leaving + (size_t)own * BUCKETS) >= before[own] - limit)
        bucket[vertex] = -1;
    else
        atomicAdd(&coming[(size_t)chosen[vertex] * BUCKETS + place], SIZE(vertex));
}

// All of a bucket move, or none: as many buckets as the part has room for.
extern "C" __global__ void move(ROUND)
{
    VERTEX_OF_THREAD(vertex);
    const int place = bucket[vertex];
    if (place < 0)
        return;
    const int own = part[vertex], to = chosen[vertex];
    const int round = rounds[1];
    const int *const before = BEFORE(round);
    int *const after = AFTER(round);
    const int room = before[own] > limit ? max(limit, (before[own] + before[to]) / 2) : limit;
    if (before[to] + up_to(place + 1, coming + (size_t)to * BUCKETS) > room)
        return;
    part[vertex] = to;
    bucket[vertex] = MOVED;
    atomicSub(&after[own], SIZE(vertex));
    atomicAdd(&after[to], SIZE(vertex));
}
