// Runs launches, the blocks of each spread over OS threads.
#pragma once

#include <string>

#include "scheduler.h"

namespace simt {

enum Status { finished = 0, unfinished = 1, failed = 2 };

// One launch under way: its blocks are handed out one by one until none is left, one has failed, or time is up.
struct Job {
    const Launch* launch;
    uint64_t blocks;
    std::atomic<uint64_t> next_block;
    std::atomic<bool> stop{false};
    std::mutex failure_lock{};
    std::string failure{};

    uint64_t in_order(uint64_t i) const;
    void run(std::chrono::steady_clock::time_point until);
};

// What one OS thread of the caller has under way.
class Progress {
public:
    int start(const Launch* const* new_launches, int32_t new_count, int64_t new_times) {
        launches = new_launches, count = new_count, times = new_times;
        round = 0, index = 0, block = 0;
        return resume();
    }

    int resume();

    std::string failure;

private:
    const Launch* const* launches;
    int32_t count, index;
    int64_t times, round;
    uint64_t block;
};

static thread_local Progress progress;

// Signals are looked after this often.
constexpr std::chrono::milliseconds time_slice{50};

inline int Progress::resume() {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + time_slice;
    for (; round < times; ++round, index = 0) {
        for (; index < count; ++index, block = 0) {
            const Launch& launch = *launches[index];
            Job job{&launch, uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2], {block}};
            job.run(until);
            if (!job.failure.empty()) {
                failure = job.failure;
                return failed;
            }
            block = job.next_block;
            if (block < job.blocks) return unfinished;
            if (Clock::now() >= until) {
                block = 0;
                if (++index == count) index = 0, ++round;
                return round < times ? unfinished : finished;
            }
        }
    }
    return finished;
}

inline uint64_t Job::in_order(uint64_t i) const {
    if (launch->order == Order::reverse) return blocks - 1 - i;
    return i;
}

inline void Job::run(std::chrono::steady_clock::time_point until) {
    Scheduler& mine = scheduler();
    while (!stop) {
        const uint64_t i = next_block.load();
        if (i >= blocks) return;
        next_block = i + 1;
        const uint64_t number = in_order(i);
        if (!mine.run_block(*launch, number)) {
            const uint3 block = warpath_context.block;
            failure = "block (" + std::to_string(block.x) + ", " + std::to_string(block.y) + ", " +
                      std::to_string(block.z) + "): " + mine.failure;
            mine.failure.clear();
            return;
        }
        if (std::chrono::steady_clock::now() >= until) return;
    }
}

}  // namespace simt
