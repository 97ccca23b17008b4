// Partition, borders: a path crosses a part in one step.
//
// The one idea: a part is entered and left by few vertices (of 384 vertices of New York some 21). How far it is from
// each vertex that is entered to each vertex outside that the part leads to does not depend on the source, so it is
// found once a graph, into a table. From a source, distances then travel from border to border by the table, some 40
// steps on New York instead of 1,200 arcs, and only when those are final does each vertex take the least of its part's
// border. Tables of this kind are from Delling, Goldberg, Pajor and Werneck, "Customizable route planning" (2011).
//
//   fill_table     some blocks a part: settle it from each of its rows, for the tables; prepares a graph;
//   leave_source   one block: settle the source's part, and tell the vertices outside that it leads to;
//   exchange       a warp some slices of the table, as many blocks as run together, until no distance at a
//                  border falls any more (agreement.cuh); no barrier of the grid, no order of parts;
//   spread_parts   a block a part: from its border by a table of all its vertices, write distances in the graph's order;
//   finish_parts   the same for floats, without such a table: settle it from its border.
//
// If parts are many, runs of them are to the exchange what parts are here (regions.cu).
// Memory: `reached`, a word an entered vertex, is its inbox; each falls by atomicMin alone. The table of all vertices has
// a word for each of them and each entered vertex of their part, some 20 to 50 a vertex.
// Rows of the table lie in shared memory where those of a block's parts fit there (ROWS_IN_SHARED), else in L2 and L1.
// Why an exchange ends rightly is argued in agreement.cuh, why no message is lost at `Slice`. At its end the distances
// of entered vertices are final: a shortest path to one leaves the source's part by a way that leave_source has told of,
// and crosses each further part by a cell of the table; whatever falls at a border is sent on by all cells of its row;
// and at the end nothing is left that has fallen and has not been sent on. Where blocks run one after another, an exchange
// stops before its end and says so, and the host launches it again.
// Limit: dependent steps. A step of the exchange is an atomic to L2 and a read from there, 1.4 us on an H200, a step of
// settling two reads of shared memory, an atomic and a share of a barrier, 0.35 us. spread_parts: reading its table.
// Floats: a table adds weights in another order than a path does, so that the last bits may differ from those of a distance.
// Others find these from what finish_parts writes (sums.cu), which adds arc by arc.
#include "warpath/device/dynamic_shared.cuh"
#include "agreement.cuh"
#include "rows.cuh"
#include "warpath/solvers/shared/lengths.cuh"

// A warp takes what reaches a part's border across the part, by the table, and sends it on.
//
// A slice is some columns, as a rule one a lane, of 128 rows of a part's table. Each look reads the inboxes of its rows,
// the vertices that are entered, and for those that have fallen takes the row of the table: what the row's distance and
// the cell add up to is a distance of the column's vertex, which lies in another part. A lane keeps the least that it has
// sent, and sends less by atomicMin into that vertex's inbox; it waits for nothing.
//   No update is lost: an inbox only falls, by atomics; whoever lowers it after a look has read it is seen by the next
// look, because `seen` holds what was read and not what is there.
//   Where the table is not in shared memory, reading it limits an exchange, and without any order a row falls and is taken
// ten times and more. There a row waits while it is beyond a bound: by `step` above the least that had fallen when the
// warps of the block last looked. Slices of all regions are in each block, so this follows the front of the search.

#define READS 4 // of the inbox together: 128 rows
#ifndef ROWS_IN_SHARED
#define ROWS_IN_SHARED 1
#endif
#ifndef COLUMNS_OF_SLICE
#define COLUMNS_OF_SLICE 32
#endif

// As in ExchangeLayout: `inbox` and `outside` are the first of its rows and columns, `cell` is the first of its cells.
struct SliceWords {
    int inbox, rows, outside, columns, cell, width, relaxed;
};

// `seen` holds the distance that each row was taken with last, `sent` what was sent to each column, and `outbox` to where.
struct Slice {
    int rows, columns, width;
    const Length *inbox, *table;
    Length *seen, *sent;
    const int *outbox;
};

// One look; true if a row had fallen. `least` becomes the least of them, also of those that wait.
__device__ __forceinline__ bool look_at(const Slice &slice, Length bound, Length *reached, Length &least)
{
    const int lane = threadIdx.x % 32;
    Length values[READS][1];
    unsigned int fallen[READS];
    bool any = false;
#pragma unroll
    for (int i = 0; i < READS; ++i)
        values[i][0] = 32 * i + lane < slice.rows ? fresh(&slice.inbox[32 * i + lane]) : UNREACHABLE;
#pragma unroll
    for (int i = 0; i < READS; ++i) {
        const int row = 32 * i + lane;
        fallen[i] = 0;
        if (32 * i >= slice.rows)
            continue;
        const bool lower = row < slice.rows && values[i][0] < slice.seen[row];
        const bool taken = lower && (ROWS_IN_SHARED || values[i][0] < bound);
        if (taken)
            slice.seen[row] = values[i][0];
        if (lower)
            least = min(least, values[i][0]);
        any = any || lower;
        fallen[i] = __ballot_sync(EVERY_LANE, taken);
    }
    if (!(fallen[0] | fallen[1] | fallen[2] | fallen[3]))
        return any;
    for (int base = 0; base < COLUMNS_OF_SLICE; base += 32) {
        const int column = base + lane;
        const Length *const cells = slice.table + min(column, slice.columns - 1);
        Sum best[] = {UNREACHABLE};
        if (base >= slice.columns)
            break;
#pragma unroll
        for (int i = 0; i < READS; ++i)
            take_rows<1>(fallen[i], values[i], cells + 32 * i * slice.width, slice.width, best);
        if (column < slice.columns && best[0] < (Sum)slice.sent[column]) {
            slice.sent[column] = (Length)best[0];
            atomicMin(&reached[slice.outbox[column]], (Length)best[0]);
        }
    }
    return any;
}

// One block settles one part in shared memory: no arc inside it, or out of it, lowers a distance any more. It may do so from
// several sources at once, each of which has a row of distances: their chains of relaxations share the waiting.
//
// A thread owns VERTICES_PER_THREAD vertices. It holds their arcs in registers, and the distance that each was relaxed
// with last: where the distance in shared memory is lower, it relaxes again. All heads of a vertex are read before the
// first is compared, so that the reads are on their way together, and atomicMin returns nothing to wait for. Warps go
// PASSES times over their vertices between barriers: distances only fall, so a late read costs a pass and nothing else.
// The last barrier follows passes in which no thread has relaxed anything.
//   Limit: the chain of relaxations. Parts of New York of 1,000 vertices take 53 rounds on average, and 109 the slowest,
// a third of a microsecond for each of its rounds on an H200.

#define SLOTS 4
#define NO_ARC 0xffff
#define PASSES 3
#ifndef VERTICES_PER_THREAD
#define VERTICES_PER_THREAD 1
#endif

// The arcs of all parts, see Parts in _parts.py, as parameters of a kernel; and those of one part.
#define ARCS_OF_PARTS                                                                                          \
    int all, const int *first, const int *outside_first, const unsigned short *heads, const Weight *weights,   \
        const int *overflow_first, const unsigned short *overflow_tails, const unsigned short *overflow_heads, \
        const Weight *overflow_weights
#define PART_AT(part)                                                                                        \
    part_at(part, all, first, outside_first, heads, weights, overflow_first, overflow_tails, overflow_heads, \
            overflow_weights)

// Its entries are its vertices and then its outside neighbours; `stride` is the distance between columns of arcs.
struct Part {
    int begin, vertices, outside_begin, outside, overflows;
    size_t stride;
    const unsigned short *heads, *overflow_tails, *overflow_heads;
    const Weight *weights, *overflow_weights;
};

__device__ __forceinline__ Part part_at(int part, ARCS_OF_PARTS)
{
    const int begin = first[part], outside = outside_first[part], overflow = overflow_first[part];
    return {begin,
            first[part + 1] - begin,
            outside,
            outside_first[part + 1] - outside,
            overflow_first[part + 1] - overflow,
            (size_t)all,
            heads + begin,
            overflow_tails + overflow,
            overflow_heads + overflow,
            weights + begin,
            overflow_weights + overflow};
}

// What a thread holds. An empty slot is a loop of length 0, which lowers nothing.
struct OwnArcs {
    int vertex[VERTICES_PER_THREAD]; // entry 0 where there is none
    int head[VERTICES_PER_THREAD][SLOTS];
    Weight weight[VERTICES_PER_THREAD][SLOTS];
    int overflow_tail, overflow_head; // one arc beyond the slots
    Weight overflow_weight;
};

__device__ __forceinline__ OwnArcs own_arcs(const Part &part)
{
    OwnArcs own;
#pragma unroll
    for (int i = 0; i < VERTICES_PER_THREAD; ++i) {
        const int vertex = threadIdx.x + i * blockDim.x;
        const bool there = vertex < part.vertices;
        own.vertex[i] = there ? vertex : 0;
#pragma unroll
        for (int slot = 0; slot < SLOTS; ++slot) {
            const int head = there ? part.heads[slot * part.stride + vertex] : NO_ARC;
            own.head[i][slot] = head == NO_ARC ? own.vertex[i] : head;
            own.weight[i][slot] = head == NO_ARC ? 0 : part.weights[slot * part.stride + vertex];
        }
    }
    const bool there = threadIdx.x < part.overflows;
    own.overflow_tail = there ? part.overflow_tails[threadIdx.x] : 0;
    own.overflow_head = there ? part.overflow_heads[threadIdx.x] : 0;
    own.overflow_weight = there ? part.overflow_weights[threadIdx.x] : 0;
    return own;
}

// `distances` has ROWS rows of all entries, written by this block. The result is there for all its threads.
template <int ROWS>
__device__ __forceinline__ void settle_part(const Part &part, const OwnArcs &own, Length *distances)
{
    const int entries = part.vertices + part.outside;
    volatile Length *const distance = distances;
    Length last[ROWS][VERTICES_PER_THREAD], overflow_last[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        overflow_last[row] = UNREACHABLE;
#pragma unroll
        for (int i = 0; i < VERTICES_PER_THREAD; ++i)
            last[row][i] = UNREACHABLE;
    }
    bool any = true;
    while (__syncthreads_or(any)) {
        any = false;
#pragma unroll 1
        for (int pass = 0; pass < PASSES; ++pass) {
            Length now[ROWS][VERTICES_PER_THREAD];
#pragma unroll
            for (int row = 0; row < ROWS; ++row)
#pragma unroll
                for (int i = 0; i < VERTICES_PER_THREAD; ++i)
                    now[row][i] = distance[row * entries + own.vertex[i]];
#pragma unroll
            for (int row = 0; row < ROWS; ++row) {
#pragma unroll
                for (int i = 0; i < VERTICES_PER_THREAD; ++i) {
                    if (now[row][i] >= last[row][i])
                        continue;
                    last[row][i] = now[row][i];
                    any = true;
                    Length there[SLOTS];
#pragma unroll
                    for (int slot = 0; slot < SLOTS; ++slot)
                        there[slot] = distance[row * entries + own.head[i][slot]];
#pragma unroll
                    for (int slot = 0; slot < SLOTS; ++slot) {
                        const Sum sum = extended(now[row][i], own.weight[i][slot]);
                        if (sum < (Sum)there[slot])
                            atomicMin(&distances[row * entries + own.head[i][slot]], (Length)sum);
                    }
                }
                const Length tail =
                    threadIdx.x < part.overflows ? distance[row * entries + own.overflow_tail] : UNREACHABLE;
                if (tail < overflow_last[row]) {
                    overflow_last[row] = tail;
                    any = true;
                    const Sum sum = extended(tail, own.overflow_weight);
                    if (sum < UNREACHABLE)
                        atomicMin(&distances[row * entries + own.overflow_head], (Length)sum);
                }
            }
        }
        for (int arc = threadIdx.x + blockDim.x; arc < part.overflows; arc += blockDim.x) // stars alone have these
            for (int row = 0; row < ROWS; ++row) {
                Length *const of_row = distances + row * entries;
                const Sum sum =
                    extended(distance[row * entries + part.overflow_tails[arc]], part.overflow_weights[arc]);
                if (sum < (Sum)distance[row * entries + part.overflow_heads[arc]]) {
                    atomicMin(&of_row[part.overflow_heads[arc]], (Length)sum);
                    any = true;
                }
            }
    }
}

#ifndef FILL_ROWS
#define FILL_ROWS 4 // that a block of fill_table settles at once
#endif

// From entries `source`, `source` + 1, ... below `end`, one for each row.
template <int ROWS>
__device__ __forceinline__ void settle_from(int source, int end, const Part &part, const OwnArcs &own,
                                            Length *distances)
{
    const int entries = part.vertices + part.outside;
    for (int row = 0; row < ROWS; ++row)
        for (int entry = threadIdx.x; entry < entries; entry += blockDim.x)
            distances[row * entries + entry] = entry == source + row && entry < end ? 0 : UNREACHABLE;
    settle_part<ROWS>(part, own, distances);
}

extern "C" __global__ void __launch_bounds__(1024)
    fill_table(ARCS_OF_PARTS, const int *inboxes, const int *row_first, Length *table, const long long *inner_first,
               Length *inner)
{
    DYNAMIC_SHARED(Length, distances);
    const Part part = PART_AT(blockIdx.x);
    const OwnArcs own = own_arcs(part);
    const int rows = inboxes[blockIdx.x + 1] - inboxes[blockIdx.x], entries = part.vertices + part.outside;
    for (int first_row = FILL_ROWS * blockIdx.y; first_row < rows; first_row += FILL_ROWS * gridDim.y) {
        settle_from<FILL_ROWS>(first_row, rows, part, own, distances);
        for (int row = first_row; row < min(first_row + FILL_ROWS, rows); ++row)
            for (int column = threadIdx.x; column < part.outside; column += blockDim.x)
                table[row_first[blockIdx.x] + row * part.outside + column] =
                    distances[(row - first_row) * entries + part.vertices + column];
        if (inner)
            for (int row = first_row; row < min(first_row + FILL_ROWS, rows); ++row)
                for (int vertex = threadIdx.x; vertex < part.vertices; vertex += blockDim.x)
                    inner[inner_first[blockIdx.x] + (size_t)row * part.vertices + vertex] =
                        distances[(row - first_row) * entries + vertex];
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    leave_source(int source_part, int source, ARCS_OF_PARTS, const int *outside, Length *reached, Length *inside)
{
    DYNAMIC_SHARED(Length, distances);
    const Part part = PART_AT(source_part);
    settle_from<1>(source - part.begin, part.vertices, part, own_arcs(part), distances);
    for (int column = threadIdx.x; column < part.outside; column += blockDim.x)
        atomicMin(&reached[outside[part.outside_begin + column]], distances[part.vertices + column]);
    for (int vertex = threadIdx.x; vertex < part.vertices; vertex += blockDim.x)
        inside[vertex] = distances[vertex];
}

// `inner` has the distances from each row to each vertex of its part, and `inside` those from the source in its own part.
// Most rows bring nothing, because a path from the inbox of another row leads there, so they are found by what the rows say
// of each other. Of two at the same place, with weights of 0 between them, one is needed.
extern "C" __global__ void __launch_bounds__(1024)
    spread_parts(int source, int launch, const int *first, const int *inboxes, const long long *inner_first,
                 const Length *inner, Length *reached, const Length *inside, const int *order, Length *final_distances,
                 const int *state)
{
    DYNAMIC_SHARED(Length, at);
    __shared__ int count;
    const int begin = first[blockIdx.x], vertices = first[blockIdx.x + 1] - begin;
    const int first_inbox = inboxes[blockIdx.x], rows = inboxes[blockIdx.x + 1] - first_inbox;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const Length *const table = inner + inner_first[blockIdx.x];
    int *const is_needed = reinterpret_cast<int *>(at + rows), *const needed = is_needed + rows;
    if (state[LEFT] == launch || state[GAVE_UP] == launch)
        return; // messages are still on their way: the exchange is launched once more
    for (int row = threadIdx.x; row < rows; row += blockDim.x) {
        at[row] = reached[first_inbox + row];
        is_needed[row] = at[row] != UNREACHABLE;
        reached[first_inbox + row] = UNREACHABLE; // for the next solve
    }
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (int row = lane; row < rows; row += 32)
#pragma unroll 4
        for (int from = warp; from < rows; from += warps) {
            const Sum by_it = extended(at[from], number_of(table[(size_t)from * vertices + row]));
            const bool is_before = at[from] < at[row] || (at[from] == at[row] && from < row);
            if (is_before && by_it <= (Sum)at[row])
                is_needed[row] = false;
        }
    __syncthreads();
    for (int row = threadIdx.x; row < rows; row += blockDim.x)
        if (is_needed[row])
            needed[atomicAdd(&count, 1)] = row;
    __syncthreads();
    const bool has_source = begin <= source && source < begin + vertices;
    for (int vertex = threadIdx.x; vertex < vertices; vertex += blockDim.x) {
        Sum best = has_source ? inside[vertex] : UNREACHABLE;
        for (int base = 0; base < count; base += ROWS_TOGETHER) { // the last row again if there are fewer
            Length from[ROWS_TOGETHER], cell[ROWS_TOGETHER];
#pragma unroll
            for (int k = 0; k < ROWS_TOGETHER; ++k) {
                const int row = needed[min(base + k, count - 1)];
                from[k] = at[row];
                cell[k] = table[(size_t)row * vertices + vertex];
            }
#pragma unroll
            for (int k = 0; k < ROWS_TOGETHER; ++k)
                best = min(best, extended(from[k], number_of(cell[k])));
        }
        final_distances[order[begin + vertex]] = (Length)best;
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    finish_parts(int source, int launch, ARCS_OF_PARTS, const int *inboxes, Length *reached, const int *order,
                 Length *final_distances, const int *state)
{
    DYNAMIC_SHARED(Length, distances);
    const Part part = PART_AT(blockIdx.x);
    const OwnArcs own = own_arcs(part);
    if (state[LEFT] == launch || state[GAVE_UP] == launch)
        return; // messages are still on their way: the exchange is launched once more
    const int first_inbox = inboxes[blockIdx.x], entered = inboxes[blockIdx.x + 1] - first_inbox;
    for (int entry = threadIdx.x; entry < part.vertices + part.outside; entry += blockDim.x) {
        const bool is_source = entry < part.vertices && part.begin + entry == source;
        distances[entry] = is_source ? 0 : entry < entered ? reached[first_inbox + entry] : UNREACHABLE;
        if (entry < entered)
            reached[first_inbox + entry] = UNREACHABLE; // for the next solve
    }
    settle_part<1>(part, own, distances);
    for (int vertex = threadIdx.x; vertex < part.vertices; vertex += blockDim.x)
        final_distances[order[part.begin + vertex]] = distances[vertex];
}

extern "C" __global__ void __launch_bounds__(1024)
    exchange(int launch, int first_launch, int patience, int questions_max, const int *slices_first,
             const int *slice_words, const int *outside, const Length *table, Weight step, Length *reached,
             Length *relaxed_with, unsigned long long *published, int *finished, int *state, int *host_state)
{
    DYNAMIC_SHARED(Length, seen);
    __shared__ Agreement agreement;
    __shared__ Length fallen[32]; // the least that each warp has found to have fallen
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32 - 2;
    const SliceWords *const words = reinterpret_cast<const SliceWords *>(slice_words) + slices_first[blockIdx.x];
    const int slices = slices_first[blockIdx.x + 1] - slices_first[blockIdx.x], columns = COLUMNS_OF_SLICE * slices;
    const int relaxed_begin = words[0].relaxed, relaxed = words[slices].relaxed - relaxed_begin;
    Length *const sent = seen + relaxed;
    open_agreement(agreement);
    if (threadIdx.x < 32)
        fallen[threadIdx.x] = UNREACHABLE;
    for (int i = threadIdx.x; i < relaxed; i += blockDim.x)
        seen[i] = launch == first_launch ? UNREACHABLE : relaxed_with[relaxed_begin + i];
#if ROWS_IN_SHARED
    Length *const near_table = sent + columns;
    const int from = words[0].cell, cells = words[slices].cell - from;
    for (int cell = threadIdx.x; cell < cells; cell += blockDim.x)
        near_table[cell] = table[from + cell];
    int *const outbox = reinterpret_cast<int *>(near_table + cells);
#else
    const Length *const near_table = table;
    const int from = 0;
    int *const outbox = reinterpret_cast<int *>(sent + columns);
#endif
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        const SliceWords &slice = words[i / COLUMNS_OF_SLICE];
        const int column = i % COLUMNS_OF_SLICE;
        sent[i] = UNREACHABLE;
        outbox[i] = column < slice.columns ? outside[slice.outside + column] : 0;
    }
    SliceWords *const near_words = reinterpret_cast<SliceWords *>(outbox + columns);
    for (int i = threadIdx.x; i < slices; i += blockDim.x)
        near_words[i] = words[i];
    __syncthreads();
    const auto slice_at = [&](int number) -> Slice {
        const SliceWords &slice = near_words[number];
        return {slice.rows,
                slice.columns,
                slice.width,
                reached + slice.inbox,
                near_table + slice.cell - from,
                seen + slice.relaxed - relaxed_begin,
                sent + COLUMNS_OF_SLICE * number,
                outbox + COLUMNS_OF_SLICE * number};
    };
    if (warp < warps) {
        int answered = 0;
        bool worked = false;
        Length bound = UNREACHABLE;
        const bool one = warp + warps >= slices; // held in registers
        const Slice own = warp < slices ? slice_at(warp) : Slice{};
        for (;;) {
            const int asked = asked_now(agreement);
            Length least = UNREACHABLE;
            if (one)
                worked |= look_at(own, bound, reached, least);
            else
                for (int slice = warp; slice < slices; slice += warps)
                    worked |= look_at(slice_at(slice), bound, reached, least);
#if !ROWS_IN_SHARED
            for (int distance = 16; distance > 0; distance /= 2)
                least = min(least, __shfl_xor_sync(EVERY_LANE, least, distance));
            if (lane == 0)
                *(volatile Length *)&fallen[warp] = least;
            least = lane < warps ? fresh(&fallen[lane]) : UNREACHABLE;
            for (int distance = 16; distance > 0; distance /= 2)
                least = min(least, __shfl_xor_sync(EVERY_LANE, least, distance));
            bound = raised(least, step);
#endif
            if (asked == LEAVE)
                break;
            if (asked != answered) {
                give_answer(agreement, warp, asked, worked);
                answered = asked;
                worked = false;
            }
        }
    } else if (warp == warps) {
        preside(agreement, warps, {launch, patience, questions_max}, published, finished);
    } else if (blockIdx.x == 0) {
        look_for_the_end(agreement, launch, published, finished);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < relaxed; i += blockDim.x)
        relaxed_with[relaxed_begin + i] = seen[i];
    if (threadIdx.x == 0 && agreement.result != SETTLED) {
        const int word = agreement.result == UNSETTLED ? LEFT : GAVE_UP;
        state[word] = host_state[word] = launch;
    }
}
