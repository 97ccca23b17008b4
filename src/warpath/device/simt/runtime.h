// The runtime: a shared object of its own, loaded once per process and found by the kernel objects by symbol.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "scheduler.h"

__thread simt::Context warpath_context WARPATH_TLS_MODEL;

namespace simt {

Scheduler& scheduler() {
    static thread_local std::unique_ptr<Scheduler> own;
    if (!own) own = std::make_unique<Scheduler>();
    return *own;
}

}  // namespace simt

#include "pool.h"

using simt::Launch;

WARPATH_API void warpath_thread_ended() { simt::scheduler().thread_ended(); }

WARPATH_API unsigned warpath_block_barrier(bool predicate, unsigned* arrived) {
    return simt::scheduler().block_barrier(predicate, arrived);
}

WARPATH_API uint64_t warpath_warp_operation(simt::Operation operation, unsigned mask, uint64_t value,
                                            unsigned source_lane) {
    return simt::scheduler().warp_operation(operation, mask, value, source_lane);
}

WARPATH_API void warpath_fail(const char* message) { simt::scheduler().fail(message); }

// Python calls warpath_start, and then warpath_resume for as long as the answer is `unfinished`: it looks after signals
// in between. What is under way belongs to the calling OS thread.
WARPATH_API int warpath_start(const Launch* const* launches, int32_t count, int64_t times) {
    return simt::progress.start(launches, count, times);
}

WARPATH_API int warpath_resume() { return simt::progress.resume(); }

WARPATH_API const char* warpath_failure() { return simt::progress.failure.c_str(); }
