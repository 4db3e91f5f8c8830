// SPDX-License-Identifier: Apache-2.0
// The input of a ladder, and the slow reference for checking its versions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "evenly/ladder/scan.hpp"

namespace evenly::ladder {

enum class ladder_kind { reduce, scan, rotate };
enum class ladder_type { int32, float32 };

/// The numbers to add, or the matrix to rotate.
template <class T> struct ladder_problem {
  ladder_kind kind = ladder_kind::reduce;
  std::int64_t rows = 1; ///< of the matrix
  std::int64_t cols = 0; ///< of the matrix; else the number of elements
  ladder::prefixes prefix = ladder::prefixes::inclusive;
  std::vector<T> in;

  std::int64_t n() const { return rows * cols; }
  std::int64_t outputs() const { return kind == ladder_kind::reduce ? 1 : n(); }
  /// Lower bound of the bytes that move between memory and processor.
  std::int64_t bytes_moved() const {
    return (n() + (kind == ladder_kind::reduce ? 0 : n())) * static_cast<std::int64_t>(sizeof(T));
  }
};

using any_ladder_problem = std::variant<ladder_problem<int>, ladder_problem<float>>;

/// Small numbers of both signs, the same on each call; for rotate the most square matrix with `n` elements. Throws
/// usage_error if no matrix has rows to 2 * rows columns, and host::memory_error if there is too little memory for
/// `arrays` arrays of this size. memory for `arrays` of as many.
any_ladder_problem make_ladder_problem(ladder_kind kind, ladder_type type, std::int64_t n, bool exclusive,
                                       int arrays);

/// The error of a result, or nothing. Checks the elements one by one. Sums of int must be exact; those of float have a
/// bound that grows with the magnitudes of the added numbers.
template <class T>
std::optional<std::string> first_error(const ladder_problem<T>& p, const std::vector<T>& found);

std::string name_of(ladder_kind kind);
std::string name_of(ladder_type type);

} // namespace evenly::ladder
