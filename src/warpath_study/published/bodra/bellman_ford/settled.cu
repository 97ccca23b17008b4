// Would another round change a distance? Asked by solves that stop early.
//
// Sets `improvable` to 1 where an arc would still lower the distance of its head. Threads: any grid, a vertex in turn each.
#include "warpath_study/published/shared/distances.cuh"
#include "warpath_study/published/shared/grid_stride.cuh"

extern "C" __global__ void find_improvable(int vertices, const int *indptr, const int *indices, const int *weights,
                                           const int *distances, int *improvable)
{
    FOR_EACH_VERTEX_IN_STRIDES(tail, vertices) {
        const int reached = distances[tail];
        if (reached == UNREACHABLE)
            continue;
        const int end = indptr[tail + 1];
        for (int arc = indptr[tail]; arc < end; ++arc)
            if ((long long)reached + weights[arc] < distances[indices[arc]])
                *improvable = 1;
    }
}
