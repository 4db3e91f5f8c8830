// SPDX-License-Identifier: Apache-2.0
// stack_slab: stacks of fibres, 64 in one mapping, each above a gap of 1 MiB. Pages cost nothing until they are
// touched.
//
// While few stacks are in use the gap is inaccessible: an overflow faults at once (overflow.hpp). A process may have
// 65,530 mappings, and such a stack takes two. Beyond `guarded_stacks`, and on machines whose faults overflow.hpp does
// not handle, the gap is ordinary memory, which absorbs the overflow without harm. A canary at its upper end reveals it
// afterwards.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

#include "evenly/core/index.hpp"
#include "evenly/simulator/detail/context.hpp"

#if defined(EVENLY_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

/// Whether overflow.hpp can read the stack pointer in a signal handler. Otherwise no gap is guarded.
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

} // namespace evenly::detail
