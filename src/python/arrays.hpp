// SPDX-License-Identifier: Apache-2.0
// Arrays whose element type is known at run time, as Python has them.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>

#include "evenly/core/errors.hpp"

namespace evenly::python {

/// The element types that operations are compiled for. The Python layer converts others.
enum class element { float32, float64, complex64, complex128, int32, int64, uint8, uint32, uint64 };

inline const char* name_of(element type) {
  constexpr std::array names{"float32", "float64", "complex64", "complex128", "int32",
                             "int64",   "uint8",   "uint32",    "uint64"};
  return names[static_cast<std::size_t>(type)];
}

/// Their types, in the order of `element`.
using element_types = std::tuple<float, double, std::complex<float>, std::complex<double>, int, std::int64_t,
                                 std::uint8_t, std::uint32_t, std::uint64_t>;
template <class T, std::size_t Number = 0> constexpr element find_element() {
  if constexpr (std::is_same_v<T, std::tuple_element_t<Number, element_types>>)
    return static_cast<element>(Number);
  else
    return find_element<T, Number + 1>();
}
template <class T> inline constexpr element element_of = find_element<std::remove_const_t<T>>();

/// The operation of reductions and scans.
enum class combine { sum, min, max, prod };

/// Elements side by side, owned by Python. `Data`: void, or const void for what is only read.
template <class Data> struct basic_array {
  const char* name = ""; ///< for messages
  Data* data = nullptr;
  element type = element::float64;
  std::int64_t rows = 0; ///< elements, of one dimension
  std::int64_t cols = 1; ///< of two dimensions
  std::int64_t leading =
      1;               ///< of two dimensions: elements from a row to the next, or from a column to the next
  bool by_rows = true; ///< of two dimensions

  template <class T> auto as() const {
    require(type == element_of<T>, [&] {
      return std::string(name) + " has elements of " + name_of(type) + ": here they are of " +
             name_of(element_of<T>);
    });
    using element_type = std::conditional_t<std::is_const_v<Data>, const T, T>;
    return std::span<element_type>(static_cast<element_type*>(data), static_cast<std::size_t>(rows));
  }
};
using input = basic_array<const void>;
using output = basic_array<void>;

/// Calls body(T{}) with the type of Types that `type` names. Throws invalid_argument if none is.
template <class... Types, class Body> void with_element(const char* name, element type, const Body& body) {
  bool found = false;
  const auto visit = [&](auto zero) {
    if (found || type != element_of<decltype(zero)>) return;
    found = true;
    body(zero);
  };
  (visit(Types{}), ...);
  require(found, [&] {
    return std::string(name) + " has elements of " + name_of(type) + ": no operation takes them";
  });
}
/// The same with int or std::int64_t.
template <class Body> void with_index(const char* name, element type, const Body& body) {
  with_element<int, std::int64_t>(name, type, body);
}

} // namespace evenly::python
