// From intermediate vertices to predecessors, in place.
//
// Idea: the last arc of a path from i to j is the last arc of its second part, from the intermediate vertex to j; and
// so on to a path of a single arc, whose intermediate vertex is its own first vertex. So a thread walks down column j
// until a row holds its own number. Another thread may already have resolved a cell on the way: it then names that last
// row at once, and the walk ends in the same place, so the order of threads does not matter.
// Threads: a 2-D grid over the matrix; threads take rows past the grid in further steps. Memory: int32, 64-bit indices.
// Source: Katz and Kider, 2008, section 4.3, for the recursion.

extern "C" __global__ void resolve(int rows, int columns, int stride, int *intermediates)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= columns)
        return;
    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < rows; i += gridDim.y * blockDim.y) {
        int last = i;
        int next = intermediates[(size_t)i * stride + j];
        if (next < 0) // no path, or the path from a vertex to itself
            continue;
        while (next != last) {
            last = next;
            next = intermediates[(size_t)last * stride + j];
        }
        intermediates[(size_t)i * stride + j] = last;
    }
}
