// Partition, regions: where parts are many, a path crosses some hundred of them in one step.
//
// A region is a run of parts. It is to the tables of its parts what a part is to its arcs (borders.cu): it is entered and
// left by few vertices, and a table of its own has the distances from each vertex that is entered from another region to
// each vertex outside that the region leads to. The exchange is then between regions, and the parts wait until it has ended.
//
//   fill_regions     some blocks a region: settle it from each of its rows, for the table; prepares a graph;
//   leave_region     one block: settle the source's region, and tell the vertices outside that it leads to;
//   finish_regions   a block a region: settle it from its border, and write the distances at the borders of its parts.
//
// An inbox is a vertex that is entered: of a part, or of a region, which numbers them anew (Inboxes in _inboxes.py).
// Limit: reading rows of tables from L2, and dependent steps, each a few reads of shared memory and one of L2.
#include "warpath/device/dynamic_shared.cuh"
#include "agreement.cuh"
#include "rows.cuh"

#ifndef FILL_ROWS
#define FILL_ROWS 2 // that a block of fill_regions settles at once
#endif

// The tables of all parts, and what each region has of them (Regions in _regions.py), as parameters of a kernel; and those
// of one region.
#define TABLES_OF_REGIONS                                                                          \
    const int *part_first, const int *part_inboxes, const int *part_outside, const int *part_rows, \
        const Length *part_tables, const unsigned short *heads, const int *region_outside
#define REGION_AT(region) \
    region_at(region, part_first, part_inboxes, part_outside, part_rows, part_tables, heads, region_outside)

// Its entries are the inboxes of its parts, and then the vertices outside that it leads to.
struct Region {
    int parts_begin, parts_end, begin, inboxes, outside_begin, outside;
    const int *part_inboxes, *part_outside, *part_rows;
    const Length *part_tables;
    const unsigned short *heads; // of the columns of tables, as entries
};

__device__ __forceinline__ Region region_at(int region, TABLES_OF_REGIONS)
{
    const int parts_begin = part_first[region], parts_end = part_first[region + 1];
    const int begin = part_inboxes[parts_begin], outside = region_outside[region];
    return {parts_begin,  parts_end,
            begin,        part_inboxes[parts_end] - begin,
            outside,      region_outside[region + 1] - outside,
            part_inboxes, part_outside,
            part_rows,    part_tables,
            heads};
}

// Take the rows of `part` across it that have fallen for a source and are below `bound` for one; true if there are others or
// these. The warp alone writes what is `seen` in the part. `least` becomes the least of what has fallen.
template <int SOURCES>
__device__ __forceinline__ bool cross_part(int part, const Region &region, Length bound, Length *distances,
                                           Length *seen, Length &least)
{
    const int lane = threadIdx.x % 32, entries = region.inboxes + region.outside;
    const int first = region.part_inboxes[part], rows = region.part_inboxes[part + 1] - first;
    const int columns = region.part_outside[part], width = region.part_outside[part + 1] - columns;
    const Length *const table = region.part_tables + region.part_rows[part];
    volatile Length *const distance = distances;
    bool any = false;
    for (int base = 0; base < rows; base += 32) {
        const int inbox = first - region.begin + base + lane;
        Length from[SOURCES], lowest = UNREACHABLE;
#pragma unroll
        for (int source = 0; source < SOURCES; ++source) {
            from[source] = base + lane < rows ? distance[source * entries + inbox] : UNREACHABLE;
            if (base + lane < rows && from[source] < seen[source * region.inboxes + inbox])
                lowest = min(lowest, from[source]);
        }
        const unsigned int taken = __ballot_sync(EVERY_LANE, lowest < bound);
        any = any || lowest != UNREACHABLE;
        least = min(least, lowest);
        if (!taken)
            continue;
        if (lowest < bound)
#pragma unroll
            for (int source = 0; source < SOURCES; ++source)
                seen[source * region.inboxes + inbox] = from[source];
        for (int column = lane; column - lane < width; column += 32) {
            const Length *const cells = table + base * width + min(column, width - 1);
            const int head = region.heads[columns + min(column, width - 1)];
            Sum best[SOURCES];
#pragma unroll
            for (int source = 0; source < SOURCES; ++source)
                best[source] = UNREACHABLE;
            take_rows(taken, from, cells, width, best);
#pragma unroll
            for (int source = 0; source < SOURCES; ++source)
                if (column < width && best[source] < (Sum)distance[source * entries + head])
                    atomicMin(&distances[source * entries + head], (Length)best[source]);
        }
    }
    return any;
}

// `distances` has SOURCES rows of all entries, and `seen` as many of all inboxes, UNREACHABLE, both written by this block.
// The result is there for all its threads. A warp has some parts, and what it reads too late, it reads in the next pass.
// What has fallen waits if it is beyond the least of the last pass by `step`, because it may fall again.
template <int SOURCES>
__device__ __forceinline__ void settle_region(const Region &region, Weight step, Length *distances, Length *seen)
{
    __shared__ Length fallen[3]; // the least of this pass, the next one and the last one, in turn
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (threadIdx.x < 3)
        fallen[threadIdx.x] = UNREACHABLE;
    bool any = true;
    for (int now = 0; __syncthreads_or(any); now = (now + 1) % 3) {
        const Length bound = raised(fallen[(now + 2) % 3], step);
        Length least = UNREACHABLE;
        if (threadIdx.x == 0)
            fallen[(now + 1) % 3] = UNREACHABLE;
        any = false;
        for (int part = region.parts_begin + warp; part < region.parts_end; part += warps)
            any |= cross_part<SOURCES>(part, region, bound, distances, seen, least);
        if (least < fresh(&fallen[now]))
            atomicMin(&fallen[now], least);
    }
}

// `entered` is the inbox of a part that each inbox of a region stands for.
extern "C" __global__ void __launch_bounds__(1024) fill_regions(TABLES_OF_REGIONS, Weight step, const int *inboxes,
                                                                const int *entered, const int *row_first, Length *table)
{
    DYNAMIC_SHARED(Length, distances);
    const Region region = REGION_AT(blockIdx.x);
    const int entries = region.inboxes + region.outside, words = FILL_ROWS * (entries + region.inboxes);
    const int begin = inboxes[blockIdx.x], rows = inboxes[blockIdx.x + 1] - begin;
    for (int first_row = FILL_ROWS * blockIdx.y; first_row < rows; first_row += FILL_ROWS * gridDim.y) {
        for (int i = threadIdx.x; i < words; i += blockDim.x)
            distances[i] = UNREACHABLE;
        __syncthreads();
        const int here = min(FILL_ROWS, rows - first_row);
        if (threadIdx.x < here)
            distances[threadIdx.x * entries + entered[begin + first_row + threadIdx.x] - region.begin] = 0;
        settle_region<FILL_ROWS>(region, step, distances, distances + FILL_ROWS * entries);
        for (int row = 0; row < here; ++row)
            for (int column = threadIdx.x; column < region.outside; column += blockDim.x)
                table[row_first[blockIdx.x] + (first_row + row) * region.outside + column] =
                    distances[row * entries + region.inboxes + column];
        __syncthreads();
    }
}

// Read what has `reached` the parts of a region, so far, and settle it.
__device__ __forceinline__ void settle_reached(const Region &region, Weight step, const Length *reached,
                                               Length *distances)
{
    Length *const seen = distances + region.inboxes + region.outside;
    for (int i = threadIdx.x; i < region.inboxes; i += blockDim.x) {
        distances[i] = min(distances[i], reached[region.begin + i]);
        seen[i] = UNREACHABLE;
    }
    settle_region<1>(region, step, distances, seen);
}

// `outside` has the inboxes of regions that a region leads to.
extern "C" __global__ void __launch_bounds__(1024)
    leave_region(int source_region, TABLES_OF_REGIONS, Weight step, const int *outside, const int *entered,
                 const Length *reached, Length *reached_regions)
{
    DYNAMIC_SHARED(Length, distances);
    const Region region = REGION_AT(source_region);
    Length *const beyond = distances + region.inboxes;
    outside += region.outside_begin;
    for (int i = threadIdx.x; i < region.inboxes; i += blockDim.x)
        distances[i] = UNREACHABLE;
    for (int column = threadIdx.x; column < region.outside; column += blockDim.x)
        beyond[column] = reached[entered[outside[column]]]; // by arcs of the source's part
    settle_reached(region, step, reached, distances);
    for (int column = threadIdx.x; column < region.outside; column += blockDim.x)
        reached_regions[outside[column]] = beyond[column];
}

extern "C" __global__ void __launch_bounds__(1024)
    finish_regions(int launch, TABLES_OF_REGIONS, Weight step, const int *inboxes, const int *entered, Length *reached,
                   Length *reached_regions, const int *state)
{
    DYNAMIC_SHARED(Length, distances);
    const Region region = REGION_AT(blockIdx.x);
    if (state[LEFT] == launch || state[GAVE_UP] == launch)
        return; // as in finish_parts
    for (int entry = threadIdx.x; entry < region.inboxes + region.outside; entry += blockDim.x)
        distances[entry] = UNREACHABLE;
    __syncthreads();
    for (int inbox = inboxes[blockIdx.x] + threadIdx.x; inbox < inboxes[blockIdx.x + 1]; inbox += blockDim.x) {
        distances[entered[inbox] - region.begin] = reached_regions[inbox];
        reached_regions[inbox] = UNREACHABLE; // for the next solve
    }
    __syncthreads();
    settle_reached(region, step, reached, distances);
    for (int i = threadIdx.x; i < region.inboxes; i += blockDim.x)
        reached[region.begin + i] = distances[i];
}
