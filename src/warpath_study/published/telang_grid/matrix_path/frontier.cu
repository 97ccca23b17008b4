// Shortest paths from one cell of a matrix to all others: a step leads to one of four neighbours, and costs the value
// of the cell that it leaves.
//
// Idea: two kernels take turns until nothing changes. In `offer`, every cell whose cost fell offers its neighbours a
// way through itself; in `accept`, every cell takes the best offer if it is better than what it has. Cost and
// predecessor travel in one 64-bit word, cost above, so that one compare-and-swap replaces both: no other thread ever
// sees the cost of one way with the predecessor of another. Only a lower cost replaces, so that predecessors form a
// tree also where cells cost nothing. The neighbours of cell c are neighbours[starts[c]], ..., up to starts[c + 1].
// Threads: 2-D blocks over the matrix, one thread a cell. Memory a cell: its value, its cost, its best offer (8 bytes),
// a byte that says whether the cost fell, and where its neighbours begin (8 bytes, because all have more than 2^31 of
// them in a matrix of 23,171 rows); and 4 bytes a neighbour.
// Source: K. P. Telang, "Single Source Shortest Path using CUDA", kernels 1 and 2, after P. Harish and P. J. Narayanan,
// "Accelerating Large Graph Algorithms on the GPU using CUDA", 2007.

__device__ __forceinline__ unsigned long long offer_of(float cost, unsigned int predecessor)
{
    return (unsigned long long)__float_as_uint(cost) << 32 | predecessor;
}

__device__ __forceinline__ float cost_of(unsigned long long offer)
{
    return __uint_as_float((unsigned int)(offer >> 32));
}

__device__ __forceinline__ void lower(unsigned long long *offer, float cost, int predecessor)
{
    const unsigned long long mine = offer_of(cost, (unsigned int)predecessor);
    unsigned long long seen = *offer;
    while (cost < cost_of(seen)) {
        const unsigned long long found = atomicCAS(offer, seen, mine);
        if (found == seen)
            return;
        seen = found;
    }
}

extern "C" __global__ void offer(int size, const long long *starts, const int *neighbours, const float *values,
                                 const float *costs, unsigned char *fell, unsigned long long *offers)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= size || column >= size)
        return;
    const int cell = row * size + column;
    if (!fell[cell])
        return;
    fell[cell] = 0;
    for (long long edge = starts[cell]; edge < starts[cell + 1]; ++edge)
        lower(&offers[neighbours[edge]], costs[cell] + values[cell], cell);
}

extern "C" __global__ void accept(int size, float *costs, unsigned char *fell, unsigned long long *offers, int *changed)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= size || column >= size)
        return;
    const int cell = row * size + column;
    if (costs[cell] > cost_of(offers[cell])) {
        costs[cell] = cost_of(offers[cell]);
        fell[cell] = 1;
        *changed = 1;
    }
    offers[cell] = offer_of(costs[cell], (unsigned int)offers[cell]);
}
