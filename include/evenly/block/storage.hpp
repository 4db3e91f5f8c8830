// SPDX-License-Identifier: Apache-2.0
// Storage: the memory that the threads of one block share.
//
// Whoever needs storage describes it once, in a function of the block's shape that takes slots from a storage_layout.
// It is the member lay_out of a kernel. launch runs it to learn how many bytes to ask for; the kernel runs the same
// function (it folds to constants) to learn where things lie, so the two cannot disagree:
//
//   template <class T> struct scratch { slot<T> partials; slot<int> flags; };
//   scratch<T> lay_out(storage_layout& layout, block_shape shape) {
//     return {layout.take<T>(shape.warps()), layout.take<int>(shape.size)};
//   }
//
// Lifetimes that do not overlap share bytes: take a mark() before the first, rewind(mark) before the next, and
// skip_to_max() before what lives beside both. Between the last use of the one and the first of the other the block
// must sync().
//
// Elements are read as a whole, into a variable of their type, and assigned as a whole: `float x = values[i]`, not
// `auto x`, no `values[i].member`. simt then sees every access. atomic_ref(values[i]) is for accesses by several
// threads without sync() between, which then do not race with each other (execution/atomic.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly {

/// A place for `count` elements of T, `offset` bytes from the start of a block's storage.
template <class T> struct slot {
  std::uint32_t offset = 0;
  std::uint32_t count = 0;

  /// The elements [first, first + size) of it.
  EVENLY_FN constexpr slot part(int first, int size) const {
    return {offset + static_cast<std::uint32_t>(first) * static_cast<std::uint32_t>(sizeof(T)),
            static_cast<std::uint32_t>(size)};
  }
};

class storage_layout {
 public:
  /// The next free place for `count` elements, aligned to 16 bytes: a compiler that reads 16 bytes where fewer are
  /// wanted then does not touch what lies before, where another thread may write (which would do no harm, but race
  /// checkers report it). Requires count >= 0, alignof(T) <= 16.
  template <class T> EVENLY_FN constexpr slot<T> take(int count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 16);
    const auto offset = (used_ + alignment - 1) / alignment * alignment;
    used_ = offset + static_cast<std::uint32_t>(sizeof(T)) * static_cast<std::uint32_t>(count);
    max_ = larger(max_, used_);
    return {offset, static_cast<std::uint32_t>(count)};
  }
  EVENLY_FN constexpr std::uint32_t mark() const { return used_; }
  EVENLY_FN constexpr void rewind(std::uint32_t mark) { used_ = mark; }
  /// Goes on behind everything that was ever taken.
  EVENLY_FN constexpr void skip_to_max() { used_ = max_; }

  /// The greatest number of bytes in use at any time, up to the next multiple of 16, for the same reason.
  EVENLY_FN constexpr std::size_t bytes() const { return (max_ + alignment - 1) / alignment * alignment; }

 private:
  static constexpr std::uint32_t alignment = 16;

  std::uint32_t used_ = 0;
  std::uint32_t max_ = 0;
};

/// Storage on the executors that do not check it: a bare array. simt has its own, with the same operations.
template <class T> class plain_storage {
 public:
  EVENLY_FN plain_storage(T* data, int count) : data_(data), count_(count) {}
  /// Element i, to read or to assign. Requires 0 <= i < size().
  EVENLY_FN T& operator[](int i) const { return data_[i]; }
  EVENLY_FN int size() const { return count_; }
  EVENLY_FN T* data() const { return data_; }

 private:
  T* data_;
  int count_;
};

namespace detail {

/// The same storage, whose address a compiler for GPUs keeps in a register. It makes addresses of storage anew at each
/// access otherwise, which takes half a dozen instructions: too many where a loop is about as long.
template <class Storage> EVENLY_INLINE_FN Storage kept_in_register(const Storage& storage) { return storage; }
template <class T> EVENLY_INLINE_FN plain_storage<T> kept_in_register(const plain_storage<T>& storage) {
#if defined(__CUDA_ARCH__)
  auto address = static_cast<unsigned>(__cvta_generic_to_shared(storage.data()));
  asm volatile("" : "+r"(address));
  return {static_cast<T*>(__cvta_shared_to_generic(address)), storage.size()};
#else
  return storage;
#endif
}

} // namespace detail
} // namespace evenly
