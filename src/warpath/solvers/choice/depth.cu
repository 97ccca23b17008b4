// Breadth-first searches in parts of a graph, each by one block. A search ends after the level whose arcs, with those of
// earlier levels, are more than arcs_max, or after level levels_max.
//
// The queue has arcs, not vertices, so that all threads share the arcs of a heavy vertex. The first thread that enters a
// vertex into a hash table appends its arcs. Their order depends on the threads, but the numbers of vertices and arcs in
// a level do not.
//
// Threads: a block for each start. Memory: CSR; for each start a table, whose size is a power of two above the number of
// vertices that can be found, at most arcs_max + 1; a queue, of arcs_max arcs; and a result: the last level, then for each
// level from 0 to levels_max the number of vertices up to it, then the numbers of their arcs. Source: our own.

struct Search {
    const int *__restrict__ indptr;
    int *table;
    int table_size;
    int *queue;
    int arcs_max;
};

// Of the vertices found so far.
struct Counts {
    int vertices;
    int arcs;
};

// Whether `vertex` was not in the table.
__device__ __forceinline__ bool enter(int vertex, const Search &search)
{
    const unsigned mask = search.table_size - 1;
    for (unsigned slot = (unsigned)vertex * 2654435769u >> 7;; ++slot) {
        const int there = atomicCAS(&search.table[slot & mask], -1, vertex);
        if (there == -1 || there == vertex)
            return there == -1;
    }
}

__device__ __forceinline__ void find(int vertex, const Search &search, Counts &counts)
{
    if (!enter(vertex, search))
        return;
    const int begin = search.indptr[vertex];
    const int degree = search.indptr[vertex + 1] - begin;
    atomicAdd(&counts.vertices, 1);
    // If arcs are left out, the search ends. The limit keeps the sum from overflowing.
    const int first = atomicAdd(&counts.arcs, min(degree, search.arcs_max + 1));
    for (int arc = 0; arc < degree && first + arc < search.arcs_max; ++arc)
        search.queue[first + arc] = begin + arc;
}

extern "C" __global__ void search(const int *indptr, const int *__restrict__ indices, const int *starts, int arcs_max,
                                  int levels_max, int table_size, int *tables, int *queues, int *results)
{
    __shared__ Counts counts;
    int *table = tables + (long long)blockIdx.x * table_size;
    int *queue = queues + (long long)blockIdx.x * arcs_max;
    int *result = results + (long long)blockIdx.x * (2 * levels_max + 3);
    const Search search = {indptr, table, table_size, queue, arcs_max};
    for (int slot = threadIdx.x; slot < table_size; slot += blockDim.x)
        table[slot] = -1;
    if (threadIdx.x == 0)
        counts = {0, 0};
    __syncthreads();
    if (threadIdx.x == 0)
        find(starts[blockIdx.x], search, counts);
    __syncthreads();
    int level = 0, begin = 0, end = counts.arcs;
    while (true) {
        if (threadIdx.x == 0) {
            result[1 + level] = counts.vertices;
            result[2 + levels_max + level] = end;
        }
        if (begin == end || end > arcs_max || level == levels_max)
            break;
        __syncthreads();
        for (int position = begin + threadIdx.x; position < end; position += blockDim.x)
            find(indices[queue[position]], search, counts);
        __syncthreads();
        begin = end;
        end = counts.arcs;
        ++level;
    }
    if (threadIdx.x == 0)
        result[0] = level;
}
