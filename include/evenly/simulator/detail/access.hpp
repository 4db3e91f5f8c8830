// SPDX-License-Identifier: Apache-2.0
// The views through which simulated threads access shared memory and global memory. Every access to storage is checked.
// Accesses to memory are checked for races. Both are counted if the launch is traced.
//
// Element i of a view is a proxy for `T&` that knows its place in the source. Read it as a T or assign it at once: `T x
// = s[i]` works; after `auto x = s[i]`, uses of x do not compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/simulator/detail/calls.hpp"

namespace evenly {

/// An index and the place of its use. operator[] takes it as its one parameter, for its reports.
template <class Integer> struct placed_index {
  template <class Index>
  requires std::is_convertible_v<Index, Integer>
  EVENLY_FN placed_index(Index&& i, std::source_location place = std::source_location::current())
      : index(static_cast<Integer>(std::forward<Index>(i))), where(place) {}

  Integer index;
  std::source_location where;
};
using storage_index = placed_index<int>;
using memory_index = placed_index<std::int64_t>;

/// A proxy for element `index` of a View, which has value_type, index_type and access(index, kind): the element's
/// address for one access. Assignments return the assigned value.
template <class View> class accessed_element {
 public:
  using T = typename View::value_type;

  EVENLY_FN accessed_element(const View& view, typename View::index_type index)
      : view_(view), index_(index) {}
  accessed_element(const accessed_element&) = delete;

  /// Used by atomic_ref (execution/atomic.hpp).
  EVENLY_FN T& atomic_object(detail::atomic_observer& observer) && {
    return *view_.atomic_object(index_, observer);
  }

  EVENLY_FN operator T() && { return *view_.access(index_, detail::access_kind::read); }
  EVENLY_FN T operator=(const T& value) && {
    return *view_.access(index_, detail::access_kind::write) = value;
  }
  EVENLY_FN T operator=(accessed_element&& other) && {
    return std::move(*this) = static_cast<T>(std::move(other));
  }

  template <class U> EVENLY_FN T operator+=(U&& by) && {
    return change([&](T& value) { value += std::forward<U>(by); });
  }
  template <class U> EVENLY_FN T operator-=(U&& by) && {
    return change([&](T& value) { value -= std::forward<U>(by); });
  }
  template <class U> EVENLY_FN T operator*=(U&& by) && {
    return change([&](T& value) { value *= std::forward<U>(by); });
  }
  template <class U> EVENLY_FN T operator/=(U&& by) && {
    return change([&](T& value) { value /= std::forward<U>(by); });
  }
  template <class U> EVENLY_FN T operator&=(U&& by) && {
    return change([&](T& value) { value &= std::forward<U>(by); });
  }
  template <class U> EVENLY_FN T operator|=(U&& by) && {
    return change([&](T& value) { value |= std::forward<U>(by); });
  }
  template <class U> EVENLY_FN T operator^=(U&& by) && {
    return change([&](T& value) { value ^= std::forward<U>(by); });
  }
  EVENLY_FN T operator++() && {
    return change([](T& value) { ++value; });
  }
  EVENLY_FN T operator--() && {
    return change([](T& value) { --value; });
  }

 private:
  template <class Change> EVENLY_FN T change(Change by) {
    T value = *view_.access(index_, detail::access_kind::read);
    by(value);
    return *view_.access(index_, detail::access_kind::write) = value;
  }

  View view_;
  typename View::index_type index_;
};

/// Storage that checks every access, with the operations of plain_storage.
template <class T> class checked_storage {
 public:
  using value_type = T;
  using index_type = storage_index;

  EVENLY_FN checked_storage(detail::simt_thread* thread, slot<T> place) : thread_(thread), place_(place) {}

  EVENLY_FN accessed_element<checked_storage> operator[](storage_index i) const { return {*this, i}; }
  EVENLY_FN int size() const { return static_cast<int>(place_.count); }

  /// Returns the element after checking the access.
  EVENLY_FN T* access(storage_index i, detail::access_kind kind) const {
#if defined(__CUDA_ARCH__)
    return nullptr;
#else
    const std::uint32_t byte = byte_of(i);
    detail::check_storage(*thread_, byte, sizeof(T), i.index, kind, i.where);
    detail::count_access_of(*thread_,
                            kind == detail::access_kind::read ? detail::traced_access::storage_load
                                                              : detail::traced_access::storage_store,
                            byte, sizeof(T), detail::access_bytes<T>, i.where);
    return element(byte);
#endif
  }
  /// Returns the element. `observer` will check every access; they are not counted.
  EVENLY_FN T* atomic_object(storage_index i, detail::atomic_observer& observer) const {
#if defined(__CUDA_ARCH__)
    return nullptr;
#else
    observer = {&touch_atomically, thread_, i.index, i.where};
    return element(byte_of(i));
#endif
  }

 private:
  /// Returns the offset of the element in the block's storage.
  std::uint32_t byte_of(storage_index i) const {
    if (i.index < 0 || i.index >= size()) detail::refuse_element(*thread_, i.index, size(), i.where);
    return place_.offset + static_cast<std::uint32_t>(i.index) * static_cast<std::uint32_t>(sizeof(T));
  }
  static std::byte* memory_of(const detail::simt_thread& thread) {
    return reinterpret_cast<std::byte*>(thread.seen->storage.data());
  }
  T* element(std::uint32_t byte) const { return reinterpret_cast<T*>(memory_of(*thread_) + byte); }
  static void touch_atomically(const detail::atomic_observer& observer, const void* object) {
    auto& thread = *static_cast<detail::simt_thread*>(observer.thread);
    const auto byte = static_cast<const std::byte*>(object) - memory_of(thread);
    detail::check_storage(thread, static_cast<std::uint32_t>(byte), sizeof(T),
                          static_cast<int>(observer.element), detail::access_kind::atomic, observer.where);
  }

  detail::simt_thread* thread_;
  slot<T> place_;
};

/// Memory of a launch as one thread sees it; T may be const. Accesses are checked for races.
template <class T> class traced_memory {
 public:
  using value_type = std::remove_const_t<T>;
  using index_type = memory_index;

  EVENLY_FN traced_memory(detail::simt_thread* thread, T* memory) : thread_(thread), memory_(memory) {}

  EVENLY_FN accessed_element<traced_memory> operator[](memory_index i) const { return {*this, i}; }

  /// Returns the element after counting and checking the access.
  EVENLY_FN T* access(memory_index i, [[maybe_unused]] detail::access_kind kind) const {
#if !defined(__CUDA_ARCH__)
    detail::count_access_of(*thread_,
                            kind == detail::access_kind::read ? detail::traced_access::global_load
                                                              : detail::traced_access::global_store,
                            reinterpret_cast<std::uintptr_t>(memory_ + i.index), sizeof(T),
                            detail::access_bytes<T>, i.where);
    detail::check_memory(*thread_, reinterpret_cast<std::uintptr_t>(memory_ + i.index), sizeof(T), i.index,
                         kind == detail::access_kind::write, i.where);
#endif
    return memory_ + i.index;
  }
  EVENLY_FN T* atomic_object(memory_index i, [[maybe_unused]] detail::atomic_observer& observer) const {
#if !defined(__CUDA_ARCH__)
    observer.where = i.where;
#endif
    return memory_ + i.index;
  }

 private:
  detail::simt_thread* thread_;
  T* memory_;
};

} // namespace evenly
