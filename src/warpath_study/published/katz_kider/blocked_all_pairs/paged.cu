// Blocked all pairs, paged: the three passes of blocked on one page of a matrix that is larger than the GPUs' memory.
//
// Idea: what blocked does to blocks in shared memory is done to pages in global memory, and each page is relaxed in
// blocks again, by the same three passes. So a pass over pages consists of passes over blocks, which load the cells of
// the path to an intermediate vertex from the page `to`, and those of the path on from it from the page `from`:
//   pass over pages          to                     from                 TO_IS_OWN  FROM_IS_OWN
//   1  the primary page      itself                 itself               1          1
//   2  a page of its row     the primary page       itself               0          1
//      a page of its column  itself                 the primary page     1          0
//   3  any other page        that of its row in     that of its column   0          0
//                            the primary column     in the primary row
// A stage takes the TILE vertices from `first_vertex` on. They are rows of `from` and columns of `to`, and `primary` is
// their block there.
// `separate` comes in the end, for some columns of the matrix: lengths and predecessors of cells, as in blocked.cu.
// Threads: as in blocked.cu, TILE x TILE a block; pass 1 is one block, pass 2 a grid of (blocks - 1) x 2, pass 3 of
// (blocks - 1) x (blocks - 1). Memory: three pages of side x side cells of two ints, and up to three blocks in shared
// memory; 64-bit indices. A page holds cells outside the matrix, too, without a path.
// Source: Katz and Kider, 2008, section 4.4.
// Limit: every page of pass 3 takes three pages from the host and gives one back, for 2 side^3 additions and minima.
#include "warpath_study/published/katz_kider/blocked.cuh"
#include "warpath_study/published/shared/distances.cuh"
#include "warpath_study/published/shared/skip.cuh"
#include "warpath_study/published/katz_kider/blocked_all_pairs/path_cell.cuh"

#ifndef TO_IS_OWN
#define TO_IS_OWN 1
#endif
#ifndef FROM_IS_OWN
#define FROM_IS_OWN 1
#endif

typedef Blocks<PathCell> Page;

// Relax the own block through the TILE vertices of a stage, one after the other. A block that others read while it
// changes, because `to` or `from` is the own one, waits after each.
template <bool READ_BY_OTHERS>
__device__ __forceinline__ void relax_through(int first_vertex, const Page::Block &to, const Page::Block &from,
                                              Page::Block &own)
{
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    for (int k = 0; k < TILE; ++k) {
        PathCell::relax(first_vertex + k, to[y][k], from[k][x], own[y][x]);
        if (READ_BY_OTHERS)
            __syncthreads();
    }
}

extern "C" __global__ void pass1(int side, int primary, int first_vertex, int2 *to, int2 *from, int2 *cells)
{
    __shared__ Page::Block own;
    __shared__ Page::Block leading_to;
    __shared__ Page::Block leading_from;
    const Page page{side, cells};
    page.load(primary, primary, own);
    if (!TO_IS_OWN)
        Page{side, to}.load(primary, primary, leading_to);
    if (!FROM_IS_OWN)
        Page{side, from}.load(primary, primary, leading_from);
    __syncthreads();
    relax_through<TO_IS_OWN || FROM_IS_OWN>(first_vertex, TO_IS_OWN ? own : leading_to,
                                            FROM_IS_OWN ? own : leading_from, own);
    page.save(primary, primary, own);
}

extern "C" __global__ void pass2(int side, int primary, int first_vertex, int2 *to, int2 *from, int2 *cells)
{
    __shared__ Page::Block own;
    __shared__ Page::Block diagonal; // of the page that does not lead along the own block
    __shared__ Page::Block leading;
    const bool in_row = blockIdx.y == 0;
    const int other = stepped_over(blockIdx.x, primary);
    const int row = in_row ? primary : other;
    const int column = in_row ? other : primary;
    const Page page{side, cells};
    page.load(row, column, own);
    if (in_row) {
        Page{side, to}.load(primary, primary, diagonal);
        if (!FROM_IS_OWN)
            Page{side, from}.load(primary, other, leading);
        __syncthreads();
        relax_through<FROM_IS_OWN>(first_vertex, diagonal, FROM_IS_OWN ? own : leading, own);
    } else {
        Page{side, from}.load(primary, primary, diagonal);
        if (!TO_IS_OWN)
            Page{side, to}.load(other, primary, leading);
        __syncthreads();
        relax_through<TO_IS_OWN>(first_vertex, TO_IS_OWN ? own : leading, diagonal, own);
    }
    page.save(row, column, own);
}

extern "C" __global__ void pass3(int side, int primary, int first_vertex, int2 *to, int2 *from, int2 *cells)
{
    __shared__ Page::Block own;
    __shared__ Page::Block leading_to;
    __shared__ Page::Block leading_from;
    const int row = stepped_over(blockIdx.y, primary);
    const int column = stepped_over(blockIdx.x, primary);
    const Page page{side, cells};
    Page{side, to}.load(row, primary, leading_to);
    Page{side, from}.load(primary, column, leading_from);
    page.load(row, column, own);
    __syncthreads();
    relax_through<false>(first_vertex, leading_to, leading_from, own);
    page.save(row, column, own);
}

// All `rows` of the matrix in `columns` of its columns, one array after the other. Without `resolved`, predecessors are
// left as they are.
extern "C" __global__ void separate(int rows, int columns, int resolved, const int2 *cells, int *lengths,
                                    int *predecessors)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= columns)
        return;
    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < rows; i += gridDim.y * blockDim.y) {
        const size_t ij = (size_t)i * columns + j;
        const int2 cell = cells[ij];
        lengths[ij] = cell.y;
        if (!resolved)
            continue;
        int last = i;
        int next = cell.x;
        if (next >= 0) // there is a path, and not from a vertex to itself
            while (next != last) {
                last = next;
                next = cells[(size_t)last * columns + j].x;
            }
        predecessors[ij] = next;
    }
}
