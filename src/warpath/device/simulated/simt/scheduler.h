// Runs the threads of one block on one OS thread.
//
// Threads run one after another, each to its end, so that a kernel without barriers needs no switch. Only a thread that
// waits is suspended (fiber.h). A thread's position is its place in the block's order (forward, reverse or shuffled):
// threads start in this order, and continue in it after a barrier.
#pragma once

#include <string>
#include <utility>

#include "block.h"
#include "faults.h"
#include "fiber.h"

namespace simt {

constexpr size_t dynamic_shared_bytes_max = 227 * 1024;

class Scheduler {
public:
    Scheduler() : dynamic_shared(dynamic_shared_bytes_max) {
        prepare_fiber(fresh_fiber, stacks, fiber_main);
        for (Fiber& fiber : fibers) fiber.stack_top = stacks.kernels.end;
    }

    // Runs block `block` of the launch. Returns false on failure; `failure` then says why.
    bool run_block(const Launch& launch, uint64_t block);

    std::string failure;

    // Called by kernels, on their stack.
    Barrier block_barrier(bool predicate);
    uint64_t warp_operation(Operation operation, unsigned mask, uint64_t value, unsigned source_lane);
    void thread_ended();
    [[noreturn]] void fail_in_thread(const std::string& message);

private:
    const Launch* launch = nullptr;
    FaultStack fault_stack;
    Stacks stacks;
    GuardedMemory dynamic_shared;
    ThreadOrder order;
    Fiber main_fiber, fresh_fiber, ended_fiber;

    // By position.
    Fiber fibers[block_threads_max];
    PositionSet ready, at_barrier;
    uint16_t position_of[block_threads_max];  // by linear number

    unsigned cursor = 0;          // where to search for the next ready thread
    unsigned live = 0;            // threads that have not ended
    Barrier barrier{}, opened{};  // now, and when it last opened
    Warp warps[block_threads_max / warp_lanes];

    void prepare_shared_memory();
    void begin_interleaving();
    void enter_end(unsigned linear);
    void open_barrier();
    void release_lanes(unsigned warp, uint32_t lanes, unsigned but_linear);
    void go_on(Fiber& from);
    static void fiber_main();
    [[noreturn]] void fail(std::string message);
    [[noreturn]] void fail_in_deadlock();
};

inline std::string in_brackets(uint3 v) {
    return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}

// The scheduler of this OS thread.
Scheduler& scheduler();

inline bool Scheduler::run_block(const Launch& new_launch, uint64_t block) {
    launch = &new_launch;
    Context& context = warpath_context;
    context.scheduler = this;
    context.block_size = {launch->block[0], launch->block[1], launch->block[2]};
    context.grid_size = {launch->grid[0], launch->grid[1], launch->grid[2]};
    const uint64_t row = block / launch->grid[0];
    context.block = {static_cast<unsigned>(block % launch->grid[0]), static_cast<unsigned>(row % launch->grid[1]),
                     static_cast<unsigned>(row / launch->grid[1])};
    context.next = 0;
    context.count = launch->block[0] * launch->block[1] * launch->block[2];
    context.interleaved = false;
    context.order = order.arrange(*launch, block);
    prepare_shared_memory();
    context.running = true;
    switch_fiber(main_fiber, fresh_fiber, stacks);
    context.running = false;
    return failure.empty();
}

inline void Scheduler::prepare_shared_memory() {
    // Its end touches the guard page, so that an overrun faults.
    const uint32_t bytes = (launch->dynamic_shared_bytes + 15) / 16 * 16;
    warpath_context.dynamic_shared = dynamic_shared.end - bytes;
    if (bytes != 0) memset(warpath_context.dynamic_shared, poison, bytes);
    if (launch->static_shared_bytes != 0)
        memset(thread_local_storage(launch->static_shared_module), poison, launch->static_shared_bytes);
}

// Called when the first thread waits. All threads before it have ended, and are recorded as ended only now.
inline void Scheduler::begin_interleaving() {
    Context& context = warpath_context;
    context.interleaved = true;
    ready.reset();
    at_barrier.reset();
    cursor = 0;
    live = context.count;
    barrier = {};
    const unsigned warp_count = (context.count + warp_lanes - 1) / warp_lanes;
    for (unsigned i = 0; i < warp_count; ++i) warps[i].ended = warps[i].waiting = 0;
    if (context.count % warp_lanes != 0) warps[warp_count - 1].ended = ~0u << context.count % warp_lanes;
    for (unsigned position = 0; position < context.count; ++position)
        position_of[context.order[position].linear] = static_cast<uint16_t>(position);
    for (unsigned position = 0; position < context.position; ++position) enter_end(context.order[position].linear);
}

inline Barrier Scheduler::block_barrier(bool predicate) {
    if (!warpath_context.interleaved) begin_interleaving();
    const unsigned position = warpath_context.position;
    ++barrier.arrived;
    barrier.passed_true += predicate;
    at_barrier.set(position);
    if (barrier.arrived == live) open_barrier();
    go_on(fibers[position]);
    return opened;
}

inline void Scheduler::open_barrier() {
    opened = barrier;
    barrier = {};
    ready |= at_barrier;
    at_barrier.reset();
    cursor = 0;
}

inline uint64_t Scheduler::warp_operation(Operation operation, unsigned mask, uint64_t value, unsigned source_lane) {
    if (!warpath_context.interleaved) begin_interleaving();
    const unsigned linear = warpath_context.linear, lane = linear % warp_lanes;
    if ((mask >> lane & 1) == 0) fail_in_thread("calls a warp function with a mask that leaves out its own lane");
    Warp& warp = warps[linear / warp_lanes];
    warp.mask[lane] = mask;
    warp.operation[lane] = operation;
    warp.value[lane] = value;
    warp.source_lane[lane] = static_cast<uint8_t>(source_lane);
    warp.waiting |= 1u << lane;
    if (const uint32_t lanes = warp.complete(mask); lanes != 0)
        release_lanes(linear / warp_lanes, lanes, linear);
    else
        go_on(fibers[warpath_context.position]);
    return warp.value[lane];
}

// Makes `lanes`, which have met in a warp function, ready again, except the thread `but_linear`, which is running.
inline void Scheduler::release_lanes(unsigned warp, uint32_t lanes, unsigned but_linear) {
    warps[warp].finish(lanes);
    for_each_lane(lanes, [&](unsigned lane) {
        const unsigned linear = warp * warp_lanes + lane;
        if (linear != but_linear) ready.set(position_of[linear]);
    });
}

inline void Scheduler::enter_end(unsigned linear) {
    --live;
    const unsigned number = linear / warp_lanes;
    Warp& warp = warps[number];
    warp.ended |= 1u << linear % warp_lanes;
    // Threads that waited for this one alone continue without it.
    if (barrier.arrived != 0 && barrier.arrived == live) open_barrier();
    for_each_lane(warp.waiting, [&](unsigned lane) {
        const uint32_t lanes = (warp.waiting >> lane & 1) != 0 ? warp.complete(warp.mask[lane]) : 0;
        if (lanes != 0) release_lanes(number, lanes, block_threads_max);
    });
}

// Returns only if the caller's fiber continues: with a thread that has not started, or to the end of the block.
inline void Scheduler::thread_ended() {
    enter_end(warpath_context.linear);
    if (warpath_context.next == warpath_context.count && live != 0) go_on(ended_fiber);
}

// Runs other threads until `from` is ready. The thread of `from` waits or has ended.
__attribute__((noinline)) inline void Scheduler::go_on(Fiber& from) {
    Context& context = warpath_context;
    const int next = ready.next(cursor);
    if (next < 0 && context.next == context.count) fail_in_deadlock();
    if (next < 0) {
        switch_fiber(from, fresh_fiber, stacks);
        return;
    }
    ready.reset(next);
    cursor = next + 1;
    context.run_thread_at(next);
    if (&from != &fibers[next]) switch_fiber(from, fibers[next], stacks);
}

inline void Scheduler::fiber_main() {
    Scheduler& self = *warpath_context.scheduler;
    self.launch->kernel->run(self.launch->arguments);
    switch_fiber(self.ended_fiber, self.main_fiber, self.stacks);
    __builtin_unreachable();
}

// Aborts the block: its threads do not continue.
inline void Scheduler::fail(std::string message) {
    failure = "kernel " + std::string(launch->kernel->name) + ", block " + in_brackets(warpath_context.block) + message;
    switch_fiber(ended_fiber, main_fiber, stacks);
    __builtin_unreachable();
}

inline void Scheduler::fail_in_thread(const std::string& message) {
    fail(", thread " + in_brackets(warpath_context.thread) + ": " + message);
}

inline void Scheduler::fail_in_deadlock() {
    unsigned at_warp_function = 0;
    for (unsigned i = 0; i * warp_lanes < warpath_context.count; ++i)
        at_warp_function += __builtin_popcount(warps[i].waiting);
    fail(": deadlock, its threads wait for each other, " + std::to_string(barrier.arrived) + " at __syncthreads and " +
         std::to_string(at_warp_function) + " at a warp function that not all lanes of its mask reach");
}

}  // namespace simt
