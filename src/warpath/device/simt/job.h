// One running launch: hands out its blocks one by one until none is left, one fails, or it is stopped.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>

#include "random.h"
#include "scheduler.h"

namespace simt {

class Job {
public:
    Job(const Launch& launch, uint64_t first_block)
        : launch(launch),
          blocks(uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2]),
          next_block(first_block),
          shuffled(launch.order == Order::shuffle ? blocks : 1, launch.seed) {}

    const Launch& launch;
    const uint64_t blocks;
    std::string failure;

    // Returns false when there is nothing left to do.
    bool run_next_block() {
        if (stopped.load(std::memory_order_relaxed)) return false;
        const uint64_t i = next_block.fetch_add(1, std::memory_order_relaxed);
        if (i >= blocks) return false;
        Scheduler& mine = scheduler();
        if (mine.run_block(launch, in_order(i))) return true;
        const std::lock_guard<std::mutex> guard(failure_lock);
        failure = std::exchange(mine.failure, {});
        stop();
        return false;
    }

    void stop() { stopped.store(true, std::memory_order_relaxed); }

    // The number of blocks handed out so far.
    uint64_t begun() const { return std::min(blocks, next_block.load(std::memory_order_relaxed)); }

private:
    std::atomic<uint64_t> next_block;
    std::atomic<bool> stopped{false};
    std::mutex failure_lock;
    const ShuffledRange shuffled;

    uint64_t in_order(uint64_t i) const {
        switch (launch.order) {
            case Order::forward:
                return i;
            case Order::reverse:
                return blocks - 1 - i;
            default:
                return shuffled[i];
        }
    }
};

}  // namespace simt
