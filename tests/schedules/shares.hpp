// SPDX-License-Identifier: Apache-2.0
// The distribution of tiles by a schedule of teams and pieces: a consumer that records, for each tile,
// the teams and pieces that receive it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/team.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"
#include "laws/tile_sets.hpp"

namespace evenly {

/// A part that some block was handed.
struct share {
  enum what { team, piece, empty } kind;
  int group; ///< of a team
  int block;
  int thread; ///< the first of the team
  int begin = 0, end = 0;
  bool first = true, last = true;
};

struct share_recorder {
  static constexpr bool is_copyable = true;
  std::vector<std::vector<share>>* of_tile;
  std::mutex* guard;

  template <class Form> static constexpr bool takes = true;

  template <class Block, class Slots, class Forms> struct worker {
    static constexpr bool wants_empty_tiles = true;

    const share_recorder& to;
    Block& block;
    const Slots& none;

    void note(int tile, const share& what) const {
      const std::lock_guard lock(*to.guard);
      to.of_tile->at(tile).push_back(what);
    }
    template <int G> void operator()(sharing::team<G>, const team_part<int, int>& part) const {
      if (part.has_tile && team<G, Block>(block).rank() == 0)
        note(part.tile, {part.begin == part.end ? share::empty : share::team, G, block.index(), block.rank(),
                         part.begin, part.end});
    }
    void operator()(sharing::piece, const piece_part<csr_tile_set<int>>& part) const {
      if (block.rank() == 0)
        note(part.tile, {share::piece, 0, block.index(), 0, part.begin, part.end, part.first, part.last});
    }
    template <bool Cut, class Run> void operator()(sharing::run<Cut>, const Run&) const {
      throw std::logic_error("these schedules have no runs");
    }
    template <int G, class Run> void operator()(sharing::batch<G>, const Run&) const {
      throw std::logic_error("these schedules have no batches");
    }
  };
};

struct shares {
  std::vector<std::vector<share>> of_tile; ///< those of a tile by their first atom
  int blocks = 0;
  int cutting = 0;
};

/// Hands out tiles of these sizes under `schedule`, in its one launch. Expects that the parts of each tile, in the
/// order of atoms, follow each other from its begin to its end; that pieces are those of the first blocks, one each,
/// and other parts are not; and that pieces of a tile have `piece` atoms, but for the last.
template <class Executor, class Schedule>
shares share_out(const Executor& exec, const Schedule& schedule, const std::vector<int>& sizes, int piece) {
  laws::tile_sizes all;
  all.add(std::vector<std::int64_t>(sizes.begin(), sizes.end()));
  const auto long_offsets = all.named("", 3).offsets;
  const std::vector<int> offsets(long_offsets.begin(), long_offsets.end());
  const auto plan = make_plan(exec, schedule, csr_tiles(offsets));
  shares made{std::vector<std::vector<share>>(sizes.size())};
  std::mutex guard;
  made.blocks = plan.launch().shape.blocks;
  made.cutting = cutting_blocks(plan.launch());
  launch_skeleton(exec, plan.launch(), share_recorder{&made.of_tile, &guard});
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    auto& of_tile = made.of_tile[t];
    std::sort(of_tile.begin(), of_tile.end(),
              [](const share& a, const share& b) { return a.begin < b.begin; });
    int at = offsets[t];
    for (std::size_t i = 0; i < of_tile.size(); ++i) {
      const share& s = of_tile[i];
      EXPECT_EQ(s.block < made.cutting, s.kind == share::piece) << "tile " << t;
      if (s.kind == share::empty) continue;
      EXPECT_EQ(s.begin, at) << "tile " << t;
      EXPECT_EQ(s.first, i == 0) << "tile " << t;
      EXPECT_EQ(s.last, i + 1 == of_tile.size()) << "tile " << t;
      if (s.kind == share::piece) {
        EXPECT_EQ(s.block, of_tile[0].block + static_cast<int>(i)) << "tile " << t;
        EXPECT_TRUE(s.last ? s.end - s.begin <= piece : s.end - s.begin == piece) << "tile " << t;
      }
      at = s.end;
    }
    EXPECT_EQ(at, offsets[t + 1]) << "tile " << t;
    EXPECT_FALSE(of_tile.empty()) << "tile " << t;
    if (of_tile.empty()) of_tile.push_back({}); // so that callers may look at the first
  }
  return made;
}

} // namespace evenly
