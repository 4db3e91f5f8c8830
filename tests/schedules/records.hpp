// SPDX-License-Identifier: Apache-2.0
// What a schedule hands out, recorded: a consumer that notes for each atom how its tile is shared, by which thread it
// is taken and when; and what holds for every batch run (schedules/launches.hpp), checked on the notes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/team.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"
#include "laws/laws.hpp"
#include "laws/tile_sets.hpp"
#include "support/monoids.hpp"

namespace evenly {

enum class shared_by { nobody, team, batch };

struct atom_record {
  shared_by kind = shared_by::nobody;
  int group = -1; ///< the G of the sharing
  int block = -1;
  int thread = -1; ///< in its block
  int turn = -1;   ///< batch run: the number of the batch in its run
  int tile = -1;
  bool ends = false; ///< batch run: the argument of visit
  int times = 0;

  bool operator==(const atom_record&) const = default;
};

/// Atoms and tiles are numbered with int. Batches meet at a barrier of their team, so that simt reports teams of which
/// not all threads go through as many.
struct recorder {
  static constexpr bool is_copyable = true;

  atom_record* atoms;
  int* empty_tiles; ///< times that each tile was handed out as empty

  template <class Block, class Slots, class Forms> struct worker {
    static constexpr bool wants_empty_tiles = true;

    const recorder& to;
    Block& block;
    const Slots& none;

    void note(atom_record what, int a) const {
      what.block = block.index();
      what.thread = block.rank();
      what.times = to.atoms[a].times + 1;
      to.atoms[a] = what;
    }

    template <int G> void operator()(sharing::team<G>, const team_part<int, int>& part) const {
      const team<G, Block> me(block);
      if (part.has_tile && part.begin == part.end) ++to.empty_tiles[part.tile];
      for_strided(part.begin, part.end, me.rank(), me.size(),
                  [&](int a) { note({shared_by::team, G, 0, 0, 0, part.tile, a + 1 == part.end, 0}, a); });
    }

    template <int G, class Run> void operator()(sharing::batch<G>, const Run& run) const {
      const team<G, Block> me(block);
      int turn = 0;
      run.for_each([&](bool has, int t, int a, bool ends) {
        if (me.wide())
          block.sync();
        else
          lanes_of(block, me).sync();
        if (ends && !has) throw std::logic_error("a tile ends with an atom that the thread has not");
        if (has) note({shared_by::batch, G, 0, 0, turn, t, ends, 0}, a);
        ++turn;
      });
    }

    template <bool Cut, class Run> void operator()(sharing::run<Cut>, const Run&) const {
      throw std::logic_error("these schedules have no runs");
    }
  };
};

struct records {
  std::vector<int> offsets; ///< from 0
  std::vector<atom_record> atoms;
  std::vector<int> empty_tiles;

  int tile_of(int a) const {
    return static_cast<int>(std::upper_bound(offsets.begin(), offsets.end(), a) - offsets.begin()) - 1;
  }
};

template <class Schedule>
records record(const Schedule& schedule, const std::vector<int>& sizes, int warp_size = 32,
               std::uint64_t seed = 0) {
  records made{{0}, {}, std::vector<int>(sizes.size())};
  for (const int size : sizes) made.offsets.push_back(made.offsets.back() + size);
  made.atoms.resize(made.offsets.back());
  simt_options options;
  options.warp_size = warp_size;
  options.seed = seed;
  const simt exec(options);
  const auto plan = make_plan(exec, schedule, csr_tiles(made.offsets));
  launch_skeleton(exec, plan.launch(), recorder{made.atoms.data(), made.empty_tiles.data()});
  return made;
}

/// `tiles` sizes from 0 to `max`, a third of them 0 and a third 1, 2 or 3.
inline std::vector<int> mixed_sizes(int tiles, int max, std::uint64_t seed) {
  std::vector<int> sizes;
  for (int t = 0; t < tiles; ++t) {
    const std::uint64_t random = mixed(seed << 32 | static_cast<std::uint64_t>(t));
    const int kind = static_cast<int>(random % 3), size = static_cast<int>(random >> 8 & 0xFFFFFF);
    sizes.push_back(kind == 0 ? 0 : kind == 1 ? 1 + size % 3 : 1 + size % max);
  }
  return sizes;
}

/// Every atom is taken once, with its tile; every empty tile is handed out once. In each batch run, `team_size` threads
/// have consecutive ranks with consecutive places in the order of atoms, all batches but the last are full, and `ends`
/// is true for the last atoms of tiles.
inline void expect_whole_batches(const records& seen, int team_size) {
  std::map<std::tuple<int, int>, std::vector<int>> runs; // block, team -> atoms in order
  for (int a = 0; a < static_cast<int>(seen.atoms.size()); ++a) {
    const atom_record& each = seen.atoms[a];
    ASSERT_EQ(each.times, 1) << "atom " << a;
    ASSERT_EQ(each.tile, seen.tile_of(a)) << "atom " << a;
    if (each.kind != shared_by::batch) continue;
    ASSERT_EQ(each.ends, a + 1 == seen.offsets[each.tile + 1]) << "atom " << a;
    auto& run = runs[{each.block, each.thread / team_size}];
    const int place = each.turn * team_size + each.thread % team_size;
    ASSERT_EQ(place, static_cast<int>(run.size())) << "atom " << a << " of block " << each.block;
    run.push_back(a);
  }
  for (std::size_t t = 0; t < seen.empty_tiles.size(); ++t)
    EXPECT_EQ(seen.empty_tiles[t], seen.offsets[t] == seen.offsets[t + 1] ? 1 : 0) << "tile " << t;
}

/// The laws, on the tile sets of the battery: for parameters of schedules that it does not try.
template <class Executor, class Schedule>
void expect_laws(const Executor& exec, const Schedule& schedule, const std::string& name) {
  for (const laws::named_tiles& set : laws::adversarial_tile_sets(3 * schedule.block_size)) {
    const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
    laws::findings found;
    laws::check_laws<laws::depth::basic>(exec, schedule, csr_tiles(offsets), set.offsets, found);
    for (const laws::violation& each : found.all())
      ADD_FAILURE() << "law " << each.broken << " broken by " << name << ", blocks of " << schedule.block_size
                    << ", tile set \"" << set.name << "\": " << each.what;
  }
}

/// On simt, with blocks and warps of several sizes, and on cpu.
template <class Schedule> void expect_laws(Schedule schedule, const std::string& name) {
  for (const int block_size : {1, 32, 100}) {
    schedule.block_size = block_size;
    for (const int warp_size : {1, 4, 32, 64}) {
      simt_options options;
      options.warp_size = warp_size;
      options.seed = static_cast<std::uint64_t>(block_size + warp_size) % 3;
      expect_laws(simt(options), schedule, name + ", warps of " + std::to_string(warp_size));
    }
  }
  expect_laws(cpu(3), schedule, name + ", cpu");
}

} // namespace evenly
