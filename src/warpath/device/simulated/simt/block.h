// A block: the order in which its threads start, sets of them, warps, whose lanes meet in warp functions, and its static
// shared memory.
#pragma once

#include <link.h>
#include <stdint.h>
#include <string.h>

#include <bitset>
#include <numeric>
#include <utility>

#include "interface.h"

extern "C" void* __tls_get_addr(uint64_t* module_and_offset);

namespace simt {

// Splitmix64 (Steele, Lea, Flood, https://doi.org/10.1145/2714064.2660195): the next number, and the next state.
inline uint64_t next_random(uint64_t& state) {
    uint64_t number = state += 0x9E3779B97F4A7C15;
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9;
    number = (number ^ number >> 27) * 0x94D049BB133111EB;
    return number ^ number >> 31;
}

// An order of the numbers 0, ..., count - 1 that needs no table: i -> (factor * i + offset) mod count.
struct ShuffledRange {
    uint64_t count, factor, offset;

    ShuffledRange(uint64_t count, uint64_t seed) : count(count) {
        factor = next_random(seed) % count;
        offset = next_random(seed) % count;
        while (std::gcd(factor, count) != 1) factor = (factor + 1) % count;
    }

    uint64_t operator[](uint64_t i) const {
        return static_cast<uint64_t>((static_cast<unsigned __int128>(factor) * i + offset) % count);
    }
};

// The order in which the threads of a block start.
class ThreadOrder {
public:
    // The threads of block `block` of the launch in the order in which they start.
    const Place* arrange(const Launch& launch, uint64_t block) {
        const uint32_t x = launch.block[0], y = launch.block[1], z = launch.block[2];
        const bool arranged = x == size.x && y == size.y && z == size.z && order == launch.order;
        if (!arranged || order == Order::shuffle) lay_out({x, y, z}, launch.order);
        if (order == Order::shuffle) shuffle(x * y * z, launch.seed + block * 0xD1342543DE82EF95);
        return places;
    }

private:
    Place places[block_threads_max];
    uint3 size{};
    Order order = Order::forward;

    void lay_out(uint3 new_size, Order new_order) {
        size = new_size;
        order = new_order;
        const unsigned last = size.x * size.y * size.z - 1;
        uint16_t linear = 0;
        for (uint16_t z = 0; z < size.z; ++z)
            for (uint16_t y = 0; y < size.y; ++y)
                for (uint16_t x = 0; x < size.x; ++x, ++linear)
                    places[order == Order::reverse ? last - linear : linear] = {x, y, z, linear};
    }

    void shuffle(unsigned count, uint64_t state) {
        for (unsigned i = count; i > 1; --i) std::swap(places[i - 1], places[next_random(state) % i]);
    }
};

// A set of threads of a block, by position in the block's order.
struct PositionSet : std::bitset<block_threads_max> {
    // The first member at or after `from`, else the first member, else -1.
    int next(unsigned from) const {
        size_t found = from == 0 ? _Find_first() : _Find_next(from - 1);
        if (found == size()) found = _Find_first();
        return found == size() ? -1 : static_cast<int>(found);
    }
};

// Fills uninitialised shared memory, and what a lane reads from an absent lane: a zero would hide mistakes.
constexpr int poison = 0xA5;

// Calls visit(lane) for each lane in the set `lanes`.
template <class Visit>
inline void for_each_lane(uint32_t lanes, Visit visit) {
    for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(__builtin_ctz(lanes)));
}

struct Warp {
    uint32_t ended, waiting;  // sets of lanes
    // The arguments of each waiting lane; afterwards, the result replaces its value.
    uint32_t mask[warp_lanes];
    Operation operation[warp_lanes];
    uint64_t value[warp_lanes];
    uint8_t source_lane[warp_lanes];

    // The lanes of the mask that have not ended, if all of them wait with it in the same operation; else none.
    uint32_t complete(uint32_t mask_in_common) const {
        const uint32_t lanes = mask_in_common & ~ended;
        if (lanes == 0 || (lanes & ~waiting) != 0) return 0;
        const Operation first_operation = operation[__builtin_ctz(lanes)];
        bool agree = true;
        for_each_lane(lanes, [&](unsigned lane) {
            agree = agree && mask[lane] == mask_in_common && operation[lane] == first_operation;
        });
        return agree ? lanes : 0;
    }

    // Computes the results of `lanes`, which then no longer wait.
    void finish(uint32_t lanes) {
        waiting &= ~lanes;
        const Operation common_operation = operation[__builtin_ctz(lanes)];
        if (common_operation == Operation::sync) return;
        uint64_t brought[warp_lanes];
        memset(brought, poison, sizeof brought);
        for_each_lane(lanes, [&](unsigned lane) { brought[lane] = value[lane]; });
        if (common_operation == Operation::gather) {
            for_each_lane(lanes, [&](unsigned lane) { value[lane] = brought[source_lane[lane]]; });
        } else {  // ballot
            uint32_t votes = 0;
            for_each_lane(lanes, [&](unsigned lane) { votes |= static_cast<uint32_t>(brought[lane] != 0) << lane; });
            for_each_lane(lanes, [&](unsigned lane) { value[lane] = votes; });
        }
    }
};

// The __shared__ variables of a kernel object: they are its whole thread-local storage.
struct StaticShared {
    uintptr_t address;    // any address in the object
    uint64_t module = 0;  // the object's number in the dynamic loader; 0 if it has no thread-local storage
    uint64_t bytes = 0;
};

inline StaticShared find_static_shared(const void* address) {
    StaticShared found{reinterpret_cast<uintptr_t>(address)};
    dl_iterate_phdr(
        [](dl_phdr_info* object, size_t, void* data) {
            auto& found = *static_cast<StaticShared*>(data);
            bool here = false;
            uint64_t bytes = 0;
            for (int i = 0; i < object->dlpi_phnum; ++i) {
                const auto& part = object->dlpi_phdr[i];
                // For an address below the segment, the difference wraps to a large number.
                const uintptr_t offset = found.address - (object->dlpi_addr + part.p_vaddr);
                if (part.p_type == PT_LOAD && offset < part.p_memsz) here = true;
                if (part.p_type == PT_TLS) bytes = part.p_memsz;
            }
            if (here && bytes != 0) {
                found.module = object->dlpi_tls_modid;
                found.bytes = bytes;
            }
            return here ? 1 : 0;
        },
        &found);
    return found;
}

// The storage of the calling OS thread.
inline void* thread_local_storage(uint64_t module) {
    uint64_t module_and_offset[] = {module, 0};
    return __tls_get_addr(module_and_offset);
}

}  // namespace simt
