// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

#include "study/study.hpp"

namespace evenly::study {
namespace {

using texts = std::vector<std::string>;

/// Tile sets with tiles of equal size.
void add_regular(texts& all) {
  for (const int size : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 100, 128, 200, 256, 500, 1'000, 4'000})
    for (const double atoms : {1e3, 2e4, 2e5, 2e6, 2e7}) {
      const auto rows = static_cast<std::int64_t>(atoms / size);
      if (rows >= size) all.push_back(fmt::format("regular:rows={},size={}", rows, size));
    }
}

/// Combinations of average, spread, longest tile and number of tiles.
void add_spread(texts& all) {
  int seed = 1;
  for (const double average : {2.0, 3.0, 6.0, 12.0, 30.0, 80.0, 250.0})
    for (const double spread : {0.3, 1.0, 3.0, 10.0})
      for (const double atoms : {3e4, 3e5, 3e6, 2e7}) {
        const auto rows = static_cast<std::int64_t>(atoms / average);
        const double deviation = average * spread;
        // A single longest row alone gives a deviation of longest / sqrt(rows).
        const double longest =
            std::floor(std::min({static_cast<double>(rows), average + (seed % 3 == 0 ? 100 : 15) * deviation,
                                 0.9 * deviation * std::sqrt(static_cast<double>(rows))}));
        if (longest < average + 4 * deviation || deviation > 0.8 * std::sqrt(average * longest)) continue;
        all.push_back(fmt::format("powerlaw:rows={},avg={},sd={:.4g},max={},seed={}", rows, average,
                                  deviation, longest, seed++));
      }
}

void add_graphs(texts& all) {
  for (const int scale : {8, 11, 14, 16, 18, 20})
    for (const int edges : {2, 6, 16, 40}) {
      if (scale == 20 && edges > 16) continue;
      all.push_back(fmt::format("rmat:scale={},edges={}", scale, edges));
    }
  for (const int scale : {13, 17, 19}) // nearly uniform
    all.push_back(fmt::format("rmat:scale={},edges=12,a=0.3,b=0.25,c=0.25,d=0.2", scale));
}

/// Tile sets with neighbours in memory.
void add_local(texts& all) {
  for (const int side : {6, 20, 60, 150, 300, 700, 1'500, 3'000})
    all.push_back(fmt::format("grid:x={},y={}", side, side));
  for (const int side : {5, 12, 25, 50, 90, 150, 220})
    all.push_back(fmt::format("grid:x={},y={},z={}", side, side, side));
  for (const int width : {1, 3, 9, 27, 81, 243})
    for (const double atoms : {1e4, 3e5, 3e6, 2e7})
      all.push_back(
          fmt::format("banded:rows={},width={}", static_cast<std::int64_t>(atoms / width) + width, width));
}

/// One tile, one column, and sizes in between.
void add_dense(texts& all) {
  constexpr std::array<std::pair<std::int64_t, std::int64_t>, 24> sizes{
      {{1, 100},       {1, 10'000},     {1, 1'000'000}, {1, 20'000'000}, {100, 1},       {10'000, 1},
       {1'000'000, 1}, {20'000'000, 1}, {4, 500'000},   {30, 30},        {30, 10'000},   {30, 300'000},
       {130, 1'000},   {130, 50'000},   {500, 500},     {500, 20'000},   {2'000, 2'000}, {2'000, 100},
       {10'000, 300},  {10'000, 30},    {100'000, 10},  {100'000, 100},  {1'000'000, 5}, {1'000'000, 20}}};
  for (const auto& [rows, columns] : sizes)
    all.push_back(fmt::format("dense:rows={},cols={}", rows, columns));
}

/// Tile sets in which one tile has much of the work, or most tiles are empty.
void add_uneven(texts& all) {
  for (const auto& [rows, max] : std::initializer_list<std::pair<const char*, const char*>>{{"300", "1e3"},
                                                                                            {"1e4", "3e3"},
                                                                                            {"1e4", "1e5"},
                                                                                            {"1e5", "1e4"},
                                                                                            {"1e5", "1e5"},
                                                                                            {"1e5", "1e6"},
                                                                                            {"1e6", "1e4"},
                                                                                            {"1e6", "1e5"},
                                                                                            {"1e6", "1e6"},
                                                                                            {"1e6", "4e6"},
                                                                                            {"5e6", "1e5"},
                                                                                            {"5e6", "2e6"},
                                                                                            {"1e7", "1e7"}})
    all.push_back(fmt::format("one-dense-row:rows={},long={}", rows, max));
  for (const char* rows : {"1e3", "3e4", "2e5", "1e6", "3e6", "8e6", "2e7"})
    all.push_back(fmt::format("mostly-empty:rows={}", rows));
}

void add_likenesses(texts& all) {
  for (const char* name : {"great-britain_osm", "cit-Patents", "web-NotreDame", "circuit5M", "as-Skitter",
                           "kron_g500-logn20", "band27"})
    for (const char* scale : {"1", "0.3", "0.1", "0.02", "0.003"})
      all.push_back(fmt::format("{}:scale={}", name, scale));
}

} // namespace

std::vector<std::string> choices_corpus(bool quick) {
  if (quick)
    return {"regular:rows=2000,size=8", "powerlaw:rows=2000,avg=6,sd=20,max=600",
            "one-dense-row:rows=1e4,long=3e3", "grid:x=60,y=60", "mostly-empty:rows=2e4"};
  texts all;
  add_regular(all);
  add_spread(all);
  add_graphs(all);
  add_local(all);
  add_dense(all);
  add_uneven(all);
  add_likenesses(all);
  // Separates neighbours as far as possible: by a step that is coprime to the number of sets.
  std::size_t step = all.size() * 5 / 8;
  while (std::gcd(step, all.size()) != 1) ++step;
  texts mixed;
  for (std::size_t i = 0; i < all.size(); ++i) mixed.push_back(all[i * step % all.size()]);
  return mixed;
}

} // namespace evenly::study
