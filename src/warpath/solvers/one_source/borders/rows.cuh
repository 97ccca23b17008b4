// Rows of a table of distances, and what a warp adds to them: a lane has a column.
#pragma once
#include "agreement.cuh"
#include "warpath/solvers/shared/lengths.cuh"

#define ROWS_TOGETHER 8 // whose cells are on their way together

// The lane's column `cells` of the rows in `fallen`, one bit a row. Lane i has the distances of row i from each of SOURCES
// sources in `from`; `best` becomes the least of it and of each distance and cell together.
template <int SOURCES>
__device__ __forceinline__ void take_rows(unsigned int fallen, const Length (&from)[SOURCES], const Length *cells,
                                          int width, Sum (&best)[SOURCES])
{
    const int last = 31 - __clz(fallen);
    while (fallen) { // the last row again if there are fewer
        int rows[ROWS_TOGETHER];
        Length cell[ROWS_TOGETHER];
#pragma unroll
        for (int k = 0; k < ROWS_TOGETHER; ++k) {
            rows[k] = fallen ? __ffs(fallen) - 1 : last;
            fallen &= fallen - 1;
            cell[k] = cells[rows[k] * width];
        }
#pragma unroll
        for (int k = 0; k < ROWS_TOGETHER; ++k)
#pragma unroll
            for (int source = 0; source < SOURCES; ++source) {
                const Length there = __shfl_sync(EVERY_LANE, from[source], rows[k]);
                best[source] = min(best[source], extended(there, number_of(cell[k])));
            }
    }
}
