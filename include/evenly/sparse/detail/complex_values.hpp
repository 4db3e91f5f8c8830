// SPDX-License-Identifier: Apache-2.0
// Complex values in kernels. nvcc silently miscompiles the arithmetic of std::complex for a GPU, since libstdc++
// implements it by the compiler's _Complex. So kernels read and write the two parts of a value, which the standard
// guarantees to be consecutive ([complex.numbers]). They multiply by four products and two sums, on every executor.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"

namespace evenly {

/// A complex number with (a, b)(c, d) = (ac - bd, ad + bc), also for infinities and NaN.
template <class T> struct complex_number {
  T real = 0;
  T imag = 0;

  EVENLY_FN friend constexpr complex_number operator+(const complex_number& a, const complex_number& b) {
    return {a.real + b.real, a.imag + b.imag};
  }
  EVENLY_FN friend constexpr complex_number operator*(const complex_number& a, const complex_number& b) {
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  }
  EVENLY_FN friend constexpr bool operator==(const complex_number& a, const complex_number& b) {
    return a.real == b.real && a.imag == b.imag;
  }
};

namespace detail {

template <class Value> struct kernel_value_of {
  using type = Value;
};
template <class T> struct kernel_value_of<std::complex<T>> {
  using type = complex_number<T>;
};

} // namespace detail

/// The type that kernels compute with for arrays of Value; in_kernels converts a value to it.
template <class Value> using kernel_value = typename detail::kernel_value_of<Value>::type;
template <class Value> const Value& in_kernels(const Value& value) { return value; }
template <class T> complex_number<T> in_kernels(const std::complex<T>& value) {
  return {value.real(), value.imag()};
}

/// An array of complex values for kernels. T: the type of the parts, const for read-only access. Executor: the owner of
/// the pointers (execution/atomic.hpp); void for plain pointers.
template <class T, class Executor = void> class complex_array {
  using part = std::remove_const_t<T>;

 public:
  complex_array() = default;
  complex_array(const std::complex<part>* values)
  requires std::is_const_v<T>
      : parts_(reinterpret_cast<T*>(values)) {}
  complex_array(std::complex<part>* values)
  requires(!std::is_const_v<T>)
      : parts_(reinterpret_cast<T*>(values)) {}

  EVENLY_FN complex_number<part> operator[](std::int64_t k) const {
    return {static_cast<part>(parts_[2 * k]), static_cast<part>(parts_[2 * k + 1])};
  }
  EVENLY_FN complex_number<part> streaming(std::int64_t k) const {
    return {load_streaming(parts_ + 2 * k), load_streaming(parts_ + 2 * k + 1)};
  }
  EVENLY_FN void write(std::int64_t k, const complex_number<part>& value) const {
    parts_[2 * k] = value.real;
    parts_[2 * k + 1] = value.imag;
  }
  /// The address of value k, on the CPU.
  EVENLY_FN auto address(std::int64_t k) const { return &parts_[2 * k]; }

 private:
  pointer_on<Executor, T> parts_;
};

} // namespace evenly
