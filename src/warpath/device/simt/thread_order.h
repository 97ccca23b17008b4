// The order in which the threads of a block start.
#pragma once

#include <utility>

#include "interface.h"
#include "random.h"

namespace simt {

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

}  // namespace simt
