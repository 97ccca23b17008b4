// CUDA C++ for the host compiler: included before a .cu file, it defines CUDA's keywords, variables and functions. The
// threads of a block are fibers (scheduler.h); a block stays on one OS thread.
//
// Not supported: waiting for another thread of the block by spinning on memory. Fibers are not pre-empted.
#pragma once

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

inline void __syncthreads() {
    unsigned arrived;
    warpath_block_barrier(false, &arrived);
}

inline int __syncthreads_count(int predicate) {
    unsigned arrived;
    return static_cast<int>(warpath_block_barrier(predicate != 0, &arrived));
}

inline int __syncthreads_and(int predicate) {
    unsigned arrived;
    return warpath_block_barrier(predicate != 0, &arrived) == arrived;
}

inline int __syncthreads_or(int predicate) {
    unsigned arrived;
    return warpath_block_barrier(predicate != 0, &arrived) != 0;
}

inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

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

#include "atomics.h"
#include "integers.h"
#include "warp.h"

#include "export.h"
