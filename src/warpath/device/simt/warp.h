// CUDA's warp functions. The lanes of the mask meet in the runtime, which computes the results when the last of them
// arrives. Lanes that have ended are not waited for.
#pragma once

namespace simt {

inline unsigned lane() { return warpath_context.linear % warp_lanes; }

template <class T>
inline T warp_operation(Operation operation, unsigned mask, T value, unsigned source_lane = 0) {
    static_assert(sizeof(T) <= sizeof(uint64_t));
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = warpath_warp_operation(operation, mask, bits, source_lane);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace simt

inline void __syncwarp(unsigned mask = 0xffffffffu) { warpath_warp_operation(simt::Operation::sync, mask, 0, 0); }

// A lane can only rely on itself being active; CUDA may return more lanes, but does not promise it.
inline unsigned __activemask() { return 1u << simt::lane(); }

inline unsigned __ballot_sync(unsigned mask, int predicate) {
    return static_cast<unsigned>(warpath_warp_operation(simt::Operation::ballot, mask, predicate != 0, 0));
}

inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }

// Shuffles work in segments of `width` lanes (a power of two). A source outside the segment gives the lane's own value;
// __shfl_sync wraps around instead.
template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = warpSize) {
    const unsigned first = simt::lane() & ~(width - 1u);
    return simt::warp_operation(simt::Operation::gather, mask, value, first + (source & (width - 1u)));
}

template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
    const unsigned lane = simt::lane(), first = lane & ~(width - 1u);
    return simt::warp_operation(simt::Operation::gather, mask, value, lane - first >= delta ? lane - delta : lane);
}

template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
    const unsigned lane = simt::lane(), last = lane | (width - 1u);
    return simt::warp_operation(simt::Operation::gather, mask, value, last - lane >= delta ? lane + delta : lane);
}

// A lane may read from a lower segment, but not from a higher one.
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize) {
    const unsigned lane = simt::lane(), last = lane | (width - 1u), source = lane ^ lane_mask;
    return simt::warp_operation(simt::Operation::gather, mask, value, source <= last ? source : lane);
}

inline int __reduce_add_sync(unsigned mask, int value) {
    return simt::warp_operation(simt::Operation::add, mask, value);
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
    return simt::warp_operation(simt::Operation::add, mask, value);
}
inline int __reduce_min_sync(unsigned mask, int value) {
    return simt::warp_operation(simt::Operation::min_signed, mask, value);
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value) {
    return simt::warp_operation(simt::Operation::min_unsigned, mask, value);
}
inline int __reduce_max_sync(unsigned mask, int value) {
    return simt::warp_operation(simt::Operation::max_signed, mask, value);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
    return simt::warp_operation(simt::Operation::max_unsigned, mask, value);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value) {
    return simt::warp_operation(simt::Operation::bit_and, mask, value);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
    return simt::warp_operation(simt::Operation::bit_or, mask, value);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
    return simt::warp_operation(simt::Operation::bit_xor, mask, value);
}

// The lanes of the mask whose value has the same bits as this lane's.
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return static_cast<unsigned>(warpath_warp_operation(simt::Operation::match_any, mask, bits, 0));
}

// The mask if all its lanes have the same bits, else 0; *same tells which.
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* same) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    const auto lanes = static_cast<unsigned>(warpath_warp_operation(simt::Operation::match_all, mask, bits, 0));
    *same = lanes != 0;
    return lanes;
}
