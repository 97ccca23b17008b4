// The runtime: a separate shared object, loaded once per process. Kernel objects link to it by name.
#include <memory>

#include "progress.h"

__thread simt::Context warpath_context WARPATH_TLS_MODEL;

simt::Scheduler& simt::scheduler() {
    static thread_local std::unique_ptr<Scheduler> own;
    if (!own) own = std::make_unique<Scheduler>();
    return *own;
}

void simt::fail_in_thread(const std::string& message) { warpath_context.scheduler->fail_in_thread(message); }

WARPATH_API void warpath_thread_ended() { warpath_context.scheduler->thread_ended(); }

WARPATH_API unsigned warpath_block_barrier(bool predicate, unsigned* arrived) {
    return warpath_context.scheduler->block_barrier(predicate, arrived);
}

WARPATH_API uint64_t warpath_warp_operation(simt::Operation operation, unsigned mask, uint64_t value,
                                            unsigned source_lane) {
    return warpath_context.scheduler->warp_operation(operation, mask, value, source_lane);
}

WARPATH_API void warpath_fail(const char* message) { simt::fail_in_thread(message); }

// For Python. Each OS thread has its own progress: it calls warpath_launch or warpath_repeat, and then warpath_resume
// while the result is Status::unfinished, so that it can handle signals in between.
static thread_local simt::Progress progress;

WARPATH_API int warpath_launch(const simt::Launch* launch) { return progress.start(launch); }

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
