// The tail of each arc of a graph in CSR form, and the numbers of its vertices.
//
// The tail of arc a is the last vertex v with indptr[v] <= a. Each thread finds it by bisection, so that a vertex of any
// number of arcs takes no longer than others. Vertices without arcs are never last, because the next one begins at the
// same arc.
// Threads: one an arc or a vertex, whichever are more. Memory: indptr, of n + 1 words; tails, of m words; numbers, of n
// words. Arcs and vertices are below 2^31.
// Source: our own.

extern "C" __global__ void find_ends(int vertices, int arcs, const int *indptr, int *tails, int *numbers)
{
    const long long place = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (place < vertices)
        numbers[place] = (int)place;
    if (place >= arcs)
        return;
    int first = 0, last = vertices - 1; // the tail is one of these and those between
    while (first < last) {
        const int middle = first + (last - first + 1) / 2;
        if (indptr[middle] <= place)
            first = middle;
        else
            last = middle - 1;
    }
    tails[place] = first;
}
