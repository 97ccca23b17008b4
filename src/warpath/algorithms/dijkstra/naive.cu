// Dijkstra for all pairs, naive: all n searches at once, one thread each.
//
// Idea: a thread owns a source and its row of distances, predecessors and visited marks. There is no room for one heap
// a thread, so the next vertex is found by a scan of the row. `rounds` limits how many vertices a thread visits in this
// launch; all state is in global memory, so that launches can follow each other (n - 1 rounds do everything).
// Threads: ceil(n / 1024) blocks of 1024. Memory: three n x n int matrices and one of bytes, 64-bit indices.
// Source: Bodra, section 2.2.1.
#include "algorithms/distances.cuh"

__device__ __forceinline__ int nearest_unvisited(int vertices, const int *distances, const unsigned char *visited)
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

extern "C" __global__ void search(int vertices, int rounds, const int *costs, unsigned char *all_visited,
                                  int *all_distances, int *all_predecessors)
{
    const int source = blockIdx.x * blockDim.x + threadIdx.x;
    if (source >= vertices)
        return;
    const size_t row = (size_t)source * vertices;
    unsigned char *visited = all_visited + row;
    int *distances = all_distances + row;
    int *predecessors = all_predecessors + row;

    for (int round = 0; round < rounds; ++round) {
        const int tail = nearest_unvisited(vertices, distances, visited);
        if (tail < 0)
            return;
        visited[tail] = 1;
        const int reached = distances[tail];
        const int *costs_from_tail = costs + (size_t)tail * vertices;
        for (int head = 0; head < vertices; ++head) {
            const int cost = costs_from_tail[head];
            if (!visited[head] && cost != UNREACHABLE && joined(reached, cost) < (length_t)distances[head]) {
                distances[head] = (int)joined(reached, cost);
                predecessors[head] = tail;
            }
        }
    }
}
