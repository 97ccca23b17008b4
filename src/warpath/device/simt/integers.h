// CUDA's integer functions, min and max, and reinterpreting the bits of a number as another type.
#pragma once

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
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }

inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }

inline unsigned long long __brevll(unsigned long long x) {
    x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
    x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    x = (x >> 4 & 0x0F0F0F0F0F0F0F0F) | (x & 0x0F0F0F0F0F0F0F0F) << 4;
    return __builtin_bswap64(x);
}

inline unsigned int __brev(unsigned int x) { return static_cast<unsigned int>(__brevll(x) >> 32); }

namespace simt {

template <class To, class From>
inline To bits_as(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To result;
    __builtin_memcpy(&result, &value, sizeof result);
    return result;
}

}  // namespace simt

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
