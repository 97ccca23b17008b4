// Near-far, whole_grid: one source by the whole GPU in one launch, for graphs of low diameter with heavy degrees.
//
// Idea: in a round, all vertices whose distance fell below the threshold are relaxed; once there is none, the threshold
// rises by `delta`. A vertex waits to be relaxed while `distances` differs from `done`, its distance when it was relaxed
// last. So no list of them is needed, and nothing can overflow or get lost: a round scans both arrays, which takes about
// as long as the barrier after it. Four things make it fast:
//   - arcs are shared out evenly. A warp gathers 32 rows that wait, and its lanes take their arcs in turn, found in the
//     prefix sums of the degrees. A row has at most `piece` arcs; what a heavy vertex has beyond are rows of their own;
//   - once most vertices have been reached but wait, most of their arcs lead to vertices that are nearer already, and to
//     push them all would be waste. So every vertex pulls instead, from the lightest of its inbound arcs on. What fell in
//     the round before is at `low` or beyond, so a vertex at distance d stops at the first arc of weight d - low. On a
//     power-law graph of 16 million arcs that leaves 8 million to look at, pushed and pulled (simulated);
//   - a few vertices with few arcs are relaxed by one block alone, round after round, while the others wait;
//   - predecessors, where weights are positive, take one more round: every vertex looks for the lowest tail of a tight
//     arc into it, up to the first arc that weighs more than its distance, and reads no distance of a higher tail.
// A distance that another block lowers meanwhile may be read too large. Where it is compared with a candidate, this only
// costs an atomic operation; the block that lowers it counts it, so there is a further round, which sees it. The barrier
// between rounds is argued in rounds.cuh.
//
// Threads: blocks of BLOCK threads, as many as run at the same time; any number is right. Memory: CSR, the inbound arcs
// sorted by weight, two words a vertex and one for each further piece of a row.
// Limit: some 20 rounds of about five reads of 0.6 us that wait for each other, and the barrier, 1 us: 80 us; and 8
// million reads of distances at random places, one a cycle and multiprocessor: 35 us. Measured on an H200, from vertex 0
// of that graph: 290 us. Rounds that push have warps with several times as many arcs as others.
#include "warpath/solvers/one_source/near_far/rounds.cuh"

// More rounds that pull than this show that it does not get anywhere.
#define PULL_ROUNDS_MAX 16
// After so many steps of the threshold in a row that kept few threads busy, delta grows.
#define THIN_STEPS_MAX 4
// Paths have at most so many arcs, and each step of the threshold settles a vertex: a few rounds for each are plenty.
#define ROUNDS_MAX(vertices) (8ull * (vertices) + 1024)

// `predecessors` is null where nobody wants them, or somebody else finds them. The shares of vertices are numbers of
// them: a round that pulls follows where more than `pull_above` wait, and another one where more than `pull_below` fell. A
// block goes on alone with `alone_max` vertices, at most BLOCK.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    solve(int vertices, int pieces, int piece, const int *__restrict__ indptr, const int *__restrict__ indices,
          const Weight *__restrict__ weights, const int *__restrict__ piece_tails, const int *__restrict__ piece_firsts,
          const int *__restrict__ in_indptr, const Arc *__restrict__ in_arcs, int source, Weight delta, int pull_above,
          int pull_below, int alone_max, Length *distances, int *predecessors, Length *done, int *queue, int *control,
          int set, int *status)
{
    __shared__ Block block;
    const Graph graph = {vertices, pieces,      piece,        indptr,    indices,
                         weights,  piece_tails, piece_firsts, in_indptr, in_arcs};
    int *const words = control + set * SET_WORDS;
    const long long thread = (long long)blockIdx.x * BLOCK + threadIdx.x, threads = (long long)gridDim.x * BLOCK;

    for (long long row = thread; row < (long long)vertices + pieces; row += threads) {
        done[row] = UNREACHABLE;
        if (row < vertices)
            distances[row] = row == source ? 0 : UNREACHABLE;
    }
    if (blockIdx.x == 0)
        for (int word = threadIdx.x; word < SET_WORDS; word += BLOCK)
            control[(1 - set) * SET_WORDS + word] = 0; // for the next launch
    if (threadIdx.x == 0) {
        block.stopped = block.waiting = 0;
        block.fallen = blockIdx.x == 0;
        block.lowest = UNREACHABLE;
        block.list[0] = source;
    }

    Length threshold = raised(0, delta);
    int most_fallen = 0, waiting = 0, thin_steps = 0, pulls = 0;
    bool pulling = false;
    for (unsigned int round = 0; meet(round, words, status, queue, pulling, block); ++round) {
        if (round > ROUNDS_MAX(vertices)) {
            *status = 1;
            return;
        }
        const int fallen = block.all_fallen;
        const Length lowest = block.all_lowest;
        if (!fallen && lowest == UNREACHABLE) {
            if (predecessors)
                claim(graph, source, distances, predecessors);
            return;
        }
        bool listed = !pulling && fallen <= alone_max && block.all_queued == fallen; // all that fell are in the queue
        if (pulling) {
            pulling = fallen > pull_below && ++pulls < PULL_ROUNDS_MAX;
            if (!pulling)
                threshold = fallen > pull_below ? raised(lowest, delta) : (Length)UNREACHABLE;
        } else {
            most_fallen = max(most_fallen, fallen);
            waiting = block.all_waiting ? block.all_waiting : waiting; // a block alone counts none
            if (!fallen && waiting > pull_above && pulls < PULL_ROUNDS_MAX) {
                pulling = true;
            } else if (!fallen) {
                thin_steps = most_fallen < threads ? thin_steps + 1 : 0;
                if (thin_steps > THIN_STEPS_MAX)
                    delta = doubled(delta);
                threshold = raised(lowest, delta);
                most_fallen = 0;
                listed = false;
            }
        }
        Length own_lowest = UNREACHABLE;
        if (pulling) {
            int own_fallen = 0;
            pull(graph, lowest, distances, done, own_lowest, own_fallen);
            if (own_fallen)
                atomicAdd(&block.fallen, own_fallen);
        } else if (!listed) {
            int own_waiting = 0;
            push(graph, threshold, distances, done, block, own_lowest, own_waiting);
            if (own_waiting)
                atomicAdd(&block.waiting, own_waiting);
        } else if (blockIdx.x == 0) {
            const int left = push_alone(graph, fallen, threshold, distances, done, queue, block, own_lowest);
            own_lowest = min(own_lowest, lowest);
            __syncthreads();
            if (threadIdx.x == 0)
                block.fallen = left;
        }
        if (own_lowest < UNREACHABLE)
            atomicMin(&block.lowest, own_lowest);
    }
}
