// SPDX-License-Identifier: Apache-2.0
// Broken laws are reported: of schedules with one fault each, and of a monoid that is wrongly marked as commutative.
// A correct schedule passes, which shows that the fault was the reason.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/check_schedule.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/csr.hpp"
#include "laws/laws.hpp"
#include "laws/tile_sets.hpp"
#include "support/messages.hpp"

namespace evenly::laws {
namespace {

enum class fault {
  none,
  skips_an_atom,
  repeats_an_atom,
  takes_a_tile_twice,
  swaps_tile_numbers,
  drops_empty_tiles,
  runs_past_the_last_tile,
  runs_far_past_the_last_tile,
  cuts_elsewhere_each_time ///< which is right but for the last bits of a sum
};

/// One block of one thread takes all tiles in turn; tile 2 is where faults happen. Or two blocks share tiles and atoms
/// at a place that moves from run to run.
template <tile_set Tiles> struct faulty_mapping {
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using sharings = sharing::list<sharing::team<1>, sharing::blocked_run<1>>;
  struct slots {};
  static constexpr int tuned_block_size = 1;
  static constexpr tile victim = 2;

  Tiles tiles;
  fault what;
  int* runs; ///< of the first block

  static constexpr slots lay_out(storage_layout&, block_shape) { return {}; }

  template <class Block, class Consumer>
  void distribute(Block& block, const slots&, Consumer& consumer) const {
    if (what == fault::cuts_elsewhere_each_time) {
      const tile n = tiles.tiles();
      const int run = block.index() == 0 ? (*runs)++ : *runs - 1;
      const atom first = tiles.begin(0), last = tiles.end(n - 1), cut = last - 10 - 37 * (run % 16);
      tile open = 0;
      while (tiles.end(open) <= cut) ++open;
      if (block.index() == 0)
        consumer(sharing::blocked_run<1>{}, run_chunk<Tiles>{tiles, 0, open, first, cut});
      else
        consumer(sharing::blocked_run<1>{}, run_chunk<Tiles>{tiles, open, n, cut, last});
    } else if (block.index() == 0) {
      for (tile t = 0; t < tiles.tiles(); ++t) take(consumer, t);
    }
  }

 private:
  template <class Consumer> void take(Consumer& consumer, tile t) const {
    team_part<tile, atom> part{true, t, tiles.begin(t), tiles.end(t)};
    if (what == fault::drops_empty_tiles && part.begin == part.end) return;
    if (what == fault::swaps_tile_numbers && t / 2 == victim / 2) part.tile = t ^ 1;
    if (t == victim && what == fault::skips_an_atom) --part.end;
    if (t == victim && what == fault::repeats_an_atom) --part.begin;
    if (t == victim && what == fault::runs_past_the_last_tile) part.tile = tiles.tiles();
    if (t == victim && what == fault::runs_far_past_the_last_tile) part.tile = tiles.tiles() + 1'000'000;
    consumer(sharing::team<1>{}, part);
    if (t == victim && what == fault::takes_a_tile_twice) consumer(sharing::team<1>{}, part);
  }
};

struct faulty {
  fault what;
  int block_size = 1;
  std::shared_ptr<int> runs = std::make_shared<int>(0);

  template <class Visit> void parameters(Visit visit) const { visit("block_size", block_size); }

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor&, const Tiles& tiles, const extent<Tiles>&) const {
    return prepared(launch_of<faulty_mapping<Tiles>>{{tiles, what, runs.get()}, {2, block_size}});
  }
};

const named_tiles few_tiles = tile_sizes().add({3, 0, 40, 50, 0, 700}).named("few tiles", 1);

template <unsigned Depth, class Executor, class Schedule>
findings examine(const Executor& exec, const Schedule& schedule) {
  const std::vector<int> offsets(few_tiles.offsets.begin(), few_tiles.offsets.end());
  findings found;
  check_laws<Depth>(exec, schedule, csr_tiles(offsets), few_tiles.offsets, found);
  return found;
}

std::set<int> laws_in(const findings& found) {
  std::set<int> broken;
  for (const violation& each : found.all()) broken.insert(each.broken);
  return broken;
}

/// Exactly these laws are broken; the first that is reported names a place.
template <unsigned Depth = depth::whole> void expect_broken(fault what, const std::set<int>& laws) {
  const findings found = examine<Depth>(cpu(1), faulty{what});
  EXPECT_EQ(laws_in(found), laws);
  for (const violation& each : found.all())
    EXPECT_TRUE(
        each.what.find("tile ") != std::string::npos || each.what.find("element ") != std::string::npos ||
        each.what.find("calls of map") != std::string::npos ||
        each.what.find("outside") != std::string::npos || each.what.find("second run") != std::string::npos)
        << each.what;
}

TEST(BrokenSchedules, ARightOneIsNotReported) { expect_broken(fault::none, {}); }

TEST(BrokenSchedules, ThatSkipAnAtom) {
  expect_broken(fault::skips_an_atom, {visits_once, atom_order, rounding_bound, expands});
}

TEST(BrokenSchedules, ThatRepeatAnAtom) {
  // The atom before belongs to another tile, which expand notices only if it is written last.
  expect_broken(fault::repeats_an_atom, {visits_once, atom_order, rounding_bound, expands, belongs_together});
}

TEST(BrokenSchedules, ThatTakeATileTwice) {
  expect_broken(fault::takes_a_tile_twice, {visits_once, stores_once});
}

TEST(BrokenSchedules, ThatSwapTileNumbers) {
  expect_broken(fault::swaps_tile_numbers,
                {visits_once, atom_order, rounding_bound, expands, belongs_together});
}

TEST(BrokenSchedules, ThatDropEmptyTiles) { expect_broken(fault::drops_empty_tiles, {stores_once}); }

TEST(BrokenSchedules, ThatRunPastTheLastTile) {
  const std::set<int> broken = {visits_once,    stores_once, guards_untouched, atom_order,
                                rounding_bound, expands,     belongs_together};
  expect_broken(fault::runs_past_the_last_tile, broken);
  // A mapping that needs ranks reads the start of the tile, which may lie outside the memory.
  expect_broken<depth::whole & ~unsigned{depth::words}>(fault::runs_far_past_the_last_tile, broken);
}

TEST(BrokenSchedules, ThatCutElsewhereInEachRun) {
  expect_broken(fault::cuts_elsewhere_each_time, {repeats});
}

TEST(BrokenSchedules, AreFoundOutByScansToo) {
  expect_broken<depth::scans>(fault::none, {});
  expect_broken<depth::scans>(fault::skips_an_atom, {prefixes, rounding_bound});
  expect_broken<depth::scans>(fault::repeats_an_atom, {prefixes, rounding_bound, belongs_together});
  expect_broken<depth::scans>(fault::takes_a_tile_twice, {prefixes, rounding_bound});
  expect_broken<depth::scans>(fault::swaps_tile_numbers, {prefixes, belongs_together});
  expect_broken<depth::scans>(fault::drops_empty_tiles, {});
  expect_broken<depth::scans>(fault::cuts_elsewhere_each_time, {repeats});
}

TEST(CheckSchedule, NamesTheFirstAtomOrTileHandledWrongly) {
  const auto check = [](fault what) { return check_schedule(faulty{what}, few_tiles.offsets, cpu(1)); };
  const std::string where = "tile set \"the given offsets\": ";
  EXPECT_EQ(check(fault::none), "");
  EXPECT_EQ(check(fault::skips_an_atom),
            "law 1, " + where + "for_each_atom: tile 2, atom 43 visited 0 times");
  EXPECT_EQ(check(fault::repeats_an_atom),
            "law 1, " + where + "for_each_atom: tile 0, atom 3 visited 2 times");
  EXPECT_EQ(check(fault::takes_a_tile_twice),
            "law 1, " + where + "for_each_atom: tile 2, atom 4 visited 2 times");
  EXPECT_EQ(check(fault::swaps_tile_numbers),
            "law 1, " + where + "for_each_atom: tile 2, atom 4 visited as of tile 3");
  EXPECT_EQ(check(fault::drops_empty_tiles), "law 2, " + where + "reduce_tiles: tile 1 stored 0 times");
}

TEST(CheckSchedule, NamesTheTileSetThatBreaksASchedule) {
  EXPECT_EQ(check_schedule(faulty{fault::none}, cpu(1)), "");
  EXPECT_EQ(check_schedule(faulty{fault::drops_empty_tiles}, cpu(1)),
            "law 2, tile set \"one empty tile\": reduce_tiles: tile 0 stored 0 times");
}

TEST(CheckSchedule, RefusesOffsetsThatAreNoTiles) {
  const auto message = [](const std::vector<std::int64_t>& offsets) {
    return message_of<invalid_argument>([&] { check_schedule(faulty{fault::none}, offsets, cpu(1)); });
  };
  EXPECT_EQ(message({}), "check_schedule needs n + 1 offsets for n tiles, but has none");
  EXPECT_EQ(message({0, 3, 2}),
            "check_schedule: offset 2 is 2, less than the one before: offsets must not decrease");
}

/// Affine maps that say that their order does not matter.
struct disordered_maps : affine_maps {
  static constexpr bool commutative = true;
};

TEST(BrokenMonoids, ThatAreNotCommutativeAreReported) {
  const std::vector<int> offsets(few_tiles.offsets.begin(), few_tiles.offsets.end());
  const simt exec;
  const auto tiles = csr_tiles(offsets);
  const warp_mapped schedule;
  findings right, wrong;
  examination(exec, schedule, tiles, few_tiles.offsets, right).reduction_by_atom<affine_maps>();
  examination(exec, schedule, tiles, few_tiles.offsets, wrong).reduction_by_atom<disordered_maps>();
  EXPECT_EQ(laws_in(right), std::set<int>{});
  EXPECT_EQ(laws_in(wrong), std::set<int>{atom_order});
}

} // namespace
} // namespace evenly::laws
