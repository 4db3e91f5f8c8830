// SPDX-License-Identifier: Apache-2.0
// What is compared: an operation, with its input in the number type it runs in.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::measure {

enum class operation { spmv, expand, update };
enum class number_type { single_precision, double_precision };

/// y = A x. The arrays lie on the host; offsets and columns belong to the matrix it was made from.
template <class Value> struct spmv_problem {
  spmv_problem() = default;
  spmv_problem(spmv_problem&&) = default; // a copy's view would point into the original

  csr_view<Value> a;
  std::vector<Value> values; ///< what a.values points to, where the matrix had to be converted
  std::vector<Value> x;
};

/// Each atom's tile.
struct expand_problem {
  std::span<const int> offsets; ///< tiles + 1 values
};

/// A number for each atom, to which its tile's number and one are added: what the mapping papers call accessing and
/// updating a workload. Poisoned numbers, -1, become the atoms' tiles.
struct update_problem {
  std::span<const int> offsets; ///< tiles + 1 values
};

using problem = std::variant<spmv_problem<float>, spmv_problem<double>, expand_problem, update_problem>;

/// y, or the tile of each atom: from poisoned numbers, which update reads.
using output = std::variant<std::vector<float>, std::vector<double>, std::vector<int>>;

/// x is random in [-1, 1), the same for the same seed. `matrix` must outlive the problem. Throws host::memory_error.
problem make_problem(operation op, number_type type, const csr_matrix<double>& matrix, std::uint64_t seed);

/// The bytes that must go between memory and processor at least: every array once, twice where it is updated.
std::int64_t bytes_moved(const problem& p);

std::string operation_name(const problem& p); ///< spmv, expand or update
std::string number_name(const problem& p);    ///< float, double, or int for tile numbers

} // namespace evenly::measure
