// Blocked all pairs, blocked: the three passes of blocked.cuh on cells of two values, a vertex and a length.
//
// Idea over standard: TILE intermediate vertices a stage, on blocks in shared memory.
// A cell that improves takes the vertex's number and the length together, and needs no other cell's vertex. `separate`
// comes after the last stage: it makes two matrices of the cells, of lengths and of predecessors. The last arc of a path
// from i to j is the last arc of its second part, from the intermediate vertex to j; and so on to a path of a single
// arc, whose intermediate vertex is its own first vertex. So a thread walks down column j until a row holds its own
// number.
// Threads: one a cell. Pass 2 is a grid of (blocks - 1) x 2, pass 3 of (blocks - 1) x (blocks - 1): a block's place steps
// over the primary one, so that none is idle. `separate` takes a 2-D grid over the matrix, and threads take rows past it
// in further steps. Memory: two ints a pair, side by side, and as much for the two matrices; 64-bit indices; up to three
// blocks of cells in shared memory.
// Source: Katz and Kider, 2008, sections 4.1 to 4.3. Their blocks are 18 x 18; ours are 32 x 32 by default, as large as
// the threads of a block allow.
#include "warpath_study/published/katz_kider/blocked.cuh"
#include "warpath_study/published/shared/distances.cuh"
#include "warpath_study/published/shared/skip.cuh"
#include "warpath_study/published/katz_kider/blocked_all_pairs/path_cell.cuh"

extern "C" __global__ void pass1(int vertices, int primary, int2 *cells)
{
    close_primary(Blocks<PathCell>{vertices, cells}, primary);
}

extern "C" __global__ void pass2(int vertices, int primary, int2 *cells)
{
    close_beside_primary(Blocks<PathCell>{vertices, cells}, primary, blockIdx.y == 0,
                         stepped_over(blockIdx.x, primary));
}

extern "C" __global__ void pass3(int vertices, int primary, int2 *cells)
{
    relax_through_primary(Blocks<PathCell>{vertices, cells}, primary, stepped_over(blockIdx.y, primary),
                          stepped_over(blockIdx.x, primary));
}

// Without `resolved`, predecessors are left as they are: tight arcs may form a cycle, in which a walk would not end.
extern "C" __global__ void separate(int vertices, int resolved, const int2 *cells, int *lengths, int *predecessors)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= vertices)
        return;
    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < vertices; i += gridDim.y * blockDim.y) {
        const size_t ij = (size_t)i * vertices + j;
        const int2 cell = cells[ij];
        lengths[ij] = cell.y;
        if (!resolved)
            continue;
        int last = i;
        int next = cell.x;
        if (next >= 0) // there is a path, and not from a vertex to itself
            while (next != last) {
                last = next;
                next = cells[(size_t)last * vertices + j].x;
            }
        predecessors[ij] = next;
    }
}
