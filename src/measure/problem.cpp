// SPDX-License-Identifier: Apache-2.0
#include "measure/problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/memory_limits.hpp"

namespace evenly::measure {
namespace {

/// Uniform in [-1, 1): element i of the splitmix64 sequence (Steele, Lea & Flood 2014) with seed `seed`.
double random_number(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed * 0xD1342543DE82EF95 + (i + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1;
}

template <class Value> spmv_problem<Value> with_matrix(const csr_matrix<double>& matrix) {
  spmv_problem<Value> p;
  p.a = {matrix.rows, matrix.cols, matrix.offsets.data(), matrix.columns.data(), nullptr};
  if constexpr (std::is_same_v<Value, double>) {
    p.a.values = matrix.values.data();
  } else {
    p.values.assign(matrix.values.begin(), matrix.values.end());
    p.a.values = p.values.data();
  }
  return p;
}

/// Throws memory_error if the memory for a measurement is not available: the executor's arrays, the reference result
/// and the reference copy, in addition to the matrix.
void require_memory(operation op, std::int64_t number, const csr_matrix<double>& matrix) {
  const std::int64_t rows = matrix.rows, cols = matrix.cols, atoms = matrix.atoms();
  const std::int64_t offsets_and_plans = 24 * rows;
  const std::int64_t needed =
      op == operation::spmv
          ? offsets_and_plans + (16 + 4 * number) * rows + 2 * number * cols + (8 + 3 * number) * atoms
          : offsets_and_plans + 24 * atoms; // results and the reference copy
  if (const auto shortage = host::memory_shortage(needed))
    throw host::memory_error(
        fmt::format("measuring {} rows, {} columns and {} atoms: {}", rows, cols, atoms, *shortage));
}

template <class Value>
spmv_problem<Value> with_random_x(const csr_matrix<double>& matrix, std::uint64_t seed) {
  auto p = with_matrix<Value>(matrix);
  p.x.resize(static_cast<std::size_t>(matrix.cols));
  for (std::size_t i = 0; i < p.x.size(); ++i) p.x[i] = static_cast<Value>(random_number(seed, i));
  return p;
}

template <class Value> std::int64_t bytes_of(const spmv_problem<Value>& p) {
  const std::int64_t rows = p.a.rows;
  const std::int64_t atoms = p.a.offsets[rows];
  const std::int64_t x_read = std::min<std::int64_t>(p.a.cols, atoms);
  const auto number = static_cast<std::int64_t>(sizeof(Value));
  return atoms * (number + 4) + (rows + 1) * 4 + rows * number + x_read * number;
}
std::int64_t bytes_of(const expand_problem& p) {
  return std::int64_t{p.offsets.back()} * 4 + static_cast<std::int64_t>(p.offsets.size()) * 4;
}
std::int64_t bytes_of(const segments_problem& p) {
  return 4 * std::ssize(p.values) + 4 * std::ssize(p.offsets) +
         4 * (p.scans ? std::ssize(p.values) : std::ssize(p.offsets) - 1);
}
std::int64_t bytes_of(const update_problem& p) {
  return std::int64_t{p.offsets.back()} * 8 + static_cast<std::int64_t>(p.offsets.size()) * 4;
}

segments_problem with_values(const csr_matrix<double>& matrix, std::uint64_t seed, bool scans) {
  segments_problem p{matrix.offsets, std::vector<float>(static_cast<std::size_t>(matrix.atoms())), scans};
  for (std::size_t i = 0; i < p.values.size(); ++i)
    p.values[i] = static_cast<float>(std::floor(1.5 * random_number(seed, i) + 0.5));
  return p;
}

} // namespace

problem make_problem(operation op, number_type type, const csr_matrix<double>& matrix, std::uint64_t seed) {
  const bool single = type == number_type::single_precision;
  require_memory(op, single ? sizeof(float) : sizeof(double), matrix);
  if (op == operation::expand) return expand_problem{matrix.offsets};
  if (op == operation::update) return update_problem{matrix.offsets};
  if (op == operation::segmented_reduce || op == operation::segmented_scan)
    return with_values(matrix, seed, op == operation::segmented_scan);
  if (single) return with_random_x<float>(matrix, seed);
  return with_random_x<double>(matrix, seed);
}

std::int64_t bytes_moved(const problem& p) {
  return std::visit([](const auto& each) { return bytes_of(each); }, p);
}

std::string operation_name(const problem& p) {
  if (std::holds_alternative<update_problem>(p)) return "update";
  if (const auto* segments = std::get_if<segments_problem>(&p))
    return segments->scans ? "segmented_scan" : "segmented_reduce";
  return std::holds_alternative<expand_problem>(p) ? "expand" : "spmv";
}

std::string number_name(const problem& p) {
  if (std::holds_alternative<spmv_problem<float>>(p) || std::holds_alternative<segments_problem>(p))
    return "float";
  return std::holds_alternative<spmv_problem<double>>(p) ? "double" : "int";
}

} // namespace evenly::measure
