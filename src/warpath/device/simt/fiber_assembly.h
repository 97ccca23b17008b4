// Switching fibers on x86-64 and AArch64. Saves the callee-saved registers only.
#pragma once

// Saves the stack pointer and those registers in *from, calls exchange(from, to) on the side stack, continues as *to.
// It ends with a plain return, which the processor predicts well: most threads wait where the previous one did.
extern "C" void warpath_switch(simt::Fiber* from, simt::Fiber* to, void* side_stack_top,
                               void (*exchange)(simt::Fiber*, simt::Fiber*));

#define WARPATH_TEXT_OF(x) #x
#define WARPATH_SYMBOL_TEXT(prefix, name) WARPATH_TEXT_OF(prefix) #name
#define WARPATH_SYMBOL(name) WARPATH_SYMBOL_TEXT(__USER_LABEL_PREFIX__, name)

static_assert(offsetof(simt::Fiber, stack_pointer) == 0 && offsetof(simt::Fiber, registers) == 8);

namespace simt {

inline void exchange_stacks(Fiber* from, Fiber* to) {
    from->put_away();
    to->put_back();
}

inline void switch_fiber(Fiber& from, Fiber& to, const Stacks& stacks) {
    warpath_switch(&from, &to, stacks.side_top(), exchange_stacks);
}

}  // namespace simt

#if defined(__x86_64__)

asm(".text\n"
    ".p2align 4\n" WARPATH_SYMBOL(warpath_switch) ":\n"
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
    fiber.stack_top = stacks.kernels_top();
    fiber.stack_pointer = fiber.stack_top - 16;
    memcpy(fiber.stack_pointer, &start, sizeof start);
    memset(fiber.stack_pointer + 8, 0, 8);
    fiber.put_away();
}

#else

asm(".text\n"
    ".p2align 4\n" WARPATH_SYMBOL(warpath_switch) ":\n"
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
    fiber.stack_top = fiber.stack_pointer = stacks.kernels_top();
    fiber.registers[10] = nullptr;                         // x29, the frame pointer: the chain ends here
    fiber.registers[11] = reinterpret_cast<void*>(start);  // x30, the return address
    fiber.put_away();
}

#endif
