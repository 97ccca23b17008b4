// Label correcting, cluster: one source by one thread block cluster, in one launch without global memory in its loop.
//
// Idea: where paths are short and a graph is small, rounds are all that takes time, and most of a round is the way to
// the L2 cache and back. So a cluster of CLUSTER_BLOCKS blocks keeps all of it on the chip: a block has the distances
// of its own vertices in shared memory, and its threads have the outgoing arcs of those vertices in registers. An arc
// waits to be relaxed while the distance of its tail is below `done`, the one that it was relaxed with last. A round
// looks at all arcs, SWEEPS times: a tail is in the block's own memory, and a head is lowered by an atomic minimum
// wherever it lies, with no answer to wait for. Rounds end at the barrier of the cluster, and the first one in which
// nobody relaxed is the last.
//
// Why no improvement is lost: a distance that falls in the middle of a round may be read before or after it fell. If it
// is read before, `done` stays above it, so the arc waits still when the next round reads it. There is a next round,
// because whoever lowered the distance relaxed in this one, and said so; and the barrier makes visible what fell before
// it. In a round without relaxing nothing falls, so its reads show that no arc waits, and all distances are final.
//
// The flags `active`: a warp that relaxed sets the flag of the round in all blocks, unless all of its lanes that relaxed
// find their own block's set: then some other warp sets them all before it arrives at the barrier. Three flags serve in
// turn. That of round r is written in round r and read after the barrier that ends it, by threads that have not arrived
// at the next barrier yet. Its own block clears it in round r + 2: all of its threads have passed the barrier of round
// r + 1, so they have read it, and it is written again in round r + 3, after a further barrier. Warps look at their own
// block's flag while others set it: whichever they find is right, since all write the same 1.
//
// The end: after the last round nobody reaches into another block's memory, unless predecessors are wanted. Then every
// thread finds which of its arcs are tight, the words of distances become words of predecessors, and among the tight
// arcs into a vertex the tail of the lowest number wins. This needs whole weights above 0; with zeros or floats
// somebody else finds them. A barrier lies between each two of these steps, and one before any block may end.
//
// Threads: CLUSTER_BLOCKS blocks of BLOCK threads, with ARCS arcs each. A block has its arcs one behind the other, over
// all threads before the next register, so lanes beside each other have the same tail or the next, and read it at once.
// Memory: a distance a vertex of shared memory; the arcs are read once.
// Limit: a round is a remote operation and then the barrier; a sweep reads ARCS words of shared memory a thread. 128
// registers a thread hold 24 arcs, or 12 with weights of 64 bits. Measured on an H200: gnutella04, of five arcs a thread, takes 33 us, launch included,
// in 12 rounds of two sweeps. With one sweep a round takes 1.7 us there and 4.7 us on caida, of 14 arcs a thread.
// Source: ours.
#include "warpath/solvers/shared/lengths.cuh"
#include "warpath/device/cluster.cuh"
#include "warpath/device/dynamic_shared.cuh"

#ifndef BLOCK
#define BLOCK 512
#endif
#ifndef ARCS
#define ARCS 1
#endif
// A vertex is its block and its place there, of so many bits. An arc has the place of its tail above its head.
#ifndef LOCAL_BITS
#define LOCAL_BITS 12
#endif
// How often a round looks at the arcs before the barrier.
#ifndef SWEEPS
#define SWEEPS 2
#endif

#define HEAD_BITS 16
#define HEAD_MASK ((1u << HEAD_BITS) - 1)
#define LOCAL_MASK ((1u << LOCAL_BITS) - 1)
#define FLAGS 3
#define ALL_LANES 0xffffffffu

// `arcs` and `weights` are those of all blocks, BLOCK * ARCS each; where a weight is below 0, there is no arc. The
// vertices of block b are `owned` from begins[b] up to begins[b + 1]; `source` is a block and a place in it.
// `predecessors` is null where nobody wants them, or somebody else finds them. `rounds` gets their number, or -1 where
// there were more than `rounds_max` or the GPU has no clusters.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) CLUSTER
    solve(const unsigned int *__restrict__ arcs, const Weight *__restrict__ weights, const int *__restrict__ owned,
          const int *__restrict__ begins, int source, int rounds_max, Length *distances, int *predecessors, int *rounds)
{
#if HAS_CLUSTERS
    DYNAMIC_SHARED(Length, distance);
    __shared__ int active[FLAGS];
    const unsigned int rank = rank_in_cluster();
    const int begin = begins[rank], count = begins[rank + 1] - begin;

    unsigned int arc[ARCS];
    Weight weight[ARCS];
    Length done[ARCS];
#pragma unroll
    for (int k = 0; k < ARCS; ++k) {
        const unsigned int place = (rank * ARCS + k) * BLOCK + threadIdx.x;
        arc[k] = arcs[place];
        weight[k] = weights[place];
        done[k] = weight[k] < 0 ? (Length)0 : UNREACHABLE; // no distance is below 0
    }
    for (int local = threadIdx.x; local < count; local += BLOCK)
        distance[local] = (rank << LOCAL_BITS | local) == source ? (Length)0 : UNREACHABLE;
    if (threadIdx.x < FLAGS)
        active[threadIdx.x] = 0;
    cluster_barrier();

    int round = 0, flag = 0;
    bool going = true;
    for (; going && round < rounds_max; ++round) {
        bool relaxed = false;
#pragma unroll 1
        for (int sweep = 0; sweep < SWEEPS; ++sweep) {
#pragma unroll
            for (int k = 0; k < ARCS; ++k) {
                const Length reached = fresh(&distance[arc[k] >> HEAD_BITS]);
                if (reached < done[k]) {
                    done[k] = reached;
                    relaxed = true;
                    // The minimum is that of unsigned words, so a sum that is no distance lowers nothing.
                    lower_in_cluster(&distance[arc[k] & LOCAL_MASK], (arc[k] & HEAD_MASK) >> LOCAL_BITS,
                                     extended(reached, weight[k]));
                }
            }
        }
        const bool untold = relaxed && !*(const volatile int *)&active[flag];
        if (__any_sync(ALL_LANES, untold) && threadIdx.x % 32 < CLUSTER_BLOCKS)
            store_in_cluster(&active[flag], threadIdx.x % 32, 1);
        const int next = flag == FLAGS - 1 ? 0 : flag + 1;
        if (threadIdx.x == 0)
            *(volatile int *)&active[next] = 0; // that of the round before the last one
        cluster_barrier();
        going = *(const volatile int *)&active[flag];
        flag = next;
    }
    if (threadIdx.x == 0 && rank == 0)
        *rounds = going ? -1 : round;
    for (int local = threadIdx.x; local < count; local += BLOCK)
        distances[owned[begin + local]] = distance[local];
#if !FLOAT_BITS
    if (!predecessors)
        return;

#pragma unroll
    for (int k = 0; k < ARCS; ++k) {
        const unsigned int block = (arc[k] & HEAD_MASK) >> LOCAL_BITS;
        const int reached = distance[arc[k] >> HEAD_BITS];
        const int there = read_in_cluster(&distance[arc[k] & LOCAL_MASK], block);
        const bool tight = weight[k] >= 0 && there < UNREACHABLE && reached <= there && there - reached == weight[k];
        done[k] = tight ? owned[begin + (arc[k] >> HEAD_BITS)] : NO_PREDECESSOR;
    }
    cluster_barrier();
    for (int local = threadIdx.x; local < count; local += BLOCK)
        distance[local] = NO_PREDECESSOR;
    cluster_barrier();
#pragma unroll
    for (int k = 0; k < ARCS; ++k)
        if (done[k] != NO_PREDECESSOR)
            lower_in_cluster(&distance[arc[k] & LOCAL_MASK], (arc[k] & HEAD_MASK) >> LOCAL_BITS, (unsigned int)done[k]);
    cluster_barrier();
    for (int local = threadIdx.x; local < count; local += BLOCK)
        predecessors[owned[begin + local]] = distance[local];
#endif
#else
    *rounds = -1;
#endif
}
