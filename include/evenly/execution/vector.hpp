// SPDX-License-Identifier: Apache-2.0
// vector: an array in the memory of an executor. It stores its executor, so operations on it run there by default.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly {

/// Owns `size()` elements of a trivially copyable T in memory of `executor()`. Move-only; the size is fixed.
///
///   evenly::vector x(evenly::cuda(), host_values);   // a copy on the device
///   std::vector<float> back = x.to_host();
template <class T, class Executor = cpu> class vector {
 public:
  using value_type = T;
  using executor_type = Executor;

  /// Allocates `size` uninitialised elements. Throws as the executor's memory resource does.
  vector(const Executor& exec, std::size_t size) : exec_(exec), elements_(make_buffer<T>(exec, size)) {}
  /// Copies a range that is on the host. O(elements). Allocates and synchronises.
  template <detail::contiguous_values Values>
  vector(const Executor& exec, const Values& on_host)
      : exec_(exec),
        elements_(evenly::to_executor(exec, std::span<const T>(std::data(on_host), std::size(on_host)))) {
    static_assert(!detail::is_on_device<Values>,
                  "this constructor takes host memory only: copy a vector of a device with x.to(exec)");
  }

  T* data() const { return elements_.data(); }
  std::size_t size() const { return elements_.size(); }
  bool empty() const { return size() == 0; }
  std::span<T> span() const { return elements_.span(); }
  /// Returns a view for kernels on `executor()` (execution/memory.hpp).
  span_on<Executor, T> view() const { return {data(), size()}; }
  const Executor& executor() const { return exec_; }

  T* begin() const
  requires(Executor::on_host)
  {
    return data();
  }
  T* end() const
  requires(Executor::on_host)
  {
    return data() + size();
  }
  T& operator[](std::size_t i) const
  requires(Executor::on_host)
  {
    return data()[i];
  }

  /// Returns a copy on the host. Synchronises.
  std::vector<T> to_host() const { return evenly::to_host(exec_, elements_); }
  /// Returns a copy in memory of `exec`. The copy passes through the host unless one executor is on the host.
  /// Synchronises.
  template <class To> vector<T, To> to(const To& exec) const {
    if constexpr (Executor::on_host)
      return vector<T, To>(exec, std::span<const T>(data(), size()));
    else
      return vector<T, To>(exec, to_host());
  }

 private:
  Executor exec_;
  buffer<T> elements_;
};
template <class Executor, detail::contiguous_values Values>
vector(const Executor&, const Values&) -> vector<detail::value_of<Values>, Executor>;

namespace detail {

/// The type of an array that an operation on `Executor` returns: std::vector on the host, otherwise evenly::vector.
template <class Executor, class T> struct values_type {
  static_assert(
      !std::is_same_v<T, bool>,
      "arrays of bool are not supported, because std::vector<bool> packs its elements: use std::uint8_t");
  using type = std::conditional_t<Executor::on_host, std::vector<T>, vector<T, Executor>>;
};
template <class Executor, class T> using values_on = typename values_type<Executor, T>::type;

template <class T, class Executor>
values_on<Executor, T> make_values(const Executor& exec, std::int64_t size) {
  if constexpr (Executor::on_host)
    return std::vector<T>(static_cast<std::size_t>(size));
  else
    return vector<T, Executor>(exec, static_cast<std::size_t>(size));
}

} // namespace detail

} // namespace evenly
