// SPDX-License-Identifier: Apache-2.0
// Owners of sparse formats. A format lists its arrays once, in a struct over a kind of array:
//
//   template <class Value, class Offset, template <class> class Array> struct ell_arrays {
//     using executor_type = host_if<Array>;
//     ... Array<Offset> lengths; Array<int> columns; Array<Value> values;              named fields, public
//     template <template <class> class To, class Each> ell_arrays<Value, Offset, To> with(const Each& each) const;
//     std::int64_t entries() const;     of the view's arrays, as for_each_array counts them
//     ell_view<Value, Offset> view() const;
//     template <class To> auto to(const To& exec) const;
//   };
//
// `with` makes the same format with each(array) for each array. This header derives owners on every executor, copies
// between executors, and checks of sizes. X_matrix<Value, Offset, Executor> owns a format in the memory of an executor:
// on the host, the default, as std::vectors; elsewhere as buffers with their executor. X_buffers has buffers without an
// executor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/sparse/csr_matrix.hpp"

namespace evenly {

namespace detail {

template <class T> using host_array = std::vector<T>;
/// cpu for arrays on the host, otherwise void.
template <template <class> class Array>
using host_if = std::conditional_t<std::is_same_v<Array<int>, host_array<int>>, cpu, void>;

/// A stand-in for an array.
struct no_elements {};
template <class> using no_array = no_elements;
struct discard { // nvcc accepts no generic lambda in a concept
  template <class T> no_elements operator()(const T&) const { return {}; }
};

template <class Arrays, class Executor> class owner_on;

/// Copies arrays on `from` to the memory of `to`. The copy passes through the host. Synchronises.
template <class From, class Arrays, class To>
auto copied(const From& from, const Arrays& arrays, const To& to) {
  if constexpr (!std::is_same_v<typename Arrays::executor_type, cpu>) {
    const auto on_host =
        arrays.template with<host_array>([&](const auto& each) { return evenly::to_host(from, each); });
    return copied(cpu(), on_host, to);
  } else if constexpr (std::is_same_v<To, cpu>) {
    return arrays;
  } else {
    return owner_on(to,
                    arrays.template with<buffer>([&](const auto& each) { return to_executor(to, each); }));
  }
}

/// Arrays in the memory of `executor()`. Move-only.
template <class Arrays, class Executor> class owner_on : public Arrays {
 public:
  using executor_type = Executor;

  owner_on(const Executor& exec, Arrays arrays) : Arrays(std::move(arrays)), exec_(exec) {}

  const Executor& executor() const { return exec_; }
  /// A copy in the memory of `to`. The copy passes through the host. Synchronises.
  template <class To> auto to(const To& to) const {
    return copied(exec_, static_cast<const Arrays&>(*this), to);
  }

 private:
  Executor exec_;
};

template <class Executor, class OnHost, class Buffers>
using matrix_on = std::conditional_t<std::is_same_v<Executor, cpu>, OnHost, owner_on<Buffers, Executor>>;

/// Makes an owner from buffers of `exec`; on the host it copies them to std::vectors.
template <class Executor, class Buffers> auto owned_by(const Executor& exec, Buffers arrays) {
  owner_on<Buffers, Executor> owner(exec, std::move(arrays));
  if constexpr (std::is_same_v<Executor, cpu>)
    return owner.to(exec);
  else
    return owner;
}

} // namespace detail

/// An owner of a sparse format, or its buffers.
template <class A>
concept format_arrays = requires(const A& a) {
  a.template with<detail::no_array>(detail::discard{});
  a.entries();
  a.view();
};

namespace detail {

template <class Executor> struct span_of_const {
  template <class T> using type = span_on<Executor, const T>;
  template <class Array> auto operator()(const Array& array) const {
    return type<std::remove_cvref_t<decltype(*array.data())>>(array.data(), array.size());
  }
};

} // namespace detail

/// The fields of an owner on `exec` as read-only views for your own kernels (execution/memory.hpp): sized, and checked
/// on simt. The owner outlives them.
template <class Executor, class A>
requires format_arrays<std::remove_cvref_t<A>>
auto view(const Executor&, A&& owner) {
  static_assert(std::is_lvalue_reference_v<A>,
                "view does not own its elements: store the matrix in a variable");
  using spans = detail::span_of_const<Executor>;
  return owner.template with<spans::template type>(spans{});
}

/// Makes compressed rows of an owner, or of buffers, on `exec`: to_csr(exec, view) of the format, whose header has the
/// cost. Allocates and synchronises.
template <class Executor, format_arrays A> auto to_csr(const Executor& exec, const A& a) {
  return to_csr(exec, a.view());
}

namespace detail {

/// Throws invalid_argument for negative sizes, and for an array with fewer elements than the view reads.
template <format_arrays A> void require_array_sizes(const A& a) {
  check_matrix_sizes(a.rows, a.cols);
  std::array<std::int64_t, 6> sizes{};
  std::size_t count = 0, next = 0;
  a.template with<no_array>([&](const auto& each) {
    sizes[count++] = std::ssize(each);
    return no_elements{};
  });
  a.view().for_each_array(0, a.entries(),
                          [&](const char* name, const auto*, std::int64_t, std::int64_t needed) {
                            const std::int64_t has = sizes[next++];
                            require(has >= needed, [&] {
                              return concat(name, " has ", has, " elements: a matrix of ", a.rows, " rows, ",
                                            a.cols, " columns and ", a.entries(), " entries needs ", needed);
                            });
                          });
}

} // namespace detail

} // namespace evenly
