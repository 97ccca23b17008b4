// Termination detection for blocks that work whenever messages arrive. It needs no barrier, and a device may run the blocks
// one after another.
//
// In each block, one warp presides. It asks numbered questions: has a warp worked since its last answer? Each other warp
// reads the question, looks for work, and then answers. If all answer no, the block did no work when the question was
// asked, because this answer reports work that began earlier. No work has begun since, except for messages that arrived
// after a warp's look.
//   Such a block is quiet. Its messages are visible to all blocks: each warp has a fence between its messages and its
// answer, and the presiding warp has a fence of the device before it publishes. It publishes a word of launch, epoch and
// count, where the count is the number of further questions that all warps answered with no. If the block works again,
// the count restarts in the next epoch. The word of a question is published before the next question is asked.
//   A warp of block 0 reads the words of all blocks until each block is quiet. Then it notes all words, and reads them
// until each count has risen by three in the same epoch. So no block has worked since its first word, and all messages
// were sent before the words were noted. The last of the three questions was asked after that, because the word before
// it had to be published first. So each block has since asked a question of warps that had read all their messages and
// found no work. No work is left, and the warp publishes the end. Words and messages are atomics and volatile reads,
// which are ordered in L2.
//   A block that has been quiet for `patience` questions leaves. Its result is UNSETTLED if it has worked in this launch.
// If blocks run one after another, others run only after that, and the host launches again until no block has worked.
// After `questions_max` questions a block leaves in any case, with the result OUT_OF_QUESTIONS, so that a launch ends.
#pragma once

#define EVERY_LANE 0xffffffffu
#define BLOCKS_MAX 256

#define LOAD(place) (*(const volatile int *)&(place))
#define STORE(place, value) (*(volatile int *)&(place) = (value))

// In shared memory. `answers[w]` is twice the last question that warp w answered, plus 1 if it had worked.
struct Agreement {
    int question, result;
    int answers[32];
};

// Words of the state, on the GPU and for the host, which hold the number of the launch that they are about: work is
// left; a block has left without an end.
#define LEFT 0
#define GAVE_UP 1

enum Result { SETTLED, UNSETTLED, OUT_OF_QUESTIONS };
#define LEAVE (-1) // the last question

struct Limits {
    int launch, patience, questions_max;
};

// By all threads, before a __syncthreads().
__device__ __forceinline__ void open_agreement(Agreement &agreement)
{
    if (threadIdx.x < 32)
        agreement.answers[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        agreement.question = 0;
        agreement.result = SETTLED;
    }
}

// The same in all lanes. What a warp reads after this was there when the question was asked.
__device__ __forceinline__ int asked_now(const Agreement &agreement)
{
    return __shfl_sync(EVERY_LANE, LOAD(agreement.question), 0);
}

// Warp `warp` has looked for work since `asked` was read, and has worked since its last answer, or not.
__device__ __forceinline__ void give_answer(Agreement &agreement, int warp, int asked, bool worked)
{
    const int any = __any_sync(EVERY_LANE, worked);
    __threadfence_block();
    if (threadIdx.x % 32 == 0)
        STORE(agreement.answers[warp], 2 * asked + any);
}

// The chair of a block whose warps 0, ..., warps - 1 answer; returns when all of them are to leave.
__device__ void preside(Agreement &agreement, int warps, Limits limits, unsigned long long *published, int *finished)
{
    const int lane = threadIdx.x % 32;
    int asked = 0, epoch = 0, counted = 0, result = -1;
    bool quiet = false, ever = false;
    for (int round = 0; result < 0; ++round) {
        unsigned long long before = 0;
        if (quiet && lane == 0) {
            const unsigned long long launch = (unsigned int)limits.launch & 0xffffu;
            before = atomicExch(&published[blockIdx.x],
                                launch << 48 | (unsigned long long)(epoch & 0xffffff) << 24 | (counted & 0xffffff));
        }
        const int end = *(const volatile int *)finished;
        for (;;) { // the question before
            const int answer = lane < warps ? LOAD(agreement.answers[lane]) : 2 * asked;
            if (!__all_sync(EVERY_LANE, answer >> 1 == asked))
                continue;
            const bool worked = __any_sync(EVERY_LANE, answer & 1);
            ever = ever || worked;
            if (worked || round == 0) {
                epoch += quiet;
                quiet = false;
                counted = 0;
            } else if (!quiet) {
                quiet = true;
                __threadfence(); // what the warps have sent is there before the block says that it is quiet
            } else {
                ++counted;
            }
            break;
        }
        if (__any_sync(EVERY_LANE, before == ~0ull)) // waits until the word is published; no word is this one
            break;
        if (__any_sync(EVERY_LANE, end == limits.launch))
            result = SETTLED;
        else if (quiet && counted >= limits.patience)
            result = ever ? UNSETTLED : SETTLED;
        else if (round >= limits.questions_max)
            result = OUT_OF_QUESTIONS;
        asked = result < 0 ? asked + 1 : LEAVE;
        if (lane == 0) {
            if (result >= 0)
                STORE(agreement.result, result);
            STORE(agreement.question, asked);
        }
        __syncwarp();
    }
}

// A warp of block 0, until its block leaves.
__device__ void look_for_the_end(const Agreement &agreement, int launch, const unsigned long long *published,
                                 int *finished)
{
    const int lane = threadIdx.x % 32, blocks = gridDim.x;
    const volatile unsigned long long *words = published;
    unsigned long long noted[BLOCKS_MAX / 32];
    while (asked_now(agreement) != LEAVE) {
        bool quiet = true;
        for (int block = lane; block < blocks; block += 32)
            quiet = quiet && (int)(words[block] >> 48) == (launch & 0xffff);
        if (!__all_sync(EVERY_LANE, quiet))
            continue;
#pragma unroll
        for (int i = 0; i < BLOCKS_MAX / 32; ++i)
            noted[i] = lane + 32 * i < blocks ? words[lane + 32 * i] : 0;
        bool same = true, counted = false;
        while (same && !counted && asked_now(agreement) != LEAVE) {
            counted = true;
#pragma unroll
            for (int i = 0; i < BLOCKS_MAX / 32; ++i) {
                if (lane + 32 * i >= blocks)
                    continue;
                const unsigned long long word = words[lane + 32 * i];
                same = same && word >> 24 == noted[i] >> 24;
                counted = counted && word >= noted[i] + 3;
            }
            same = __all_sync(EVERY_LANE, same);
            counted = __all_sync(EVERY_LANE, counted);
        }
        if (same && counted && lane == 0)
            *(volatile int *)finished = launch;
    }
}
