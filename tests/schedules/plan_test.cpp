// SPDX-License-Identifier: Apache-2.0
// Plans: what make_plan refuses, and that a plan serves again and again, also after a run that threw.

#include "evenly/schedules/plan.hpp"

#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/detail/carries.hpp"
#include "evenly/algorithms/expand.hpp"
#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/registry.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/uniform.hpp"
#include "support/gate.hpp"
#include "support/messages.hpp"
#include "support/on_device.hpp"
#include "support/schedules.hpp"

namespace evenly {
namespace {

template <class Executor> class Plans : public testing::Test {
 protected:
  Executor exec;
};
using executors = testing::Types<cpu, simt>;
TYPED_TEST_SUITE(Plans, executors);

/// What make_plan says to these offsets under every schedule.
template <class Executor, class Offset>
std::string refusal(const Executor& exec, const std::vector<Offset>& offsets) {
  std::set<std::string> message;
  for_each_form_on<Executor>([&](const char*, const auto& schedule) {
    message.insert(message_of<invalid_argument>([&] { make_plan(exec, schedule, csr_tiles(offsets)); }));
  });
  EXPECT_EQ(message.size(), 1u);
  return *message.begin();
}

TYPED_TEST(Plans, NameTheFirstOffsetThatDecreases) {
  std::vector<int> offsets(30);
  std::iota(offsets.begin(), offsets.end(), 36);
  offsets[17] = 40;
  EXPECT_EQ(refusal(this->exec, offsets),
            "offsets[17] = 40 is less than offsets[16] = 52: offsets must not decrease");
  EXPECT_EQ(refusal(this->exec, std::vector<std::int64_t>{0, std::int64_t{1} << 40, 7, 6}),
            "offsets[2] = 7 is less than offsets[1] = 1099511627776: offsets must not decrease");
}

TYPED_TEST(Plans, NameTheFirstOfManyDecreases) {
  // So many that several blocks look at them, each with mistakes of its own.
  std::vector<int> offsets(50'000);
  for (int i = 0; i < 50'000; ++i) offsets[i] = i < 31'000 ? i : 100'000 - i;
  EXPECT_EQ(refusal(this->exec, offsets),
            "offsets[31001] = 68999 is less than offsets[31000] = 69000: offsets must not decrease");
}

TYPED_TEST(Plans, RefuseNegativeOffsets) {
  EXPECT_EQ(refusal(this->exec, std::vector<int>{-2, 3}),
            "offsets[0] = -2 is negative: offsets must be 0 or greater");
  EXPECT_EQ(refusal(this->exec, std::vector<int>{0, 5, -1}),
            "offsets[2] = -1 is less than offsets[1] = 5: offsets must not decrease");
}

/// Tiles that overlap.
struct overlapping {
  using tile_type = int;
  using atom_type = int;
  int tiles() const { return 3; }
  int begin(int t) const { return 10 * t; }
  int end(int t) const { return t == 1 ? 25 : 10 * t + 10; }
};
struct negative_count : overlapping {
  int tiles() const { return -4; }
};

TYPED_TEST(Plans, RefuseATileSetThatBreaksTheLaws) {
  const auto words =
      message_of<invalid_argument>([&] { make_plan(this->exec, thread_mapped{}, overlapping{}); });
  EXPECT_TRUE(contains(words, "tile 1 has atoms [10, 25)")) << words;
  EXPECT_TRUE(contains(words, "without gaps")) << words;
  EXPECT_EQ(message_of<invalid_argument>([&] { make_plan(this->exec, thread_mapped{}, negative_count{}); }),
            "tiles = -4: must not be negative");
}

struct count_visit {
  int* visits;
  void operator()(int, int) const { atomic_ref(*visits).fetch_add(1); }
};
/// Optionally throws at one atom. All runs use this type, because each type is compiled under every schedule.
struct one_by_atom {
  int throws_at = -1;
  int operator()(int a) const {
    if (a == throws_at) throw std::runtime_error("atom " + std::to_string(a));
    return 1;
  }
};
struct keep_sum {
  int* sums;
  void operator()(int t, int sum) const { sums[t] = sum; }
};

TYPED_TEST(Plans, ForNoTilesRunAndDoNothing) {
  for (const int first : {0, 9}) {
    const std::vector<int> offsets = {first};
    for_each_kind_on<TypeParam>([&](const char* name, const auto& schedule) {
      auto plan = make_plan(this->exec, schedule, csr_tiles(offsets));
      EXPECT_EQ(plan.atoms(), 0) << name;
      int visits = 0, sum = -1;
      for_each_atom(this->exec, plan, count_visit{&visits});
      reduce_tiles(this->exec, plan, one_by_atom{}, plus<int>{}, keep_sum{&sum});
      EXPECT_EQ(visits, 0) << name;
      EXPECT_EQ(sum, -1) << name;
    });
  }
}

TYPED_TEST(Plans, SayWhatTheyAreFor) {
  const std::vector<int> offsets = {5, 7, 7, 20};
  for_each_form_on<TypeParam>([&](const char*, const auto& schedule) {
    auto plan = make_plan(this->exec, schedule, csr_tiles(offsets));
    EXPECT_EQ(plan.first_atom(), 5);
    EXPECT_EQ(plan.atoms(), 15);
    EXPECT_EQ(plan.tiles().tiles(), 3);
    static_assert(planned<decltype(plan)>);
    static_assert(std::is_move_constructible_v<decltype(plan)> &&
                  !std::is_copy_constructible_v<decltype(plan)>);
    auto moved = std::move(plan);
    std::vector<int> sums(3, -1);
    reduce_tiles(this->exec, moved, one_by_atom{}, plus<int>{}, keep_sum{sums.data()});
    EXPECT_EQ(sums, (std::vector<int>{2, 0, 13}));
  });
}

TYPED_TEST(Plans, RunRightAfterARunThatThrew) {
  // Many blocks and one giant tile, so that a run that stops half way leaves tickets drawn.
  const std::vector<int> offsets = {0, 3, 3, 30'000, 30'001};
  for_each_form_on<TypeParam>([&](const char* name, const auto& schedule) {
    auto plan = make_plan(this->exec, schedule, csr_tiles(offsets));
    for (const int where : {29'999, 0, 20'000}) {
      std::vector<int> sums(4);
      EXPECT_EQ(message_of<std::runtime_error>([&] {
                  reduce_tiles(this->exec, plan, one_by_atom{where}, plus<int>{}, keep_sum{sums.data()});
                }),
                "atom " + std::to_string(where));
      for (int run = 0; run < 2; ++run) {
        sums.assign(4, -1);
        reduce_tiles(this->exec, plan, one_by_atom{}, plus<int>{}, keep_sum{sums.data()});
        EXPECT_EQ(sums, (std::vector<int>{3, 0, 29'997, 1})) << name;
      }
    }
  });
}

TYPED_TEST(Plans, NoticeThatTheirTilesHaveOtherAtoms) {
  std::vector<int> offsets = {5, 7, 7, 20};
  for_each_form_on<TypeParam>([&](const char* name, const auto& schedule) {
    auto plan = make_plan(this->exec, schedule, csr_tiles(offsets));
    int visits = 0;
    const auto message = [&] {
      return message_of<invalid_argument>([&] { for_each_atom(this->exec, plan, count_visit{&visits}); });
    };
    offsets.back() = 300;
    EXPECT_EQ(message(),
              "the plan is for tiles with atoms [5, 20), but they are [5, 300) now: the arrays of a "
              "tile set must not change")
        << name;
    offsets.back() = 20;
    offsets.front() = 0;
    EXPECT_EQ(message(),
              "the plan is for tiles with atoms [5, 20), but they are [0, 20) now: the arrays of a "
              "tile set must not change")
        << name;
    offsets.front() = 5;
    EXPECT_EQ(visits, 0) << name;
    for_each_atom(this->exec, plan, count_visit{&visits});
    EXPECT_EQ(visits, 15) << name;
  });
}

struct one_over {
  float operator()(int a) const { return 1.0f / static_cast<float>(a + 1); }
};
struct keep_float {
  float* sums;
  void operator()(int i, float sum) const { sums[i] = sum; }
};

TEST(PlansOnCpu, RunWithAnyNumberOfThreadsToTheSameBits) {
  std::vector<int> offsets{0};
  for (int t = 0; t < 3000; ++t) offsets.push_back(offsets.back() + (t == 1000 ? 50'000 : t % 50));
  const auto atoms = static_cast<std::size_t>(offsets.back());
  for_each_kind_on<cpu>([&](const char* name, const auto& schedule) {
    auto plan = make_plan(cpu(4), schedule, csr_tiles(offsets));
    const auto run = [&](int threads) {
      std::vector<float> all(3000 + atoms, -1);
      reduce_tiles(cpu(threads), plan, one_over{}, plus<float>{}, keep_float{all.data()});
      scan_tiles(cpu(threads), plan, one_over{}, plus<float>{}, keep_float{all.data() + 3000});
      return all;
    };
    const auto with_four = run(4);
    EXPECT_NEAR(with_four[1], 1, 1e-6) << name;
    for (const int threads : {1, 2, 8}) EXPECT_TRUE(run(threads) == with_four) << name << ' ' << threads;
  });
}

TEST(PlansOnSimt, AreForOneSizeOfWarp) {
  const std::vector<int> offsets = {0, 3, 3, 90};
  auto plan = make_plan(simt({.warp_size = 32}), merge_path{}, csr_tiles(offsets));
  std::vector<int> sums(3);
  EXPECT_EQ(message_of<invalid_argument>([&] {
              reduce_tiles(simt({.warp_size = 8}), plan, one_by_atom{}, plus<int>{}, keep_sum{sums.data()});
            }),
            "the plan was made for warps of 32 threads, but the executor has warps of 8");
  reduce_tiles(simt({.seed = 7}), plan, one_by_atom{}, plus<int>{}, keep_sum{sums.data()});
  EXPECT_EQ(sums, (std::vector<int>{3, 0, 87}));
}

TEST(PlansOnDevices, AreForOneOfThem) {
  const std::vector<int> offsets = {0, 3, 3, 90};
  auto plan = make_plan(on_device(2), thread_mapped{}, csr_tiles(offsets));
  int visits = 0;
  EXPECT_EQ(message_of<invalid_argument>([&] { for_each_atom(on_device(0), plan, count_visit{&visits}); }),
            "the plan is in the memory of device 2, but the executor uses that of device 0");
  for_each_atom(on_device(2), plan, count_visit{&visits});
  EXPECT_EQ(visits, 90);
}

const char* const plan_in_use =
    "the plan is in use by another call: it supports one call at a time, and no nested calls";

struct waits_at {
  gate* g;
  int operator()(int a) const {
    if (a == 20) g->wait();
    return 1;
  }
};
struct keep_prefix {
  int* prefixes;
  void operator()(int a, int prefix) const { prefixes[a] = prefix; }
};

TYPED_TEST(Plans, ServeOneThreadAtATime) {
  const std::vector<int> offsets = {0, 3, 3, 90};
  auto plan = make_plan(this->exec, merge_path{}, csr_tiles(offsets));
  std::vector<int> sums(3, -1), tile_of(90);
  gate g;
  while_waiting(
      g, [&] { reduce_tiles(this->exec, plan, waits_at{&g}, plus<int>{}, keep_sum{sums.data()}); },
      [&] {
        int other = -1;
        const auto refused = [&](const auto& call) {
          EXPECT_EQ(message_of<invalid_argument>(call), plan_in_use);
        };
        refused([&] { reduce_tiles(this->exec, plan, one_by_atom{}, plus<int>{}, keep_sum{&other}); });
        refused([&] { scan_tiles(this->exec, plan, one_by_atom{}, plus<int>{}, keep_prefix{&other}); });
        refused(
            [&] { scan_tiles_exclusive(this->exec, plan, one_by_atom{}, plus<int>{}, keep_prefix{&other}); });
        refused([&] { for_each_atom(this->exec, plan, count_visit{&other}); });
        refused([&] { expand(this->exec, plan, std::span(tile_of)); });
        EXPECT_EQ(other, -1);
      });
  EXPECT_EQ(sums, (std::vector<int>{3, 0, 87}));
  expand(this->exec, plan, std::span(tile_of));
  EXPECT_EQ(tile_of[3], 2);
}

TEST(PlansOnCpu, ServeNoCallFromWithinAnother) {
  const std::vector<int> offsets = {0, 3, 3, 90};
  const cpu exec(2);
  auto plan = make_plan(exec, merge_path{}, csr_tiles(offsets));
  int visits = 0;
  const auto again = [&](int, int) { for_each_atom(exec, plan, count_visit{&visits}); };
  EXPECT_EQ(message_of<invalid_argument>([&] { for_each_atom(exec, plan, again); }), plan_in_use);
  EXPECT_EQ(visits, 0);
  for_each_atom(exec, plan, count_visit{&visits});
  EXPECT_EQ(visits, 90);
}

struct large {
  double parts[4];
};
struct sum_large {
  using value_type = large;
  large identity() const { return {}; }
  large operator()(const large& a, const large& b) const {
    return {a.parts[0] + b.parts[0], a.parts[1] + b.parts[1], 0, 0};
  }
};
struct map_large {
  large operator()(int a) const { return {1, static_cast<double>(a), 0, 0}; }
};
struct keep_large {
  large* to;
  void operator()(int, const large& v) const { *to = v; }
};

TYPED_TEST(Plans, WorkspaceServesValuesOfAnySize) {
  const std::vector<int> offsets = {0, 60'000};
  const auto expect_right = [&](const char* name, const auto& schedule) {
    auto plan = make_plan(this->exec, schedule, csr_tiles(offsets));
    for (int run = 0; run < 3; ++run) { // small, large, small again, in what the large ones left
      int sum = 0;
      reduce_tiles(this->exec, plan, one_by_atom{}, plus<int>{}, keep_sum{&sum});
      EXPECT_EQ(sum, 60'000) << name;
      large both{};
      reduce_tiles(this->exec, plan, map_large{}, sum_large{}, keep_large{&both});
      EXPECT_EQ(both.parts[0], 60'000) << name;
      EXPECT_EQ(both.parts[1], 60'000.0 * 59'999 / 2) << name;
    }
  };
  expect_right("merge_path", merge_path{});
  expect_right("streamed", streamed{}); // small values by chunks that are drawn, large ones not
  expect_right("multi_phase", multi_phase{});
}

TYPED_TEST(Plans, RefuseBadBlockSizes) {
  const std::vector<int> offsets = {0, 10};
  for_each_kind_on<TypeParam>([&](const char* name, auto schedule) {
    for (const int size : {1025, 0, -32}) {
      schedule.block_size = size;
      EXPECT_EQ(message_of<invalid_argument>([&] { make_plan(this->exec, schedule, csr_tiles(offsets)); }),
                "block_size = " + std::to_string(size) + ": a block has 1 to 1024 threads")
          << name;
    }
  });
}

TYPED_TEST(Plans, RefuseMoreBlocksThanAGridHas) {
  if (std::is_same_v<TypeParam, cpu>) return; // whose blocks grow with the work
  merge_path<1> schedule;
  schedule.block_size = 1;
  const auto tiles = uniform_tiles<std::int64_t>(1, std::int64_t{1} << 40);
  const auto words = message_of<invalid_argument>([&] { make_plan(this->exec, schedule, tiles); });
  EXPECT_EQ(words, "1099511627777 blocks exceed the maximum of a grid (2147483647): use larger blocks");
}

/// Small work is all start: one kernel, however its tiles are cut.
TYPED_TEST(Plans, OfSmallWorkStartOneKernel) {
  std::vector<int> offsets{0};
  for (int t = 0; t < 9000; ++t) offsets.push_back(offsets.back() + (t % 1000 == 7 ? 5000 : t % 11));
  ASSERT_LT(offsets.back(), 100'000);
  for_each_schedule_on<TypeParam>([&](const char* name, const auto& schedule) {
    const auto plan = make_plan(this->exec, schedule, csr_tiles(std::span<const int>(offsets)));
    EXPECT_GT(plan.launch().shape.blocks, 0) << name;
    EXPECT_FALSE((carries<float, int>::is_deferred(cutting_blocks(plan.launch())))) << name;
  });
}

} // namespace
} // namespace evenly
