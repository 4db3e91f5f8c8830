// SPDX-License-Identifier: Apache-2.0
// Views of memory: on simt they report the races that are there, at the line of the access, and no others; on cpu they
// are a pointer and a size. And the errors for raw pointers.

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/block/grid_sync.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/kernels/for_each_range.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/trace/trace.hpp"
#include "evenly/work/csr.hpp"
#include "execution/reports.hpp"

// Outside the namespace of the library, as a user's code is: nothing is said of raw pointers of the library's.
namespace {

using evenly::cpu;
using evenly::simt;
using evenly::span_on;

static_assert(std::is_same_v<span_on<cpu, int>, evenly::plain_span<int>>);
static_assert(std::is_same_v<span_on<simt, int>, evenly::checked_span<int>>);
static_assert(std::is_same_v<decltype(span_on<cpu, int>{}[0]), int&>);
static_assert(std::is_same_v<decltype(span_on<simt, const int>{}[0]), int>);
static_assert(std::is_convertible_v<span_on<cpu, int>, span_on<cpu, const int>> &&
              std::is_convertible_v<span_on<simt, int>, span_on<simt, const int>>);
static_assert(!std::is_convertible_v<span_on<cpu, const int>, span_on<cpu, int>> &&
              !std::is_convertible_v<span_on<simt, const int>, span_on<simt, int>>);

/// A kernel made of a generic lambda, which it holds.
template <class Body> struct kernel_of {
  Body body;
  template <class Block> void operator()(Block& block) const { body(block); }
};
template <class Body> kernel_of(Body) -> kernel_of<Body>;

/// What every interleaving of the kernel reports; empty if none reports anything.
template <class Body>
std::string found_in(evenly::launch_shape shape, std::vector<int>& memory, const Body& body) {
  return evenly::found_by_all([&](const simt& exec) {
    const auto y = evenly::view(exec, memory);
    const auto call = [y, body](auto& block) { body(block, y); };
    launch(exec, shape, kernel_of{call});
  });
}

std::string at_line(int line) { return "(view_test.cpp:" + std::to_string(line) + ")"; }

// --- races that are reported ---

TEST(View, BlocksThatAddWithoutAtomics) {
  std::vector<int> y(4);
  const int line = __LINE__ + 1;
  const std::string found = found_in({14, 1}, y, [](auto&, auto all) { all[0] += 1; });
  EXPECT_TRUE(evenly::says(found, {"race: block ", "element 0 of a view (of 4 bytes)", at_line(line)}));
}

TEST(View, ThreadsOfOneBlockWithoutSync) {
  std::vector<int> y(64);
  const int line = __LINE__ + 4;
  const std::string found = found_in({1, 64}, y, [](auto& block, auto all) {
    const int mine = block.rank();
    all[mine] = mine;
    const int next = all[(mine + 1) % 64];
    evenly::use(next);
  });
  EXPECT_TRUE(evenly::says(found, {"race: block 0: thread ", at_line(line)}));
}

TEST(View, AnAtomicOperationAndAnotherAccessInEitherOrder) {
  std::vector<int> y(1);
  for (const int atomic : {0, 1}) {
    const int line = __LINE__ + 3;
    const std::string found = found_in({2, 1}, y, [atomic](auto& block, auto all) {
      if (block.index() != atomic) evenly::use(all[0]);
      if (block.index() == atomic) evenly::atomic_ref(all[0]).fetch_add(1);
    });
    EXPECT_TRUE(evenly::says(found, {"race: ", "element 0 of a view", at_line(line)})) << atomic;
  }
}

TEST(View, TilesThatAreStoredInOneElement) {
  const std::vector<int> offsets{0, 2, 2, 3, 700, 701};
  std::vector<int> sums(5);
  const int line = __LINE__ + 5;
  const std::string found = evenly::found_by_all([&](const simt& exec) {
    const auto out = evenly::view(exec, sums);
    evenly::reduce_tiles(
        exec, evenly::merge_path{}, evenly::csr_tiles(offsets), [](int) { return 1; }, evenly::plus<int>{},
        [=](int, int sum) { out[0] = sum; });
  });
  EXPECT_TRUE(evenly::says(found, {"race: ", "writes element 0 of a view", at_line(line)}));
}

TEST(View, ElementsOfAnySize) {
  struct wide {
    double a, b;
  };
  const auto found = [](auto first) {
    using T = decltype(first);
    std::vector<T> y(100, first);
    return evenly::found_by_all([&](const simt& exec) {
      const auto all = evenly::view(exec, y);
      launch(exec, {2, 1}, kernel_of{[=](auto&) { all[33] = T{}; }});
    });
  };
  EXPECT_TRUE(evenly::says(found(char{}), {"element 33 of a view (of 1 bytes)"}));
  EXPECT_TRUE(evenly::says(found(std::int16_t{}), {"element 33 of a view (of 2 bytes)"}));
  EXPECT_TRUE(evenly::says(found(double{}), {"element 33 of a view (of 8 bytes)"}));
  EXPECT_TRUE(evenly::says(found(wide{}), {"element 33 of a view (of 16 bytes)"}));
}

// --- what is no race ---

TEST(View, RightProgramsAreNotReported) {
  std::vector<int> y(64 * 4);
  EXPECT_EQ(found_in({14, 32}, y, [](auto&, auto all) { evenly::atomic_ref(all[0]).fetch_add(1); }), "");
  EXPECT_EQ(found_in({4, 64}, y,
                     [](auto& block, auto all) { all[64 * block.index() + block.rank()] = block.rank(); }),
            "");
  EXPECT_EQ(found_in({14, 32}, y, [](auto&, auto all) { evenly::use(all[5]); }), "");
  EXPECT_EQ(found_in({1, 64}, y,
                     [](auto& block, auto all) {
                       all[block.rank()] = 1;
                       block.sync();
                       const int next = all[(block.rank() + 1) % 64];
                       block.sync();
                       all[block.rank()] += next;
                     }),
            "");
}

TEST(View, NeighboursOfAnySizeAreApart) {
  const auto found = [](auto first) {
    using T = decltype(first);
    std::vector<T> y(130, first);
    return evenly::found_by_all([&](const simt& exec) {
      const auto all = evenly::view(exec, y);
      launch(exec, {2, 65}, kernel_of{[=](auto& block) { all[2 * block.rank() + block.index()] = T{}; }});
    });
  };
  EXPECT_EQ(found(char{}), "");
  EXPECT_EQ(found(std::int16_t{}), "");
  EXPECT_EQ(found(int{}), "");
  EXPECT_EQ(found(double{}), "");
}

TEST(View, LaunchesComeOneAfterTheOther) {
  std::vector<int> y(1);
  EXPECT_EQ(evenly::found_by_all([&](const simt& exec) {
              const auto all = evenly::view(exec, y);
              for (int i = 0; i < 3; ++i) launch(exec, {1, 1}, kernel_of{[=](auto&) { all[0] += 1; }});
            }),
            "");
}

TEST(View, AReleaseThatIsAcquiredAndAMeetingOfAllBlocksOrder) {
  std::vector<int> y(2);
  EXPECT_EQ(found_in({.blocks = 2, .block_size = 1, .co_resident = true}, y,
                     [](auto& block, auto all) {
                       if (block.index() == 0) {
                         all[0] = 7;
                         evenly::atomic_ref(all[1]).store(1);
                       } else {
                         while (evenly::atomic_ref(all[1]).load() == 0) block.backoff();
                         evenly::use(all[0]);
                         evenly::atomic_ref(all[1]).store(0);
                       }
                     }),
            "");
  EXPECT_EQ(evenly::found_by_all([&](const simt& exec) {
              evenly::workspace memory;
              evenly::workspace::lease lease(memory);
              const auto barrier = lease.take(exec, 0).barrier;
              const auto all = evenly::view(exec, y);
              launch(exec, {.blocks = 2, .block_size = 1, .co_resident = true}, kernel_of{[=](auto& block) {
                       all[block.index()] = 1;
                       evenly::grid_sync(block, barrier);
                       evenly::use(all[1 - block.index()]);
                     }});
            }),
            "");
}

TEST(View, RacesAreNotLookedForWhereNobodyAsks) {
  std::vector<int> y(1);
  const simt exec({.check_races = false});
  const auto all = evenly::view(exec, y);
  EXPECT_NO_THROW(launch(exec, {14, 1}, kernel_of{[=](auto&) { all[0] += 1; }}));
  EXPECT_EQ(y[0], 14);
}

// --- a view as a value ---

TEST(View, AnElementOutsideIsReported) {
  std::vector<int> y(5);
  for (const int at : {5, -1}) {
    const int line = __LINE__ + 1;
    const std::string found = found_in({1, 1}, y, [at](auto&, auto all) { all[at] = 1; });
    EXPECT_TRUE(evenly::says(
        found, {"block 0: thread 0 accesses element " + std::to_string(at) + " of a view of 5 elements ",
                at_line(line)}));
  }
  EXPECT_THROW(evenly::use(evenly::view(simt(), y)[5]), evenly::invalid_argument);
}

template <class Executor> void expect_a_span(const Executor& exec) {
  std::vector<int> values{1, 2, 3, 4};
  const auto all = evenly::view(exec, values);
  EXPECT_EQ(all.data(), values.data());
  EXPECT_EQ(all.size(), 4u);
  EXPECT_FALSE(all.empty());
  all[1] = 5;
  all[2] += all[1];
  EXPECT_EQ(values, (std::vector<int>{1, 5, 8, 4}));
  const span_on<Executor, const int> fixed = all.subspan(1, 3);
  EXPECT_EQ(fixed[2], 4);
  int sum = 0;
  for (const int each : fixed) sum += each;
  for (const int each : all) sum += each;
  EXPECT_EQ(sum, 17 + 18);
  EXPECT_TRUE((span_on<Executor, int>().empty()));
  EXPECT_EQ((span_on<Executor, int>().data()), nullptr);
  const auto copy = evenly::to_executor(exec, values);
  EXPECT_EQ(evenly::view(exec, copy).data(), copy.data());
  EXPECT_EQ(evenly::view(exec, std::span<const int>(values)).size(), 4u);
  static_assert(
      std::is_same_v<decltype(evenly::view(exec, std::as_const(values))), span_on<Executor, const int>>);
}
TEST(View, IsASpan) {
  expect_a_span(cpu());
  expect_a_span(simt());
}

TEST(View, OwnersGiveViewsOfAllTheyHave) {
  const simt exec;
  const evenly::csr_matrix<float> host{2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}};
  const auto a = to_executor(exec, host);
  const auto of_matrix = evenly::view(exec, a);
  EXPECT_EQ(of_matrix.cols, 3);
  EXPECT_EQ(of_matrix.offsets[2], 3);
  EXPECT_EQ(of_matrix.columns[1], 2);
  EXPECT_EQ(of_matrix.values.size(), 3u);
  const std::vector<int> offsets{0, 1, 2}, targets{1, 0}, weights{4, 5};
  const evenly::graph g(exec,
                        evenly::graph_view<>{{2, 2, offsets.data(), targets.data()}, {}, weights.data()});
  const auto of_graph = evenly::view(exec, g);
  EXPECT_EQ(of_graph.out.vertices, 2);
  EXPECT_EQ(of_graph.out.offsets.size(), 3u);
  EXPECT_EQ(of_graph.out.ends[1], 0);
  EXPECT_EQ(of_graph.weights[1], 5);
  EXPECT_TRUE(of_graph.in.ends.empty() && of_graph.in_weights.empty());
}

TEST(View, AccessesAreCounted) {
  evenly::trace counts;
  const simt exec({.trace = &counts});
  std::vector<int> y(64);
  const auto all = evenly::view(exec, y);
  launch(exec, {1, 64}, kernel_of{[=](auto& block) { all[block.rank()] += 1; }});
  const evenly::trace_counts seen = counts.totals();
  EXPECT_EQ(seen.global_load_requests, 2);
  EXPECT_EQ(seen.global_store_requests, 2);
}

// --- raw pointers ---

#if defined(__clang__)
constexpr bool sees_padding = false; ///< so objects that have any are not looked at
#else
constexpr bool sees_padding = true;
#endif

/// What is written to standard error while it runs.
template <class Run> std::string said_by(const Run& run) {
  testing::internal::CaptureStderr();
  run();
  return testing::internal::GetCapturedStderr();
}

template <class Work> struct sums_of_rows {
  Work rows;
  evenly::partials<int, int> left;
  span_on<simt, const int> values;
  int* raw;
  span_on<simt, int> sums;

  auto lay_out(evenly::storage_layout& layout, evenly::block_shape shape) const {
    return evenly::lay_out_combine<int>(layout, shape, rows);
  }
  template <class Block> void operator()(Block& block) const {
    evenly::storage_layout layout;
    const evenly::combine_with joined{left, evenly::plus<int>{},
                                      [this](int row, int sum) { sums[row] = sum; }};
    evenly::for_each_range(block, rows, lay_out(layout, block.shape()), joined, [&](const auto& range) {
      for (const auto row : range.tiles()) {
        int sum = 0;
        for (const int k : range.atoms(row)) sum += range.read(values, k);
        range.combine(row, sum);
      }
    });
  }
};

TEST(RawPointers, OfAKernelAreCountedWithoutThoseOfTheLibrary) {
  if (!sees_padding) GTEST_SKIP() << "the compiler cannot clear padding";
  const simt exec;
  const std::vector<int> offsets{0, 2, 2, 3, 700, 701}, values(701, 1);
  std::vector<int> sums(5);
  auto work = evenly::work_of(exec, evenly::merge_path{}, evenly::csr_tiles(offsets));
  auto left = evenly::make_partials<int>(exec, work);
  const auto run = [&](int* raw) {
    launch(exec, {work.blocks, work.block_size},
           sums_of_rows<decltype(work)>{work, left.view(), view(exec, values), raw, view(exec, sums)});
  };
  const std::string said = said_by([&] { run(sums.data()); });
  EXPECT_TRUE(
      evenly::says(said, {"evenly: simt does not check accesses by a raw pointer of ", "sums_of_rows<...>",
                          "evenly::view(exec, memory)", "simt_options::report_raw_pointers"}));
  EXPECT_EQ(said_by([&] { run(sums.data()); }), "") << "said once";
  EXPECT_EQ(sums, (std::vector<int>{2, 0, 1, 697, 1}));
}

TEST(RawPointers, NothingIsSaidOfAKernelThatHasViews) {
  const simt exec;
  const std::vector<int> offsets{0, 2, 3}, values(3, 1);
  std::vector<int> sums(2);
  auto work = evenly::work_of(exec, evenly::thread_mapped{}, evenly::csr_tiles(offsets));
  auto left = evenly::make_partials<int>(exec, work);
  EXPECT_EQ(said_by([&] {
              launch(exec, {work.blocks, work.block_size},
                     sums_of_rows<decltype(work)>{work, left.view(), view(exec, values), nullptr,
                                                  view(exec, sums)});
            }),
            "");
}

TEST(RawPointers, OfFunctionObjectsThatSkeletonsRun) {
  if (!sees_padding) GTEST_SKIP() << "the compiler cannot clear padding";
  const simt exec;
  const std::vector<int> offsets{0, 2, 3}, values(3, 1);
  std::vector<int> sums(2);
  const auto tiles = evenly::csr_tiles(offsets);
  const int *from = values.data(), *too = offsets.data() + 1;
  int* to = sums.data();
  const std::string said = said_by([&] {
    evenly::reduce_tiles(
        exec, evenly::merge_path{}, tiles, [=](int k) { return from[k] + tiles.begin(0) + 0 * *too; },
        evenly::plus<int>{}, [=](int row, int sum) { to[row] = sum; });
  });
  EXPECT_TRUE(evenly::says(
      said, {"by 2 raw pointers of ", "lambda(int)", "by a raw pointer of ", "lambda(int, int)"}));
  EXPECT_TRUE(evenly::says(said_by([&] {
                             evenly::select(
                                 exec, evenly::generated([=](std::int64_t i) { return from[i]; }), 3,
                                 [](int) { return false; }, to);
                           }),
                           {"by a raw pointer of "}));
}

TEST(RawPointers, NothingIsSaidWhereNobodyAsksNorOfTheLibrarysOwn) {
  std::vector<int> y(1);
  const simt quiet({.report_raw_pointers = false});
  EXPECT_EQ(said_by([&] { launch(quiet, {1, 1}, kernel_of{[at = y.data()](auto&) { *at = 1; }}); }), "");
  const simt exec;
  const evenly::csr_matrix<float> a{2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}};
  const std::vector<float> x(3, 1);
  std::vector<float> out(2);
  EXPECT_EQ(said_by([&] { evenly::spmv(exec, evenly::merge_path{}, a.view(), x, out); }), "");
}

} // namespace
