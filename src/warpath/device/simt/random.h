// Random numbers for shuffled orders: the same on every machine.
#pragma once

#include <stdint.h>

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
        while (greatest_common_divisor(factor, count) != 1) factor = (factor + 1) % count;
    }

    uint64_t operator[](uint64_t i) const {
        return static_cast<uint64_t>((static_cast<unsigned __int128>(factor) * i + offset) % count);
    }

private:
    static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
        while (b != 0) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }
};

}  // namespace simt
