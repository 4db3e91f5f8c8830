// SPDX-License-Identifier: Apache-2.0
// Fibres: stacks that take turns on one operating-system thread.
//
// A fibre outlives its simulated thread: it returns to its pool and takes the next thread. So a thread that never waits
// costs no switch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "evenly/simulator/detail/context.hpp"
#include "evenly/simulator/detail/stacks.hpp"

namespace evenly::detail {

struct simt_thread;

/// A stack, and the simulated thread that runs on it: null while the fibre is idle.
struct fibre : context {
  simt_thread* thread = nullptr;
  context& (*run)(fibre&) =
      nullptr; ///< called if the fibre has a thread; returns the context to continue with
  stack_slab* slab = nullptr;
  int number = 0; ///< of the stack in the slab

  /// Returns whether an address is in the stack.
  bool holds(std::uintptr_t address) const {
    const auto low = reinterpret_cast<std::uintptr_t>(stack);
    return address >= low && address - low < stack_size;
  }
};

/// The fibres of one engine.
class fibre_pool {
 public:
  fibre_pool(context& (*run)(fibre&), std::size_t stack_bytes) : run_(run), stack_bytes_(stack_bytes) {}
  fibre_pool(const fibre_pool&) = delete;
  fibre_pool& operator=(const fibre_pool&) = delete;
  ~fibre_pool() { shrink(0); }

  std::size_t stack_bytes() const { return stack_bytes_; }

  /// Returns a fibre without a thread.
  fibre& take() {
    if (idle_.empty()) grow();
    fibre& taken = *idle_.back();
    idle_.pop_back();
    return taken;
  }
  void give_back(fibre& done) {
    done.thread = nullptr;
    idle_.push_back(&done);
  }
  /// Takes back a fibre whose thread will never resume. Nothing on its stack is unwound.
  void give_back_unfinished(fibre& broken) {
#if defined(EVENLY_THREAD_SANITIZER)
    __tsan_destroy_fiber(broken.sanitizer_thread);
#endif
    make(broken);
    give_back(broken);
  }

  /// Frees all except about `keep` fibres. All must be idle.
  void shrink(std::size_t keep) {
    const std::size_t kept = (keep + stack_slab::count - 1) / stack_slab::count;
    if (slabs_.size() <= kept) return;
#if defined(EVENLY_ADDRESS_SANITIZER) || defined(EVENLY_THREAD_SANITIZER)
    for (std::size_t i = kept; i < slabs_.size(); ++i)
      for (fibre& f : slabs_[i]->fibres) end(f);
#endif
    slabs_.resize(kept);
    idle_.clear();
    for (auto& made : slabs_)
      for (fibre& f : made->fibres) idle_.push_back(&f);
  }

 private:
  struct slab {
    explicit slab(std::size_t stack_bytes) : stacks(stack_bytes) {}
    stack_slab stacks;
    std::array<fibre, stack_slab::count> fibres;
  };

  void grow() {
    slabs_.reserve(slabs_.size() + 1);
    idle_.reserve((slabs_.size() + 1) * stack_slab::count); // so that give_back does not throw
    slab& made = *slabs_.emplace_back(std::make_unique<slab>(stack_bytes_));
    for (int i = stack_slab::count; i-- > 0;) {
      fibre& f = made.fibres[static_cast<std::size_t>(i)];
      f.run = run_;
      f.slab = &made.stacks;
      f.number = i;
      make(f);
      idle_.push_back(&f);
    }
  }

  /// Resets the fibre to its beginning.
  static void make(fibre& f) {
    std::byte* low = f.slab->low(f.number);
    f.stack = low;
    f.stack_size = f.slab->size(f.number);
    f.fake_stack = nullptr;
    f.point = boost::context::detail::make_fcontext(low + f.stack_size, f.stack_size, &loop);
#if defined(EVENLY_THREAD_SANITIZER)
    f.sanitizer_thread = __tsan_create_fiber(0);
#endif
  }

  static void loop(boost::context::detail::transfer_t from) {
    auto& self = static_cast<fibre&>(arrive(from));
    while (self.thread) {
      context& next = self.run(self);
      if (&next != &self) switch_context(self, next);
    }
    switch_context(self, *self.goal, true);
  }

#if defined(EVENLY_ADDRESS_SANITIZER) || defined(EVENLY_THREAD_SANITIZER)
  /// Lets the sanitizers free their data of a fibre.
  static void end(fibre& f) {
    context here;
    adopt_current(here);
    f.goal = &here;
    switch_context(here, f);
#if defined(EVENLY_THREAD_SANITIZER)
    __tsan_destroy_fiber(f.sanitizer_thread);
#endif
  }
#endif

  context& (*run_)(fibre&);
  std::size_t stack_bytes_;
  std::vector<std::unique_ptr<slab>> slabs_;
  std::vector<fibre*> idle_;
};

} // namespace evenly::detail
