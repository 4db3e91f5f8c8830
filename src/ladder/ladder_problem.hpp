// SPDX-License-Identifier: Apache-2.0
// The input of a ladder, and the slow reference for checking its versions.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/ladder/scan.hpp"

namespace evenly::ladder {

enum class ladder_kind { reduce, scan, rotate };
enum class ladder_type { int32, float32 };
enum class ladder_operation { sum, product, minimum, maximum };

/// An operation that is chosen at run time, so that kernels are compiled once for all operations except sums. Products
/// of ints are modulo 2^32.
template <class T> struct chosen_operation {
  using value_type = T;
  static constexpr bool commutative = true;
  ladder_operation which = ladder_operation::sum;

  EVENLY_FN constexpr T identity() const {
    switch (which) {
    case ladder_operation::product:
      return T{1};
    case ladder_operation::minimum:
      return std::numeric_limits<T>::max();
    case ladder_operation::maximum:
      return std::numeric_limits<T>::lowest();
    case ladder_operation::sum:
      break;
    }
    return T{};
  }
  EVENLY_FN constexpr T operator()(T a, T b) const {
    switch (which) {
    case ladder_operation::product:
      if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) *
                              static_cast<std::make_unsigned_t<T>>(b));
      else
        return a * b;
    case ladder_operation::minimum:
      return b < a ? b : a;
    case ladder_operation::maximum:
      return a < b ? b : a;
    case ladder_operation::sum:
      break;
    }
    return a + b;
  }
};

/// The numbers to add, or the matrix to rotate.
template <class T> struct ladder_problem {
  ladder_kind kind = ladder_kind::reduce;
  std::int64_t rows = 1; ///< of the matrix
  std::int64_t cols = 0; ///< of the matrix; else the number of elements
  ladder::prefixes prefix = ladder::prefixes::inclusive;
  ladder_operation operation = ladder_operation::sum;
  std::vector<T> in;

  std::int64_t n() const { return rows * cols; }
  std::int64_t outputs() const { return kind == ladder_kind::reduce ? 1 : n(); }
  /// Lower bound of the bytes that move between memory and processor.
  std::int64_t bytes_moved() const {
    return (n() + (kind == ladder_kind::reduce ? 0 : n())) * static_cast<std::int64_t>(sizeof(T));
  }
};

using any_ladder_problem = std::variant<ladder_problem<int>, ladder_problem<float>>;

/// Small numbers of both signs, the same on each call; for products odd numbers, or floats near 1. For rotate, the most
/// square matrix with `n` elements. Throws usage_error if no matrix has rows to 2 * rows columns, and
/// host::memory_error if there is too little memory for `arrays` arrays of this size.
any_ladder_problem make_ladder_problem(ladder_kind kind, ladder_type type, std::int64_t n, bool exclusive,
                                       int arrays, ladder_operation operation = ladder_operation::sum);

/// The error of a result, or nothing. Checks the elements one by one. Results must be exact, except sums and products
/// of float: their bound grows with the magnitudes of the added numbers, and with the number of factors.
template <class T>
std::optional<std::string> first_error(const ladder_problem<T>& p, const std::vector<T>& found);

std::string name_of(ladder_kind kind);
std::string name_of(ladder_type type);
std::string name_of(ladder_operation operation);

} // namespace evenly::ladder
