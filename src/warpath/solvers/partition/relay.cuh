// A warp takes what reaches a part's border across the part, by the table, and sends it on.
//
// A slice is 32 columns of a part's table, one a lane. Each look reads the inboxes of all rows of the part, the vertices
// that are entered, and for those that have fallen takes the row of the table: what the row's distance and the cell add
// up to is a distance of the column's vertex, which lies in another part. The lane keeps the least that it has sent, and
// sends less by atomicMin into that vertex's inbox; it waits for nothing.
//   No update is lost: an inbox only falls, by atomics; whoever lowers it after a look has read it is seen by the next
// look, because `seen` holds what was read and not what is there.
#pragma once

#include "agreement.cuh"
#include "warpath/solvers/distances.cuh"

#define READS 4 // of the inbox together: 128 rows

// `seen` holds the distance that each row was taken with last, `sent` what each lane has sent. A lane beyond the last
// column sends nothing.
struct Slice {
    int rows, width, column;
    const int *inbox, *table;
    int *seen, *sent, *outbox;
};

// One look; true if a row had fallen.
__device__ __forceinline__ bool look_at(const Slice &slice)
{
    const int lane = threadIdx.x % 32;
    const int *const cells = slice.table + min(slice.column, slice.width - 1);
    unsigned int best = UNREACHABLE;
    bool any = false;
    for (int base = 0; base < slice.rows; base += 32 * READS) {
        int values[READS];
#pragma unroll
        for (int i = 0; i < READS; ++i)
            values[i] = base + 32 * i + lane < slice.rows ? LOAD(slice.inbox[base + 32 * i + lane]) : UNREACHABLE;
#pragma unroll
        for (int i = 0; i < READS; ++i) {
            const int first = base + 32 * i, row = first + lane;
            if (first >= slice.rows)
                break;
            const bool lower = row < slice.rows && values[i] < slice.seen[row];
            if (lower)
                slice.seen[row] = values[i];
            unsigned int fallen = __ballot_sync(EVERY_LANE, lower);
            any = any || fallen;
            while (fallen) { // two rows at a time, whose cells are on their way together
                const int one = __ffs(fallen) - 1;
                fallen &= fallen - 1;
                const int other = fallen ? __ffs(fallen) - 1 : one;
                fallen &= fallen - 1;
                const int cell = cells[(first + one) * slice.width], other_cell = cells[(first + other) * slice.width];
                const int from = __shfl_sync(EVERY_LANE, values[i], one);
                const int from_other = __shfl_sync(EVERY_LANE, values[i], other);
                best = min(best, min(joined(from, cell), joined(from_other, other_cell)));
            }
        }
    }
    if (slice.column < slice.width && best < (unsigned int)slice.sent[lane]) {
        slice.sent[lane] = (int)best;
        atomicMin(slice.outbox, (int)best);
    }
    return any;
}
