// Partition, borders: a path crosses a part in one step.
//
// The one idea: a part is entered and left by few vertices (of 1,000 vertices of New York some 35). How far it is from
// each vertex that is entered to each vertex outside that the part leads to does not depend on the source, so it is
// found once a graph, into a table. From a source, distances then travel from border to border by the table, some 40
// steps on New York instead of 1,200 arcs, and only when those are final does each part settle, once. Tables of this
// kind are from Delling, Goldberg, Pajor and Werneck, "Customizable route planning" (2011).
//
//   fill_table     a block a part: settle it from each of its rows, for the table; prepares a graph;
//   leave_source   one block: settle the source's part, and tell the vertices outside that it leads to;
//   exchange       a warp a slice of the table (relay.cuh), as many blocks as run together, until no distance at a
//                  border falls any more (agreement.cuh); no barrier of the grid, no order of parts;
//   finish_parts   a block a part: settle it from its border, write distances in the graph's order.
//
// Memory: `reached`, a word a vertex by new number, is the inbox of entered vertices; each falls by atomicMin alone.
// Rows of the table lie in shared memory where those of a block's parts fit there (ROWS_IN_SHARED), else in L2 and L1.
// Why an exchange ends rightly is argued in agreement.cuh, why no message is lost in relay.cuh. At its end the distances
// of entered vertices are final: a shortest path to one leaves the source's part by a way that leave_source has told of,
// and crosses each further part by a cell of the table; whatever falls at a border is sent on by all cells of its row;
// and at the end nothing is left that has fallen and has not been sent on. Where blocks run one after another, an exchange
// stops before its end and says so, and the host launches it again.
// Limit: dependent steps. A step of the exchange is an atomic to L2 and a read from there, 1.4 us on an H200, a step of
// settling two reads of shared memory, an atomic and a share of a barrier, 0.35 us. New York in 264 parts: 24 us for the
// source's part, 85 us for the exchange, 40 us for all parts.
#include "warpath/device/simt/dynamic_shared.cuh"
#include "relay.cuh"
#include "settle_part.cuh"

#ifndef ROWS_IN_SHARED
#define ROWS_IN_SHARED 1
#endif

// From one vertex of the part alone.
__device__ __forceinline__ void settle_from(int source, const Part &part, const OwnArcs &own, int *distances)
{
    for (int entry = threadIdx.x; entry < part.vertices + part.outside; entry += blockDim.x)
        distances[entry] = entry == source ? 0 : UNREACHABLE;
    settle_part(part, own, distances);
}

extern "C" __global__ void __launch_bounds__(1024)
    fill_table(ARCS_OF_PARTS, const int *entered, const int *row_first, int *table)
{
    DYNAMIC_SHARED(int, distances);
    const Part part = PART_AT(blockIdx.x);
    const OwnArcs own = own_arcs(part);
    for (int row = 0; row < entered[blockIdx.x]; ++row) {
        settle_from(row, part, own, distances);
        for (int column = threadIdx.x; column < part.outside; column += blockDim.x)
            table[row_first[blockIdx.x] + row * part.outside + column] = distances[part.vertices + column];
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    leave_source(int source_part, int source, ARCS_OF_PARTS, const int *outside, int *reached)
{
    DYNAMIC_SHARED(int, distances);
    const Part part = PART_AT(source_part);
    settle_from(source - part.begin, part, own_arcs(part), distances);
    for (int column = threadIdx.x; column < part.outside; column += blockDim.x)
        atomicMin(&reached[outside[part.outside_begin + column]], distances[part.vertices + column]);
}

extern "C" __global__ void __launch_bounds__(1024)
    finish_parts(int source, int launch, ARCS_OF_PARTS, const int *entered, const int *relaxed_first, int *reached,
                 int *relaxed_with, const int *order, int *final_distances, int *predecessors, const int *state)
{
    DYNAMIC_SHARED(int, distances);
    const Part part = PART_AT(blockIdx.x);
    const OwnArcs own = own_arcs(part);
    if (state[LEFT] == launch || state[GAVE_UP] == launch)
        return; // messages are still on their way: the exchange is launched once more
    for (int entry = threadIdx.x; entry < part.vertices + part.outside; entry += blockDim.x) {
        const int vertex = part.begin + entry;
        const bool is_entered = entry < entered[blockIdx.x];
        distances[entry] = entry < part.vertices && vertex == source ? 0 : is_entered ? reached[vertex] : UNREACHABLE;
        if (is_entered)
            reached[vertex] = UNREACHABLE; // for the next solve
    }
    for (int i = relaxed_first[blockIdx.x] + threadIdx.x; i < relaxed_first[blockIdx.x + 1]; i += blockDim.x)
        relaxed_with[i] = UNREACHABLE; // likewise
    settle_part(part, own, distances);
    for (int vertex = threadIdx.x; vertex < part.vertices; vertex += blockDim.x) {
        const int original = order[part.begin + vertex];
        final_distances[original] = distances[vertex];
        if (predecessors)
            predecessors[original] = NO_PREDECESSOR; // until it is looked for
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    exchange(int launch, int patience, int questions_max, const int *slices_first, const int *slice_part,
             const int *slice_column, const int *first, const int *entered, const int *outside_first,
             const int *outside, const int *row_first, const int *table, const int *relaxed_first, int *reached,
             int *relaxed_with, unsigned long long *published, int *finished, int *state)
{
    DYNAMIC_SHARED(int, seen);
    __shared__ Agreement agreement;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32 - 2;
    const int begin = slices_first[blockIdx.x], slices = slices_first[blockIdx.x + 1] - begin;
    const int parts_begin = slices ? slice_part[begin] : 0;
    const int parts_end = slices ? slice_part[begin + slices - 1] + 1 : 0;
    const int relaxed_begin = relaxed_first[parts_begin], relaxed = relaxed_first[parts_end] - relaxed_begin;
    int *const sent = seen + relaxed;
    open_agreement(agreement);
    for (int i = threadIdx.x; i < relaxed; i += blockDim.x)
        seen[i] = relaxed_with[relaxed_begin + i];
    for (int i = threadIdx.x; i < 32 * slices; i += blockDim.x)
        sent[i] = UNREACHABLE;
#if ROWS_IN_SHARED
    int *const near_table = sent + 32 * slices;
    const int from = row_first[parts_begin], cells = row_first[parts_end] - from;
    for (int cell = threadIdx.x; cell < cells; cell += blockDim.x)
        near_table[cell] = table[from + cell];
#else
    const int *const near_table = table;
    const int from = 0;
#endif
    __syncthreads();
    const auto slice_at = [&](int slice) -> Slice {
        const int of = slice_part[begin + slice], columns = slice_column[begin + slice], column = columns + lane;
        const int rows = entered[of], first_column = outside_first[of], width = outside_first[of + 1] - first_column;
        return {rows,
                width,
                column,
                reached + first[of],
                near_table + row_first[of] - from,
                seen + relaxed_first[of] - relaxed_begin + columns / 32 * rows,
                sent + 32 * slice,
                reached + (column < width ? outside[first_column + column] : 0)};
    };
    if (warp < warps) {
        int answered = 0;
        bool worked = false;
        const bool one = warp + warps >= slices; // held in registers
        const Slice own = warp < slices ? slice_at(warp) : Slice{};
        for (;;) {
            const int asked = asked_now(agreement);
            if (one)
                worked |= look_at(own);
            else
                for (int slice = warp; slice < slices; slice += warps)
                    worked |= look_at(slice_at(slice));
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
    if (threadIdx.x == 0 && agreement.result != SETTLED)
        state[agreement.result == UNSETTLED ? LEFT : GAVE_UP] = launch;
}
