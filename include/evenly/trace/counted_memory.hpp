// SPDX-License-Identifier: Apache-2.0
// Counted memory: accesses that are counted if simt traces the launch, in code that has no block. Use it for the data
// of tables, tile sets and function objects. In kernels use traced() (block/memory_view.hpp), which finds races too.
//
//   counted_load(table + i), counted_store(table + i, value)   an access by a pointer, on any executor: on a GPU only
//                                                              the access; on the host also a test of one variable
//   pointer_on<Executor, T>                                    T* on cpu and cuda; on simt a counted_pointer<T>, whose
//                                                              accesses are all counted. It costs nothing on cpu and
//                                                              cuda
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/detail/atomic_watch.hpp"

namespace evenly {

namespace detail {

/// The size of the pieces in which a T is accessed: its alignment, at most 16 bytes.
template <class T> inline constexpr std::uint32_t access_bytes = alignof(T) < 16 ? alignof(T) : 16;

template <class T> EVENLY_INLINE_FN void count_access(const T* at, bool writes, const caller_place& where) {
#if !defined(__CUDA_ARCH__)
  if (accesses_are_counted()) note_access({at, sizeof(T), access_bytes<T>, writes, where.at});
#endif
}

} // namespace detail

/// Returns *from.
template <class T> EVENLY_INLINE_FN T counted_load(const T* from, detail::caller_place where = {}) {
  detail::count_access(from, false, where);
  return *from;
}
/// Does *to = value.
template <class T>
EVENLY_INLINE_FN void counted_store(T* to, const std::type_identity_t<T>& value,
                                    detail::caller_place where = {}) {
  detail::count_access(to, true, where);
  *to = value;
}

/// A pointer on simt. Elements are read as a whole, into a variable of their type, and assigned as a whole.
template <class T> class counted_pointer {
  using value_type = std::remove_const_t<T>;

 public:
  /// An index and the place of its use.
  struct place_of_index {
    template <class Index>
    requires std::is_convertible_v<Index, std::int64_t>
    place_of_index(Index i, std::source_location from = std::source_location::current())
        : index(static_cast<std::int64_t>(i)), where(from) {}

    std::int64_t index;
    std::source_location where;
  };
  /// A proxy for an element that may be written.
  class element {
   public:
    element(T* at, std::source_location where) : at_(at), where_(where) {}
    element(const element&) = delete;
    operator value_type() && { return counted_load(at_, detail::caller_place(where_)); }
    void operator=(const value_type& value) && { counted_store(at_, value, detail::caller_place(where_)); }

   private:
    T* at_;
    std::source_location where_;
  };

  counted_pointer() = default;
  counted_pointer(T* memory) : memory_(memory) {}

  T* address() const { return memory_; }
  counted_pointer operator+(std::int64_t by) const { return memory_ + by; }
  auto operator[](place_of_index i) const {
    if constexpr (std::is_const_v<T>)
      return counted_load(memory_ + i.index, detail::caller_place(i.where));
    else
      return element(memory_ + i.index, i.where);
  }

 private:
  T* memory_ = nullptr;
};

/// As for a pointer (core/annotations.hpp).
template <class T>
std::remove_const_t<T> load_streaming(const counted_pointer<T>& from, detail::caller_place where = {}) {
  return counted_load(from.address(), where);
}
template <class T>
std::remove_const_t<T> read_only(const counted_pointer<T>& from, detail::caller_place where = {}) {
  return counted_load(from.address(), where);
}

/// Returns the address that a pointer, or a proxy for one, points to.
template <class T> EVENLY_INLINE_FN T* address_of(T* pointer) { return pointer; }
template <class T> T* address_of(const counted_pointer<T>& pointer) { return pointer.address(); }

namespace detail {

template <class Executor, class T> struct pointer_of_executor {
  using type = T*;
};
template <class Executor, class T>
requires requires { typename Executor::template memory_pointer<T>; }
struct pointer_of_executor<Executor, T> {
  using type = typename Executor::template memory_pointer<T>;
};

} // namespace detail

/// The type of pointer in function objects that run on such an executor.
template <class Executor, class T> using pointer_on = typename detail::pointer_of_executor<Executor, T>::type;

} // namespace evenly
