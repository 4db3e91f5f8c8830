// SPDX-License-Identifier: Apache-2.0
// Kernels that use work ranges, and the laws of ranges under every schedule: every atom is in one range, with its tile;
// every tile is in a range; and the combined value of every tile is stored once, combined in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/kernels/for_each_range.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"
#include "laws/tile_sets.hpp"
#include "support/monoids.hpp"

namespace evenly::laws {

/// What a kernel has seen of atoms and tiles, numbered from 0.
struct seen_ranges {
  int* atoms;  ///< of each: its tile + 1, added up over its ranges
  int* tiles;  ///< of each: how many ranges without atoms it was in, or 1 if one had some
  int* stores; ///< of each tile
  stretches::value_type* sums;
};

template <class Tile> struct store_seen {
  seen_ranges seen;
  EVENLY_FN void operator()(Tile tile, const stretches::value_type& sum) const {
    atomic_ref(seen.stores[tile]).fetch_add(1);
    seen.sums[tile] = sum;
  }
};

/// Visits, then combines: two works in one kernel, with storage that they share.
/// AtomsOnly: whether what is combined is computed by a body that is atoms_only.
template <class Visited, class Joined, bool AtomsOnly, carry_fix_up How> struct take_ranges {
  Visited visited;
  Joined combined;
  partials<stretches::value_type, typename Joined::tile, How> left;
  typename Joined::atom first;
  seen_ranges seen;

  EVENLY_FN auto lay_out(storage_layout& layout, block_shape shape) const {
    const auto start = layout.mark();
    const auto visiting = visited.lay_out(layout, shape);
    layout.rewind(start);
    const auto carry_fix_up = lay_out_combine<stretches::value_type>(layout, shape, combined);
    layout.skip_to_max();
    struct places {
      decltype(visiting) visits;
      decltype(carry_fix_up) combine_with;
    };
    return places{visiting, carry_fix_up};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto places = lay_out(layout, block.shape());
    for_each_range(block, visited, places.visits, [&](const auto& range) {
      for (const auto tile : range.tiles()) {
        bool any = false;
        for (const auto atom : range.atoms(tile)) {
          atomic_ref(seen.atoms[atom - first]).fetch_add(static_cast<int>(tile.number + 1));
          any = any || range.tile_of(atom).number == tile.number;
        }
        if (any)
          atomic_ref(seen.tiles[tile.number]).store(1);
        else if (combined.tiles.begin(tile.number) == combined.tiles.end(tile.number))
          atomic_ref(seen.tiles[tile.number]).fetch_add(1);
      }
    });
    const combine_with how{left, stretches{}, store_seen<typename Joined::tile>{seen}};
    const auto body = [&](const auto& range) {
      for (const auto tile : range.tiles()) {
        stretches::value_type sum = stretches{}.identity();
        for (const auto atom : range.atoms(tile)) sum = stretches{}(sum, stretches::of(atom));
        range.combine(tile, sum);
      }
    };
    if constexpr (AtomsOnly)
      for_each_range(block, combined, places.combine_with, how, atoms_only(body));
    else
      for_each_range(block, combined, places.combine_with, how, body);
  }
};

/// Whether what was seen is what the offsets say, in words if not. Not a template of the schedule.
inline std::string fault_of_ranges(const std::vector<std::int64_t>& offsets, const std::vector<int>& atoms,
                                   const std::vector<int>& tiles, const std::vector<int>& stores,
                                   const std::vector<stretches::value_type>& sums) {
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t) {
    const std::string of = "tile " + std::to_string(t);
    if (stores[t] != 1) return of + " is stored " + std::to_string(stores[t]) + " times";
    const std::int64_t size = offsets[t + 1] - offsets[t];
    auto want = stretches{}.identity();
    if (size > 0) {
      want = stretches::of(static_cast<std::uint64_t>(offsets[t]));
      want.count = static_cast<int>(size);
    }
    if (!(sums[t] == want)) return of + " has a sum that is not that of its atoms in order";
    if (tiles[t] != 1)
      return of + (size > 0 ? " is in no range with atoms" : " is not in one range without atoms");
    for (std::int64_t a = offsets[t]; a < offsets[t + 1]; ++a)
      if (atoms[a - offsets[0]] != static_cast<int>(t) + 1)
        return "atom " + std::to_string(a) + " of " + of + " is not in one range of it";
  }
  return {};
}

/// The laws, for launches of several numbers of blocks.
/// Later: whether fix_up_carries joins; then by a body that is atoms_only.
template <bool Later = false, class Executor, class Visited, class Joined>
void expect_lawful_ranges(const Executor& exec, const Visited& visited, const Joined& combined,
                          const named_tiles& set, const std::string& where) {
  const std::size_t tiles = set.offsets.size() - 1;
  const auto atoms = static_cast<std::size_t>(set.offsets.back() - set.offsets.front());
  auto left = make_partials<stretches::value_type>(exec, combined);
  const auto in_atoms = make_buffer<int>(exec, atoms), in_tiles = make_buffer<int>(exec, tiles),
             stores = make_buffer<int>(exec, tiles);
  const auto sums = make_buffer<stretches::value_type>(exec, tiles);
  for (const int blocks : {std::max(combined.blocks, 1), 1, 3}) {
    for (const auto* each : {&in_atoms, &in_tiles, &stores})
      exec.fill_zero(each->data(), each->size() * sizeof(int));
    const auto first = static_cast<typename Joined::atom>(set.offsets.front());
    const seen_ranges seen{in_atoms.data(), in_tiles.data(), stores.data(), sums.data()};
    if constexpr (Later) {
      launch(exec, {blocks, combined.block_size},
             take_ranges<Visited, Joined, true, carry_fix_up::deferred>{visited, combined, left.deferred(),
                                                                        first, seen});
      fix_up_carries(exec, combined, left, stretches{}, store_seen<typename Joined::tile>{seen});
    } else {
      launch(exec, {blocks, combined.block_size},
             take_ranges<Visited, Joined, false, carry_fix_up::in_kernel>{visited, combined, left.view(),
                                                                          first, seen});
    }
    const std::string fault = fault_of_ranges(set.offsets, to_host(exec, in_atoms), to_host(exec, in_tiles),
                                              to_host(exec, stores), to_host(exec, sums));
    EXPECT_EQ(fault, "") << where << ", \"" << set.name << "\", " << blocks << " blocks of "
                         << combined.block_size;
  }
}

/// Of one schedule on one tile set, with a plan and, where that can be, without.
template <class Offset = int, class Executor, class Schedule>
void expect_lawful_ranges(const Executor& exec, Schedule schedule, int block_size, const named_tiles& set,
                          const char* name) {
  schedule.block_size = block_size;
  const auto offsets = to_executor(exec, std::vector<Offset>(set.offsets.begin(), set.offsets.end()));
  const auto tiles = csr_tiles(std::span<const Offset>(offsets.span()));
  const auto plan = make_plan(exec, schedule, tiles);
  const auto planned = work_of(plan);
  if constexpr (detail::starts_without_plan<Schedule, Executor, decltype(tiles)>) {
    const auto found = work_of(exec, schedule, tiles);
    expect_lawful_ranges(exec, found, planned, set, std::string(name) + ", joins with a plan");
    expect_lawful_ranges<true>(exec, planned, found, set, std::string(name) + ", visits with a plan");
  } else {
    expect_lawful_ranges(exec, planned, planned, set, std::string(name) + ", with a plan");
  }
}

/// Few tile sets that every way of cutting meets.
inline std::vector<named_tiles> tile_sets_for_ranges(int block_size) {
  const std::int64_t items = 7 * block_size;
  return {random_runs(60, items, 5),
          tile_sizes().add(3).add(5 * items).add(9, 0).add(2 * items + 1).add(40, 1).named("giants", 11),
          tile_sizes().add(0).named("one empty tile"), tile_sizes().add(300, 0).named("empty tiles"),
          tile_sizes().named("no tiles")};
}

} // namespace evenly::laws
