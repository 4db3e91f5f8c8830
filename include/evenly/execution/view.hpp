// SPDX-License-Identifier: Apache-2.0
// Views of memory for kernels and function objects. On cpu and cuda a view is a pointer and a size, at no cost. On simt
// its accesses are checked: for races among all threads of a launch, and for elements outside it.
//
//   const auto in = view(exec, x);    // x: a buffer, a std::vector, a std::span; of const elements, a view of such
//   const auto out = view(exec, y);
//   const auto store = [=] EVENLY_FN(int row, float sum) { out[row] = sum; };
//
// A kernel that is a struct names the types, by the executor that it runs on:
//
//   template <class Executor> struct scale {
//     template <class T> using span = evenly::span_on<Executor, T>;
//     span<const float> x;
//     span<float> y;
//   };
//   launch(exec, shape, scale<evenly::simt>{view(exec, x), view(exec, y)});
//
// Elements that may be written are read as a whole, into a variable of their type, and assigned as a whole: `float v =
// y[i]`, `y[i] += v`, not `auto v = y[i]` and no `y[i].member`, which do not compile on simt. Several threads change an
// element by atomic_ref(y[i]) (execution/atomic.hpp).
#pragma once

#include <cstddef>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/detail/kept_array.hpp"

namespace evenly {

/// A view on cpu and cuda. T may be const.
template <class T> class plain_span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using index_type = std::ptrdiff_t;

  plain_span() = default;
  EVENLY_FN constexpr plain_span(T* data, std::size_t size) : data_(data), size_(size) {}
  template <class U>
  requires(!std::is_same_v<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
  EVENLY_FN constexpr plain_span(const plain_span<U>& other) : data_(other.data()), size_(other.size()) {}

  EVENLY_FN constexpr T* data() const { return data_; }
  EVENLY_FN constexpr std::size_t size() const { return size_; }
  EVENLY_FN constexpr bool empty() const { return size_ == 0; }
  /// Requires 0 <= i < size().
  template <class Index> EVENLY_INLINE_FN constexpr T& operator[](Index i) const { return data_[i]; }
  EVENLY_FN constexpr T* begin() const { return data_; }
  EVENLY_FN constexpr T* end() const { return data_ + size_; }
  /// The elements [first, first + count). Requires first + count <= size().
  EVENLY_FN constexpr plain_span subspan(std::size_t first, std::size_t count) const {
    return {data_ + first, count};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};
static_assert(std::is_trivially_copyable_v<plain_span<int>> &&
              sizeof(plain_span<int>) == sizeof(int*) + sizeof(std::size_t));

namespace detail {

template <class Executor, class T> struct span_of_executor {
  using type = plain_span<T>;
};
template <class Executor, class T>
requires requires { typename Executor::template memory_span<T>; }
struct span_of_executor<Executor, T> {
  using type = typename Executor::template memory_span<T>;
};

/// Tells simt of a part of the library that kernels of users may hold: pointers in it are not theirs.
template <class Executor, class Part> void know_part([[maybe_unused]] const Part& part) {
  if constexpr (requires { Executor::know_part(part); }) Executor::know_part(part);
}
/// Tells simt of a user's function objects that are about to run there, so that it reports raw pointers in them.
/// `known`: a part of the library that they may hold.
template <class Executor, class Known, class... Parts>
void note_parts([[maybe_unused]] const Executor& exec, [[maybe_unused]] const Known& known,
                [[maybe_unused]] const Parts&... parts) {
  if constexpr (requires { exec.note_parts(known, parts...); }) exec.note_parts(known, parts...);
}

} // namespace detail

/// The type of a view of Ts, which may be const, in kernels that run on such an executor.
template <class Executor, class T> using span_on = typename detail::span_of_executor<Executor, T>::type;

/// A view of the elements of `array`, for what runs on `exec`, which can read them. They outlive the view: a temporary
/// is taken only if it is a view itself, as std::span is. A buffer gives a view whose elements may be written.
template <class Executor, detail::array_like Array> auto view(const Executor&, Array&& array) {
  static_assert(detail::outlives_call<Array>, "view does not own its elements, and a temporary array ends "
                                              "with this statement: store it in a variable");
  return span_on<Executor, std::remove_pointer_t<decltype(array.data())>>(array.data(), array.size());
}

} // namespace evenly
