// Switching from one thread of a block to another.
//
// All threads of a block run on one stack, at the same addresses. When a thread waits, the part of the stack that it
// uses, a few hundred bytes, is copied away, and copied back before the thread continues. This is faster than 1,024
// stacks, whose pages would exceed the processor's TLB, and it leaves room for large frames.
#pragma once

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <new>

#if defined(__x86_64__) && !defined(WARPATH_PORTABLE_FIBERS)
#define WARPATH_KEPT_REGISTERS 6
#elif defined(__aarch64__) && !defined(WARPATH_PORTABLE_FIBERS)
#define WARPATH_KEPT_REGISTERS 20
#else
#include <ucontext.h>
#endif

namespace simt {

// Memory between two guard pages.
class GuardedMemory {
public:
    explicit GuardedMemory(size_t least_bytes) {
        const size_t page = sysconf(_SC_PAGESIZE), bytes = (least_bytes + page - 1) / page * page;
        mapped_bytes = bytes + 2 * page;
        mapped = mmap(nullptr, mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED || mprotect(static_cast<char*>(mapped) + page, bytes, PROT_READ | PROT_WRITE) != 0)
            throw std::bad_alloc();
        end = static_cast<unsigned char*>(mapped) + page + bytes;
    }
    ~GuardedMemory() { munmap(mapped, mapped_bytes); }
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;

    unsigned char* end;

private:
    void* mapped;
    size_t mapped_bytes;
};

// The stack is copied in pieces of this size; its top is a multiple of it.
constexpr size_t piece_bytes = 64;

inline void copy_pieces(unsigned char* to, const unsigned char* from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += piece_bytes) memcpy(to + i, from + i, piece_bytes);
}

// A suspended fiber: its registers and its part of the kernels' stack.
struct Fiber {
    unsigned char* stack_pointer;
#ifdef WARPATH_KEPT_REGISTERS
    void* registers[WARPATH_KEPT_REGISTERS];
#else
    ucontext_t context;
    void (*start)() = nullptr;
#endif
    unsigned char* stack_top = nullptr;  // null if the fiber uses another stack or never continues
    std::unique_ptr<unsigned char[]> image;
    uint32_t image_bytes = 0, image_capacity = 0;

    void put_away() {
        if (stack_top == nullptr) return;
        auto* const first = reinterpret_cast<unsigned char*>(reinterpret_cast<uintptr_t>(stack_pointer) & -piece_bytes);
        image_bytes = static_cast<uint32_t>(stack_top - first);
        if (image_bytes > image_capacity) {
            image_capacity = image_bytes + 2 * piece_bytes;
            image.reset(new unsigned char[image_capacity]);
        }
        copy_pieces(image.get(), first, image_bytes);
    }

    void put_back() const {
        if (image_bytes != 0) copy_pieces(stack_top - image_bytes, image.get(), image_bytes);
    }
};

// The kernels' stack, and a small one to run on while its content is exchanged.
class Stacks {
public:
    Stacks() : kernels(1024 * 1024), side(16 * 1024) {}

    unsigned char* kernels_top() const { return kernels.end; }
    unsigned char* side_top() const { return side.end; }

private:
    GuardedMemory kernels, side;
};

// Makes `fiber` begin with start(), which must not return. It can be switched to any number of times.
void prepare_fiber(Fiber& fiber, const Stacks& stacks, void (*start)());

// Saves the running fiber in `from` and continues with `to`.
void switch_fiber(Fiber& from, Fiber& to, const Stacks& stacks);

}  // namespace simt

#ifdef WARPATH_KEPT_REGISTERS
#include "fiber_assembly.h"
#else
#include "fiber_portable.h"
#endif
