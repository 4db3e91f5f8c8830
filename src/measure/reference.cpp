// SPDX-License-Identifier: Apache-2.0
#include "measure/reference.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <variant>

#include <fmt/format.h>

namespace evenly::measure {
namespace {

/// Fills y and bound for all rows.
template <class Value>
void multiply(const csr_view<Value>& a, const std::vector<Value>& x, std::vector<double>& y,
              std::vector<double>& bound) {
  constexpr double factor = 4;
  constexpr double eps = std::numeric_limits<Value>::epsilon();
  constexpr double max = std::numeric_limits<Value>::max();
  for (int row = 0; row < a.rows; ++row) {
    double sum = 0;
    double size = 0;
    for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      const double term =
          static_cast<double>(a.values[k]) * static_cast<double>(x[static_cast<std::size_t>(a.columns[k])]);
      sum += term;
      size += std::abs(term);
    }
    const double terms = a.offsets[row + 1] - a.offsets[row];
    const double growth = terms > 256 ? std::sqrt(terms) : terms;
    y.push_back(sum);
    bound.push_back(size <= max
                        ? factor * growth * eps * size + terms * std::numeric_limits<Value>::denorm_min()
                        : std::numeric_limits<double>::infinity());
  }
}

void multiply(const expand_problem&, std::vector<double>&, std::vector<double>&) {}
void multiply(const update_problem&, std::vector<double>&, std::vector<double>&) {}
void multiply(const segments_problem& p, std::vector<double>& y, std::vector<double>& bound) {
  for (std::size_t t = 0; t + 1 < p.offsets.size(); ++t) {
    double sum = 0;
    for (int a = p.offsets[t]; a < p.offsets[t + 1]; ++a) {
      sum += static_cast<double>(p.values[static_cast<std::size_t>(a)]);
      if (p.scans) y.push_back(sum);
    }
    if (!p.scans) y.push_back(sum);
  }
  bound.resize(y.size()); // exact
}
template <class Value>
void multiply(const spmv_problem<Value>& p, std::vector<double>& y, std::vector<double>& bound) {
  multiply(p.a, p.x, y, bound);
}

} // namespace

reference::reference(const problem& p) : problem_(p) {
  std::visit([&](const auto& each) { multiply(each, y_, bound_); }, p);
}

std::optional<std::string> reference::first_error(const output& result) const {
  return std::visit([&](const auto& each) { return first_error(each); }, result);
}

std::optional<std::string> reference::first_error(const std::vector<int>& tile_of) const {
  const auto* updated = std::get_if<update_problem>(&problem_);
  const auto offsets = updated ? updated->offsets : std::get<expand_problem>(problem_).offsets;
  for (std::size_t tile = 0; tile + 1 < offsets.size(); ++tile)
    for (int atom = offsets[tile]; atom < offsets[tile + 1]; ++atom)
      if (const int found = tile_of[static_cast<std::size_t>(atom)]; found != static_cast<int>(tile))
        return fmt::format("the tile of atom {} is {}, but the result has {}", atom, tile, found);
  return {};
}

template <class Value> std::optional<std::string> reference::first_error(const std::vector<Value>& y) const {
  const auto* segments = std::get_if<segments_problem>(&problem_);
  for (std::size_t row = 0; row < y.size(); ++row) {
    if (!std::isfinite(bound_[row])) continue;
    const auto found = static_cast<double>(y[row]);
    if (std::abs(found - y_[row]) <= bound_[row]) continue;
    return fmt::format("{} {} is {:.9g}, but must be within {:.3g} of {:.9g}",
                       segments && segments->scans ? "atom" : "row", row, found, bound_[row], y_[row]);
  }
  return {};
}

} // namespace evenly::measure
