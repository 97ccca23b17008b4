// Transitive closure, naive: one intermediate vertex k for all pairs.
//
// Idea: Warshall's algorithm as Harish and Narayanan run Floyd's: the n launches of the outer loop are ordered, all
// pairs inside one are independent, because row k and column k do not change in step k.
// Threads: a 2-D grid of 32 x 8 blocks over the matrix. Memory: an int a pair, 64-bit indices.
// Source: Katz and Kider, 2008, section 5.2, who compare with it; P. Harish and P. J. Narayanan, "Accelerating Large
// Graph Algorithms on the GPU Using CUDA", 2007.

extern "C" __global__ void join(int vertices, int k, int *cells)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= vertices)
        return;
    const bool from_k = cells[(size_t)k * vertices + j] != 0;
    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < vertices; i += gridDim.y * blockDim.y) {
        const size_t row = (size_t)i * vertices;
        // As in the formula, both are read before anything is compared.
        const bool to_k = cells[row + k] != 0; // the same word for all threads of a warp
        const bool already = cells[row + j] != 0;
        if (to_k & from_k & !already)
            cells[row + j] = 1;
    }
}
