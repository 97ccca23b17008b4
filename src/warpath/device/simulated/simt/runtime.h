// The runtime: a separate shared object, loaded once per process. Kernel objects link to it by name.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "scheduler.h"

namespace simt {

// One running launch: hands out its blocks one by one until none is left, one fails, or it is stopped.
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
            case Order::forward: return i;
            case Order::reverse: return blocks - 1 - i;
            default: return shuffled[i];
        }
    }
};

// OS threads that help to run the blocks of a launch. They help one launch at a time; others run on their own thread.
class Pool {
public:
    // False if the pool is busy with another launch.
    bool help(Job& new_job) {
        const std::lock_guard<std::mutex> guard(lock);
        if (job != nullptr) return false;
        job = &new_job;
        places = new_job.launch.workers - 1;
        start_threads(places);
        jobs.fetch_add(1);
        wake.notify_all();
        return true;
    }

    // Ends the caller's job: waits until no helper works on it.
    void dismiss() {
        std::unique_lock<std::mutex> guard(lock);
        job = nullptr;
        if (working.load() == 0) return;
        guard.unlock();
        watch([this] { return working.load() == 0; });
        guard.lock();
        idle.wait(guard, [this] { return working.load() == 0; });
    }

private:
    std::mutex lock;
    std::condition_variable wake, idle;
    Job* job = nullptr;
    int places = 0;  // for helpers that have not joined yet
    int threads = 0;
    std::atomic<int> working{0};
    std::atomic<uint64_t> jobs{0};  // so far

    // Polls `done` for about as long as sleeping and waking up would take.
    template <class Done>
    static void watch(Done done) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
        while (!done() && std::chrono::steady_clock::now() < until) {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
    }

    void start_threads(int wanted) {
        try {
            for (; threads < wanted; ++threads) std::thread([this] { work(); }).detach();
        } catch (const std::system_error&) {  // the system refuses more threads; continue with fewer
        }
    }

    [[noreturn]] void work() {
        block_signals();
        for (uint64_t seen = 0;; seen = jobs.load()) {
            watch([&] { return jobs.load() != seen; });
            std::unique_lock<std::mutex> guard(lock);
            wake.wait(guard, [this] { return job != nullptr && places > 0; });
            --places;
            working.fetch_add(1);
            Job& mine = *job;
            guard.unlock();
            while (mine.run_next_block()) {
            }
            guard.lock();
            if (working.fetch_sub(1) == 1) idle.notify_all();
        }
    }

    // Leaves signals to other threads, except the faults of kernels, which are handled here.
    static void block_signals() {
        sigset_t signals;
        sigfillset(&signals);
        for (const int signal : fault_signals) sigdelset(&signals, signal);
        pthread_sigmask(SIG_SETMASK, &signals, nullptr);
    }
};

// Never destroyed, because its threads never end. A forked process does not inherit them and makes a new pool.
inline Pool*& pool() {
    static Pool* the_pool = [] {
        pthread_atfork(nullptr, nullptr, [] { pool() = new Pool; });
        return new Pool;
    }();
    return the_pool;
}

// Runs a repeated sequence of launches in time slices, so that the caller can handle signals in between.
enum Status { finished = 0, unfinished = 1, failed = 2 };

class Progress {
public:
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

__thread simt::Context warpath_context WARPATH_TLS_MODEL;

simt::Scheduler& simt::scheduler() {
    static thread_local std::unique_ptr<Scheduler> own;
    if (!own) own = std::make_unique<Scheduler>();
    return *own;
}

void simt::fail_in_thread(const std::string& message) { warpath_context.scheduler->fail_in_thread(message); }

WARPATH_API void warpath_thread_ended() { warpath_context.scheduler->thread_ended(); }

WARPATH_API simt::Barrier warpath_block_barrier(bool predicate) {
    return warpath_context.scheduler->block_barrier(predicate);
}

WARPATH_API uint64_t warpath_warp_operation(simt::Operation operation, unsigned mask, uint64_t value,
                                            unsigned source_lane) {
    return warpath_context.scheduler->warp_operation(operation, mask, value, source_lane);
}

WARPATH_API void warpath_fail(const char* message) { simt::fail_in_thread(message); }

// For Python. Each OS thread has its own progress: it calls warpath_repeat, and then warpath_resume while the result is
// Status::unfinished, so that it can handle signals in between.
static thread_local simt::Progress progress;

WARPATH_API int warpath_repeat(const simt::Launch* const* launches, int32_t count, int64_t times) {
    return progress.start(launches, count, times);
}

WARPATH_API int warpath_resume() { return progress.resume(); }

WARPATH_API const char* warpath_failure() { return progress.failure.c_str(); }

// For Launch: the number of the loaded object that contains `address`, and in *bytes the size of its __shared__ data.
WARPATH_API uint64_t warpath_static_shared(const void* address, uint32_t* bytes) {
    const simt::StaticShared found = simt::find_static_shared(address);
    *bytes = static_cast<uint32_t>(found.bytes);
    return found.module;
}

// Called once per process.
WARPATH_API void warpath_prepare() { simt::install_fault_handlers(); }
