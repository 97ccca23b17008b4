// Fibers: stacks, and the switch from one to another. A switch costs a few nanoseconds: it keeps the registers that a
// called function must keep, and nothing else.
#pragma once

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <new>

namespace simt {

constexpr size_t stack_bytes = 128 * 1024;

// Guard pages cost two memory areas a stack, of which Linux allows a process 65,530.
constexpr int guarded_stacks_max = 8192;

// A stack that is given back when its owner, an OS thread, ends. Pages become real when they are first touched.
class Stack {
public:
    explicit Stack(unsigned number) {
        static std::atomic<int> guarded_stacks{0};
        memory = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        if (guarded_stacks.fetch_add(1) < guarded_stacks_max) mprotect(memory, sysconf(_SC_PAGESIZE), PROT_NONE);
        // Tops that all lay at one offset would compete for the same few lines of the caches.
        top = static_cast<char*>(memory) + stack_bytes - 320 * (number % 48);
    }
    ~Stack() { munmap(memory, stack_bytes); }
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;

    char* top;

private:
    void* memory;
};

}  // namespace simt

// Keeps the present fiber in *from, and goes on with `to`, which such a switch or new_fiber made.
extern "C" void warpath_switch(void** from, void* to);

#define WARPATH_SYMBOL_TEXT(prefix, name) WARPATH_SYMBOL_TEXT2(prefix, name)
#define WARPATH_SYMBOL_TEXT2(prefix, name) #prefix #name
#define WARPATH_SYMBOL(name) WARPATH_SYMBOL_TEXT(__USER_LABEL_PREFIX__, name)

#if defined(__x86_64__) && !defined(WARPATH_PORTABLE_FIBERS)

// The return address is jumped to, not returned to: the processor's prediction of returns would always be wrong.
asm(".text\n"
    ".p2align 4\n" WARPATH_SYMBOL(warpath_switch) ":\n"
    "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
    "    popq %rcx\n"
    "    jmpq *%rcx\n");

namespace simt {

inline void* new_fiber(const Stack& stack, void (*start)()) {
    // A function begins with its stack pointer 8 below a multiple of 16.
    void** frame = reinterpret_cast<void**>(reinterpret_cast<uintptr_t>(stack.top) & ~uintptr_t{15}) - 8;
    frame[6] = reinterpret_cast<void*>(start);
    frame[7] = nullptr;
    return frame;
}

}  // namespace simt

#elif defined(__aarch64__) && !defined(WARPATH_PORTABLE_FIBERS)

asm(".text\n"
    ".p2align 4\n" WARPATH_SYMBOL(warpath_switch) ":\n"
    "    sub sp, sp, #160\n"
    "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n"
    "    stp x25, x26, [sp, #48]\n    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
    "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n"
    "    stp d12, d13, [sp, #128]\n    stp d14, d15, [sp, #144]\n"
    "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
    "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n"
    "    ldp x25, x26, [sp, #48]\n    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
    "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n"
    "    ldp d12, d13, [sp, #128]\n    ldp d14, d15, [sp, #144]\n"
    "    add sp, sp, #160\n"
    "    br x30\n");

namespace simt {

inline void* new_fiber(const Stack& stack, void (*start)()) {
    void** frame = reinterpret_cast<void**>(reinterpret_cast<uintptr_t>(stack.top) & ~uintptr_t{15}) - 20;
    frame[10] = nullptr;                          // x29, the frame pointer: the chain ends here
    frame[11] = reinterpret_cast<void*>(start);  // x30, the return address
    return frame;
}

}  // namespace simt

#else

#include <ucontext.h>

extern "C" void warpath_switch(void** from, void* to) {
    ucontext_t here;
    *from = &here;
    swapcontext(&here, static_cast<ucontext_t*>(to));
}

namespace simt {

inline void* new_fiber(const Stack& stack, void (*start)()) {
    const uintptr_t place = (reinterpret_cast<uintptr_t>(stack.top) - sizeof(ucontext_t)) & ~uintptr_t{63};
    auto* context = new (reinterpret_cast<void*>(place)) ucontext_t;
    getcontext(context);
    context->uc_link = nullptr;
    context->uc_stack.ss_sp = reinterpret_cast<void*>(place - stack_bytes / 2);
    context->uc_stack.ss_size = stack_bytes / 2;
    makecontext(context, start, 0);
    return context;
}

}  // namespace simt

#endif
