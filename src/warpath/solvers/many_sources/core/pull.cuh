// The steps of narrow.cu for distances of any size: sweeps over the core in shared memory, then the rows.
//
// Idea: only vertices with outgoing arcs, the core, pass a distance on. A block keeps the distances of the core from
// SOURCES sources at once in shared memory, those of one vertex side by side in WORDS words. A thread pulls: it reads
// the vector of each tail and keeps the minimum, so that one arc and one shared read serve all sources, and distances
// need no atomics. Sweeps over the core repeat until one changes nothing; the first and the last ones, in which few
// vertices change, pull only the heads of those. At the end every vertex of the graph, in its own order, pulls from the
// core once more, which settles the sinks and writes whole rows.
// Threads: a block of any number of whole warps for each group of SOURCES rows. Memory: the core in dynamic shared
// memory; arcs in slices of 32 heads, arc j of 32 neighbouring heads side by side, so that a warp reads them in one go.
// Rows of n, with 64-bit indices.
// No barrier within a sweep: a thread may read a vector while another lowers it. Each word is read whole, old or new, and
// both are lengths of paths. A vertex that falls has its bit set in `changed`, and in the next sweep all its heads pull
// again, whether or not they have seen the new word. So when a sweep changes nothing, every head has pulled final words.
// Limit: shared memory. A warp reads 32 vectors of 16 bytes of random vertices in some 10 cycles, for 32 arcs and 8
// sources; so a sweep over the core of gnutella30 (35,962 arcs) takes 12,000 cycles, and some 16 sweeps 0.11 ms for 8
// sources, or 1.0 ms for all 9,722 on 132 multiprocessors. Measured on an H200, in 16 bits and without writing rows:
// 1.85 ms, over half of the limit; blocks come in ten rounds of which 9.2 are full. Rows and rows without arcs take 3.2.
#pragma once

#include "warpath/solvers/shared/lengths.cuh"
#include "warpath/device/dynamic_shared.cuh"

#ifndef WORDS
#define WORDS 4
#endif
// How many rows of sources without arcs a block fills after a sweep.
#define FILLS_A_SWEEP 2
// Where fewer than one in so many threads lowered a vertex, only the heads of those vertices are pulled next.
#define FEW_SHARE 10
#define LANES 32
#define ALL_LANES 0xffffffffu
// How many arcs are read together: a warp mostly waits for memory, and this way waits once for them all.
#define ARCS_AT_ONCE 4

// The distances of one vertex from the sources of a group.
struct alignas(sizeof(Word) * WORDS) Vector {
    Word word[WORDS];
};

__device__ __forceinline__ Vector all_of(Word word)
{
    Vector vector;
#pragma unroll
    for (int i = 0; i < WORDS; ++i)
        vector.word[i] = word;
    return vector;
}

// Arcs of a slice that are pulled together: the next ones are read while the last ones are at work.
struct Chunk {
    arc_t arc[ARCS_AT_ONCE];
    int slice, first, last; // rows of 32 arcs, from the first one here to the last one of the slice
};

// Go to the first chunk of `slice`.
__device__ __forceinline__ void go_to(Chunk &chunk, int slice, int slices, const int *starts)
{
    chunk.slice = slice;
    chunk.first = slice < slices ? starts[slice] : 0;
    chunk.last = slice < slices ? starts[slice + 1] : 0;
}

// Read the arcs of this lane. The branches are the same for the whole warp, here and below.
__device__ __forceinline__ void read_arcs(Chunk &chunk, const arc_t *__restrict__ arcs)
{
    const arc_t *own = arcs + (size_t)chunk.first * LANES + threadIdx.x % LANES;
#pragma unroll
    for (int j = 0; j < ARCS_AT_ONCE; ++j)
        if (chunk.first + j < chunk.last)
            chunk.arc[j] = own[j * LANES];
}

// Lower `best` to what the arcs of this lane offer it.
__device__ __forceinline__ void pull(Vector &best, const Chunk &chunk, const Vector *core)
{
    Vector reached[ARCS_AT_ONCE];
#pragma unroll
    for (int j = 0; j < ARCS_AT_ONCE; ++j)
        if (chunk.first + j < chunk.last)
            reached[j] = core[tail_of(chunk.arc[j])];
#pragma unroll
    for (int j = 0; j < ARCS_AT_ONCE; ++j)
        if (chunk.first + j < chunk.last)
#pragma unroll
            for (int i = 0; i < WORDS; ++i)
                best.word[i] = lowered(reached[j].word[i], weight_of(chunk.arc[j]), best.word[i]);
}

// Pull the slices of this warp: `begin(vertex)` gives what this lane's vertex starts with, `end(slice, old, best)` takes
// that and the result.
template <class Begin, class End>
__device__ __forceinline__ void pull_slices(const Vector *core, int slices, const int *starts,
                                            const arc_t *__restrict__ arcs, Begin begin, End end)
{
    const int warps = blockDim.x / LANES;
    Chunk chunk;
    go_to(chunk, threadIdx.x / LANES, slices, starts);
    read_arcs(chunk, arcs);
    while (chunk.slice < slices) {
        const int slice = chunk.slice;
        const Vector old = begin(slice * LANES + threadIdx.x % LANES);
        Vector best = old;
        for (bool more = true; more;) {
            Chunk next = chunk;
            next.first += ARCS_AT_ONCE;
            more = next.first < next.last;
            if (!more)
                go_to(next, slice + warps, slices, starts);
            read_arcs(next, arcs);
            pull(best, chunk, core);
            chunk = next;
        }
        end(slice, old, best);
    }
}

// The core of a block's sources in shared memory. `changed` and `waiting` have a bit a vertex, a word a slice.
struct Core {
    Vector *distances;
    int *starts;
    unsigned int *changed, *waiting;
    int slices;

    // Lay it out at `memory`, with the starts of the slices and no bits; `nowhere` is the distance of every vertex.
    __device__ __forceinline__ Core(Vector *memory, int slices, const int *__restrict__ slice_starts, Vector nowhere)
        : distances(memory),
          starts((int *)(memory + slices * LANES)),
          changed((unsigned int *)(starts + slices + 1)),
          waiting(changed + slices),
          slices(slices)
    {
        for (int slice = threadIdx.x; slice <= slices; slice += blockDim.x)
            starts[slice] = slice_starts[slice];
        for (int slice = threadIdx.x; slice < slices; slice += blockDim.x)
            changed[slice] = waiting[slice] = 0;
        for (int vertex = threadIdx.x; vertex < slices * LANES; vertex += blockDim.x)
            distances[vertex] = nowhere;
    }

    // Clear the bits of `word` that are not in `kept`: a source is at distance 0 from itself.
    __device__ __forceinline__ void start(int vertex, int word, Word kept)
    {
        distances[vertex].word[word] &= kept;
        atomicOr(&changed[vertex / LANES], 1u << vertex % LANES);
    }

    // Store what a slice was lowered to and say so; true if this lane's vertex was.
    __device__ __forceinline__ bool keep(int slice, const Vector &old, const Vector &best)
    {
        bool fell = false;
#pragma unroll
        for (int i = 0; i < WORDS; ++i)
            fell |= best.word[i] != old.word[i];
        if (fell)
            distances[slice * LANES + threadIdx.x % LANES] = best;
        const unsigned int word = __ballot_sync(ALL_LANES, fell);
        if (threadIdx.x % LANES == 0)
            changed[slice] = word;
        return fell;
    }

    // Pull all vertices; true if one of this thread's fell.
    __device__ __forceinline__ bool sweep(const arc_t *__restrict__ arcs)
    {
        bool any = false;
        pull_slices(
            distances, slices, starts, arcs, [&](int vertex) { return distances[vertex]; },
            [&](int slice, const Vector &old, const Vector &best) { any |= keep(slice, old, best); });
        return any;
    }

    // Let the heads of the changed vertices wait.
    __device__ __forceinline__ void wake(const int *__restrict__ out_starts, const int *__restrict__ out_heads)
    {
        for (int slice = threadIdx.x / LANES; slice < slices; slice += blockDim.x / LANES) {
            const int vertex = slice * LANES + threadIdx.x % LANES;
            if (!(changed[slice] >> threadIdx.x % LANES & 1))
                continue;
            const int end = out_starts[vertex + 1];
            for (int arc = out_starts[vertex]; arc < end; ++arc)
                atomicOr(&waiting[out_heads[arc] / LANES], 1u << out_heads[arc] % LANES);
        }
    }

    // Pull the vertices that wait; true if one of this thread's fell.
    __device__ __forceinline__ bool pull_waiting(const arc_t *__restrict__ arcs)
    {
        bool any = false;
        for (int slice = threadIdx.x / LANES; slice < slices; slice += blockDim.x / LANES) {
            const unsigned int word = waiting[slice];
            __syncwarp();
            if (threadIdx.x % LANES == 0)
                waiting[slice] = changed[slice] = 0;
            if (!word)
                continue;
            const Vector old = distances[slice * LANES + threadIdx.x % LANES];
            Vector best = old;
            if (word >> threadIdx.x % LANES & 1)
                for (Chunk chunk = {{}, slice, starts[slice], starts[slice + 1]}; chunk.first < chunk.last;
                     chunk.first += ARCS_AT_ONCE) {
                    read_arcs(chunk, arcs);
                    pull(best, chunk, distances);
                }
            any |= keep(slice, old, best);
        }
        return any;
    }
};

// Fill row `row` of a source without arcs, 16 bytes a thread; the first and the last few vertices one by one.
__device__ __forceinline__ void fill_row(int vertices, int row, const int *__restrict__ sources, Length *all_distances)
{
    const int source = sources[row];
    const size_t begin = (size_t)row * vertices;
    Length *distances = all_distances + begin;
    constexpr int in_piece = 16 / sizeof(Length);
    const int before = min(vertices, (int)(-begin & (in_piece - 1))), pieces = (vertices - before) / in_piece;
    for (int i = threadIdx.x; i < pieces; i += blockDim.x) {
        const int vertex = before + in_piece * i;
        union {
            int4 words;
            Length lengths[in_piece];
        } piece;
#pragma unroll
        for (int one = 0; one < in_piece; ++one)
            piece.lengths[one] = vertex + one == source ? 0 : UNREACHABLE;
        __stcs((int4 *)(distances + vertex), piece.words);
    }
    for (int i = threadIdx.x; i < vertices - in_piece * pieces; i += blockDim.x) {
        const int vertex = i < before ? i : i + in_piece * pieces;
        distances[vertex] = vertex == source ? (Length)0 : UNREACHABLE;
    }
}

// Rows of sources without arcs, which a block fills a few at a time between its sweeps: sweeps leave device memory idle.
struct Filling {
    const int *rows;
    int count, done;

    __device__ __forceinline__ void fill(int at_most, int vertices, const int *__restrict__ sources,
                                         Length *all_distances)
    {
        for (int i = 0; i < at_most && done < count; ++i, done += gridDim.x)
            fill_row(vertices, rows[done], sources, all_distances);
    }
};

// Lower the core until nothing changes; `changed` has the bits of the sources. `between_sweeps()` is called after each.
// False if that took more sweeps than there are vertices, although every sweep gets an arc further along every path.
template <class Work>
__device__ __forceinline__ bool settle(Core &core, const arc_t *__restrict__ arcs, const int *__restrict__ out_starts,
                                       const int *__restrict__ out_heads, Work between_sweeps)
{
    bool few = true; // the sources alone have changed
    for (int sweeps = 0; sweeps <= core.slices * LANES; ++sweeps) {
        if (few) {
            core.wake(out_starts, out_heads);
            __syncthreads();
        }
        const int moved = __syncthreads_count(few ? core.pull_waiting(arcs) : core.sweep(arcs));
        if (!moved)
            return true;
        few = moved * FEW_SHARE < blockDim.x;
        between_sweeps();
    }
    return false;
}
