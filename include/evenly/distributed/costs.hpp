// SPDX-License-Identifier: Apache-2.0
// costs_of: what each of any number of ranks would hold and send in a product, computed on paper.
//
//   const auto costs = evenly::distributed::costs_of(csr, 1000);
//   const auto summary = evenly::distributed::summary_of(costs, sizeof(double));  // summary.imbalance, ...
//
// A test compares the costs with those of real matrices on ranks (matrix.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/distributed/split.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/work/csr.hpp"

namespace evenly::distributed {

/// How a matrix is distributed.
struct matrix_options {
  split_options split;
  /// The ranges of x. By default those of the rows if the matrix is square, otherwise equal ones.
  std::optional<ranges> columns;
};

/// What one rank holds and sends in a product.
struct rank_costs {
  std::int64_t rows = 0;
  std::int64_t entries = 0;
  std::int64_t own = 0;     ///< elements of x that it owns
  std::int64_t needed = 0;  ///< elements of x that other ranks have
  std::int64_t sources = 0; ///< ranks that have them
  std::int64_t sent = 0;    ///< elements of x that other ranks need, counted once for each
  std::int64_t targets = 0; ///< ranks that need them
  std::int64_t carries = 0; ///< partial sums of shared rows that it sends

  bool operator==(const rank_costs&) const = default;
};

namespace detail {

/// Returns the split of a matrix's rows, and the ranges of x.
template <class Offset>
std::pair<split_plan, ranges> plan_of(const csr_tile_set<Offset>& rows, int cols, int parts,
                                      const matrix_options& how) {
  split_plan plan = split(rows, parts, how.split);
  ranges columns = how.columns            ? *how.columns
                   : rows.tiles() == cols ? stored_tiles(plan)
                                          : ranges::equal(cols, parts);
  require(columns.total() == cols && columns.ranks() == parts, [&] {
    return evenly::detail::concat("ranges of ", columns.total(), " columns on ", columns.ranks(),
                                  " ranks are given for a matrix of ", cols, " columns on ", parts, " ranks");
  });
  return {std::move(plan), std::move(columns)};
}
/// The rows of a matrix, whose sizes are checked.
template <class Value, class Offset> csr_tile_set<Offset> checked_rows(const csr_view<Value, Offset>& a) {
  evenly::detail::check_matrix_sizes(a.rows, a.cols);
  return csr_tile_set<Offset>(a.offsets, a.rows);
}

/// The entries of a part, on the host. `first`: the number of the first among all; columns are those of the matrix.
template <class Value> struct part_entries {
  std::int64_t first = 0;
  std::span<const int> columns;
  std::span<const Value> values;
};
/// The entries of a part of a whole matrix.
template <class Value, class Offset>
part_entries<Value> entries_of_part(const csr_view<Value, Offset>& a, const split_plan& plan, int part) {
  const auto count = static_cast<std::size_t>(plan.atoms_of(part));
  if (count == 0) return {};
  const std::int64_t first = static_cast<std::int64_t>(a.offsets[0]) + plan.begin(part).atom;
  return {first, {a.columns + first, count}, {a.values + first, count}};
}

/// Calls visit(column) for each column outside of its own that the entries of a part need, in no order.
/// `last_part`: for each column, -1 before the first call.
template <class Value, class Visit>
void for_each_needed(const part_entries<Value>& of, const ranges& columns, int part,
                     std::vector<int>& last_part, const Visit& visit) {
  for (std::size_t k = 0; k < of.columns.size(); ++k) {
    const int column = of.columns[k];
    require(column >= 0 && column < columns.total(), [&] {
      return evenly::detail::concat("columns[", of.first + static_cast<std::int64_t>(k), "] = ", column,
                                    ": must be from 0 to ", columns.total() - 1);
    });
    int& seen = last_part[static_cast<std::size_t>(column)];
    if (seen == part) continue;
    seen = part;
    if (column < columns.begin(part) || column >= columns.end(part)) visit(column);
  }
}

} // namespace detail

/// Returns what each of `parts` ranks would hold and send, without distributing anything: a simulation on paper, for
/// any number of ranks.
///
/// - Cost: O(entries + parts log rows) time, O(columns) memory.
template <class Value, class Offset>
std::vector<rank_costs> costs_of(const csr_view<Value, Offset>& a, int parts,
                                 const matrix_options& how = {}) {
  const auto [plan, columns] = detail::plan_of(detail::checked_rows(a), a.cols, parts, how);
  std::vector<rank_costs> all(static_cast<std::size_t>(parts));
  std::vector<int> last_part(static_cast<std::size_t>(a.cols), -1),
      last_pair(static_cast<std::size_t>(parts), -1);
  for (int p = 0; p < parts; ++p) {
    rank_costs& mine = all[static_cast<std::size_t>(p)];
    mine.rows = plan.tiles_of(p);
    mine.entries = plan.atoms_of(p);
    mine.own = columns.size(p);
    for (const carry_source& from : plan.carry_sources(p))
      all[static_cast<std::size_t>(from.rank)].carries += from.groups;
    detail::for_each_needed(detail::entries_of_part(a, plan, p), columns, p, last_part, [&](int column) {
      const auto owner = static_cast<std::size_t>(columns.owner(column));
      ++mine.needed;
      ++all[owner].sent;
      if (last_pair[owner] == p) return;
      last_pair[owner] = p;
      ++mine.sources;
      ++all[owner].targets;
    });
  }
  return all;
}

/// The sums and maxima over the ranks.
struct cost_summary {
  int ranks = 0;
  double imbalance = 1; ///< rows and entries of the largest rank over those of the average
  std::int64_t max_entries = 0;
  std::int64_t max_messages = 0; ///< that a rank sends in a product
  std::int64_t max_sent = 0;     ///< values that a rank sends
  std::int64_t max_received = 0; ///< elements of x that a rank receives
  std::int64_t sent = 0;         ///< values that all ranks send
  std::int64_t max_bytes = 0;    ///< memory of a rank: offsets of 4 bytes, columns, values, x and y
};

/// Returns the summary of costs for values of `value_bytes` bytes.
inline cost_summary summary_of(std::span<const rank_costs> costs, std::size_t value_bytes) {
  cost_summary all;
  all.ranks = static_cast<int>(costs.size());
  std::int64_t steps = 0, max_steps = 0;
  for (const rank_costs& each : costs) {
    steps += each.rows + each.entries;
    max_steps = larger(max_steps, each.rows + each.entries);
    all.max_entries = larger(all.max_entries, each.entries);
    all.max_messages = larger(all.max_messages, each.targets + (each.carries > 0 ? 1 : 0));
    all.max_sent = larger(all.max_sent, each.sent + each.carries);
    all.max_received = larger(all.max_received, each.needed);
    all.sent += each.sent + each.carries;
    const auto size = static_cast<std::int64_t>(value_bytes);
    all.max_bytes = larger(all.max_bytes, each.rows * (4 + size) + each.entries * (4 + size) +
                                              (each.own + each.needed) * size + each.sent * 4);
  }
  if (steps > 0)
    all.imbalance =
        static_cast<double>(max_steps) * static_cast<double>(all.ranks) / static_cast<double>(steps);
  return all;
}

/// Returns a line per rank: what it holds, receives and sends in a product, for values of `value_bytes` bytes; then the
/// imbalance.
inline std::string explain(std::span<const rank_costs> costs, std::size_t value_bytes) {
  const auto bytes = [&](std::int64_t values) { return values * static_cast<std::int64_t>(value_bytes); };
  std::string text;
  for (std::size_t r = 0; r < costs.size(); ++r) {
    const rank_costs& of = costs[r];
    text +=
        evenly::detail::concat("rank ", r, ": ", of.rows, " rows, ", of.entries, " entries; receives ",
                               bytes(of.needed), " bytes from ", of.sources, " ranks; sends ", bytes(of.sent),
                               " bytes to ", of.targets, " ranks, and ", of.carries, " partial sums\n");
  }
  char line[32];
  std::snprintf(line, sizeof line, "imbalance %.2f\n", summary_of(costs, value_bytes).imbalance);
  return text + line;
}

/// Speeds of a machine, from which the time of a product is predicted.
struct machine_speeds {
  double ns_per_step = 0;    ///< of one rank, for each row and each entry
  double us_per_message = 0; ///< from a rank to another
  double gb_per_second = 0;  ///< out of a rank
};
/// Returns the predicted microseconds of a product: the largest rank's steps, then the most messages of a rank one
/// after the other, and the most bytes. It overlaps nothing.
inline double predicted_us(std::span<const rank_costs> costs, std::size_t value_bytes,
                           const machine_speeds& of) {
  double compute = 0, exchange = 0;
  for (const rank_costs& each : costs) {
    compute = std::max(compute, static_cast<double>(each.rows + each.entries) * of.ns_per_step * 1e-3);
    const auto messages = static_cast<double>(each.targets + (each.carries > 0 ? 1 : 0));
    const auto bytes = static_cast<double>(each.sent + each.carries) * static_cast<double>(value_bytes);
    exchange = std::max(exchange, messages * of.us_per_message + bytes / (of.gb_per_second * 1e3));
  }
  return compute + exchange;
}

/// Returns which of several numbers of ranks, in ascending order, to use, by the times predicted for each: a larger one
/// only if it takes less than 0.9 of the time.
inline std::size_t worthwhile_ranks(std::span<const double> predicted) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < predicted.size(); ++i)
    if (predicted[i] < 0.9 * predicted[best]) best = i;
  return best;
}

} // namespace evenly::distributed
