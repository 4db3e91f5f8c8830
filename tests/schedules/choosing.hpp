// SPDX-License-Identifier: Apache-2.0
// Correct summaries of tile sets, and correct plans with a chosen schedule, on any executor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/collect_atoms.hpp"
#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/group_mapped.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"
#include "laws/tile_sets.hpp"
#include "schedules/planning_laws.hpp"

namespace evenly::laws {

/// Chooses the candidate `index`.
struct nth_of_three {
  std::size_t index = 0;
  bool looks_at_sizes = true;

  template <class Executor> auto candidates(const Executor&) const {
    return std::tuple{named_schedule<thread_mapped>{"thread_mapped", {}},
                      named_schedule<merge_path<>>{"merge_path", {}},
                      named_schedule<group_mapped<32>>{"group_mapped<32>", {}}};
  }
  bool wants_sizes(std::int64_t) const { return looks_at_sizes; }
  template <class Executor> choice choose(const Executor&, const choice_facts& facts) const {
    return {index, std::to_string(facts.tiles.tiles) + " tiles, " + std::to_string(facts.tiles.atoms) +
                       " atoms" +
                       (facts.is_summarized ? ", longest " + std::to_string(facts.tiles.longest) : "") +
                       (facts.is_for_one_run ? ", once" : "")};
  }
};

/// By loops over tiles, as the members of tile_summary are described.
inline tile_summary summary_by_hand(const std::vector<std::int64_t>& offsets) {
  tile_summary all;
  all.tiles = static_cast<std::int64_t>(offsets.size()) - 1;
  all.atoms = offsets.back() - offsets.front();
  const auto size_of = [&](std::size_t t) { return offsets[t + 1] - offsets[t]; };
  const auto tiles = static_cast<std::size_t>(all.tiles);
  const std::vector<std::int64_t> ends{1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096};
  for (std::size_t t = 0; t < tiles; ++t) {
    const std::int64_t size = size_of(t);
    all.longest = std::max(all.longest, size);
    all.empty += size == 0;
    all.squares += static_cast<double>(size) * static_cast<double>(size);
    all.rounds8 += (size + 7) / 8;
    all.rounds32 += (size + 31) / 32;
    ++all.classes[static_cast<std::size_t>(std::ranges::upper_bound(ends, size) - ends.begin())];
  }
  for (std::size_t t = 0; t < tiles; t += 32) {
    std::int64_t longest = 0;
    for (std::size_t i = t; i < std::min(t + 32, tiles); ++i) longest = std::max(longest, size_of(i));
    all.warp_steps += longest;
  }
  for (std::size_t t = 0; t < tiles; t += 256)
    all.heaviest_block = std::max(all.heaviest_block, offsets[std::min(t + 256, tiles)] - offsets[t]);
  return all;
}

inline std::vector<named_tiles> sets_to_summarize() {
  std::vector<named_tiles> sets = adversarial_tile_sets(256);
  sets.push_back(random_runs(3'000, 300, 1));
  sets.push_back(random_runs(70'000, 40, 2));
  for (const std::int64_t tiles : {1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 9'000})
    sets.push_back(
        tile_sizes().add(power_law(tiles, 9'000, 5)).named(std::to_string(tiles) + " by a power law", 11));
  for (const std::int64_t size : {1, 2, 3, 4, 127, 128, 255, 256, 1023, 1024, 4095, 4096})
    sets.push_back(tile_sizes().add(40, size).named("tiles of " + std::to_string(size)));
  return sets;
}

template <class Offset, class Executor>
void expect_summaries(const Executor& exec, const std::vector<named_tiles>& sets) {
  for (const named_tiles& set : sets) {
    SCOPED_TRACE(set.name);
    const auto offsets = to_executor(exec, offsets_as<Offset>(set));
    const auto tiles = csr_tiles(offsets.span());
    const tile_summary want = summary_by_hand(set.offsets);
    EXPECT_EQ(summarize_tiles(exec, tiles), want);
    const auto seen = detail::inspect_and_summarize(exec, tiles);
    EXPECT_EQ(seen.of, want);
    EXPECT_EQ(seen.all.atoms, want.atoms);
    if (want.tiles > 0) {
      EXPECT_EQ(seen.all.first_atom, set.offsets.front());
    }
  }
}

/// Counts each atom with its tile's number.
struct add_visit {
  int* tile_of;
  EVENLY_FN void operator()(int tile, int atom) const { tile_of[atom] = tile; }
};
/// Those of even number.
struct even_atoms {
  struct found {
    int value;
    bool is;
    EVENLY_FN bool has_value() const { return is; }
    EVENLY_FN int operator*() const { return value; }
  };
  EVENLY_FN found operator()(int, int atom) const { return {atom, atom % 2 == 0}; }
};

/// Every candidate gives what it gives as a schedule: bound to others, on sizes that the device knows, in one call.
template <class Executor>
void expect_chosen_plans(const Executor& exec, const std::vector<named_tiles>& sets) {
  for (const std::size_t index : {0, 1, 2}) {
    const nth_of_three chooser{index};
    const std::string name = "candidate " + std::to_string(index);
    expect_rebinding<Executor, int>(exec, chooser, sets, name);
    expect_sizes_on_device<Executor, int>(exec, chooser, sets, name);
    expect_one_call(exec, chooser, sets, name);
  }
}

template <class Executor> void expect_chosen_visits(const Executor& exec) {
  const std::vector<int> offsets{0, 3, 3, 40, 41};
  const auto placed = to_executor(exec, offsets);
  for (const std::size_t index : {0, 1, 2}) {
    auto plan = make_plan(exec, nth_of_three{index}, csr_tiles(placed.span()));
    const auto tile_of = to_executor(exec, std::vector<int>(41, -1));
    for_each_atom(exec, plan, add_visit{tile_of.data()});
    const auto seen = to_host(exec, tile_of);
    for (int t = 0; t < 4; ++t)
      for (int a = offsets[static_cast<std::size_t>(t)]; a < offsets[static_cast<std::size_t>(t) + 1]; ++a)
        EXPECT_EQ(seen[static_cast<std::size_t>(a)], t);
    const auto out = to_executor(exec, std::vector<int>(21, -1));
    const auto count = to_executor(exec, std::vector<std::int64_t>{0});
    collect_atoms(exec, plan, even_atoms{}, out.span(), count.data());
    EXPECT_EQ(to_host(exec, count)[0], 21);
    const auto even = to_host(exec, out);
    for (int i = 0; i < 21; ++i) EXPECT_EQ(even[static_cast<std::size_t>(i)], 2 * i);
    collect_atoms(exec, plan, even_atoms{}, out.span(), count.data(), in_any_order);
    EXPECT_EQ(to_host(exec, count)[0], 21);
  }
}

} // namespace evenly::laws
