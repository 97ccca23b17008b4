// Runs a repeated sequence of launches in time slices, so that the caller can handle signals in between.
#pragma once

#include <chrono>
#include <string>

#include "pool.h"

namespace simt {

enum Status { finished = 0, unfinished = 1, failed = 2 };

class Progress {
public:
    int start(const Launch* launch) {
        single = launch;
        return start(&single, 1, 1);
    }

    int start(const Launch* const* new_launches, int32_t new_count, int64_t new_times) {
        launches = new_launches, count = new_count, times = count == 0 ? 0 : new_times;
        round = 0, index = 0, block = 0;
        return resume();
    }

    // Runs for one time slice, but at least one block.
    int resume() {
        now = Clock::now();
        slice_end = now + std::chrono::milliseconds(50);
        while (round < times) {
            if (now >= slice_end) return unfinished;
            Job job(*launches[index], block);
            run(job);
            if (!job.failure.empty()) {
                failure = std::move(job.failure);
                return failed;
            }
            block = job.begun();
            if (block == job.blocks) next_launch();
        }
        return finished;
    }

    std::string failure;

private:
    using Clock = std::chrono::steady_clock;

    const Launch* single;
    const Launch* const* launches;
    int32_t count, index;  // index of the next launch
    int64_t times, round;
    uint64_t block;  // the next block of that launch
    Clock::time_point now, slice_end;

    void next_launch() {
        block = 0;
        if (++index == count) index = 0, ++round;
    }

    // Wakes helpers only for a launch that runs longer than waking them takes.
    void run(Job& job) {
        const auto help_wanted = now + std::chrono::microseconds(20);
        bool alone = true;
        while (job.run_next_block()) {
            now = Clock::now();
            if (now >= slice_end) job.stop();
            if (alone && now >= help_wanted && job.launch.workers > 1 && job.begun() < job.blocks)
                alone = !pool()->help(job);
        }
        if (!alone) pool()->dismiss();
    }
};

}  // namespace simt
