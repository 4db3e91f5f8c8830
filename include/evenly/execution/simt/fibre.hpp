// SPDX-License-Identifier: Apache-2.0
// Fibres: stacks that take turns on one operating-system thread (Boost.Context's fcontext does the jump).
//
// A fibre outlives the simulated thread that it runs: it goes back to its pool and takes the next one, so a
// thread that never waits costs no switch. Stacks are cut from slabs and have no guard pages (a process has
// about 32,000 mappings to give away); a canary at the low end of each tells afterwards whether it was run
// over.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include <boost/context/detail/fcontext.hpp>

#include "evenly/core/annotations.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EVENLY_ADDRESS_SANITIZER
#endif
#if __has_feature(thread_sanitizer)
#define EVENLY_THREAD_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define EVENLY_ADDRESS_SANITIZER
#endif
#if defined(__SANITIZE_THREAD__)
#define EVENLY_THREAD_SANITIZER
#endif

#if defined(EVENLY_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(EVENLY_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace evenly::detail {

/// Something that can be suspended: a fibre, or the operating-system thread itself.
struct context {
  boost::context::detail::fcontext_t point = nullptr; ///< where it goes on, while it is suspended
  context* goal = nullptr;                            ///< whom it switched to last
  const void* stack = nullptr; ///< low end and size: the address sanitizer asks for them
  std::size_t stack_size = 0;
  void* fake_stack = nullptr;       ///< the address sanitizer's
  void* sanitizer_thread = nullptr; ///< the thread sanitizer's
};

/// The bookkeeping of whoever has just been switched to; returns who that is.
inline context& arrive(boost::context::detail::transfer_t from) {
  context& before = *static_cast<context*>(from.data);
  before.point = from.fctx;
  context& now = *before.goal;
#if defined(EVENLY_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(now.fake_stack, &before.stack, &before.stack_size);
#endif
  return now;
}

/// Suspends `from`, which is running, and goes on with `to`: the only context switch there is. Returns when
/// somebody switches back; never if `for_good`. Not to be called inside a catch, nor while an exception
/// unwinds.
inline void switch_context(context& from, context& to, [[maybe_unused]] bool for_good = false) {
  from.goal = &to;
#if defined(EVENLY_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(for_good ? nullptr : &from.fake_stack, to.stack, to.stack_size);
#endif
#if defined(EVENLY_THREAD_SANITIZER)
  __tsan_switch_to_fiber(to.sanitizer_thread, 0);
#endif
  arrive(boost::context::detail::jump_fcontext(to.point, &from));
}

/// Notes who runs now, on which operating-system thread, before it switches to anybody.
inline void adopt_current([[maybe_unused]] context& current) {
#if defined(EVENLY_THREAD_SANITIZER)
  current.sanitizer_thread = __tsan_get_current_fiber();
#endif
}

#if defined(EVENLY_ADDRESS_SANITIZER) || defined(EVENLY_THREAD_SANITIZER)
inline constexpr std::size_t fibre_stack_bytes = 256 * 1024; // instrumented frames are several times as large
#else
inline constexpr std::size_t fibre_stack_bytes = 64 * 1024;
#endif

struct simt_thread;

/// A stack, and the simulated thread that runs on it: null while the fibre is idle.
struct fibre : context {
  simt_thread* thread = nullptr;
  context& (*run)(fibre&) =
      nullptr; ///< called whenever the fibre has a thread; returns the context to go on with
};

/// The fibres of one engine.
class fibre_pool {
 public:
  explicit fibre_pool(context& (*run)(fibre&)) : run_(run) {}
  fibre_pool(const fibre_pool&) = delete;
  fibre_pool& operator=(const fibre_pool&) = delete;
  ~fibre_pool() { shrink(0); }

  /// A fibre that no thread runs on.
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

  /// Whether the canary of an idle fibre lives, which it does unless something was written beyond the stack's
  /// end. A dead one is replaced.
  static bool check_canary(const fibre& used) {
    const bool alive = std::memcmp(canary_of(used), canary().data(), canary_bytes) == 0;
    if (!alive) place_canary(used);
    return alive;
  }

  /// Frees all but about `keep` fibres. All must be idle.
  void shrink(std::size_t keep) {
    const std::size_t kept = (keep + slab_fibres - 1) / slab_fibres;
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
  static constexpr std::size_t slab_fibres = 64;
  static constexpr std::size_t canary_bytes = 64;
  // An overflow of up to this many bytes hits nobody else's stack. The odd number of cache lines keeps the
  // tops of the stacks from falling into the same cache sets.
  static constexpr std::size_t slack = 4096 + 17 * 64;
  static constexpr std::size_t stride = fibre_stack_bytes + slack;

  struct slab {
    std::unique_ptr<std::byte[]> memory = std::make_unique_for_overwrite<std::byte[]>(slab_fibres * stride);
    std::array<fibre, slab_fibres> fibres;
  };

  static constexpr std::array<std::byte, canary_bytes> canary() {
    std::array<std::byte, canary_bytes> pattern{};
    pattern.fill(std::byte{0xC5});
    return pattern;
  }
  static std::byte* canary_of(const fibre& f) {
    return static_cast<std::byte*>(const_cast<void*>(f.stack)) - canary_bytes;
  }
  static void place_canary(const fibre& f) { std::memcpy(canary_of(f), canary().data(), canary_bytes); }

  void grow() {
    slabs_.reserve(slabs_.size() + 1);
    idle_.reserve((slabs_.size() + 1) * slab_fibres); // so that give_back does not throw
    slab& made = *slabs_.emplace_back(std::make_unique<slab>());
    for (std::size_t i = slab_fibres; i-- > 0;) {
      fibre& f = made.fibres[i];
      std::byte* low = made.memory.get() + i * stride + slack;
      f.stack = low;
      f.stack_size = fibre_stack_bytes;
      f.run = run_;
      f.point = boost::context::detail::make_fcontext(low + fibre_stack_bytes, fibre_stack_bytes, &loop);
#if defined(EVENLY_THREAD_SANITIZER)
      f.sanitizer_thread = __tsan_create_fiber(0);
#endif
      place_canary(f);
      idle_.push_back(&f);
    }
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
  /// Lets the sanitizers free what they keep for a fibre.
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
  std::vector<std::unique_ptr<slab>> slabs_;
  std::vector<fibre*> idle_;
};

} // namespace evenly::detail
