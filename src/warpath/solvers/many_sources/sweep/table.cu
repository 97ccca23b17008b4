// A table of distances from sources to targets: joins what climb of sweep.cu finds for both.
//
// Idea: a shortest path climbs to an ancestor that source and target share, and descends from there. The shared ancestors
// are the first ones of both chains, so a cell is the least sum over a common beginning of two rows of labels. No other
// vertex is looked at.
// Threads: a block of (16, 16) for 64 sources and 64 targets, a thread for 4 x 4 cells. 32 depths at a time are in shared
// memory, and the block ends once none of its pairs shares the last of them.
// Memory: a distance and an ancestor for each depth of each source and target, int32; the table, with 64-bit indices.
// Limit: latency. Measured on an H200, 1,000 x 1,000 vertices of New York: 71 us, and climb 66 us.
// Source: I. Abraham, D. Delling, A. Goldberg and R. Werneck, "A Hub-Based Labeling Algorithm for Shortest Paths in Road
// Networks", 2011.
#include "warpath/solvers/many_sources/sweep/tree.cuh"

#define TILE 64
#define CELLS 4
#define SIDE (TILE / CELLS)
#define DEPTHS 32
// A multiple of four words, for reads of 16 bytes.
#define ROW (TILE + 4)

// The labels of up to 64 vertices, DEPTHS of them.
struct Labels {
    int ancestors[DEPTHS][ROW];
    int distances[DEPTHS][ROW];
};

// Read the labels from depth `from` on, of `count` vertices from `first` on.
__device__ __forceinline__ void read_labels(Labels &labels, int first, int count, int from, int height, int no_ancestor,
                                            const int *__restrict__ climbed, const int *__restrict__ chains)
{
    const int thread = threadIdx.y * SIDE + threadIdx.x, depth = thread % DEPTHS;
#pragma unroll
    for (int step = 0; step < TILE * DEPTHS / (SIDE * SIDE); ++step) {
        const int i = step * (SIDE * SIDE / DEPTHS) + thread / DEPTHS;
        const bool is_label = i < count && from + depth < height;
        const size_t place = (size_t)(first + i) * height + from + depth;
        labels.ancestors[depth][i] = is_label ? chains[place] : no_ancestor;
        labels.distances[depth][i] = is_label ? climbed[place] : UNREACHABLE;
    }
}

struct alignas(16) Four {
    int of[CELLS];
};

__device__ __forceinline__ Four four(const int *row, int group)
{
    return *reinterpret_cast<const Four *>(row + group * CELLS);
}

// Lower the cells of a thread by the sums at one depth, where source and target share the ancestor there.
template <bool SHARE_ALL>
__device__ __forceinline__ void add(const Four &to_above, const Four &from_above, const Four &above_source,
                                    const Four &above_target, unsigned int (&best)[CELLS][CELLS])
{
#pragma unroll
    for (int i = 0; i < CELLS; ++i)
#pragma unroll
        for (int j = 0; j < CELLS; ++j)
            if (SHARE_ALL || above_source.of[i] == above_target.of[j])
                best[i][j] = min(best[i][j], (unsigned int)to_above.of[i] + from_above.of[j]);
}

// The labels of the targets follow those of the sources.
extern "C" __global__ void __launch_bounds__(SIDE *SIDE)
    join(int height, int sources, int targets, const int *__restrict__ climbed, const int *__restrict__ chains,
         int *distances)
{
    __shared__ Labels of_sources, of_targets;
    const int first_source = blockIdx.x * TILE, first_target = blockIdx.y * TILE;
    unsigned int best[CELLS][CELLS];
#pragma unroll
    for (int i = 0; i < CELLS; ++i)
#pragma unroll
        for (int j = 0; j < CELLS; ++j)
            best[i][j] = UNREACHABLE;
    bool shares = true;
    for (int from = 0; from < height && __syncthreads_or(shares); from += DEPTHS) {
        read_labels(of_sources, first_source, sources - first_source, from, height, NO_SOURCE, climbed, chains);
        read_labels(of_targets, sources + first_target, targets - first_target, from, height, NO_TARGET, climbed,
                    chains);
        __syncthreads();
        if (!shares)
            continue;
        const Four last_of_source = four(of_sources.ancestors[DEPTHS - 1], threadIdx.y);
        const Four last_of_target = four(of_targets.ancestors[DEPTHS - 1], threadIdx.x);
        bool share_all = true;
        shares = false;
#pragma unroll
        for (int i = 0; i < CELLS; ++i)
#pragma unroll
            for (int j = 0; j < CELLS; ++j) {
                shares |= last_of_source.of[i] == last_of_target.of[j];
                share_all &= last_of_source.of[i] == last_of_target.of[j];
            }
        for (int depth = 0; depth < DEPTHS; ++depth) {
            const Four to_above = four(of_sources.distances[depth], threadIdx.y);
            const Four from_above = four(of_targets.distances[depth], threadIdx.x);
            if (share_all) {
                add<true>(to_above, from_above, to_above, from_above, best);
            } else {
                const Four above_source = four(of_sources.ancestors[depth], threadIdx.y);
                const Four above_target = four(of_targets.ancestors[depth], threadIdx.x);
                add<false>(to_above, from_above, above_source, above_target, best);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < CELLS; ++i)
#pragma unroll
        for (int j = 0; j < CELLS; ++j) {
            const int source = first_source + threadIdx.y * CELLS + i, target = first_target + threadIdx.x * CELLS + j;
            if (source < sources && target < targets)
                distances[(size_t)source * targets + target] = (int)best[i][j];
        }
}
