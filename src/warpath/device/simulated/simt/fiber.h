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

namespace simt {

#if defined(__x86_64__)
constexpr int saved_registers = 6;
#elif defined(__aarch64__)
constexpr int saved_registers = 20;
#else
#error "the simulated GPU runs on x86-64 and AArch64 processors"
#endif

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
    void* registers[saved_registers];
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
struct Stacks {
    GuardedMemory kernels{1024 * 1024}, side{16 * 1024};
};

// Makes `fiber` begin with start(), which must not return. It can be switched to any number of times.
void prepare_fiber(Fiber& fiber, const Stacks& stacks, void (*start)());

}  // namespace simt

// Saves the stack pointer and the callee-saved registers in *from, calls exchange(from, to) on the side stack, continues
// as *to. It ends with a plain return, which the processor predicts well: most threads wait where the previous one did.
extern "C" void warpath_switch(simt::Fiber* from, simt::Fiber* to, void* side_stack_top,
                               void (*exchange)(simt::Fiber*, simt::Fiber*));

static_assert(offsetof(simt::Fiber, stack_pointer) == 0 && offsetof(simt::Fiber, registers) == 8);

namespace simt {

inline void exchange_stacks(Fiber* from, Fiber* to) {
    from->put_away();
    to->put_back();
}

// Saves the running fiber in `from` and continues with `to`.
inline void switch_fiber(Fiber& from, Fiber& to, const Stacks& stacks) {
    warpath_switch(&from, &to, stacks.side.end, exchange_stacks);
}

}  // namespace simt

#if defined(__x86_64__)

asm(".text\n"
    ".p2align 4\n"
    "warpath_switch:\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rbx, 8(%rdi)\n    movq %rbp, 16(%rdi)\n    movq %r12, 24(%rdi)\n"
    "    movq %r13, 32(%rdi)\n    movq %r14, 40(%rdi)\n    movq %r15, 48(%rdi)\n"
    "    movq %rsi, %rbx\n"
    "    movq %rdx, %rsp\n"
    "    callq *%rcx\n"
    "    movq %rbx, %rsi\n"
    "    movq (%rsi), %rsp\n"
    "    movq 8(%rsi), %rbx\n    movq 16(%rsi), %rbp\n    movq 24(%rsi), %r12\n"
    "    movq 32(%rsi), %r13\n    movq 40(%rsi), %r14\n    movq 48(%rsi), %r15\n"
    "    ret\n");

inline void simt::prepare_fiber(Fiber& fiber, const Stacks& stacks, void (*start)()) {
    // The return address is `start`; a function begins with its stack pointer 8 below a multiple of 16.
    fiber.stack_top = stacks.kernels.end;
    fiber.stack_pointer = fiber.stack_top - 16;
    memcpy(fiber.stack_pointer, &start, sizeof start);
    memset(fiber.stack_pointer + 8, 0, 8);
    fiber.put_away();
}

#else

asm(".text\n"
    ".p2align 4\n"
    "warpath_switch:\n"
    "    mov x9, sp\n"
    "    str x9, [x0]\n"
    "    stp x19, x20, [x0, #8]\n    stp x21, x22, [x0, #24]\n    stp x23, x24, [x0, #40]\n"
    "    stp x25, x26, [x0, #56]\n    stp x27, x28, [x0, #72]\n    stp x29, x30, [x0, #88]\n"
    "    stp d8, d9, [x0, #104]\n    stp d10, d11, [x0, #120]\n"
    "    stp d12, d13, [x0, #136]\n    stp d14, d15, [x0, #152]\n"
    "    mov x19, x1\n"
    "    mov sp, x2\n"
    "    blr x3\n"
    "    mov x1, x19\n"
    "    ldr x9, [x1]\n"
    "    mov sp, x9\n"
    "    ldp x19, x20, [x1, #8]\n    ldp x21, x22, [x1, #24]\n    ldp x23, x24, [x1, #40]\n"
    "    ldp x25, x26, [x1, #56]\n    ldp x27, x28, [x1, #72]\n    ldp x29, x30, [x1, #88]\n"
    "    ldp d8, d9, [x1, #104]\n    ldp d10, d11, [x1, #120]\n"
    "    ldp d12, d13, [x1, #136]\n    ldp d14, d15, [x1, #152]\n"
    "    ret\n");

inline void simt::prepare_fiber(Fiber& fiber, const Stacks& stacks, void (*start)()) {
    fiber.stack_top = fiber.stack_pointer = stacks.kernels.end;
    fiber.registers[10] = nullptr;                         // x29, the frame pointer: the chain ends here
    fiber.registers[11] = reinterpret_cast<void*>(start);  // x30, the return address
    fiber.put_away();
}

#endif
