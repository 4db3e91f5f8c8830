// SPDX-License-Identifier: Apache-2.0
#include "cli/statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "evenly/core/index.hpp"

namespace evenly::cli {
namespace {

std::vector<int> sizes_of(std::span<const int> offsets) {
  std::vector<int> sizes(offsets.size() - 1);
  for (std::size_t tile = 0; tile < sizes.size(); ++tile) sizes[tile] = offsets[tile + 1] - offsets[tile];
  return sizes;
}

double warp_balance(const std::vector<int>& sizes) {
  constexpr std::size_t warp = 32;
  std::int64_t atoms = 0;
  std::int64_t slots = 0;
  for (std::size_t first = 0; first < sizes.size(); first += warp) {
    const auto tiles = std::span(sizes).subspan(first, std::min(warp, sizes.size() - first));
    atoms += std::accumulate(tiles.begin(), tiles.end(), std::int64_t{0});
    slots += std::int64_t{warp} * *std::ranges::max_element(tiles);
  }
  return slots > 0 ? static_cast<double>(atoms) / static_cast<double>(slots) : 1;
}

double deviation(const std::vector<int>& sizes, double average) {
  double sum = 0;
  for (const int size : sizes) sum += (size - average) * (size - average);
  return std::sqrt(sum / static_cast<double>(sizes.size()));
}

std::vector<size_class> histogram(const std::vector<int>& sizes, int longest) {
  std::vector<size_class> classes{{0, 0, 0, 0}};
  for (std::int64_t from = 1; from <= longest; from *= 2)
    classes.push_back({static_cast<int>(from), static_cast<int>(2 * from - 1), 0, 0});
  for (const int size : sizes) {
    size_class& each = classes[static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(size)))];
    ++each.tiles;
    each.atoms += size;
  }
  return classes;
}

std::vector<quantile> quantiles(const std::vector<int>& ascending) {
  std::vector<quantile> found;
  for (const double fraction : {0.0, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999}) {
    const auto rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(ascending.size())));
    found.push_back({fraction, ascending[rank > 0 ? rank - 1 : 0]});
  }
  return found;
}

} // namespace

tile_statistics count_tiles(std::span<const int> offsets) {
  tile_statistics s;
  std::vector<int> sizes = sizes_of(offsets);
  s.tiles = static_cast<std::int64_t>(sizes.size());
  s.atoms = offsets.back();
  if (sizes.empty()) return s;
  s.average = static_cast<double>(s.atoms) / static_cast<double>(s.tiles);
  s.deviation = deviation(sizes, s.average);
  s.warp_balance = warp_balance(sizes);
  std::ranges::sort(sizes);
  s.longest = sizes.back();
  s.empty = std::ranges::upper_bound(sizes, 0) - sizes.begin();
  s.histogram = histogram(sizes, s.longest);
  s.quantiles = quantiles(sizes);
  const auto largest = std::span(sizes).last(ceil_div<std::size_t>(sizes.size(), 100));
  if (s.atoms > 0)
    s.share_of_largest_percent =
        static_cast<double>(std::accumulate(largest.begin(), largest.end(), std::int64_t{0})) /
        static_cast<double>(s.atoms);
  return s;
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
  const std::string warps = fmt::format(
      "A warp that takes 32 tiles, one a thread, is busy {:.0f}% of the time", 100 * s.warp_balance);
  if (s.longest_share() >= 0.01)
    return fmt::format(
        "{}. The longest tile alone is {:.1f}% of the work: who takes tiles whole can keep at most {:.1f} "
        "threads busy.",
        warps, 100 * s.longest_share(), 1 / s.longest_share());
  if (s.warp_balance >= 0.9) return warps + ": sizes are alike, and tiles can be dealt whole.";
  if (s.empty_share() >= 0.5)
    return fmt::format("{}; {:.0f}% of the tiles are empty, and cost their offsets only.", warps,
                       100 * s.empty_share());
  return fmt::format("{}: sizes differ, and sharing atoms rather than tiles evens them out.", warps);
}

} // namespace evenly::cli
