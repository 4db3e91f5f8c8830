// SPDX-License-Identifier: Apache-2.0
// Views of memory for kernels and function objects. On cpu and cuda a view is a pointer and a size and costs nothing.
// On simt its accesses are checked for races among all threads of a launch and for elements outside the view.
//
//   const auto in = view(exec, x);    // x: a buffer, a std::vector, a std::span; const elements give a read-only view
//   const auto out = view(exec, y);
//   const auto store = [=] EVENLY_FN(int row, float sum) { out[row] = sum; };
//
// A kernel that is a struct names the view types by its executor:
//
//   template <class Executor> struct scale {
//     template <class T> using span = evenly::span_on<Executor, T>;
//     span<const float> x;
//     span<float> y;
//   };
//   launch(exec, shape, scale<evenly::simt>{view(exec, x), view(exec, y)});
//
// Writable elements are read and assigned as a whole, into a variable of their type: `float v = y[i]` and `y[i] += v`
// compile on simt, `auto v = y[i]` and `y[i].member` do not. If several threads change an element, they use
// atomic_ref(y[i]) (execution/atomic.hpp).
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
  /// Returns a view of the elements [first, first + count). Requires first + count <= size().
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

/// Registers with simt a part of the library that users' kernels may hold. Pointers in it are not counted as theirs.
template <class Executor, class Part> void know_part([[maybe_unused]] const Part& part) {
  if constexpr (requires { Executor::know_part(part); }) Executor::know_part(part);
}
/// Registers with simt a user's function objects that it will run, so that it reports raw pointers in them.
/// `known`: a part of the library that they may hold.
template <class Executor, class Known, class... Parts>
void note_parts([[maybe_unused]] const Executor& exec, [[maybe_unused]] const Known& known,
                [[maybe_unused]] const Parts&... parts) {
  if constexpr (requires { exec.note_parts(known, parts...); }) exec.note_parts(known, parts...);
}

} // namespace detail

/// The type of a view of T, which may be const, in kernels that run on `Executor`.
template <class Executor, class T> using span_on = typename detail::span_of_executor<Executor, T>::type;

/// Returns a view of the elements of `array` for code that runs on `exec`. A buffer gives a writable view.
///
/// Requirements: `exec` can read the elements, and they outlive the view. A temporary is accepted only if it is itself
/// a view, as std::span is.
template <class Executor, detail::array_like Array> auto view(const Executor&, Array&& array) {
  static_assert(detail::outlives_call<Array>, "view does not own its elements, and a temporary array ends "
                                              "with this statement: store it in a variable");
  return span_on<Executor, std::remove_pointer_t<decltype(array.data())>>(array.data(), array.size());
}

} // namespace evenly
