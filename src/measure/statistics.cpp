// SPDX-License-Identifier: Apache-2.0
#include "measure/statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "evenly/core/index.hpp"

namespace evenly::measure {
namespace {

double warp_balance(const generate::row_profile& rows, std::int64_t atoms) {
  constexpr int warp = 32;
  std::int64_t slots = 0;
  int first = -1; // first tile of the warp
  int longest = 0;
  for (const generate::filled_row& each : rows.filled) {
    if (const int start = each.row / warp * warp; start != first) {
      slots += std::int64_t{warp} * longest;
      first = start;
      longest = 0;
    }
    longest = std::max(longest, each.size);
  }
  slots += std::int64_t{warp} * longest;
  return slots > 0 ? static_cast<double>(atoms) / static_cast<double>(slots) : 1;
}

/// `sizes`: of the non-empty tiles, in ascending order; likewise below.
double deviation(const std::vector<int>& sizes, std::int64_t empty, double average) {
  double sum = static_cast<double>(empty) * average * average;
  for (const int size : sizes) sum += (size - average) * (size - average);
  return std::sqrt(sum / static_cast<double>(static_cast<std::int64_t>(sizes.size()) + empty));
}

std::vector<size_class> histogram(const std::vector<int>& sizes, std::int64_t empty, int longest) {
  std::vector<size_class> classes{{0, 0, empty, 0}};
  for (std::int64_t from = 1; from <= longest; from *= 2)
    classes.push_back({static_cast<int>(from), static_cast<int>(2 * from - 1), 0, 0});
  for (const int size : sizes) {
    size_class& each = classes[static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(size)))];
    ++each.tiles;
    each.atoms += size;
  }
  return classes;
}

std::vector<quantile> quantiles(const std::vector<int>& sizes, std::int64_t empty) {
  const auto tiles = static_cast<double>(static_cast<std::int64_t>(sizes.size()) + empty);
  std::vector<quantile> found;
  for (const double fraction : {0.0, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999}) {
    const auto rank = std::max<std::int64_t>(1, std::llround(std::ceil(fraction * tiles)));
    found.push_back({fraction, rank > empty ? sizes[static_cast<std::size_t>(rank - empty - 1)] : 0});
  }
  return found;
}

} // namespace

tile_statistics count_tiles(const generate::row_profile& rows) {
  tile_statistics s;
  s.tiles = rows.rows;
  if (s.tiles == 0) return s;
  std::vector<int> sizes;
  sizes.reserve(rows.filled.size());
  for (const generate::filled_row& each : rows.filled) {
    sizes.push_back(each.size);
    s.atoms += each.size;
  }
  std::ranges::sort(sizes);
  s.empty = s.tiles - static_cast<std::int64_t>(sizes.size());
  s.longest = sizes.empty() ? 0 : sizes.back();
  s.average = static_cast<double>(s.atoms) / static_cast<double>(s.tiles);
  s.deviation = deviation(sizes, s.empty, s.average);
  s.warp_balance = warp_balance(rows, s.atoms);
  s.histogram = histogram(sizes, s.empty, s.longest);
  s.quantiles = quantiles(sizes, s.empty);
  const auto percent = static_cast<std::size_t>(ceil_div<std::int64_t>(s.tiles, 100));
  const auto largest = std::span(sizes).last(std::min(sizes.size(), percent));
  if (s.atoms > 0)
    s.share_of_largest_percent =
        static_cast<double>(std::accumulate(largest.begin(), largest.end(), std::int64_t{0})) /
        static_cast<double>(s.atoms);
  return s;
}

tile_statistics count_tiles(std::span<const int> offsets) {
  return count_tiles({static_cast<int>(offsets.size() - 1), 0, generate::filled_rows(offsets)});
}

double run_imbalance(std::span<const int> offsets, int parts) {
  const auto tiles = static_cast<std::int64_t>(offsets.size()) - 1;
  const std::int64_t atoms = offsets.back();
  if (atoms == 0) return 1;
  const auto offset_of = [&](std::int64_t part) -> std::int64_t {
    return offsets[static_cast<std::size_t>(tiles * part / parts)];
  };
  std::int64_t fullest = 0;
  for (int part = 0; part < parts; ++part) fullest = std::max(fullest, offset_of(part + 1) - offset_of(part));
  return static_cast<double>(fullest) * parts / static_cast<double>(atoms);
}

std::string describe_balance(const tile_statistics& s) {
  if (s.atoms == 0) return "There is no work: all tiles are empty.";
  const std::string warps =
      fmt::format("Warps with one tile per thread are busy {:.0f}% of the time", 100 * s.warp_balance);
  if (s.longest_share() >= 0.01)
    return fmt::format("{}. The longest tile alone is {:.1f}% of the work: a schedule of whole tiles can "
                       "keep at most {:.1f} threads busy.",
                       warps, 100 * s.longest_share(), 1 / s.longest_share());
  if (s.warp_balance >= 0.9)
    return warps + ": tile sizes are similar, so schedules of whole tiles are balanced.";
  if (s.empty_share() >= 0.5)
    return fmt::format("{}; {:.0f}% of the tiles are empty and cost only their offsets.", warps,
                       100 * s.empty_share());
  return fmt::format("{}: tile sizes differ, so schedules that distribute atoms are better balanced.", warps);
}

} // namespace evenly::measure
