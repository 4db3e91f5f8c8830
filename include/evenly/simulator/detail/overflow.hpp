// SPDX-License-Identifier: Apache-2.0
// Turns the fault at the end of a fibre's overflow into a call, by which the engine reports the overflow.
//
// The handler of SIGSEGV has a separate stack. If the running fibre has left its stack, or ran into the gap below it,
// the handler resumes execution at the top of the same stack, in `overflowed`; nothing returns to the frames below. If
// a library function ran, which may hold a lock (code_range.hpp), the process ends with one line instead. Any other
// fault goes to the handler that was installed before.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include <signal.h>
#include <ucontext.h>

#include "evenly/simulator/detail/code_range.hpp"
#include "evenly/simulator/detail/fibre.hpp"

namespace evenly::detail {

/// The handler's data about an operating-system thread.
struct overflow_watch {
  fibre* running = nullptr;             ///< null: not on a fibre
  void (*overflowed)(fibre&) = nullptr; ///< does not return
  void (*stuck)(const fibre&) =
      nullptr; ///< reports an overflow in code that cannot be abandoned; may be called at any point
  leavable_code kernel;
};

#if EVENLY_CATCHES_OVERFLOWS
/// Handles overflows on the calling operating-system thread during its lifetime.
class overflow_handling {
 public:
  explicit overflow_handling(overflow_watch& watch) : before_(current()) {
    static const bool installed = install();
    static_cast<void>(installed);
    thread_local const alternate_stack here;
    static_cast<void>(here);
    current() = &watch;
  }
  overflow_handling(const overflow_handling&) = delete;
  overflow_handling& operator=(const overflow_handling&) = delete;
  ~overflow_handling() { current() = before_; }

 private:
  /// The stack on which this thread handles signals, unless it has one already.
  class alternate_stack {
   public:
    alternate_stack() {
      stack_t has{};
      if (sigaltstack(nullptr, &has) != 0 || !(has.ss_flags & SS_DISABLE)) return;
      memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      const stack_t wanted{memory_.get(), 0, bytes};
      sigaltstack(&wanted, nullptr);
    }
    ~alternate_stack() {
      stack_t has{};
      if (!memory_ || sigaltstack(nullptr, &has) != 0 || has.ss_sp != memory_.get()) return;
      const stack_t none{nullptr, SS_DISABLE, 0};
      sigaltstack(&none, nullptr);
    }

   private:
    static constexpr std::size_t bytes = 64 * 1024;
    std::unique_ptr<std::byte[]> memory_;
  };

  /// A fault at most this far above the stack's end may come from a push, or from data below a function's stack
  /// pointer.
  static constexpr std::uintptr_t reach = 1024;

  static overflow_watch*& current() {
    static constinit thread_local overflow_watch* watch = nullptr;
    return watch;
  }
  static struct sigaction& previous() {
    static struct sigaction action{};
    return action;
  }

  static bool install() {
    struct sigaction mine{};
    mine.sa_sigaction = &handle;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&mine.sa_mask);
    return sigaction(SIGSEGV, &mine, &previous()) == 0;
  }

  static void handle(int signal, siginfo_t* info, void* state) {
    auto& machine = static_cast<ucontext_t*>(state)->uc_mcontext;
    const overflow_watch* watch = current();
    if (!watch || !watch->running || !has_left(*watch->running, stack_pointer(machine), info->si_addr))
      return pass_on(signal, info, state);
    fibre& on = *watch->running;
    if (!watch->kernel.holds(instruction(machine))) end_process(*watch);
    stack_slab::forget_frames(on.stack, on.stack_size);
    go_on_at_top(machine, on, watch->overflowed);
  }

  static bool has_left(const fibre& on, std::uintptr_t pointer, const void* fault) {
    const auto low = reinterpret_cast<std::uintptr_t>(on.stack);
    const auto at = reinterpret_cast<std::uintptr_t>(fault);
    return pointer < low || (pointer < low + reach && at < low && at >= low - stack_gap_bytes);
  }

  /// Ends the process without running other code of the program, which may wait for the lock.
  [[noreturn]] static void end_process(const overflow_watch& watch) {
    watch.stuck(*watch.running);
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
  }

  static void pass_on(int signal, siginfo_t* info, void* state) {
    const struct sigaction& before = previous();
    if (before.sa_flags & SA_SIGINFO)
      before.sa_sigaction(signal, info, state);
    else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN)
      sigaction(SIGSEGV, &before, nullptr); // the instruction faults again
    else
      before.sa_handler(signal);
  }

#if defined(__x86_64__)
  static std::uintptr_t stack_pointer(const mcontext_t& machine) {
    return static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
  }
  static std::uintptr_t instruction(const mcontext_t& machine) {
    return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
  }
  static void go_on_at_top(mcontext_t& machine, fibre& on, void (*function)(fibre&)) {
    const auto top = reinterpret_cast<std::uintptr_t>(on.stack) + on.stack_size;
    machine.gregs[REG_RSP] = static_cast<greg_t>((top & ~std::uintptr_t{15}) - 8); // as after a call
    machine.gregs[REG_RDI] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&on));
    machine.gregs[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(function));
    machine.gregs[REG_EFL] &= ~greg_t{0x400}; // strings are processed upwards
  }
#else // aarch64
  static std::uintptr_t stack_pointer(const mcontext_t& machine) { return machine.sp; }
  static std::uintptr_t instruction(const mcontext_t& machine) { return machine.pc; }
  static void go_on_at_top(mcontext_t& machine, fibre& on, void (*function)(fibre&)) {
    const auto top = reinterpret_cast<std::uintptr_t>(on.stack) + on.stack_size;
    machine.sp = top & ~std::uintptr_t{15};
    machine.regs[0] = reinterpret_cast<std::uintptr_t>(&on);
    machine.pc = reinterpret_cast<std::uintptr_t>(function);
  }
#endif

  overflow_watch* before_;
};
#else
/// Canaries report overflows when the thread ends.
struct overflow_handling {
  explicit overflow_handling(overflow_watch&) {}
};
#endif

} // namespace evenly::detail
