// SPDX-License-Identifier: Apache-2.0
// Storage: the memory that the threads of one block share.
//
// A kernel describes its storage once, in its member lay_out: a function of the block's shape that takes slots from a
// storage_layout. launch calls it to get the number of bytes. The kernel calls the same function (it folds to
// constants) to get the places, so the two cannot disagree:
//
//   template <class T> struct scratch { slot<T> partials; slot<int> flags; };
//   scratch<T> lay_out(storage_layout& layout, block_shape shape) {
//     return {layout.take<T>(shape.warps()), layout.take<int>(shape.size)};
//   }
//
// Data whose lifetimes do not overlap can share bytes: take a mark() before the first, rewind(mark) before the next,
// and call skip_to_max() before data that live next to both. The block must sync() between the last use of the one and
// the first use of the other.
//
// Elements are read and assigned as a whole, into a variable of their type: `float x = values[i]`, not `auto x`, no
// `values[i].member`. simt then sees every access. atomic_ref(values[i]) is for accesses by several threads without
// sync() between them (execution/atomic.hpp); these are no races.
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

  /// The elements [first, first + size) of the slot.
  EVENLY_FN constexpr slot part(int first, int size) const {
    return {offset + static_cast<std::uint32_t>(first) * static_cast<std::uint32_t>(sizeof(T)),
            static_cast<std::uint32_t>(size)};
  }
};

/// Assigns places in storage. See the head of this file.
class storage_layout {
 public:
  /// Returns the next free place for `count` elements, aligned to 16 bytes. Compilers may read 16 bytes where fewer are
  /// needed. With this alignment they do not touch the data before, which another thread may write (harmless, but race
  /// checkers report it). Requires count >= 0 and alignof(T) <= 16.
  template <class T> EVENLY_FN constexpr slot<T> take(int count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 16);
    const auto offset = (used_ + alignment - 1) / alignment * alignment;
    used_ = offset + static_cast<std::uint32_t>(sizeof(T)) * static_cast<std::uint32_t>(count);
    max_ = larger(max_, used_);
    return {offset, static_cast<std::uint32_t>(count)};
  }
  EVENLY_FN constexpr std::uint32_t mark() const { return used_; }
  EVENLY_FN constexpr void rewind(std::uint32_t mark) { used_ = mark; }
  /// Continues after everything that was ever taken.
  EVENLY_FN constexpr void skip_to_max() { used_ = max_; }

  /// The greatest number of bytes in use at any time, rounded up to a multiple of 16, for the same reason.
  EVENLY_FN constexpr std::size_t bytes() const { return (max_ + alignment - 1) / alignment * alignment; }

 private:
  static constexpr std::uint32_t alignment = 16;

  std::uint32_t used_ = 0;
  std::uint32_t max_ = 0;
};

/// Storage on the executors that do not check it: a plain array. simt has a type with the same operations.
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

/// Returns the same storage; a GPU compiler then keeps its address in a register. Otherwise it computes addresses of
/// storage at each access, which takes half a dozen instructions: too many for a short loop.
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
