// Statistics of many rows of distances, one block a row.
//
// Idea: one pass over a row finds how many vertices are reached, the sum of their distances, the farthest vertex, a
// histogram, and each thread's nearest vertex. The k nearest of all lie in the stripes of the k threads whose nearest
// are the nearest: whatever lies in another stripe has these k before it. So only those stripes are read again.
// A distance and its vertex are one 64-bit number, so that ties are decided by the vertex and no two numbers are equal.
// Where distances from all sources lie side by side, vertex by vertex, reduce_columns takes a lane for each source, and
// finish_columns the farthest vertices.
// Threads: THREADS a row, a multiple of 32 and at most 1024; thread t has the vertices t, t + THREADS, ...
// reduce_columns has a block of THREADS for as many sources and COLUMN_ROWS vertices.
// Memory: distances of shape (rows, n), or (sources / 32, n, 32) by position, 64-bit indices; in shared memory, COPIES counters for each of BINS bins.
// Source: our own.
#include "warpath/solvers/shared/distances.cuh"

#ifndef THREADS
#define THREADS 512
#endif
#ifndef BINS
#define BINS 1024
#endif
#ifndef COLUMN_ROWS
#define COLUMN_ROWS 512
#endif
#define WARP 32
#define EVERY_LANE 0xffffffffu
#define NOTHING 0xffffffffffffffffull
// Neighbouring lanes have vertices at about the same distance: they count in different words.
#define COPIES 4

typedef unsigned long long number_t;

__device__ __forceinline__ number_t number_of(int distance, unsigned int vertex)
{
    return (number_t)(unsigned int)distance << 32 | vertex;
}

// The least number of a block; every thread gets it.
__device__ number_t least_of_block(number_t mine, number_t *of_warps)
{
    for (int apart = WARP / 2; apart > 0; apart /= 2)
        mine = min(mine, __shfl_xor_sync(EVERY_LANE, mine, apart));
    __syncthreads(); // the last call's numbers have been read
    if (threadIdx.x % WARP == 0)
        of_warps[threadIdx.x / WARP] = mine;
    __syncthreads();
    const unsigned int lane = threadIdx.x % WARP;
    mine = lane < THREADS / WARP ? of_warps[lane] : NOTHING;
    for (int apart = WARP / 2; apart > 0; apart /= 2)
        mine = min(mine, __shfl_xor_sync(EVERY_LANE, mine, apart));
    return mine;
}

// The `wanted` nearest vertices of a row in order, source excepted; `mine` is the number of this thread's nearest.
__device__ void find_nearest(unsigned int vertices, int source, const int *__restrict__ distances, int wanted,
                             number_t mine, number_t *of_warps, int *near_vertices, int *near_distances)
{
    __shared__ unsigned int stripes[THREADS];
    unsigned int count = 0;
    number_t from = 0; // what is below was found before
    while (count < wanted && count < THREADS) {
        const number_t left = mine >= from ? mine : NOTHING;
        const number_t found = least_of_block(left, of_warps);
        if (found == NOTHING)
            break;
        if (left == found)
            stripes[count] = threadIdx.x;
        count++;
        from = found + 1;
    }
    __syncthreads();

    const unsigned int of_each = (vertices + THREADS - 1) / THREADS;
    from = 0;
    for (int place = 0; place < wanted; place++) {
        number_t nearest = NOTHING;
        for (unsigned int at = threadIdx.x; at < count * of_each; at += THREADS) {
            const unsigned int vertex = stripes[at / of_each] + at % of_each * THREADS;
            if (vertex >= vertices || vertex == source || distances[vertex] == UNREACHABLE)
                continue;
            const number_t number = number_of(distances[vertex], vertex);
            if (number >= from)
                nearest = min(nearest, number);
        }
        nearest = least_of_block(nearest, of_warps);
        if (threadIdx.x == 0) {
            near_vertices[place] = nearest == NOTHING ? -1 : (int)(unsigned int)nearest;
            near_distances[place] = nearest == NOTHING ? UNREACHABLE : (int)(nearest >> 32);
        }
        from = nearest == NOTHING ? NOTHING : nearest + 1;
    }
}

// `histogram` counts pairs of a source and another vertex by distance >> shift, and its last word, after BINS others, is
// the greatest distance of all rows. A distance beyond the last bin is not counted, which that word tells.
extern "C" __global__ void reduce_rows(int vertices, const int *sources, const int *__restrict__ all_distances,
                                       int shift, int *eccentricities, int *farthest, int *reached,
                                       unsigned long long *sums, unsigned long long *histogram, int nearest,
                                       int *near_vertices, int *near_distances)
{
    __shared__ number_t of_warps[WARP];
    __shared__ unsigned int counts[BINS * COPIES];
    __shared__ unsigned long long sum_of_row;
    __shared__ int reached_of_row;
    const int *distances = all_distances + (size_t)blockIdx.x * vertices;
    const int source = sources[blockIdx.x];
    for (unsigned int bin = threadIdx.x; bin < BINS * COPIES; bin += THREADS)
        counts[bin] = 0;
    if (threadIdx.x == 0) {
        sum_of_row = 0;
        reached_of_row = 0;
    }
    __syncthreads();

    number_t nearest_here = NOTHING, farthest_here = NOTHING;
    unsigned long long sum = 0;
    int found = 0;
    for (unsigned int vertex = threadIdx.x; vertex < vertices; vertex += THREADS) {
        const int distance = distances[vertex];
        if (distance == UNREACHABLE)
            continue;
        found++;
        sum += distance;
        farthest_here = min(farthest_here, number_of(~distance, vertex));
        if (vertex == source)
            continue;
        nearest_here = min(nearest_here, number_of(distance, vertex));
        const unsigned int bin = (unsigned int)distance >> shift;
        if (bin < BINS)
            atomicAdd(&counts[bin * COPIES + threadIdx.x % COPIES], 1u);
    }
    for (int apart = WARP / 2; apart > 0; apart /= 2) {
        sum += __shfl_xor_sync(EVERY_LANE, sum, apart);
        found += __shfl_xor_sync(EVERY_LANE, found, apart);
    }
    if (threadIdx.x % WARP == 0) {
        atomicAdd(&sum_of_row, sum);
        atomicAdd(&reached_of_row, found);
    }
    farthest_here = least_of_block(farthest_here, of_warps); // its barriers also end the counting

    for (unsigned int bin = threadIdx.x; bin < BINS; bin += THREADS) {
        unsigned int count = 0;
        for (int copy = 0; copy < COPIES; copy++)
            count += counts[bin * COPIES + copy];
        if (count > 0)
            atomicAdd(&histogram[bin], (unsigned long long)count);
    }
    if (threadIdx.x == 0) {
        const int eccentricity = ~(int)(farthest_here >> 32);
        eccentricities[blockIdx.x] = eccentricity;
        farthest[blockIdx.x] = (int)(unsigned int)farthest_here;
        reached[blockIdx.x] = reached_of_row;
        sums[blockIdx.x] = sum_of_row;
        atomicMax(&histogram[BINS], (unsigned long long)eccentricity);
    }
    if (nearest > 0) {
        const size_t first = (size_t)blockIdx.x * nearest;
        find_nearest(vertices, source, distances, nearest, nearest_here, of_warps, near_vertices + first,
                     near_distances + first);
    }
}

// Column i of `all_distances` is of the source at `source_positions[i]`, and row p of vertex `vertices_at[p]`. `farthest`
// falls to the number of ~distance and vertex; `reached` and `sums` count on.
extern "C" __global__ void reduce_columns(int vertices, const int *__restrict__ vertices_at,
                                          const int *__restrict__ source_positions, int sources,
                                          const int *__restrict__ all_distances, int shift, number_t *farthest,
                                          int *reached, unsigned long long *sums, unsigned long long *histogram)
{
    __shared__ unsigned int counts[BINS];
    for (unsigned int bin = threadIdx.x; bin < BINS; bin += THREADS)
        counts[bin] = 0;
    __syncthreads();
    const int column = blockIdx.y * THREADS + threadIdx.x;
    if (column < sources) {
        const int source = source_positions[column], last = min(vertices, (int)(blockIdx.x + 1) * COLUMN_ROWS);
        const int *distances = all_distances + (size_t)(column / WARP) * vertices * WARP + column % WARP;
        number_t farthest_here = NOTHING;
        unsigned long long sum = 0;
        int found = 0;
#pragma unroll 8
        for (int row = blockIdx.x * COLUMN_ROWS; row < last; ++row) {
            const int distance = distances[(size_t)row * WARP];
            if (distance == UNREACHABLE)
                continue;
            found++;
            sum += distance;
            farthest_here = min(farthest_here, number_of(~distance, vertices_at[row]));
            const unsigned int bin = (unsigned int)distance >> shift;
            if (row != source && bin < BINS)
                atomicAdd(&counts[bin], 1u);
        }
        atomicMin(&farthest[column], farthest_here);
        atomicAdd(&reached[column], found);
        atomicAdd(&sums[column], sum);
    }
    __syncthreads();
    for (unsigned int bin = threadIdx.x; bin < BINS; bin += THREADS)
        if (counts[bin] > 0)
            atomicAdd(&histogram[bin], (unsigned long long)counts[bin]);
}

extern "C" __global__ void finish_columns(int sources, const number_t *__restrict__ numbers, int *eccentricities,
                                          int *farthest, unsigned long long *histogram)
{
    const int column = blockIdx.x * THREADS + threadIdx.x;
    if (column >= sources)
        return;
    const int eccentricity = ~(int)(numbers[column] >> 32);
    eccentricities[column] = eccentricity;
    farthest[column] = (int)(unsigned int)numbers[column];
    atomicMax(&histogram[BINS], (unsigned long long)eccentricity);
}
