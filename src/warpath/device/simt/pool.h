// OS threads that help to run the blocks of a launch. They help one launch at a time; others run on their own thread.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "job.h"

namespace simt {

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

}  // namespace simt
