// SPDX-License-Identifier: Apache-2.0
#include "sparse/dense_problem.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "generate/random.hpp"
#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "host/progress.hpp"

namespace evenly::sparse {
namespace {

/// Throws memory_error.
void require_room(std::int64_t rows, std::int64_t cols, std::int64_t width, std::int64_t of_value) {
  const std::int64_t of_column = of_value * (rows + cols);
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const std::int64_t bytes = of_column > 0 && width > max / of_column ? max : width * of_column;
  if (const auto shortage = host::memory_shortage(bytes))
    throw host::memory_error(
        fmt::format("dense matrices of {} columns with {} and {} rows: {}", width, cols, rows, *shortage));
}

/// The problem without the values of B.
template <class Value>
dense_problem<Value> without_values_of_b(const csr_matrix<double>& a, std::int64_t width,
                                         dense_layout layout) {
  require_room(a.rows, a.cols, width, sizeof(Value));
  return {{a.rows, a.cols, a.offsets, a.columns, {a.values.begin(), a.values.end()}},
          std::vector<Value>(static_cast<std::size_t>(a.cols * width)),
          static_cast<int>(width),
          layout};
}

} // namespace

std::size_t place_in(dense_layout layout, std::int64_t rows, std::int64_t cols, std::int64_t row,
                     std::int64_t column) {
  return static_cast<std::size_t>(layout == dense_layout::rows ? row * cols + column : column * rows + row);
}

template <class Value>
dense_problem<Value> with_random_b(const csr_matrix<double>& a, int width, dense_layout layout,
                                   std::uint64_t seed) {
  auto p = without_values_of_b<Value>(a, width, layout);
  generate::random_sequence next(seed, generate::stream::values);
  host::progress shown("making a random B", a.cols);
  for (std::int64_t r = 0; r < a.cols; ++r) {
    for (std::int64_t c = 0; c < width; ++c)
      p.b[place_in(layout, a.cols, width, r, c)] = static_cast<Value>(next.signed_unit());
    shown.at(r + 1);
  }
  return p;
}

template <class Value>
dense_problem<Value> with_b(const csr_matrix<double>& a, const io::dense_matrix<double>& b,
                            dense_layout layout) {
  auto p = without_values_of_b<Value>(a, b.cols, layout);
  for (std::int64_t c = 0; c < b.cols; ++c)
    for (std::int64_t r = 0; r < b.rows; ++r)
      p.b[place_in(layout, b.rows, b.cols, r, c)] =
          static_cast<Value>(b.values[place_in(dense_layout::columns, b.rows, b.cols, r, c)]);
  return p;
}

template <class Value> std::int64_t bytes_moved(const dense_problem<Value>& p) {
  const std::int64_t rows = p.a.rows, atoms = p.a.atoms(), number = sizeof(Value);
  const std::int64_t rows_of_b = std::min<std::int64_t>(p.a.cols, atoms);
  return atoms * (number + 4) + (rows + 1) * 4 + (rows + rows_of_b) * p.width * number;
}

template <class Value> product_checker<Value>::product_checker(const dense_problem<Value>& of) : of_(of) {
  constexpr std::int64_t max_entries = 1 << 23, max_products = 1 << 28;
  const std::int64_t entries = std::int64_t{of.a.rows} * of.width,
                     products = std::int64_t{of.a.atoms()} * of.width;
  const auto step = static_cast<int>(1 + std::max(entries / max_entries, products / max_products));
  int longest = 0;
  for (int r = 0; r < of.a.rows; ++r) {
    if (size(r) > size(longest)) longest = r;
    if (r % step == 0 || r + 1 == of.a.rows) rows_.push_back(r);
  }
  if (of.a.rows > 0 && !std::ranges::binary_search(rows_, longest)) rows_.push_back(longest);
  sums_.resize(rows_.size() * static_cast<std::size_t>(of.width));
  bounds_.resize(sums_.size());
  const std::int64_t rows = std::ssize(rows_);
  host::progress shown("computing the reference product", rows);
  for (std::int64_t i = 0; i < rows; ++i) {
    add_row(static_cast<std::size_t>(i));
    shown.at(i + 1);
  }
}

template <class Value>
std::optional<std::string> product_checker<Value>::first_error(const std::vector<Value>& c) const {
  const auto width = static_cast<std::size_t>(of_.width);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t j = 0; j < width; ++j) {
      const double found = static_cast<double>(
          c[place_in(of_.layout, of_.a.rows, of_.width, rows_[i], static_cast<std::int64_t>(j))]);
      const double wanted = sums_[i * width + j], bound = bounds_[i * width + j];
      // With terms near the maximum of Value, intermediate sums may be infinite.
      const bool overflows = bound >= static_cast<double>(std::numeric_limits<Value>::max()) *
                                          static_cast<double>(std::numeric_limits<Value>::epsilon());
      const bool right = std::abs(found - wanted) <= bound || found == wanted ||
                         (std::isnan(wanted) && std::isnan(found)) || (overflows && !std::isfinite(found));
      if (!right)
        return fmt::format("C[{}][{}] = {}, but should be {} within {:.2g}", rows_[i] + 1, j + 1, found,
                           wanted, bound);
    }
  return {};
}

template <class Value> int product_checker<Value>::size(int row) const {
  const auto r = static_cast<std::size_t>(row);
  return of_.a.offsets[r + 1] - of_.a.offsets[r];
}

template <class Value> void product_checker<Value>::add_row(std::size_t i) {
  const auto row = static_cast<std::size_t>(rows_[i]), width = static_cast<std::size_t>(of_.width);
  double* const sums = sums_.data() + i * width;
  double* const bounds = bounds_.data() + i * width;
  for (auto k = static_cast<std::size_t>(of_.a.offsets[row]);
       k < static_cast<std::size_t>(of_.a.offsets[row + 1]); ++k)
    for (std::size_t j = 0; j < width; ++j) {
      const double term =
          static_cast<double>(of_.a.values[k]) *
          static_cast<double>(of_.b[place_in(of_.layout, of_.a.cols, of_.width, of_.a.columns[k],
                                             static_cast<std::int64_t>(j))]);
      sums[j] += term;
      bounds[j] += std::abs(term);
    }
  for (std::size_t j = 0; j < width; ++j)
    bounds[j] *= (size(rows_[i]) + 3) * static_cast<double>(std::numeric_limits<Value>::epsilon());
}

template dense_problem<float> with_random_b(const csr_matrix<double>&, int, dense_layout, std::uint64_t);
template dense_problem<double> with_random_b(const csr_matrix<double>&, int, dense_layout, std::uint64_t);
template dense_problem<float> with_b(const csr_matrix<double>&, const io::dense_matrix<double>&,
                                     dense_layout);
template dense_problem<double> with_b(const csr_matrix<double>&, const io::dense_matrix<double>&,
                                      dense_layout);
template std::int64_t bytes_moved(const dense_problem<float>&);
template std::int64_t bytes_moved(const dense_problem<double>&);
template class product_checker<float>;
template class product_checker<double>;

} // namespace evenly::sparse
