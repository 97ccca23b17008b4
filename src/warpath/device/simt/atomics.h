// CUDA's atomic functions for the types that CUDA supports. All are relaxed and return the old value.
#pragma once

namespace simt {

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

// The same for floating point. It compares bits, because NaN differs from itself and -0 equals 0.
template <class Bits, class T>
inline T atomic_add_floating(T* address, T value) {
    static_assert(sizeof(Bits) == sizeof(T));
    Bits* const bits = reinterpret_cast<Bits*>(address);
    Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
    for (;;) {
        T number;
        __builtin_memcpy(&number, &old, sizeof old);
        const T sum = number + value;
        Bits wanted;
        __builtin_memcpy(&wanted, &sum, sizeof sum);
        if (__atomic_compare_exchange_n(bits, &old, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return number;
    }
}

}  // namespace simt

#define WARPATH_ATOMIC(name, type, builtin) \
    inline type name(type* address, type value) { return builtin(address, value, __ATOMIC_RELAXED); }
#define WARPATH_ATOMIC_BEST(name, type, better)                                                            \
    inline type name(type* address, type value) {                                                          \
        return simt::atomic_update(address, [value](type old) { return value better old ? value : old; }); \
    }
#define WARPATH_ATOMIC_CAS(type)                                                                          \
    inline type atomicCAS(type* address, type compare, type value) {                                      \
        __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return compare;                                                                                   \
    }

WARPATH_ATOMIC(atomicAdd, int, __atomic_fetch_add)
WARPATH_ATOMIC(atomicAdd, unsigned int, __atomic_fetch_add)
WARPATH_ATOMIC(atomicAdd, unsigned long long, __atomic_fetch_add)
WARPATH_ATOMIC(atomicSub, int, __atomic_fetch_sub)
WARPATH_ATOMIC(atomicSub, unsigned int, __atomic_fetch_sub)
WARPATH_ATOMIC(atomicExch, int, __atomic_exchange_n)
WARPATH_ATOMIC(atomicExch, unsigned int, __atomic_exchange_n)
WARPATH_ATOMIC(atomicExch, unsigned long long, __atomic_exchange_n)
WARPATH_ATOMIC(atomicAnd, int, __atomic_fetch_and)
WARPATH_ATOMIC(atomicAnd, unsigned int, __atomic_fetch_and)
WARPATH_ATOMIC(atomicAnd, unsigned long long, __atomic_fetch_and)
WARPATH_ATOMIC(atomicOr, int, __atomic_fetch_or)
WARPATH_ATOMIC(atomicOr, unsigned int, __atomic_fetch_or)
WARPATH_ATOMIC(atomicOr, unsigned long long, __atomic_fetch_or)
WARPATH_ATOMIC(atomicXor, int, __atomic_fetch_xor)
WARPATH_ATOMIC(atomicXor, unsigned int, __atomic_fetch_xor)
WARPATH_ATOMIC(atomicXor, unsigned long long, __atomic_fetch_xor)

WARPATH_ATOMIC_BEST(atomicMin, int, <)
WARPATH_ATOMIC_BEST(atomicMin, unsigned int, <)
WARPATH_ATOMIC_BEST(atomicMin, long long, <)
WARPATH_ATOMIC_BEST(atomicMin, unsigned long long, <)
WARPATH_ATOMIC_BEST(atomicMax, int, >)
WARPATH_ATOMIC_BEST(atomicMax, unsigned int, >)
WARPATH_ATOMIC_BEST(atomicMax, long long, >)
WARPATH_ATOMIC_BEST(atomicMax, unsigned long long, >)

WARPATH_ATOMIC_CAS(unsigned short)
WARPATH_ATOMIC_CAS(int)
WARPATH_ATOMIC_CAS(unsigned int)
WARPATH_ATOMIC_CAS(unsigned long long)

#undef WARPATH_ATOMIC
#undef WARPATH_ATOMIC_BEST
#undef WARPATH_ATOMIC_CAS

inline float atomicAdd(float* address, float value) { return simt::atomic_add_floating<uint32_t>(address, value); }
inline double atomicAdd(double* address, double value) { return simt::atomic_add_floating<uint64_t>(address, value); }

inline float atomicExch(float* address, float value) {
    float old;
    __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
    return old;
}

inline unsigned int atomicInc(unsigned int* address, unsigned int limit) {
    return simt::atomic_update(address, [limit](unsigned int old) { return old >= limit ? 0 : old + 1; });
}

inline unsigned int atomicDec(unsigned int* address, unsigned int limit) {
    return simt::atomic_update(address,
                               [limit](unsigned int old) { return old == 0 || old > limit ? limit : old - 1; });
}
