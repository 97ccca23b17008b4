// Starting values, made on the device, for solves that are not measured as published (those copy them from the host).
//
//   fill            arrays of n for a solve from one source: one value everywhere, and another at the source. Several in
//                   one launch, because a launch takes longer than a fill;
//   one_arc_paths   the paths of at most one arc of all pairs: 0 on the diagonal, the weight of the lightest arc.
// Threads: fill takes any grid; one_arc_paths takes a block of any size for each row. Memory: up to five arrays of n, or
// two of shape (n, n), with 64-bit indices.
#include "warpath_study/published/shared/distances.cuh"
#include "warpath_study/published/shared/grid_stride.cuh"

// One vertex of an array: `at_source` at the source, `elsewhere` at any other vertex. No array, nothing to do.
template <class T>
__device__ __forceinline__ void fill_one(T *array, long long vertex, int source, T elsewhere, T at_source)
{
    if (array)
        array[vertex] = vertex == source ? at_source : elsewhere;
}

extern "C" __global__ void fill(int vertices, int source, int *words_0, int elsewhere_0, int at_source_0, int *words_1,
                                int elsewhere_1, int at_source_1, int *words_2, int elsewhere_2, int at_source_2,
                                unsigned char *bytes_0, unsigned char byte_elsewhere_0, unsigned char byte_at_source_0,
                                unsigned char *bytes_1, unsigned char byte_elsewhere_1, unsigned char byte_at_source_1)
{
    FOR_EACH_VERTEX_IN_STRIDES(vertex, vertices) {
        fill_one(words_0, vertex, source, elsewhere_0, at_source_0);
        fill_one(words_1, vertex, source, elsewhere_1, at_source_1);
        fill_one(words_2, vertex, source, elsewhere_2, at_source_2);
        fill_one(bytes_0, vertex, source, byte_elsewhere_0, byte_at_source_0);
        fill_one(bytes_1, vertex, source, byte_elsewhere_1, byte_at_source_1);
    }
}

extern "C" __global__ void one_arc_paths(int vertices, const int *indptr, const int *indices, const int *weights,
                                         int *all_distances, int *all_predecessors)
{
    const int tail = blockIdx.x;
    int *distances = all_distances + (size_t)tail * vertices;
    int *predecessors = all_predecessors + (size_t)tail * vertices;
    for (int head = threadIdx.x; head < vertices; head += blockDim.x) {
        distances[head] = head == tail ? 0 : UNREACHABLE;
        predecessors[head] = NO_PREDECESSOR;
    }
    __syncthreads();
    for (int arc = indptr[tail] + threadIdx.x; arc < indptr[tail + 1]; arc += blockDim.x) {
        const int head = indices[arc];
        if (head == tail)
            continue;
        atomicMin(&distances[head], weights[arc]); // parallel arcs
        predecessors[head] = tail;
    }
}
