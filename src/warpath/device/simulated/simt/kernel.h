// CUDA C++ for the host compiler: included before a .cu file, it defines CUDA's keywords, variables and functions. The
// threads of a block are fibers (scheduler.h); a block stays on one OS thread.
//
// Not supported: waiting for another thread of the block by spinning on memory. Fibers are not pre-empted.
#pragma once

#include <type_traits>
#include <utility>

#include "interface.h"

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __shared__ static thread_local
#define __restrict__ __restrict
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __CUDA_ARCH__ 900

#define threadIdx (warpath_context.thread)
#define blockIdx (warpath_context.block)
#define blockDim (warpath_context.block_size)
#define gridDim (warpath_context.grid_size)
constexpr int warpSize = simt::warp_lanes;

inline void __syncthreads() { warpath_block_barrier(false); }

inline int __syncthreads_count(int predicate) {
    return static_cast<int>(warpath_block_barrier(predicate != 0).passed_true);
}

inline int __syncthreads_or(int predicate) { return warpath_block_barrier(predicate != 0).passed_true != 0; }

inline void __nanosleep(unsigned int) {}
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

template <class T>
inline T __ldg(const T* address) {
    return *address;
}

template <class T>
inline T __ldcs(const T* address) {
    return *address;
}

template <class T>
inline void __stcs(T* address, T value) {
    *address = value;
}

extern "C" int printf(const char* format, ...);

[[noreturn]] inline void __trap() { warpath_fail("__trap() was called"); }

#undef assert
#define WARPATH_TEXT(x) #x
#define WARPATH_LINE(x) WARPATH_TEXT(x)
#define assert(condition) \
    ((condition) ? void() : warpath_fail("assert(" #condition ") is false at " __FILE__ ":" WARPATH_LINE(__LINE__)))

// CUDA's atomic functions for the types that CUDA supports. All are relaxed and return the old value.
namespace simt {

template <class To, class From>
inline To bits_as(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To result;
    __builtin_memcpy(&result, &value, sizeof result);
    return result;
}

// Replaces *address by update(old) with a compare-and-swap loop; an update that returns `old` changes nothing.
template <class T, class Update>
inline T atomic_update(T* address, Update update) {
    T old = __atomic_load_n(address, __ATOMIC_RELAXED);
    for (;;) {
        const T wanted = update(old);
        if (wanted == old ||
            __atomic_compare_exchange_n(address, &old, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return old;
    }
}

}  // namespace simt

#define WARPATH_ATOMIC(name, builtin, type) \
    inline type name(type* address, type value) { return builtin(address, value, __ATOMIC_RELAXED); }
#define WARPATH_ATOMIC_INTEGERS(name, builtin)  \
    WARPATH_ATOMIC(name, builtin, int)          \
    WARPATH_ATOMIC(name, builtin, unsigned int) \
    WARPATH_ATOMIC(name, builtin, unsigned long long)
#define WARPATH_ATOMIC_BEST(name, better, type)                                                            \
    inline type name(type* address, type value) {                                                          \
        return simt::atomic_update(address, [value](type old) { return value better old ? value : old; }); \
    }
#define WARPATH_ATOMIC_MIN_MAX(type)        \
    WARPATH_ATOMIC_BEST(atomicMin, <, type) \
    WARPATH_ATOMIC_BEST(atomicMax, >, type)
#define WARPATH_ATOMIC_CAS(type)                                                                          \
    inline type atomicCAS(type* address, type compare, type value) {                                      \
        __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return compare;                                                                                   \
    }

WARPATH_ATOMIC_INTEGERS(atomicAdd, __atomic_fetch_add)
WARPATH_ATOMIC_INTEGERS(atomicExch, __atomic_exchange_n)
WARPATH_ATOMIC_INTEGERS(atomicAnd, __atomic_fetch_and)
WARPATH_ATOMIC_INTEGERS(atomicOr, __atomic_fetch_or)
WARPATH_ATOMIC_INTEGERS(atomicXor, __atomic_fetch_xor)
WARPATH_ATOMIC(atomicSub, __atomic_fetch_sub, int)
WARPATH_ATOMIC(atomicSub, __atomic_fetch_sub, unsigned int)

WARPATH_ATOMIC_MIN_MAX(int)
WARPATH_ATOMIC_MIN_MAX(unsigned int)
WARPATH_ATOMIC_MIN_MAX(long long)
WARPATH_ATOMIC_MIN_MAX(unsigned long long)

WARPATH_ATOMIC_CAS(unsigned short)
WARPATH_ATOMIC_CAS(int)
WARPATH_ATOMIC_CAS(unsigned int)
WARPATH_ATOMIC_CAS(unsigned long long)

#undef WARPATH_ATOMIC
#undef WARPATH_ATOMIC_INTEGERS
#undef WARPATH_ATOMIC_BEST
#undef WARPATH_ATOMIC_MIN_MAX
#undef WARPATH_ATOMIC_CAS

// CUDA's integer functions, min and max, and reinterpreting the bits of a number as another type.
#define WARPATH_MIN_MAX(result, first, second)                                                                    \
    constexpr result min(first a, second b) {                                                                     \
        return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
    }                                                                                                             \
    constexpr result max(first a, second b) {                                                                     \
        return static_cast<result>(a) > static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
    }
#define WARPATH_MIN_MAX_INTEGERS(type)                           \
    WARPATH_MIN_MAX(type, type, type)                            \
    WARPATH_MIN_MAX(unsigned type, unsigned type, unsigned type) \
    WARPATH_MIN_MAX(unsigned type, type, unsigned type)          \
    WARPATH_MIN_MAX(unsigned type, unsigned type, type)

WARPATH_MIN_MAX_INTEGERS(int)
WARPATH_MIN_MAX_INTEGERS(long)
WARPATH_MIN_MAX_INTEGERS(long long)
#undef WARPATH_MIN_MAX_INTEGERS
#undef WARPATH_MIN_MAX

// If one argument is NaN, the result is the other, as in fminf.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }

inline int __float_as_int(float x) { return simt::bits_as<int>(x); }
inline unsigned int __float_as_uint(float x) { return simt::bits_as<unsigned int>(x); }
inline float __int_as_float(int x) { return simt::bits_as<float>(x); }
inline float __uint_as_float(unsigned int x) { return simt::bits_as<float>(x); }
inline long long __double_as_longlong(double x) { return simt::bits_as<long long>(x); }
inline double __longlong_as_double(long long x) { return simt::bits_as<double>(x); }

// The lesser of a + b and c in each half, unsigned; the sums wrap.
inline unsigned int __viaddmin_u16x2(unsigned int a, unsigned int b, unsigned int c) {
    const unsigned int low = min((a + b) & 0xffffu, c & 0xffffu);
    const unsigned int high = min(((a >> 16) + (b >> 16)) & 0xffffu, c >> 16);
    return high << 16 | low;
}

inline int __vimin3_s32(int a, int b, int c) { return min(min(a, b), c); }

// CUDA's warp functions. The lanes of the mask meet in the runtime, which computes the results when the last of them
// arrives. Lanes that have ended are not waited for.
namespace simt {

inline unsigned lane() { return warpath_context.linear % warp_lanes; }

// Each lane of the mask takes the value of its source lane.
template <class T>
inline T gather(unsigned mask, T value, unsigned source_lane) {
    static_assert(sizeof(T) <= sizeof(uint64_t));
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = warpath_warp_operation(Operation::gather, mask, bits, source_lane);
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
    return simt::gather(mask, value, first + (source & (width - 1u)));
}

template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
    const unsigned lane = simt::lane(), first = lane & ~(width - 1u);
    return simt::gather(mask, value, lane - first >= delta ? lane - delta : lane);
}

template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
    const unsigned lane = simt::lane(), last = lane | (width - 1u);
    return simt::gather(mask, value, last - lane >= delta ? lane + delta : lane);
}

// A lane may read from a lower segment, but not from a higher one.
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize) {
    const unsigned lane = simt::lane(), last = lane | (width - 1u), source = lane ^ lane_mask;
    return simt::gather(mask, value, source <= last ? source : lane);
}

// The table of a kernel object: its kernels with their parameters, for Python, and how the runtime calls them.
namespace simt {

// Starts the next thread of the block.
inline void start_thread() { warpath_context.run_thread_at(warpath_context.next++); }

// Ends the running thread and starts the next; false if there is none.
inline bool next_thread() {
    if (warpath_context.interleaved) warpath_thread_ended();
    if (warpath_context.next == warpath_context.count) return false;
    start_thread();
    return true;
}

template <class T>
constexpr char kind_of() {
    if (std::is_same_v<T, bool>) return 'b';
    if (std::is_floating_point_v<T>) return 'f';
    if (std::is_integral_v<T>) return std::is_signed_v<T> ? 'i' : 'u';
    return 'V';
}

template <class T>
constexpr int32_t bytes_of() {
    if constexpr (std::is_void_v<T>) {
        return 0;
    } else {
        return sizeof(T);
    }
}

template <class T>
constexpr Parameter parameter() {
    using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
    return {std::is_pointer_v<T>, std::is_const_v<std::remove_pointer_t<T>>, kind_of<Pointee>(), bytes_of<Pointee>()};
}

template <auto function>
struct Exported;

template <class... Parameters, void (*function)(Parameters...)>
struct Exported<function> {
    static constexpr Parameter parameters[] = {parameter<Parameters>()..., Parameter{}};

    static void run(const void* const* arguments) { run(arguments, std::index_sequence_for<Parameters...>()); }

    template <size_t... index>
    static void run([[maybe_unused]] const void* const* arguments, std::index_sequence<index...>) {
        call_for_all_threads(*static_cast<const Parameters*>(arguments[index])...);
    }

    static void call_for_all_threads(Parameters... values) {
        start_thread();
        do function(values...);
        while (next_thread());
    }

    static constexpr Kernel kernel(const char* name) { return {name, run, parameters, sizeof...(Parameters)}; }
};

// A kernel's name found in the text may be inside a comment or an #if. Declaring `Absent name(Absent)` for each makes
// every name exist; choose() prefers the kernel, void name(...), if it is compiled.
struct Absent {};

template <>
struct Exported<nullptr> {
    static constexpr Kernel kernel(const char* name) { return {name, nullptr, nullptr, 0}; }
};

template <class... Parameters>
constexpr auto choose(void (*function)(Parameters...), int) {
    return function;
}
constexpr auto choose(Absent (*)(Absent), long) { return nullptr; }

}  // namespace simt
