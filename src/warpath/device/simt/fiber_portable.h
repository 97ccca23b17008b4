// Switching fibers with POSIX contexts, on processors without an assembly version: the same behaviour, slower.
#pragma once

namespace simt {

// The fiber's part of the stack includes the frame of swapcontext, below its caller's.
constexpr size_t swapcontext_frame_bytes = 1024;

struct Exchange {
    Fiber *from, *to;
    ucontext_t side;
};

inline Exchange& exchange() {
    static thread_local Exchange own;
    return own;
}

inline void exchange_on_side_stack() {
    Fiber &from = *exchange().from, &to = *exchange().to;
    from.put_away();
    if (to.start != nullptr) {
        getcontext(&to.context);
        to.context.uc_stack.ss_sp = to.stack_top - 512 * 1024;
        to.context.uc_stack.ss_size = 512 * 1024;
        to.context.uc_link = nullptr;
        makecontext(&to.context, to.start, 0);
    } else {
        to.put_back();
    }
    setcontext(&to.context);
}

inline void prepare_fiber(Fiber& fiber, const Stacks& stacks, void (*start)()) {
    fiber.start = start;
    fiber.stack_top = stacks.kernels_top();
}

inline void switch_fiber(Fiber& from, Fiber& to, const Stacks& stacks) {
    ucontext_t& side = exchange().side;
    exchange().from = &from;
    exchange().to = &to;
    from.stack_pointer = static_cast<unsigned char*>(__builtin_frame_address(0)) - swapcontext_frame_bytes;
    getcontext(&side);
    side.uc_stack.ss_sp = stacks.side_top() - 16 * 1024;
    side.uc_stack.ss_size = 16 * 1024;
    side.uc_link = nullptr;
    makecontext(&side, exchange_on_side_stack, 0);
    swapcontext(&from.context, &side);
}

}  // namespace simt
