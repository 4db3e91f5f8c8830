// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

#include "io/input.hpp"
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

/// Matrices like those of applications, with 10^4 to 3 * 10^6 nonzeros, by family.
struct likeness_family {
  const char* name;
  std::vector<const char*> specs;
};
const std::vector<likeness_family>& likeness_families() {
  static const std::vector<likeness_family> all{
      {"banded-fem",
       {"grid:x=50,y=50", "grid:x=116,y=116", "grid:x=250,y=250", "grid:x=500,y=500", "grid:x=15,y=15,z=15",
        "grid:x=40,y=40,z=40", "grid:x=70,y=70,z=70", "band27:scale=0.0006", "band27:scale=0.006",
        "band27:scale=0.05", "banded:rows=3000,width=9", "banded:rows=16000,width=16",
        "banded:rows=100000,width=11", "banded:rows=5000,width=59"}},
      {"unstructured-fem",
       {"fem:nodes=2000,avg=6,reach=60", "fem:nodes=13000,avg=7,reach=150", "fem:nodes=65000,avg=6,reach=400",
        "fem:nodes=300000,avg=7,reach=800", "fem:nodes=1000,avg=14,reach=60,dofs=3",
        "fem:nodes=5000,avg=14,reach=150,dofs=3", "fem:nodes=15000,avg=14,reach=300,dofs=3",
        "fem:nodes=21000,avg=9,reach=300", "fem:nodes=600,avg=10,reach=40,dofs=6",
        "fem:nodes=4000,avg=12,reach=120,dofs=6", "fem:nodes=7000,avg=8,reach=150,dofs=6",
        "fem:nodes=156000,avg=13,reach=500", "fem:nodes=30000,avg=27,reach=600"}},
      {"lp",
       {"powerlaw:rows=2000,avg=6,sd=6,max=60", "powerlaw:rows=6000,avg=5,sd=12,max=600",
        "powerlaw:rows=20000,avg=9,sd=8,max=90", "powerlaw:rows=20000,avg=4,sd=30,max=3000",
        "powerlaw:rows=70000,avg=4,sd=5,max=100", "powerlaw:rows=70000,avg=12,sd=40,max=4000",
        "powerlaw:rows=200000,avg=3,sd=4,max=60", "powerlaw:rows=200000,avg=8,sd=60,max=9000",
        "powerlaw:rows=4000,avg=40,sd=80,max=2000", "powerlaw:rows=300000,avg=8,sd=6,max=50",
        "powerlaw:rows=1200,avg=110,sd=60,max=360"}},
      {"circuit",
       {"powerlaw:rows=3000,avg=6,sd=20,max=700,reach=100,far=20",
        "powerlaw:rows=13000,avg=6,sd=4,max=40,reach=200,far=20",
        "powerlaw:rows=13000,avg=6,sd=30,max=2500,reach=200,far=20",
        "powerlaw:rows=36000,avg=5,sd=9,max=500,reach=200,far=30",
        "powerlaw:rows=80000,avg=5,sd=3,max=30,reach=400,far=20",
        "powerlaw:rows=80000,avg=5,sd=40,max=8000,reach=400,far=20",
        "powerlaw:rows=170000,avg=6,sd=25,max=6000,reach=500,far=20",
        "powerlaw:rows=170000,avg=6,sd=130,max=40000,reach=500,far=20",
        "powerlaw:rows=400000,avg=4,sd=5,max=300,reach=500,far=10",
        "powerlaw:rows=7000,avg=5,sd=4,max=30,reach=300,far=40", "circuit5M:scale=0.005",
        "circuit5M:scale=0.03"}},
      {"sat",
       {"powerlaw:rows=5000,avg=3,sd=3,max=40", "powerlaw:rows=28000,avg=4,sd=3,max=17",
        "powerlaw:rows=28000,avg=4,sd=15,max=900", "powerlaw:rows=100000,avg=3,sd=2,max=12",
        "powerlaw:rows=100000,avg=3,sd=20,max=2500", "powerlaw:rows=400000,avg=3,sd=6,max=900",
        "powerlaw:rows=12000,avg=8,sd=40,max=2000", "powerlaw:rows=50000,avg=20,sd=100,max=8000",
        "powerlaw:rows=115000,avg=2,sd=1,max=6"}},
      {"chemistry",
       {"fem:nodes=2500,avg=60,reach=300", "fem:nodes=5000,avg=59,reach=500",
        "fem:nodes=17000,avg=50,reach=3000", "fem:nodes=17000,avg=150,reach=3000",
        "fem:nodes=500,avg=300,reach=400", "powerlaw:rows=5000,avg=40,sd=30,max=300,reach=1000",
        "powerlaw:rows=20000,avg=60,sd=50,max=600,reach=3000",
        "powerlaw:rows=33000,avg=70,sd=90,max=1200,reach=5000",
        "powerlaw:rows=9000,avg=20,sd=12,max=120,reach=500",
        "powerlaw:rows=1000,avg=100,sd=80,max=600,reach=300"}},
      {"k-nn",
       {"fem:nodes=2000,avg=10,reach=500", "fem:nodes=10000,avg=10,reach=1500",
        "fem:nodes=21000,avg=20,reach=3000", "fem:nodes=60000,avg=16,reach=5000",
        "fem:nodes=130000,avg=20,reach=9000", "powerlaw:rows=5000,avg=12,sd=5,max=50,reach=700",
        "powerlaw:rows=21000,avg=9,sd=3,max=40,reach=2000",
        "powerlaw:rows=50000,avg=14,sd=8,max=90,reach=3000",
        "powerlaw:rows=110000,avg=20,sd=12,max=200,reach=5000", "regular:rows=20000,size=10",
        "regular:rows=100000,size=16"}},
      {"web",
       {"powerlaw:rows=5000,avg=8,sd=25,max=600,reach=200,far=25",
        "powerlaw:rows=10000,avg=24,sd=70,max=1500,reach=200,far=25",
        "powerlaw:rows=30000,avg=12,sd=40,max=1800,reach=300,far=25",
        "powerlaw:rows=82000,avg=12,sd=40,max=2500,reach=300,far=25",
        "powerlaw:rows=100000,avg=30,sd=90,max=3700,reach=300,far=25",
        "powerlaw:rows=280000,avg=8,sd=30,max=9000,reach=300,far=25",
        "powerlaw:rows=60000,avg=40,sd=250,max=12000,reach=500,far=30", "web-NotreDame:scale=0.03",
        "web-NotreDame:scale=0.2", "web-NotreDame:scale=0.6",
        "powerlaw:rows=20000,avg=90,sd=200,max=4000,reach=300,far=20",
        "powerlaw:rows=3000,avg=6,sd=30,max=900,reach=100,far=20"}},
      {"citation",
       {"powerlaw:rows=6000,avg=5,sd=8,max=170",
        "powerlaw:rows=27000,avg=13,sd=20,max=2000,reach=3000,far=50",
        "powerlaw:rows=34000,avg=12,sd=16,max=800,reach=3000,far=50", "cit-Patents:scale=0.005",
        "cit-Patents:scale=0.03", "cit-Patents:scale=0.15", "rmat:scale=11,edges=8", "rmat:scale=14,edges=9",
        "rmat:scale=15,edges=16", "rmat:scale=17,edges=7", "powerlaw:rows=5000,avg=11,sd=40,max=800"}},
      {"road",
       {"great-britain_osm:scale=0.001", "great-britain_osm:scale=0.01", "great-britain_osm:scale=0.06",
        "great-britain_osm:scale=0.15"}}};
  return all;
}

void add_likenesses_of_applications(texts& all) {
  for (const likeness_family& each : likeness_families())
    all.insert(all.end(), each.specs.begin(), each.specs.end());
}

} // namespace

std::string choices_family(const std::string& input) {
  for (const likeness_family& each : likeness_families())
    if (std::ranges::count(each.specs, std::string_view(input)) > 0) return each.name;
  const std::string name = io::short_name(input);
  return name.substr(0, name.find(':'));
}

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
  add_likenesses_of_applications(all);
  // Separates neighbours as far as possible: by a step that is coprime to the number of sets.
  std::size_t step = all.size() * 5 / 8;
  while (std::gcd(step, all.size()) != 1) ++step;
  texts mixed;
  for (std::size_t i = 0; i < all.size(); ++i) mixed.push_back(all[i * step % all.size()]);
  return mixed;
}

} // namespace evenly::study
