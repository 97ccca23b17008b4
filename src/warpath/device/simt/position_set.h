// A set of threads of a block, by position in the block's order, with a fast search for the next member.
#pragma once

#include <string.h>

#include "interface.h"

namespace simt {

class PositionSet {
public:
    void clear() { memset(words, 0, sizeof words); }
    void insert(unsigned position) { words[position / 64] |= uint64_t{1} << position % 64; }
    void erase(unsigned position) { words[position / 64] &= ~(uint64_t{1} << position % 64); }

    void take_all(PositionSet& other) {
        for (unsigned i = 0; i < word_count; ++i) words[i] |= other.words[i];
        other.clear();
    }

    // The first member at or after `from`, else the first member, else -1.
    int next(unsigned from) const {
        const int found = first(from);
        return found >= 0 || from == 0 ? found : first(0);
    }

private:
    static constexpr unsigned word_count = block_threads_max / 64;
    uint64_t words[word_count];

    int first(unsigned from) const {
        if (from >= block_threads_max) return -1;
        unsigned i = from / 64;
        uint64_t word = words[i] & ~uint64_t{0} << from % 64;
        while (word == 0) {
            if (++i == word_count) return -1;
            word = words[i];
        }
        return static_cast<int>(64 * i) + __builtin_ctzll(word);
    }
};

}  // namespace simt
