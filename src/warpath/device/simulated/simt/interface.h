// The interface between kernel objects, the runtime and Python (simulated/runtime.py).
//
// Each .cu file becomes one shared object of kernels. The runtime, loaded once per process, schedules their threads.
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

// CUDA's built-in types: uint3, dim3, and the short vectors int2 ... double4 with CUDA's alignment.
#define WARPATH_VECTORS(name, type, align2, align4)                             \
    struct name##1 { type x; };                                                 \
    struct alignas(align2) name##2 { type x, y; };                              \
    struct name##3 { type x, y, z; };                                           \
    struct alignas(align4) name##4 { type x, y, z, w; };                        \
    inline name##1 make_##name##1(type x) { return {x}; }                       \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; }            \
    inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

WARPATH_VECTORS(int, int, 8, 16)
WARPATH_VECTORS(uint, unsigned int, 8, 16)
WARPATH_VECTORS(longlong, long long, 16, 16)
WARPATH_VECTORS(ulonglong, unsigned long long, 16, 16)
WARPATH_VECTORS(float, float, 8, 16)
WARPATH_VECTORS(double, double, 16, 16)
#undef WARPATH_VECTORS

struct dim3 {
    unsigned int x = 1, y = 1, z = 1;

    constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

// glibc reserves a little static TLS for libraries loaded at run time.
#define WARPATH_TLS_MODEL __attribute__((tls_model("initial-exec")))
#define WARPATH_API extern "C" __attribute__((visibility("default")))

namespace simt {

constexpr unsigned warp_lanes = 32;
constexpr unsigned block_threads_max = 1024;

// A thread's index in its block.
struct Place {
    uint16_t x, y, z, linear;
};

class Scheduler;

// The state of the running thread; one per OS thread, which runs one block at a time.
struct Context {
    uint3 thread, block;          // threadIdx, blockIdx
    uint3 block_size, grid_size;  // blockDim, gridDim
    unsigned linear;              // threadIdx as one number, x fastest
    unsigned position;            // of the running thread in the block's order
    unsigned next, count;         // positions next, ..., count - 1 have not started
    bool interleaved;             // a thread of this block has waited, so threads no longer run one after another
    const Place* order;           // the block's threads, in the order in which they start
    unsigned char* dynamic_shared;
    Scheduler* scheduler;
    bool running;  // a kernel is running, not the host

    // The thread at this position of the order runs from now on.
    void run_thread_at(unsigned new_position) {
        const Place place = order[new_position];
        position = new_position;
        thread = {place.x, place.y, place.z};
        linear = place.linear;
    }
};

// How many threads have arrived at a barrier of the block, and how many of them passed true.
struct Barrier {
    unsigned arrived, passed_true;
};

enum class Operation : uint8_t {
    sync,
    gather,  // each lane takes the value of a source lane
    ballot
};

// One parameter of a kernel. `kind` is numpy's letter (i, u, f, b) or V for a struct or void, and `bytes` is the size,
// 0 for void. For a pointer both are those of the pointee.
struct Parameter {
    bool pointer, constant;
    char kind;
    int32_t bytes;
};

struct Kernel {
    const char* name;
    void (*run)(const void* const* arguments);  // runs threads one after another; null if not compiled in
    const Parameter* parameters;
    int32_t parameter_count;
};

enum class Order : int32_t { forward, reverse, shuffle };

struct Launch {
    const Kernel* kernel;
    const void* const* arguments;  // pointers to the arguments' values
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    Order order;
    uint64_t seed;
    int32_t workers;
    uint32_t static_shared_bytes;   // size of the object's thread-local storage, its __shared__ variables
    uint64_t static_shared_module;  // the object's number in the dynamic loader; 0 if it has none
};

}  // namespace simt

#pragma GCC visibility push(default)
extern "C" {
extern __thread simt::Context warpath_context WARPATH_TLS_MODEL;

// For kernels.
void warpath_thread_ended();
simt::Barrier warpath_block_barrier(bool predicate);
uint64_t warpath_warp_operation(simt::Operation operation, unsigned mask, uint64_t value, unsigned source_lane);
[[noreturn]] void warpath_fail(const char* message);
}
#pragma GCC visibility pop
