// SPDX-License-Identifier: Apache-2.0
// Kernels of one's own: sizes on the device, persistent kernels, and refusals.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/schedules/two_phase.hpp"
#include "evenly/work/coo.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/csr_on_device.hpp"
#include "kernels/rounds.hpp"
#include "kernels/work_ranges.hpp"
#include "support/messages.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {
namespace {

template <class Executor> void expect_lawful_shares_of_64_bits(const Executor& exec) {
  for_each_form_on<Executor>([&](const char* name, const auto& schedule) {
    const auto set =
        tile_sizes().add(3).add(500).add(9, 0).add(201).add(40, 1).named("giants", (1LL << 32) + 5);
    expect_lawful_ranges<std::int64_t>(exec, schedule, 64, set, name);
  });
}

TEST(Shares, KeepTheirLawsWith64BitOffsets) {
  expect_lawful_shares_of_64_bits(cpu());
  expect_lawful_shares_of_64_bits(simt());
}

template <class Executor> void expect_rounds_under_every_form(const Executor& exec) {
  for_each_form_on<Executor>([&](const char* name, const auto& schedule) {
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(schedule)>, dynamic_group_per_tile>)
      for (const int blocks : {1, 2, 5}) expect_rounds(exec, schedule, blocks, name);
  });
}

TEST(Shares, AreTakenInEveryRoundOfAKernelThatStays) {
  expect_rounds_under_every_form(cpu());
  expect_rounds_under_every_form(simt());
}

struct store_float {
  float* sums;
  EVENLY_FN void operator()(int tile, float sum) const { sums[tile] = sum; }
};

/// Floating-point sums have the same bits under every launch.
template <class Work, carry_fix_up How = carry_fix_up::in_kernel> struct add_floats {
  Work work;
  partials<float, int, How> carries;
  float* sums;

  EVENLY_FN auto lay_out(storage_layout& layout, block_shape shape) const {
    return lay_out_combine<float>(layout, shape, work);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    for_each_range(block, work, lay_out(layout, block.shape()),
                   combine_with{carries, plus<float>{}, store_float{sums}}, [&](const auto& range) {
                     for (const auto tile : range.tiles()) {
                       float sum = 0;
                       for (const int atom : range.atoms(tile))
                         sum += 1.0f / static_cast<float>(1 + atom % 97);
                       range.combine(tile, sum);
                     }
                   });
  }
};

TEST(Shares, HaveTheSameSumsWhateverLaunch) {
  const std::vector<int> offsets{0, 3, 3, 5000, 5001, 9000};
  const auto tiles = csr_tiles(offsets);
  for_each_form_on<simt>([&](const char* name, auto schedule) {
    schedule.block_size = 64;
    const simt exec;
    const auto plan = make_plan(exec, schedule, tiles);
    auto work = work_of(plan);
    auto carries = make_partials<float>(exec, work);
    std::vector<std::vector<float>> found;
    for (const int blocks : {work.blocks, 1, 7}) {
      found.emplace_back(5);
      launch(exec, {blocks, 64}, add_floats<decltype(work)>{work, carries.view(), found.back().data()});
    }
    EXPECT_EQ(found[0], found[1]) << name;
    EXPECT_EQ(found[0], found[2]) << name;
  });
}

/// One work and one memory for all sizes; what blocks share is combined after the launch.
TEST(Shares, OfSizesOnTheDeviceAreJoinedLater) {
  const auto expect_sums = [](const auto& exec, const auto& schedule, const char* name) {
    std::vector<int> offsets(1001);
    int count = 0;
    const auto tiles = csr_tiles_on_device(static_cast<const int*>(offsets.data()),
                                           static_cast<const int*>(&count), capacity{1000, 50'000});
    auto work = work_of(exec, schedule, tiles);
    const auto carries = make_partials<float>(exec, work);
    for (const named_tiles& set :
         {random_runs(300, 200, 1), tile_sizes().named("no tiles"),
          tile_sizes().add(2, 0).add(30'000).add(3, 1).named("a giant"), random_runs(40, 200, 2)}) {
      count = static_cast<int>(set.offsets.size()) - 1;
      std::copy(set.offsets.begin(), set.offsets.end(), offsets.begin());
      const auto here = static_cast<std::size_t>(count);
      std::vector<float> planned(here), later(here, -1.0f);
      auto plan = make_plan(exec, schedule, csr_tiles(std::span<const int>(offsets.data(), here + 1)));
      auto with_plan = work_of(plan);
      auto of_plan = make_partials<float>(exec, with_plan);
      launch(exec, {with_plan.blocks, with_plan.block_size},
             add_floats<decltype(with_plan)>{with_plan, of_plan.view(), planned.data()});
      launch(exec, {5, work.block_size},
             add_floats<decltype(work), carry_fix_up::deferred>{work, carries.deferred(), later.data()});
      fix_up_carries(exec, work, carries, plus<float>{}, store_float{later.data()});
      EXPECT_EQ(later, planned) << name << ", \"" << set.name << "\"";
    }
  };
  expect_sums(simt(), merge_path<>{.block_size = 32}, "merge_path");
  expect_sums(simt(), nonzero_split<>{.block_size = 32}, "nonzero_split");
  expect_sums(simt(), thread_mapped{.block_size = 32}, "thread_mapped");
}

/// Of rows that are found by their entries there is none to look at; blocks that find their own start must not.
template <class Work> struct count_tiles {
  Work work;
  int* seen;

  EVENLY_FN auto lay_out(storage_layout& layout, block_shape shape) const {
    return work.lay_out(layout, shape);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    for_each_range(block, work, lay_out(layout, block.shape()), [&](const auto& range) {
      for (const auto tile : range.tiles()) atomic_ref(seen[tile.number]).fetch_add(1);
    });
  }
};

TEST(Shares, OfRowsWithoutEntriesAreTakenWithoutAPlan) {
  const std::vector<int> rows;
  std::vector<int> seen(9);
  const auto tiles = coo_row_tiles(rows, 9);
  const auto take = [&](const auto& exec, const auto& schedule) {
    auto work = work_of(exec, schedule, tiles);
    launch(exec, {work.blocks, work.block_size}, count_tiles<decltype(work)>{work, seen.data()});
  };
  take(simt(), two_phase<>{});
  take(cpu(), two_phase<>{});
  take(simt(), merge_path<>{});
  EXPECT_EQ(seen, std::vector<int>(9, 3));
}

// --- refusals ---

template <class Work> struct join_so_often {
  Work work;
  partials<int, int> carries;
  int times;

  EVENLY_FN auto lay_out(storage_layout& layout, block_shape shape) const {
    return lay_out_combine<int>(layout, shape, work);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    for_each_range<true>(block, work, lay_out(layout, block.shape()),
                         combine_with{carries, plus<int>{}, [](int, int) {}}, [&](const auto& range) {
                           for (const auto tile : range.tiles())
                             for (int i = 0; i < times; ++i) range.combine(tile, 1);
                         });
  }
};

template <class Executor> void expect_refusals(const Executor& exec) {
  const std::vector<int> offsets{0, 3, 500};
  const auto tiles = csr_tiles(offsets);
  auto work = work_of(exec, merge_path<>{64}, tiles);
  const auto run = [&](int block_size, int times) {
    auto carries = make_partials<int>(exec, work); // a launch that has failed leaves them as they are
    return message_of<invalid_argument>(
        [&] { launch(exec, {2, block_size}, join_so_often<decltype(work)>{work, carries.view(), times}); });
  };
  const std::string once = ": call range.combine(tile, value) exactly once for each of range.tiles()";
  EXPECT_EQ(run(64, 0), "the range of tile 0 was combined 0 times" + once);
  EXPECT_EQ(run(64, 2), "the range of tile 0 was combined 2 times" + once);
}

TEST(Shares, ThatAreNotJoinedOnceAreRefused) {
  expect_refusals(cpu(1));
  expect_refusals(simt({.threads = 1}));
}

/// Twice, without a grid barrier between. `Checked`: as in checked builds.
template <class Work, bool Checked> struct take_twice : kernel_of_work<combines<Work, int>> {
  Work work;
  partials<int, int> carries;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    for (int i = 0; i < 2; ++i)
      for_each_range<Checked>(block, work, combine_with{carries, plus<int>{}, [](int, int) {}},
                              [](const auto& range) {
                                for (const auto tile : range.tiles()) range.combine(tile, 1);
                              });
  }
};

template <bool Checked, class Executor> std::string message_of_taking_twice(const Executor& exec) {
  const std::vector<int> offsets{0, 3, 50'000};
  auto work = work_of(exec, merge_path<>{64}, csr_tiles(offsets));
  EXPECT_GT(work.blocks, 1);
  auto carries = make_partials<int>(exec, work);
  return message_of<invalid_argument>([&] {
    launch(exec, {work.blocks, work.block_size},
           take_twice<decltype(work), Checked>{{}, work, carries.view()});
  });
}

TEST(Shares, TakenTwiceBetweenMeetingsAreRefusedByAllBuilds) {
  const std::string again =
      "ranges are taken again before all blocks have combined their previous ranges: place a grid barrier "
      "between two calls of for_each_range with the same partials, or use make_partials with a number of "
      "columns, and partials[column] in each";
  EXPECT_EQ(message_of_taking_twice<true>(simt({.threads = 1})), again);
  EXPECT_EQ(message_of_taking_twice<true>(simt()), again);
  EXPECT_EQ(message_of_taking_twice<false>(simt()), again);
  EXPECT_EQ(message_of_taking_twice<false>(cpu(1)), again);
  EXPECT_EQ(message_of_taking_twice<false>(cpu(2)), again);
}

/// A body that is atoms_only, which joins, or does not.
template <class Work> struct join_later {
  Work work;
  partials<int, int, carry_fix_up::deferred> carries;
  bool joins_them;

  EVENLY_FN auto lay_out(storage_layout& layout, block_shape shape) const {
    return lay_out_combine<int>(layout, shape, work);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto body = [&](const auto& range) {
      for (const auto tile : range.tiles())
        if (joins_them) range.combine(tile, 1);
    };
    for_each_range<true>(block, work, lay_out(layout, block.shape()),
                         combine_with{carries, plus<int>{}, [](int, int) {}}, atoms_only(body));
  }
};

TEST(Shares, ThatNobodyHasJoinedAreNotTakenAgain) {
  const std::vector<int> offsets{0, 3, 5000};
  const simt exec({.threads = 1});
  auto work = work_of(exec, merge_path<>{64}, csr_tiles(offsets));
  const auto run = [&](const auto& carries, bool joins_them) {
    launch(exec, {work.blocks, 64}, join_later<decltype(work)>{work, carries.deferred(), joins_them});
  };
  const auto carries = make_partials<int>(exec, work), anew = make_partials<int>(exec, work);
  for (int round = 0; round < 2; ++round) {
    run(carries, true);
    fix_up_carries(exec, work, carries, plus<int>{}, [](int, int) {});
  }
  run(carries, true); // and no fix_up_carries
  EXPECT_TRUE(contains(message_of<invalid_argument>([&] { run(carries, true); }),
                       "ranges are taken again before all blocks have combined their previous ranges"));
  EXPECT_EQ(message_of<invalid_argument>([&] { run(anew, false); }),
            "the range of a tile was combined 0 times: call range.combine(tile, value) exactly once for each "
            "of range.tiles()");
}

TEST(Shares, WithPartialsOfASmallerWorkAreRefused) {
  const std::vector<int> none{0}, few{0, 3}, many{0, 3, 5000};
  const simt exec({.threads = 1});
  auto work = work_of(exec, merge_path<>{64}, csr_tiles(many));
  for (const bool any : {false, true}) {
    auto carries = make_partials<int>(exec, work_of(exec, merge_path<>{64}, csr_tiles(any ? few : none)));
    EXPECT_EQ(message_of<invalid_argument>(
                  [&] { launch(exec, {2, 64}, join_so_often<decltype(work)>{work, carries.view(), 1}); }),
              "partials have room for " + std::to_string(any ? 1 : 0) + " blocks, " +
                  std::to_string(work.blocks) + " blocks that share tiles: use make_partials of this work");
  }
}

TEST(Shares, ForBlocksOfAnotherSizeAreRefused) {
  const std::vector<int> offsets{0, 3, 500};
  const simt exec;
  auto work = work_of(exec, merge_path<>{64}, csr_tiles(offsets));
  auto carries = make_partials<int>(exec, work);
  EXPECT_EQ(
      message_of<invalid_argument>(
          [&] { launch(exec, {2, 32}, join_so_often<decltype(work)>{work, carries.view(), 1}); }),
      "a range is taken by a block of 32 threads, but the work was made for 64: launch with work.block_size");
}

TEST(Shares, OfWorkThatCannotBeAreRefused) {
  const std::vector<int> offsets{0, 3};
  EXPECT_EQ(message_of<invalid_argument>([&] { work_of(simt(), merge_path<>{0}, csr_tiles(offsets)); }),
            message_of<invalid_argument>([&] { make_plan(simt(), merge_path<>{0}, csr_tiles(offsets)); }));
  EXPECT_EQ(
      message_of<invalid_argument>([&] { work_of(simt(), thread_mapped{2000}, csr_tiles(offsets)); }),
      message_of<invalid_argument>([&] { make_plan(simt(), thread_mapped{2000}, csr_tiles(offsets)); }));
}

/// Half of a block's threads do not come.
template <class Work> struct take_by_half {
  Work work;

  EVENLY_FN auto lay_out(storage_layout& layout, block_shape shape) const {
    return work.lay_out(layout, shape);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto slots = lay_out(layout, block.shape());
    if (block.rank() < 32) for_each_range(block, work, slots, [](const auto&) {});
  }
};

TEST(Shares, NotTakenBySomeThreadsAreReported) {
  const std::vector<int> offsets{0, 3, 500};
  const simt exec;
  auto work = work_of(exec, merge_path<>{64}, csr_tiles(offsets));
  const std::string message =
      message_of<simulation_error>([&] { launch(exec, {1, 64}, take_by_half<decltype(work)>{work}); });
  EXPECT_NE(message.find("deadlock: no thread can continue"), std::string::npos) << message;
}

} // namespace
} // namespace evenly::laws
