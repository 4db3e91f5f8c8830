// SPDX-License-Identifier: Apache-2.0
// Fibres and their stacks.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "evenly/core/index.hpp"
#include "evenly/simulator/detail/context.hpp"

#if defined(EVENLY_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

// ---------------------------------------------------------------------------------------------------------------------
// stack_slab: stacks of fibres, 64 in one mapping, each above a gap of 1 MiB. Pages cost nothing until they are
// touched.
//
// While few stacks are in use the gap is inaccessible: an overflow faults at once (engine.hpp). A process may have
// 65,530 mappings, and such a stack takes two. Beyond `guarded_stacks`, and on machines whose faults engine.hpp does
// not handle, the gap is ordinary memory, which absorbs the overflow without harm. A canary at its upper end reveals it
// afterwards.

/// Whether engine.hpp can read the stack pointer in a signal handler. Otherwise no gap is guarded.
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define EVENLY_CATCHES_OVERFLOWS 1
#else
#define EVENLY_CATCHES_OVERFLOWS 0
#endif

namespace evenly::detail {

/// The gap below each stack: more than the largest frame of a GPU (512 KiB), so that no array reaches over it.
inline constexpr std::size_t stack_gap_bytes = std::size_t{1} << 20;
inline constexpr int guarded_stacks = 16 * 1024; ///< of the process

class stack_slab {
 public:
  static constexpr int count = 64;

  /// Makes stacks of at least `bytes` bytes. Throws bad_alloc.
  explicit stack_slab(std::size_t bytes)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        usable_(ceil_div(bytes, page_) * page_ + page_) {
    void* mapped = mmap(nullptr, count * stride(), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<std::byte*>(mapped);
    guarded_ = EVENLY_CATCHES_OVERFLOWS && take_guards() && open_stacks();
    if (!guarded_ && mprotect(base_, count * stride(), PROT_READ | PROT_WRITE) != 0) {
      munmap(base_, count * stride());
      throw std::bad_alloc();
    }
    for (int i = 0; i < count; ++i) place_canary(i);
  }
  stack_slab(const stack_slab&) = delete;
  stack_slab& operator=(const stack_slab&) = delete;
  ~stack_slab() {
    for (int i = 0; i < count; ++i) forget_frames(low(i), size(i));
    munmap(base_, count * stride());
    if (guarded_) guards_left() += count;
  }

  /// Returns the low end of stack i.
  std::byte* low(int i) const { return base_ + static_cast<std::size_t>(i) * stride() + stack_gap_bytes; }
  /// Returns the size of stack i. The tops are an odd number of cache lines apart, so that they use different cache
  /// sets.
  std::size_t size(int i) const { return usable_ - page_ + static_cast<std::size_t>(i) * 17 * 64 % 4096; }

  /// Returns whether nothing has been written just below stack i. Otherwise it resets the canary.
  bool check_canary(int i) {
    if (guarded_ || std::memcmp(canary_of(i), canary().data(), canary_bytes) == 0) return true;
    place_canary(i);
    return false;
  }

  /// Notifies the address sanitizer that the stack has no frames.
  static void forget_frames([[maybe_unused]] const void* low, [[maybe_unused]] std::size_t bytes) {
#if defined(EVENLY_ADDRESS_SANITIZER)
    __asan_unpoison_memory_region(low, bytes);
#endif
  }

 private:
  static constexpr std::size_t canary_bytes = 64;

  static std::atomic<int>& guards_left() {
    static std::atomic<int> left{guarded_stacks};
    return left;
  }
  static bool take_guards() {
    if (guards_left().fetch_sub(count) >= count) return true;
    guards_left() += count;
    return false;
  }
  std::size_t stride() const { return stack_gap_bytes + usable_; }

  bool open_stacks() {
    for (int i = 0; i < count; ++i)
      if (mprotect(low(i), usable_, PROT_READ | PROT_WRITE) != 0) {
        guards_left() += count;
        return false;
      }
    return true;
  }

  static constexpr std::array<std::byte, canary_bytes> canary() {
    std::array<std::byte, canary_bytes> pattern{};
    pattern.fill(std::byte{0xC5});
    return pattern;
  }
  std::byte* canary_of(int i) const { return low(i) - canary_bytes; }
  void place_canary(int i) {
    if (!guarded_) std::memcpy(canary_of(i), canary().data(), canary_bytes);
  }

  std::size_t page_;
  std::size_t usable_; ///< bytes of a stack and its share of the stagger
  std::byte* base_ = nullptr;
  bool guarded_ = false;
};

// ---------------------------------------------------------------------------------------------------------------------
// Fibres: stacks that take turns on one operating-system thread.
//
// A fibre outlives its simulated thread: it returns to its pool and takes the next thread. So a thread that never waits
// costs no switch.

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
