// SPDX-License-Identifier: Apache-2.0
// The problem of a comparison: an operation with its input, in the value type of the run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::measure {

enum class operation { spmv, expand, update, segmented_reduce, segmented_scan };
enum class number_type { single_precision, double_precision };

/// y = A x. The arrays are on the host; offsets and columns belong to the original matrix.
template <class Value> struct spmv_problem {
  spmv_problem() = default;
  spmv_problem(spmv_problem&&) = default; // the view of a copy would point to the original

  csr_view<Value> a;
  std::vector<Value> values; ///< the array of a.values if the matrix had to be converted
  std::vector<Value> x;
};

/// Writes the tile of each atom.
struct expand_problem {
  std::span<const int> offsets; ///< tiles + 1 values
};

/// Adds its tile's number plus one to the element of each atom, as "access and update" in the mapping papers. A
/// poisoned element, -1, becomes the tile of its atom.
struct update_problem {
  std::span<const int> offsets; ///< tiles + 1 values
};

/// Sums of the values of each tile, or the sum of each value and those before it in its tile. Values are -1, 0 or 1, so
/// that sums are exact in any order.
struct segments_problem {
  std::span<const int> offsets; ///< tiles + 1 values
  std::vector<float> values;
  bool scans;
};

using problem =
    std::variant<spmv_problem<float>, spmv_problem<double>, expand_problem, update_problem, segments_problem>;

/// y, sums, or the tile of each atom, which update computes from poisoned elements.
using output = std::variant<std::vector<float>, std::vector<double>, std::vector<int>>;

/// x is uniformly random in [-1, 1) and depends on the seed only. `matrix` must outlive the problem. Throws
/// host::memory_error.
problem make_problem(operation op, number_type type, const csr_matrix<double>& matrix, std::uint64_t seed);

/// Lower bound of the bytes that move between memory and processor: every array once, updated arrays twice.
std::int64_t bytes_moved(const problem& p);

std::string operation_name(const problem& p); ///< as --op takes it
std::string number_name(const problem& p);    ///< float, double, or int for tile numbers

} // namespace evenly::measure
