// Runs the threads of one block on one OS thread.
//
// A fiber calls one thread of the block after another, each to its end, so that a kernel without barriers needs no
// switch at all. Only when a thread has to wait does it keep the fiber, and a fresh one goes on with the threads that
// have not started. Threads are numbered by their position in the block's order (forward, reverse or shuffled): it is
// the order in which they start, and in which they go on after every barrier.
#pragma once

#include <stdio.h>

#include <memory>
#include <string>
#include <vector>

#include "fiber.h"
#include "interface.h"

namespace simt {

// Uninitialised shared memory holds this byte, not the convenient zero.
constexpr int poison = 0xA5;

constexpr size_t dynamic_shared_bytes_max = 227 * 1024;

// A set of positions, with a fast search for the next member.
class PositionSet {
public:
    void clear() { memset(words, 0, sizeof words); }
    void insert(unsigned position) { words[position / 64] |= uint64_t{1} << position % 64; }
    void erase(unsigned position) { words[position / 64] &= ~(uint64_t{1} << position % 64); }

    void take_all(PositionSet& other) {
        for (unsigned i = 0; i < word_count; ++i) words[i] |= other.words[i];
        other.clear();
    }

    // The first member at or after `from`, else the first of all, else -1.
    int next(unsigned from) const {
        const int found = first(from);
        return found >= 0 || from == 0 ? found : first(0);
    }

private:
    static constexpr unsigned word_count = block_threads_max / 64;
    uint64_t words[word_count];

    int first(unsigned from) const {
        if (from >= block_threads_max) return -1;
        uint64_t word = words[from / 64] & ~uint64_t{0} << from % 64;
        for (unsigned i = from / 64;;) {
            if (word != 0) return static_cast<int>(64 * i) + __builtin_ctzll(word);
            if (++i == word_count) return -1;
            word = words[i];
        }
    }
};

struct Warp {
    uint32_t ended, waiting;  // lanes
    uint32_t mask[warp_lanes];
    Operation operation[warp_lanes];
    uint64_t value[warp_lanes];  // what a waiting lane brought, then its result
    unsigned source_lane[warp_lanes];
};

class Scheduler {
public:
    Scheduler();

    // Runs block `block` of the launch. On failure returns false, and `failure` says why.
    bool run_block(const Launch& launch, uint64_t block);

    std::string failure;

    // Called by kernels, on their fibers.
    void thread_ended() { thread_ended(warpath_context.linear); }
    unsigned block_barrier(bool predicate, unsigned* arrived);
    uint64_t warp_operation(Operation operation, unsigned mask, uint64_t value, unsigned source_lane);
    [[noreturn]] void fail(std::string message);

private:
    const Launch* launch = nullptr;
    std::vector<std::unique_ptr<Stack>> stacks;
    std::vector<uint16_t> free_stacks;
    std::unique_ptr<unsigned char[]> dynamic_shared;
    void* main_fiber = nullptr;
    uint16_t stack = 0;  // of the running fiber

    // Of the block's threads, by position.
    Place order[block_threads_max];
    uint3 order_size{};  // the block size and order that `order` was made for
    Order order_kind = Order::forward;
    uint16_t position_of[block_threads_max];  // by linear number
    void* fiber_of[block_threads_max];
    uint16_t stack_of[block_threads_max];
    PositionSet ready, at_barrier;
    unsigned cursor = 0;  // where the search for the next ready thread begins
    unsigned live = 0;    // threads that have not ended
    unsigned barrier_arrived = 0, barrier_true = 0;
    unsigned released_arrived = 0, released_true = 0;
    Warp warps[block_threads_max / warp_lanes];

    void arrange_threads(uint64_t block);
    void prepare_shared_memory();
    void begin_interleaving();
    void thread_ended(unsigned linear);
    void release_barrier();
    bool finish_operation(Warp& warp, unsigned warp_number, unsigned mask, bool release_all);
    void wait(unsigned position);
    void run(unsigned position, void** from);
    void start_fiber(void** from);
    [[noreturn]] void leave_fiber();
    static void fiber_main();
    std::string describe_deadlock() const;
};

// The scheduler of this OS thread.
Scheduler& scheduler();

inline Scheduler::Scheduler() : dynamic_shared(new unsigned char[dynamic_shared_bytes_max + 128]) {}

inline bool Scheduler::run_block(const Launch& new_launch, uint64_t block) {
    launch = &new_launch;
    Context& context = warpath_context;
    context.block_size = {launch->block[0], launch->block[1], launch->block[2]};
    context.grid_size = {launch->grid[0], launch->grid[1], launch->grid[2]};
    const uint64_t row = block / launch->grid[0];
    context.block = {static_cast<unsigned>(block % launch->grid[0]), static_cast<unsigned>(row % launch->grid[1]),
                     static_cast<unsigned>(row / launch->grid[1])};
    context.next = 0;
    context.count = launch->block[0] * launch->block[1] * launch->block[2];
    context.interleaved = false;
    arrange_threads(block);
    context.order = order;
    prepare_shared_memory();
    start_fiber(&main_fiber);
    return failure.empty();
}

inline void Scheduler::arrange_threads(uint64_t block) {
    const uint3 size = warpath_context.block_size;
    const unsigned count = warpath_context.count;
    const bool known = order_kind == launch->order && order_size.x == size.x && order_size.y == size.y &&
                       order_size.z == size.z;
    if (!known) {
        unsigned linear = 0;
        for (uint16_t z = 0; z < size.z; ++z)
            for (uint16_t y = 0; y < size.y; ++y)
                for (uint16_t x = 0; x < size.x; ++x, ++linear) {
                    const unsigned position = launch->order == Order::reverse ? count - 1 - linear : linear;
                    order[position] = {x, y, z, static_cast<uint16_t>(linear)};
                }
        order_size = size;
        order_kind = launch->order;
    }
    if (launch->order == Order::shuffle) {
        uint64_t state = launch->seed ^ block * 0x9E3779B97F4A7C15;
        for (unsigned i = count; i > 1; --i) {
            // Steele, Lea and Flood's splitmix64: https://doi.org/10.1145/2714064.2660195
            uint64_t random = state += 0x9E3779B97F4A7C15;
            random = (random ^ random >> 30) * 0xBF58476D1CE4E5B9;
            random = (random ^ random >> 27) * 0x94D049BB133111EB;
            random ^= random >> 31;
            std::swap(order[i - 1], order[random % i]);
        }
    }
}

inline void Scheduler::prepare_shared_memory() {
    const auto address = reinterpret_cast<uintptr_t>(dynamic_shared.get());
    warpath_context.dynamic_shared = reinterpret_cast<unsigned char*>((address + 127) & ~uintptr_t{127});
    memset(warpath_context.dynamic_shared, poison, launch->dynamic_shared_bytes);
}

// Until the first thread waits, all threads before it have ended; only now are they entered as such.
inline void Scheduler::begin_interleaving() {
    Context& context = warpath_context;
    context.interleaved = true;
    ready.clear();
    at_barrier.clear();
    cursor = 0;
    live = context.count;
    barrier_arrived = barrier_true = 0;
    const unsigned warp_count = (context.count + warp_lanes - 1) / warp_lanes;
    for (unsigned i = 0; i < warp_count; ++i) warps[i].ended = warps[i].waiting = 0;
    if (context.count % warp_lanes != 0) warps[warp_count - 1].ended = ~0u << context.count % warp_lanes;
    for (unsigned position = 0; position < context.count; ++position)
        position_of[order[position].linear] = static_cast<uint16_t>(position);
    for (unsigned position = 0; position < context.position; ++position) thread_ended(order[position].linear);
}

inline void Scheduler::thread_ended(unsigned linear) {
    --live;
    Warp& warp = warps[linear / warp_lanes];
    warp.ended |= 1u << linear % warp_lanes;
    // Those who waited for this thread go on without it.
    if (barrier_arrived != 0 && barrier_arrived == live) release_barrier();
    for (uint32_t lanes = warp.waiting; lanes != 0; lanes &= lanes - 1) {
        const unsigned lane = __builtin_ctz(lanes);
        if ((warp.waiting >> lane & 1) != 0) finish_operation(warp, linear / warp_lanes, warp.mask[lane], true);
    }
}

inline unsigned Scheduler::block_barrier(bool predicate, unsigned* arrived) {
    if (!warpath_context.interleaved) begin_interleaving();
    const unsigned position = warpath_context.position;
    ++barrier_arrived;
    barrier_true += predicate;
    at_barrier.insert(position);
    if (barrier_arrived == live) release_barrier();
    wait(position);
    *arrived = released_arrived;
    return released_true;
}

inline void Scheduler::release_barrier() {
    released_arrived = barrier_arrived;
    released_true = barrier_true;
    barrier_arrived = barrier_true = 0;
    ready.take_all(at_barrier);
    cursor = 0;
}

inline uint64_t Scheduler::warp_operation(Operation operation, unsigned mask, uint64_t value, unsigned source_lane) {
    if (!warpath_context.interleaved) begin_interleaving();
    const unsigned linear = warpath_context.linear, lane = linear % warp_lanes;
    Warp& warp = warps[linear / warp_lanes];
    if ((mask >> lane & 1) == 0) fail("a thread calls a warp function with a mask that leaves out its own lane");
    warp.mask[lane] = mask;
    warp.operation[lane] = operation;
    warp.value[lane] = value;
    warp.source_lane[lane] = source_lane;
    warp.waiting |= 1u << lane;
    if (!finish_operation(warp, linear / warp_lanes, mask, false)) wait(warpath_context.position);
    return warp.value[lane];
}

// If all lanes of the mask that have not ended wait with it, works out their results and makes them ready; all of them,
// or all but the running one, which just goes on.
inline bool Scheduler::finish_operation(Warp& warp, unsigned warp_number, unsigned mask, bool release_all) {
    const uint32_t lanes = mask & ~warp.ended;
    if ((lanes & ~warp.waiting) != 0) return false;
    const Operation operation = warp.operation[__builtin_ctz(lanes)];
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const unsigned lane = __builtin_ctz(rest);
        if (warp.mask[lane] != mask || warp.operation[lane] != operation) return false;
    }

    uint64_t brought[warp_lanes];
    memset(brought, poison, sizeof brought);  // what a lane reads that nobody brought
    uint64_t common = 0;
    bool first = true, same = true;
    uint32_t ballot = 0;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const unsigned lane = __builtin_ctz(rest);
        const uint64_t value = brought[lane] = warp.value[lane];
        const auto number = static_cast<uint32_t>(value), sofar = static_cast<uint32_t>(common);
        const auto number_signed = static_cast<int32_t>(value), sofar_signed = static_cast<int32_t>(common);
        ballot |= static_cast<uint32_t>(value != 0) << lane;
        if (first) common = value;
        else switch (operation) {
            case Operation::add: common = sofar + number; break;
            case Operation::min_signed: common = static_cast<uint32_t>(number_signed < sofar_signed ? number : sofar); break;
            case Operation::min_unsigned: common = number < sofar ? number : sofar; break;
            case Operation::max_signed: common = static_cast<uint32_t>(number_signed > sofar_signed ? number : sofar); break;
            case Operation::max_unsigned: common = number > sofar ? number : sofar; break;
            case Operation::bit_and: common = sofar & number; break;
            case Operation::bit_or: common = sofar | number; break;
            case Operation::bit_xor: common = sofar ^ number; break;
            default: same = same && value == common;
        }
        first = false;
    }
    if (operation == Operation::ballot) common = ballot;
    if (operation == Operation::match_all) common = same ? lanes : 0;

    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const unsigned lane = __builtin_ctz(rest);
        uint64_t result = common;
        if (operation == Operation::gather) result = brought[warp.source_lane[lane] % warp_lanes];
        if (operation == Operation::match_any) {
            result = 0;
            for (uint32_t others = lanes; others != 0; others &= others - 1) {
                const unsigned other = __builtin_ctz(others);
                result |= static_cast<uint64_t>(brought[other] == brought[lane]) << other;
            }
        }
        warp.value[lane] = result;
        const unsigned linear = warp_number * warp_lanes + lane;
        if (release_all || linear != warpath_context.linear) ready.insert(position_of[linear]);
    }
    warp.waiting &= ~lanes;
    return true;
}

// Lets other threads run until this one is ready.
inline void Scheduler::wait(unsigned position) {
    stack_of[position] = stack;
    const int next = ready.next(cursor);
    if (next == static_cast<int>(position)) {
        ready.erase(position);
        cursor = position + 1;
    } else if (next >= 0) {
        run(next, &fiber_of[position]);
    } else if (warpath_context.next < warpath_context.count) {
        start_fiber(&fiber_of[position]);
    } else {
        fail(describe_deadlock());
    }
}

inline void Scheduler::run(unsigned position, void** from) {
    ready.erase(position);
    cursor = position + 1;
    stack = stack_of[position];
    Context& context = warpath_context;
    const Place place = order[position];
    context.position = position;
    context.thread = {place.x, place.y, place.z};
    context.linear = place.linear;
    warpath_switch(from, fiber_of[position]);
}

inline void Scheduler::start_fiber(void** from) {
    if (free_stacks.empty()) {
        free_stacks.push_back(static_cast<uint16_t>(stacks.size()));
        stacks.push_back(std::make_unique<Stack>(stacks.size()));
    }
    stack = free_stacks.back();
    free_stacks.pop_back();
    warpath_switch(from, new_fiber(*stacks[stack], fiber_main));
}

inline void Scheduler::fiber_main() {
    Scheduler& self = scheduler();
    self.launch->kernel->run(self.launch->arguments);
    self.leave_fiber();
}

// All threads have started and this fiber's have ended.
inline void Scheduler::leave_fiber() {
    free_stacks.push_back(stack);
    void* never_resumed;
    if (warpath_context.interleaved && live != 0) {
        const int next = ready.next(cursor);
        if (next < 0) fail(describe_deadlock());
        run(next, &never_resumed);
    }
    warpath_switch(&never_resumed, main_fiber);
    __builtin_unreachable();
}

// Gives up the block: its fibers are never resumed.
inline void Scheduler::fail(std::string message) {
    failure = std::move(message);
    free_stacks.clear();
    for (size_t i = 0; i < stacks.size(); ++i) free_stacks.push_back(static_cast<uint16_t>(i));
    void* never_resumed;
    warpath_switch(&never_resumed, main_fiber);
    __builtin_unreachable();
}

inline std::string Scheduler::describe_deadlock() const {
    unsigned at_warp_function = 0;
    for (unsigned i = 0; i * warp_lanes < warpath_context.count; ++i)
        at_warp_function += __builtin_popcount(warps[i].waiting);
    return "its threads wait for each other for ever: " + std::to_string(barrier_arrived) + " at __syncthreads, " +
           std::to_string(at_warp_function) + " at a warp function that not all lanes of its mask reach";
}

}  // namespace simt
