// Dijkstra for all pairs, naive: all n searches in one launch, one thread each.
//
// Idea: a thread owns a source and its row of distances, predecessors and visited marks. There is no room for one heap
// a thread, so the next vertex is found by a scan of the row. A search ends when every vertex has been visited, or all
// that are left cannot be reached. As published, everything is read from global memory each time it is needed. `rounds` is
// the number of vertices that a thread visits, at most: n - 1 for a whole search. Fewer can be followed by more.
// Threads: ceil(n / 1024) blocks of 1024. Memory: three n x n int matrices and one of bytes, 64-bit indices.
// Source: Bodra, section 2.2.1.
#include "warpath_study/published/shared/distances.cuh"

__device__ __forceinline__ int nearest_unvisited(int vertices, const int *distances, const bool *visited)
{
    int nearest = NO_PREDECESSOR;
    int nearest_distance = UNREACHABLE;
    for (int vertex = 0; vertex < vertices; ++vertex) {
        if (!visited[vertex] && distances[vertex] < nearest_distance) {
            nearest_distance = distances[vertex];
            nearest = vertex;
        }
    }
    return nearest;
}

extern "C" __global__ void search(int vertices, int rounds, const int *costs, bool *all_visited, int *all_distances,
                                  int *all_predecessors)
{
    const int source = blockIdx.x * blockDim.x + threadIdx.x;
    if (source >= vertices)
        return;
    const size_t row = (size_t)source * vertices;
    bool *visited = all_visited + row;
    int *distances = all_distances + row;
    int *predecessors = all_predecessors + row;

    distances[source] = 0;
    for (int round = 0; round < rounds; ++round) {
        const int tail = nearest_unvisited(vertices, distances, visited);
        if (tail < 0)
            break;
        visited[tail] = true;
        const int *costs_from_tail = costs + (size_t)tail * vertices;
        for (int head = 0; head < vertices; ++head) {
            if (!visited[head] && costs_from_tail[head] != UNREACHABLE &&
                joined(distances[tail], costs_from_tail[head]) < (length_t)distances[head]) {
                predecessors[head] = tail;
                distances[head] = (int)joined(distances[tail], costs_from_tail[head]);
            }
        }
    }
}
