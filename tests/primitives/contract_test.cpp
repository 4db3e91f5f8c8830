// SPDX-License-Identifier: Apache-2.0
// What the primitives refuse, what they allocate, and what becomes of a workspace: reused by others, and
// after an operation has thrown.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/primitives/detail/host_containers.hpp"
#include "evenly/primitives/partition.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/reduce_by_key.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "support/counting_resource.hpp"
#include "support/gate.hpp"
#include "support/messages.hpp"
#include "support/monoids.hpp"
#include "support/on_device.hpp"
#include "support/predicates.hpp"

namespace evenly {
namespace {

class Contract : public testing::Test {
 protected:
  cpu exec{2};
  std::vector<int> values = std::vector<int>(100, 1), out = std::vector<int>(100),
                   more = std::vector<int>(100);
  const int* in = values.data();
  plus<int> add;
  std::int64_t number = 0;
  workspace memory;
};

TEST_F(Contract, BlocksHaveOneToAThousandThreads) {
  const simt gpu;
  for (const int bad : {-1, 0, 1025}) {
    const std::string rule = "block_size = " + std::to_string(bad) + ": a block has 1 to 1024 threads";
    EXPECT_EQ(refusal_of([&] { reduce(gpu, in, 100, add, out.data(), memory, bad); }), rule);
    EXPECT_EQ(refusal_of([&] { inclusive_scan(gpu, in, 100, add, out.data(), memory, bad); }), rule);
    EXPECT_EQ(refusal_of([&] { select(gpu, in, 100, is_odd{}, out.data(), &number, memory, bad); }), rule);
  }
}

/// Sums of values that are large for a block's storage.
struct wide_sum {
  struct value_type {
    int of[40];
  };
  value_type identity() const { return {}; }
  value_type operator()(const value_type& a, const value_type& b) const {
    value_type sum;
    for (int i = 0; i < 40; ++i) sum.of[i] = a.of[i] + b.of[i];
    return sum;
  }
};

TEST_F(Contract, LargeValuesFindRoomInStorageAndLargerBlocksAreRefused) {
  const simt gpu;
  std::vector<wide_sum::value_type> large(300, {{1, 2}}), sums(300);
  inclusive_scan(gpu, large.data(), 300, wide_sum{}, sums.data(), memory);
  EXPECT_EQ(sums[299].of[0], 300);
  EXPECT_EQ(sums[299].of[1], 600);
  const std::string said =
      refusal_of([&] { inclusive_scan(gpu, large.data(), 300, wide_sum{}, sums.data(), memory, 1024); });
  EXPECT_EQ(said.substr(0, 32), "a block of 1024 threads needs 49") << said;
}

TEST_F(Contract, StampsBeginAnewAfterTheLast) {
  const auto go = [](const auto& exec) {
    workspace memory;
    for (const int size : {5000, 100'000, 3000}) { // grows once
      const std::vector<int> ones(size, 1);
      std::vector<int> sums(size);
      const auto state = [&] {
        return reinterpret_cast<look_back_state*>(workspace::lease(memory).take(exec, 64).kept.data());
      };
      state()->calls = 0xFFFFFFF0u - 3;
      for (int run = 0; run < 8; ++run) {
        inclusive_scan(exec, ones.data(), size, plus<int>{}, sums.data(), memory, 64);
        EXPECT_EQ(sums.back(), size);
        int sum = 0;
        reduce(exec, ones.data(), size, plus<int>{}, &sum, memory, 64);
        EXPECT_EQ(sum, size);
      }
      EXPECT_LT(state()->calls, 20u);
    }
  };
  go(simt());
  go(cpu(2));
}

TEST_F(Contract, CountsAreNotNegative) {
  const std::string rule = "count = -1: must not be negative";
  EXPECT_EQ(refusal_of([&] { reduce(exec, in, -1, add); }), rule);
  EXPECT_EQ(refusal_of([&] { inclusive_scan(exec, in, -1, add, out.data()); }), rule);
  EXPECT_EQ(refusal_of([&] { exclusive_scan(exec, in, -1, add, out.data(), memory); }), rule);
  EXPECT_EQ(refusal_of([&] { select(exec, in, -1, is_odd{}, out.data()); }), rule);
  EXPECT_EQ(refusal_of([&] { partition(exec, in, -1, is_odd{}, out.data()); }), rule);
  EXPECT_EQ(refusal_of([&] { partition(exec, in, -1, is_odd{}, out.data(), more.data(), &number, memory); }),
            rule);
  EXPECT_EQ(refusal_of([&] { reduce_by_key(exec, in, in, -1, add, out.data(), more.data()); }), rule);
}

TEST_F(Contract, SpansHaveOneSize) {
  const std::span<const int> all(values);
  const std::string rule = "out has 99 elements and in has 100: the numbers must be equal";
  EXPECT_EQ(refusal_of([&] { inclusive_scan(exec, all, add, std::span(out).first(99)); }), rule);
  EXPECT_EQ(refusal_of([&] { exclusive_scan(exec, all, add, std::span(out).first(99), memory); }), rule);
  inclusive_scan(exec, all, add, std::span(out));
  EXPECT_EQ(out.back(), 100);
  exclusive_scan(exec, all, add, std::span(out));
  EXPECT_EQ(out.back(), 99);
  EXPECT_EQ(reduce(exec, all, add), 100);
}

TEST_F(Contract, OutputsOverlapInPlaceOnly) {
  int* const own = values.data();
  const std::string behind =
      "out begins 4 bytes after the start of in and overlaps it: they must be the same or disjoint";
  const std::string before =
      "out begins 4 bytes before the start of in and overlaps it: they must be the same or disjoint";
  EXPECT_EQ(refusal_of([&] { inclusive_scan(exec, in, 99, add, own + 1); }), behind);
  EXPECT_EQ(refusal_of([&] { inclusive_scan(exec, in + 1, 99, add, own); }), before);
  EXPECT_EQ(refusal_of([&] { exclusive_scan(exec, in, 99, add, own + 1); }), behind);
  EXPECT_EQ(refusal_of([&] { select(exec, in, 99, is_odd{}, own + 1); }), behind);
  inclusive_scan(exec, in, 50, add, own + 50); // side by side

  EXPECT_EQ(refusal_of([&] { partition(exec, in, 100, is_odd{}, own); }),
            "out begins 0 bytes after the start of in and overlaps it: they must be disjoint");
  EXPECT_EQ(refusal_of([&] { partition(exec, in, 100, is_odd{}, own + 1, out.data(), &number, memory); }),
            "accepted begins 4 bytes after the start of in and overlaps it: they must be disjoint");
  EXPECT_EQ(refusal_of([&] { partition(exec, in, 100, is_odd{}, out.data(), own + 2, &number, memory); }),
            "rejected begins 8 bytes after the start of in and overlaps it: they must be disjoint");
  EXPECT_EQ(refusal_of([&] { reduce_by_key(exec, in, more.data(), 100, add, own + 3, out.data()); }),
            "keys_out begins 12 bytes after the start of keys and overlaps it: they must be disjoint");
  EXPECT_EQ(refusal_of([&] { reduce_by_key(exec, more.data(), in, 100, add, out.data(), own); }),
            "sums_out begins 0 bytes after the start of values and overlaps it: they must be disjoint");
  EXPECT_EQ(refusal_of([&] { reduce_by_key(exec, in, in, 100, add, out.data(), out.data()); }),
            "sums_out begins 0 bytes after the start of keys_out and overlaps it: they must be disjoint");
}

TEST_F(Contract, IteratorsAndSpansOverlapAsPointersDo) {
  const std::string behind =
      "out begins 4 bytes after the start of in and overlaps it: they must be the same or disjoint";
  const auto begin = values.begin();
  const auto all = std::span(values);
  EXPECT_EQ(refusal_of([&] { inclusive_scan(exec, begin, 99, add, begin + 1); }), behind);
  EXPECT_EQ(refusal_of([&] { inclusive_scan(exec, values.cbegin(), 99, add, values.data() + 1); }), behind);
  EXPECT_EQ(refusal_of([&] { inclusive_scan(exec, in, 99, add, begin + 1); }), behind);
  EXPECT_EQ(refusal_of([&] { exclusive_scan(exec, all.begin(), 99, add, all.begin() + 1); }), behind);
  EXPECT_EQ(refusal_of([&] { select(exec, begin, 99, is_odd{}, begin + 1); }), behind);
  EXPECT_EQ(refusal_of([&] { select(exec, all, 99, is_odd{}, all.subspan(1)); }), behind);
  EXPECT_EQ(refusal_of([&] { partition(exec, begin, 100, is_odd{}, begin); }),
            "out begins 0 bytes after the start of in and overlaps it: they must be disjoint");
  EXPECT_EQ(
      refusal_of([&] { partition(exec, begin, 100, is_odd{}, begin + 1, out.begin(), &number, memory); }),
      "accepted begins 4 bytes after the start of in and overlaps it: they must be disjoint");
  EXPECT_EQ(
      refusal_of([&] { partition(exec, begin, 100, is_odd{}, out.begin(), out.begin(), &number, memory); }),
      "rejected begins 0 bytes after the start of accepted and overlaps it: they must be disjoint");
  EXPECT_EQ(refusal_of([&] { reduce_by_key(exec, begin, more.begin(), 100, add, begin + 3, out.begin()); }),
            "keys_out begins 12 bytes after the start of keys and overlaps it: they must be disjoint");
  EXPECT_EQ(refusal_of([&] { reduce_by_key(exec, begin, begin, 100, add, out.begin(), out.begin()); }),
            "sums_out begins 0 bytes after the start of keys_out and overlaps it: they must be disjoint");

  EXPECT_EQ(reduce(exec, begin, 100, add), 100);
  EXPECT_EQ(reduce(exec, all, 50, add), 50);
  inclusive_scan(exec, begin, 50, add, begin + 50); // side by side
  EXPECT_EQ(values[99], 50);
  inclusive_scan(exec, begin, 50, add, begin); // in place
  EXPECT_EQ(values[49], 50);
  EXPECT_EQ(select(exec, begin, 50, is_odd{}, begin), 25);
  EXPECT_EQ(values[24], 49);
}

TEST_F(Contract, CountsLieApartFromElements) {
  std::vector<std::int64_t> wide(100), to(100);
  const auto is_even = [](std::int64_t i) { return i % 2 == 0; };
  const plus<std::int64_t> sum;
  const auto rule = [](const char* name, const char* of) {
    return std::string(name) + " begins 0 bytes after the start of " + of +
           " and overlaps it: they must be disjoint";
  };
  const auto selected = [&](std::int64_t* found) {
    return refusal_of([&] { select(exec, wide.begin(), 100, is_even, to.begin(), found, memory); });
  };
  EXPECT_EQ(selected(wide.data()), rule("found", "in"));
  EXPECT_EQ(selected(to.data()), rule("found", "out"));
  std::vector<std::int64_t> rest(100);
  const auto parted = [&](std::int64_t* found) {
    return refusal_of(
        [&] { partition(exec, wide.begin(), 100, is_even, to.begin(), rest.begin(), found, memory); });
  };
  EXPECT_EQ(parted(wide.data()), rule("found", "in"));
  EXPECT_EQ(parted(to.data()), rule("found", "accepted"));
  EXPECT_EQ(parted(rest.data()), rule("found", "rejected"));
  const auto runs = [&](std::int64_t* number) {
    return refusal_of([&] {
      reduce_by_key(exec, wide.begin(), counting(), 100, sum, to.begin(), rest.begin(), number, memory);
    });
  };
  EXPECT_EQ(runs(wide.data()), rule("runs", "keys"));
  EXPECT_EQ(runs(to.data()), rule("runs", "keys_out"));
  EXPECT_EQ(runs(rest.data()), rule("runs", "sums_out"));
}

TEST_F(Contract, SpansAndNullPointersHaveTheElementsAskedFor) {
  EXPECT_EQ(refusal_of([&] { reduce(exec, std::span(values), 101, add); }), "in has 100 elements, of 101");
  EXPECT_EQ(refusal_of([&] { inclusive_scan(exec, in, 100, add, std::span(out).first(99)); }),
            "out has 99 elements, of 100");
  const int* const nothing = nullptr;
  EXPECT_EQ(refusal_of([&] { reduce(exec, nothing, 5, add); }), "in is null, but must have 5 elements");
  EXPECT_EQ(refusal_of([&] { inclusive_scan(exec, in, 5, add, static_cast<int*>(nullptr)); }),
            "out is null, but must have 5 elements");
  EXPECT_EQ(refusal_of([&] { select(exec, std::vector<int>().begin(), 5, is_odd{}, out.data()); }),
            "in is null, but must have 5 elements");
  EXPECT_EQ(refusal_of([&] { tabulate(exec, -1, is_odd{}, out.data()); }),
            "count = -1: must not be negative");
  EXPECT_EQ(reduce(exec, nothing, 0, add), 0);
}

static_assert(detail::of_host_container<std::vector<int>::iterator> &&
              detail::of_host_container<std::vector<bool>::const_iterator> &&
              detail::of_host_container<std::deque<int>::iterator> &&
              !detail::of_host_container<std::span<int>::iterator> &&
              !detail::of_host_container<const int*> && !detail::of_host_container<counting>);

const char* const workspace_in_use =
    "the workspace is in use by another call: it supports one call at a time, and no nested calls";

/// A workspace used while another call that has it waits in the middle.
template <class Executor> void expect_one_call_at_a_time(const Executor& exec) {
  workspace memory;
  gate g;
  const auto waits = generated([&](std::int64_t i) {
    if (i == 70) g.wait();
    return static_cast<int>(i);
  });
  std::vector<int> sums(100);
  while_waiting(
      g, [&] { inclusive_scan(exec, waits, 100, plus<int>{}, sums.data(), memory); },
      [&] {
        int sum = 0;
        std::int64_t number = 0;
        std::vector<int> to(100), more(100);
        const auto ints = generated([](std::int64_t i) { return static_cast<int>(i); });
        const auto refused = [&](const auto& call) { EXPECT_EQ(refusal_of(call), workspace_in_use); };
        refused([&] { reduce(exec, ints, 100, plus<int>{}, &sum, memory); });
        refused([&] { exclusive_scan(exec, ints, 100, plus<int>{}, to.data(), memory); });
        refused([&] { select(exec, ints, 100, is_odd{}, to.data(), &number, memory); });
        refused([&] { partition(exec, ints, 100, is_odd{}, to.data(), more.data(), &number, memory); });
        refused([&] {
          reduce_by_key(exec, ints, ints, 100, plus<int>{}, to.data(), more.data(), &number, memory);
        });
      });
  EXPECT_EQ(sums[99], 4950);
  reduce(exec, waits, 100, plus<int>{}, sums.data(), memory);
  EXPECT_EQ(sums[0], 4950);
}

TEST_F(Contract, AWorkspaceServesOneCallAtATime) {
  expect_one_call_at_a_time(exec);
  expect_one_call_at_a_time(simt());
  const auto within = generated([&](std::int64_t) {
    int sum = 0;
    reduce(exec, in, 100, add, &sum, memory);
    return sum;
  });
  EXPECT_EQ(refusal_of([&] { inclusive_scan(exec, within, 100, add, out.data(), memory); }),
            workspace_in_use);
  inclusive_scan(exec, in, 100, add, out.data(), memory);
  EXPECT_EQ(out[99], 100);
}

TEST_F(Contract, AWorkspaceStaysWhereItsMemoryIs) {
  reduce(exec, in, 100, add, out.data(), memory);
  EXPECT_EQ(refusal_of([&] { workspace::lease(memory).take(on_device(3), 64); }),
            "the workspace has memory of the host, but the executor uses that of device 3: use one workspace "
            "per memory");
  reduce(simt(), in, 100, add, out.data(), memory); // of the host as well
  workspace other;
  workspace::lease(other).take(on_device(3), 64);
  EXPECT_EQ(refusal_of([&] { reduce(exec, in, 100, add, out.data(), other); }),
            "the workspace has memory of device 3, but the executor uses that of the host: use one workspace "
            "per memory");
}

/// The lines that docs/primitives.md begins with.
TEST_F(Contract, IsAsThePageShows) {
  const std::vector<float> values{3, 1, 4, 1, 5};
  const evenly::cpu exec;
  float sum = evenly::reduce(exec, values.data(), 5, evenly::plus<float>{});
  EXPECT_EQ(sum, 14);

  evenly::workspace memory;
  std::vector<float> sums(5);
  evenly::inclusive_scan(exec, values.data(), 5, evenly::plus<float>{}, sums.data(), memory);
  EXPECT_EQ(sums, (std::vector<float>{3, 4, 8, 9, 14}));
}

/// Each primitive once; true if all are right.
template <class Executor> bool all_right(const Executor& exec, std::int64_t n, workspace& memory) {
  const auto words = make_buffer<std::uint64_t>(exec, static_cast<std::size_t>(n) + 1);
  const auto keys = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(n));
  const auto number = make_buffer<std::int64_t>(exec, 1);
  const auto all = [=](std::int64_t i) { return static_cast<std::uint64_t>(i); };
  const auto total = static_cast<std::uint64_t>(n * (n - 1) / 2);
  bool right = true;
  reduce(exec, generated(all), n, word_sum{}, words.data(), memory);
  right = right && words.data()[0] == total;
  inclusive_scan(exec, generated(all), n, word_sum{}, words.data(), memory);
  right = right && words.data()[n - 1] == total;
  const auto every_third = [](std::int64_t i) { return i % 3 == 0; };
  select(exec, counting(), n, every_third, keys.data(), number.data(), memory);
  right = right && *number.data() == (n + 2) / 3 && keys.data()[(n + 2) / 3 - 1] == (n - 1) / 3 * 3;
  const auto hundreds = generated([](std::int64_t i) { return i / 100; });
  reduce_by_key(exec, hundreds, generated(all), n, word_sum{}, keys.data(), words.data(), number.data(),
                memory);
  right = right && *number.data() == (n + 99) / 100 && words.data()[0] == (n < 100 ? total : 4950);
  return right;
}

TEST_F(Contract, AWorkspaceServesAnyPrimitiveOfAnySize) {
  const simt simulated;
  workspace other;
  for (const std::int64_t n : {5, 100'000, 70, 3000, 1, 250'000, 40'000}) {
    EXPECT_TRUE(all_right(exec, n, memory)) << n;
    EXPECT_TRUE(all_right(simulated, n, other)) << n;
  }
  workspace moved = std::move(memory);
  EXPECT_TRUE(all_right(exec, 1000, moved));
}

TEST_F(Contract, WithAWorkspaceNothingIsAllocated) {
  counting_resource resource;
  const cpu counted(2, &resource);
  EXPECT_TRUE(all_right(counted, 200'000, memory));
  const int allocations = resource.allocations;
  const std::int64_t n = 200'000;
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(n));
  const auto even = [](std::int64_t i) { return i % 2 == 0; };
  inclusive_scan(counted, counting(), n, plus<std::int64_t>{}, numbers.data(), memory);
  select(counted, counting(), n, even, numbers.data(), &number, memory);
  reduce(counted, counting(), n, plus<std::int64_t>{}, &number, memory);
  EXPECT_EQ(resource.allocations, allocations);
  {
    const workspace last = std::move(memory);
  }
  EXPECT_EQ(resource.bytes_out, 0u);
}

/// Throws at one value.
struct addition_that_throws : plus<int> {
  int at;
  int operator()(int a, int b) const {
    if (b == at) throw std::runtime_error("not this one");
    return a + b;
  }
};
struct predicate_that_throws {
  bool operator()(int i) const { return i == 777 ? throw std::runtime_error("not this one") : i % 2 == 0; }
};

template <class Executor> void expect_survives(const Executor& exec) {
  workspace memory;
  std::vector<int> values(100'000, 1), out(values.size());
  values[70'001] = 777;
  const auto n = static_cast<std::int64_t>(values.size());
  const addition_that_throws op{{}, 777};
  int sum = 0;
  std::int64_t number = 0;
  const auto again = [&] { EXPECT_TRUE(all_right(exec, 20'000, memory)); };
  EXPECT_THROW(reduce(exec, values.data(), n, op, &sum, memory), std::runtime_error);
  again();
  EXPECT_THROW(inclusive_scan(exec, values.data(), n, op, out.data(), memory), std::runtime_error);
  again();
  EXPECT_THROW(select(exec, values.data(), n, predicate_that_throws{}, out.data(), &number, memory),
               std::runtime_error);
  again();
  EXPECT_THROW(reduce_by_key(exec, generated([](std::int64_t) { return 0; }), values.data(), n, op,
                             out.data(), &sum, &number, memory),
               std::runtime_error);
  again();
}

TEST_F(Contract, AnOperationThatThrowsLeavesTheWorkspaceOfUse) {
  for (int i = 0; i < 5; ++i) expect_survives(exec);
  expect_survives(simt());
  expect_survives(simt({.seed = 5, .threads = 3}));
}

} // namespace
} // namespace evenly
