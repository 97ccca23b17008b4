// Invalid memory accesses and divisions by zero in a kernel fail the launch, not the process.
#pragma once

#include <signal.h>
#include <stdint.h>
#include <stdio.h>

#include <memory>
#include <string>

#include "interface.h"

namespace simt {

[[noreturn]] void fail_in_thread(const std::string& message);

constexpr int fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE};

inline struct sigaction& previous_action(int signal) {
    static struct sigaction actions[NSIG];
    return actions[signal];
}

inline void pass_fault_on(int signal, siginfo_t* info, void* context) {
    const struct sigaction& previous = previous_action(signal);
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(signal, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(signal);
    } else {
        sigaction(signal, &previous, nullptr);  // the instruction faults again, under the default action
    }
}

// The handler leaves by switching to the scheduler's fiber. That is safe: kernels hold no locks.
inline void answer_fault(int signal, siginfo_t* info, void* context) {
    if (!warpath_context.running) return pass_fault_on(signal, info, context);
    warpath_context.running = false;
    if (signal == SIGFPE) fail_in_thread("divides by zero");
    char message[80];
    snprintf(message, sizeof message, "reads or writes address 0x%llx, where it has no memory",
             static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(info->si_addr)));
    fail_in_thread(message);
}

// SA_NODEFER: the handler does not return, and its signal must not stay blocked.
inline void install_fault_handlers() {
    struct sigaction action{};
    action.sa_sigaction = answer_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (const int signal : fault_signals) sigaction(signal, &action, &previous_action(signal));
}

// A stack for the handler, because the kernel's stack may have overflowed. Keeps one that the OS thread already has.
class FaultStack {
public:
    FaultStack() {
        stack_t present;
        if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
        memory.reset(new char[bytes]);
        stack_t mine{};
        mine.ss_sp = memory.get();
        mine.ss_size = bytes;
        sigaltstack(&mine, nullptr);
    }
    ~FaultStack() {
        stack_t present;
        if (!memory || sigaltstack(nullptr, &present) != 0 || present.ss_sp != memory.get()) return;
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, nullptr);
    }

private:
    static constexpr size_t bytes = 64 * 1024;
    std::unique_ptr<char[]> memory;
};

}  // namespace simt
