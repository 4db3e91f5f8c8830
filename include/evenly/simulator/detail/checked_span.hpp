// SPDX-License-Identifier: Apache-2.0
// checked_span: a view of memory on simt (execution/memory.hpp). Each access is checked for races among the threads of
// the launch, and for an index outside the view. It is counted if the launch is traced. The view has no thread: simt
// knows the running one. On the host, outside of launches, it is a pointer with checked indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/simulator/detail/access.hpp"

namespace evenly {

/// A view of `size` elements with checked accesses.
template <class T> class checked_span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using index_type = memory_index;

  /// An iterator over the elements. The place of its accesses is the call of begin().
  class iterator {
   public:
    using value_type = std::remove_cv_t<T>;
    using difference_type = std::ptrdiff_t;

    iterator() = default;
    iterator(const checked_span& of, std::int64_t at, std::source_location where)
        : of_(of), at_(at), where_(where) {}
    decltype(auto) operator*() const { return of_[memory_index(at_, where_)]; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++at_;
      return before;
    }
    bool operator==(const iterator& other) const { return at_ == other.at_; }

   private:
    checked_span of_;
    std::int64_t at_ = 0;
    std::source_location where_;
  };

  checked_span() = default;
  EVENLY_FN checked_span(T* data, std::size_t size)
      : inverted_(~reinterpret_cast<std::uintptr_t>(data)), size_(size) {}
  template <class U>
  requires(!std::is_same_v<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
  EVENLY_FN checked_span(const checked_span<U>& other) : checked_span(other.data(), other.size()) {}

  /// Returns the pointer. Accesses by it are not checked.
  EVENLY_FN T* data() const { return reinterpret_cast<T*>(~inverted_); }
  EVENLY_FN std::size_t size() const { return size_; }
  EVENLY_FN bool empty() const { return size_ == 0; }
  iterator begin(std::source_location where = std::source_location::current()) const {
    return {*this, 0, where};
  }
  iterator end() const { return {*this, static_cast<std::int64_t>(size_), {}}; }
  /// Returns a view of the elements [first, first + count). Requires first + count <= size().
  EVENLY_FN checked_span subspan(std::size_t first, std::size_t count) const {
    return {data() + first, count};
  }

  /// Returns the value of a const element; otherwise a proxy of the element (accessed_element).
  EVENLY_FN auto operator[](memory_index i) const {
    if constexpr (std::is_const_v<T>)
      return value_type(*access(i, detail::access_kind::read));
    else
      return accessed_element<checked_span>(*this, i);
  }

  /// Returns the element after checking the access.
  EVENLY_FN T* access(memory_index i, [[maybe_unused]] detail::access_kind kind) const {
    T* const at = element(i);
#if !defined(__CUDA_ARCH__)
    detail::note_access(
        {at, sizeof(T), detail::access_bytes<T>, kind == detail::access_kind::write, i.where, true, i.index});
#endif
    return at;
  }
  EVENLY_FN T* atomic_object(memory_index i, [[maybe_unused]] detail::atomic_observer& observer) const {
#if !defined(__CUDA_ARCH__)
    observer = {nullptr, nullptr, i.index, i.where, true};
#endif
    return element(i);
  }

 private:
  EVENLY_FN T* element(const memory_index& i) const {
#if !defined(__CUDA_ARCH__)
    if (i.index < 0 || static_cast<std::uint64_t>(i.index) >= size_)
      detail::refuse_element_of_view(i.index, size_, i.where);
#endif
    return data() + i.index;
  }

  /// The address with all bits inverted, so that it does not count as a raw pointer of the user (raw_pointers.hpp).
  std::uintptr_t inverted_ = ~std::uintptr_t{0};
  std::size_t size_ = 0;
};
static_assert(std::is_trivially_copyable_v<checked_span<int>> &&
              sizeof(checked_span<int>) == sizeof(int*) + sizeof(std::size_t));

} // namespace evenly
