// SPDX-License-Identifier: Apache-2.0
// Figures 1 and 2 of the course on reductions and prefix sums (docs/ladder.md): each lane of a warp accesses a word of
// 4 bytes. The costs are by the rules of the simulated GPU (trace/detail/block_trace.hpp).
#include "explain/patterns.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>

#include <fmt/format.h>

#include "evenly/core/index.hpp"
#include "evenly/trace/detail/block_trace.hpp"
#include "json/value.hpp"
#include "measure/machine.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "report/table.hpp"

namespace evenly::explaining {

using evenly::report::table;
using measure::commit, measure::print, measure::result_file, measure::utc_now;

namespace {

constexpr int lanes = 32, word_bytes = 4, sector_bytes = 32;

struct pattern {
  const char* name;
  const char* words; ///< of lane i
  int (*word)(int lane);
};

constexpr std::array in_memory{
    pattern{"aligned", "i", [](int i) { return i; }},
    pattern{"permuted in 128 bytes", "(11 i + 7) mod 32", [](int i) { return (11 * i + 7) % 32; }},
    pattern{"offset 1", "i + 1", [](int i) { return i + 1; }},
    pattern{"offset 8", "i + 8", [](int i) { return i + 8; }},
    pattern{"offset 16", "i + 16", [](int i) { return i + 16; }},
    pattern{"stride 2", "2 i", [](int i) { return 2 * i; }},
    pattern{"stride 3", "3 i", [](int i) { return 3 * i; }},
    pattern{"stride 8", "8 i", [](int i) { return 8 * i; }},
    pattern{"stride 32", "32 i", [](int i) { return 32 * i; }},
    pattern{"one word", "0", [](int) { return 0; }},
};

constexpr std::array in_storage{
    pattern{"linear", "i", [](int i) { return i; }},
    pattern{"stride 2", "2 i", [](int i) { return 2 * i; }},
    pattern{"stride 3", "3 i", [](int i) { return 3 * i; }},
    pattern{"stride 16", "16 i", [](int i) { return 16 * i; }},
    pattern{"stride 32", "32 i", [](int i) { return 32 * i; }},
    pattern{"stride 32, padded", "32 i + i", [](int i) { return 33 * i; }},
    pattern{"random permutation", "(11 i + 7) mod 32", [](int i) { return (11 * i + 7) % 32; }},
    pattern{"broadcast", "5", [](int) { return 5; }},
    pattern{"partial broadcast", "i if i is even, else 5", [](int i) { return i % 2 == 0 ? i : 5; }},
    pattern{"two words of a bank", "32 (i mod 2)", [](int i) { return 32 * (i % 2); }},
};

std::array<std::uint64_t, 64> addresses_of(const pattern& each) {
  std::array<std::uint64_t, 64> addresses{};
  for (int lane = 0; lane < lanes; ++lane)
    addresses[static_cast<std::size_t>(lane)] = static_cast<std::uint64_t>(each.word(lane) * word_bytes);
  return addresses;
}

/// The same rule for 16 banks, as before 2010 (compute capability 1.x): half a warp takes part at a time.
detail::wavefronts wavefronts_of_16_banks(const std::array<std::uint64_t, 64>& addresses) {
  constexpr std::size_t banks = 16;
  detail::wavefronts all;
  for (std::size_t first = 0; first < lanes; first += banks) {
    std::array<std::set<std::uint64_t>, banks> needed;
    for (std::size_t lane = first; lane < first + banks; ++lane)
      needed[addresses[lane] / word_bytes % banks].insert(addresses[lane] / word_bytes);
    all.taken += static_cast<std::int64_t>(
        std::ranges::max_element(needed, {}, &std::set<std::uint64_t>::size)->size());
    ++all.min;
  }
  return all;
}

std::string memory_table(result_file& file) {
  table made({"memory", "word of lane i", "128-byte lines", "32-byte sectors", "of their bytes used"},
             {-24, -24, 16, 16, 20});
  for (const pattern& each : in_memory) {
    auto addresses = addresses_of(each);
    const detail::touched_sectors touched(addresses.data(), first_lanes(lanes));
    const auto words = static_cast<std::int64_t>(detail::objects_of(addresses.data(), first_lanes(lanes)));
    const double used =
        static_cast<double>(words * word_bytes) / static_cast<double>(touched.count * sector_bytes);
    made.row({each.name, each.words, std::to_string(touched.lines()), std::to_string(touched.count),
              fmt::format("{:.0f}%", 100 * used)});
    file.add({{"memory", each.name},
              {"word", each.words},
              {"lines", touched.lines()},
              {"sectors", touched.count},
              {"used_bytes", used}});
  }
  return made.text();
}

std::string storage_table(result_file& file) {
  table made(
      {"shared memory", "word of lane i", "passes, 32 banks", "conflicts", "passes, 16 banks", "conflicts"},
      {-24, -24, 17, 10, 17, 10});
  for (const pattern& each : in_storage) {
    const auto addresses = addresses_of(each);
    json::value result{{"shared", each.name}, {"word", each.words}};
    table::cells cells{each.name, each.words};
    for (const std::uint32_t banks : {32U, 16U}) {
      const detail::wavefronts of =
          banks == 32 ? detail::wavefronts_of(addresses.data(), first_lanes(lanes), word_bytes)
                      : wavefronts_of_16_banks(addresses);
      cells.push_back(std::to_string(of.taken));
      cells.push_back(of.taken == of.min ? "none" : fmt::format("{}-way", of.taken / of.min));
      result[fmt::format("passes_{}_banks", banks)] = of.taken;
      result[fmt::format("min_passes_{}_banks", banks)] = of.min;
    }
    made.row(cells);
    file.add(result);
  }
  return made.text();
}

} // namespace

void explain_patterns(const std::string& json) {
  result_file file(
      json, [] { return json::value{{"date", utc_now()}, {"commit", commit()}, {"executor", "simt"}}; },
      "patterns");
  std::string text;
  file.measure("patterns", [&] {
    text = "accesses of a warp of 32 lanes, a word of 4 bytes each\n" + memory_table(file) + '\n' +
           storage_table(file) +
           "  passes: a bank gives one word at a time, to all lanes that need it; with 16 banks (before "
           "2010) half\n"
           "  a warp takes part at a time, so 2 passes are without conflicts\n";
  });
  print(json == "-" ? stderr : stdout, text);
  file.finish();
}

} // namespace evenly::explaining
