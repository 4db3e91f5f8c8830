// SPDX-License-Identifier: Apache-2.0
// What a ladder works on, and the slow reference that its versions are checked against.
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

/// Numbers to be added up, or a matrix of them to be turned.
template <class T> struct ladder_problem {
  ladder_kind kind = ladder_kind::reduce;
  std::int64_t rows = 1; ///< of the matrix
  std::int64_t cols = 0; ///< or how many numbers
  ladder::prefixes prefix = ladder::prefixes::inclusive;
  std::vector<T> in;

  std::int64_t n() const { return rows * cols; }
  std::int64_t outputs() const { return kind == ladder_kind::reduce ? 1 : n(); }
  /// That must go between memory and processor at least.
  std::int64_t bytes_moved() const {
    return (n() + (kind == ladder_kind::reduce ? 0 : n())) * static_cast<std::int64_t>(sizeof(T));
  }
};

using any_ladder_problem = std::variant<ladder_problem<int>, ladder_problem<float>>;

/// Small numbers of both signs, the same on each call; for rotate the matrix of `n` elements that is nearest to a
/// square. Throws usage_error where none has columns from rows to 2 rows, host::memory_error if there is too little
/// memory for `arrays` of as many.
any_ladder_problem make_ladder_problem(ladder_kind kind, ladder_type type, std::int64_t n, bool exclusive,
                                       int arrays);

/// What is wrong with a result, if anything is. Goes through the elements one by one; sums of int are exact, those of
/// float are held to a bound that grows with the magnitudes of what was added.
template <class T>
std::optional<std::string> first_error(const ladder_problem<T>& p, const std::vector<T>& found);

std::string name_of(ladder_kind kind);
std::string name_of(ladder_type type);

} // namespace evenly::ladder
