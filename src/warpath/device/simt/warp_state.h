// A warp whose lanes meet in warp functions, and the results.
#pragma once

#include <string.h>

#include "interface.h"

namespace simt {

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
        } else if (common_operation == Operation::match_any) {
            for_each_lane(lanes, [&](unsigned lane) { value[lane] = lanes_with(brought, lanes, brought[lane]); });
        } else {
            const uint64_t result = reduced(common_operation, brought, lanes);
            for_each_lane(lanes, [&](unsigned lane) { value[lane] = result; });
        }
    }

private:
    static uint32_t lanes_with(const uint64_t* brought, uint32_t lanes, uint64_t wanted) {
        uint32_t found = 0;
        for_each_lane(lanes, [&](unsigned lane) { found |= static_cast<uint32_t>(brought[lane] == wanted) << lane; });
        return found;
    }

    static uint64_t reduced(Operation operation, const uint64_t* brought, uint32_t lanes) {
        const uint64_t first = brought[__builtin_ctz(lanes)];
        if (operation == Operation::ballot) return lanes & ~lanes_with(brought, lanes, 0);
        if (operation == Operation::match_all) return lanes_with(brought, lanes, first) == lanes ? lanes : 0;
        auto sofar = static_cast<uint32_t>(first);
        for_each_lane(lanes & (lanes - 1), [&](unsigned lane) {
            const auto number = static_cast<uint32_t>(brought[lane]);
            const bool less = number < sofar, less_signed = static_cast<int32_t>(number) < static_cast<int32_t>(sofar);
            switch (operation) {
                case Operation::add:
                    sofar += number;
                    break;
                case Operation::min_signed:
                    sofar = less_signed ? number : sofar;
                    break;
                case Operation::min_unsigned:
                    sofar = less ? number : sofar;
                    break;
                case Operation::max_signed:
                    sofar = less_signed ? sofar : number;
                    break;
                case Operation::max_unsigned:
                    sofar = less ? sofar : number;
                    break;
                case Operation::bit_and:
                    sofar &= number;
                    break;
                case Operation::bit_or:
                    sofar |= number;
                    break;
                default:
                    sofar ^= number;
                    break;  // bit_xor
            }
        });
        return sofar;
    }
};

}  // namespace simt
