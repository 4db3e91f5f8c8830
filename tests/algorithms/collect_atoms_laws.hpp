// SPDX-License-Identifier: Apache-2.0
// The laws of collect_atoms, for any schedule and executor:
//   1. Each atom is visited once, with its tile and its rank.
//   2. In atom order: out is what the visits have returned, in the order of atoms. In any order: the same values.
//   3. *count is how many they are, also if out has fewer elements; nothing is written behind the last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/collect_atoms.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"
#include "laws/battery.hpp"
#include "laws/tile_sets.hpp"
#include "support/monoids.hpp"

namespace evenly::laws {

/// What is found of an atom, in some of them: one in `every`.
EVENLY_FN inline bool is_found(std::uint64_t atom, std::uint64_t every) { return mixed(atom) % every == 0; }
EVENLY_FN inline int value_found(std::uint64_t tile, std::uint64_t atom, std::uint64_t rank) {
  return static_cast<int>(mixed(tile << 40 ^ atom << 20 ^ rank) >> 33);
}

/// visit(tile, atom, rank), which counts its calls.
template <class Tile, class Atom> struct find_some {
  std::uint64_t every;
  Atom first;
  int* times; ///< of each atom
  EVENLY_FN std::optional<int> operator()(Tile t, Atom a, Atom rank) const {
    atomic_ref(times[a - first]).fetch_add(1);
    if (!is_found(a, every)) return {};
    return value_found(t, a, rank);
  }
};

/// One way to call collect_atoms, with memory of the executor.
using run_of_collect =
    std::function<void(std::uint64_t every, int* times, std::span<int> out, std::int64_t* count)>;

/// Judges it: knows the offsets only.
template <class Executor> class collection_judge {
 public:
  collection_judge(const Executor& exec, std::string name, const std::vector<std::int64_t>& offsets)
      : exec_(exec), name_(std::move(name)), offsets_(offsets) {}

  void all(const run_of_collect& in_order, const run_of_collect& in_any_order) const {
    for (const std::uint64_t every : {1u, 5u, 1u << 30}) {
      const std::vector<int> want = wanted(every);
      const auto size = static_cast<std::int64_t>(want.size());
      for (const std::int64_t capacity : {size, size - 1, size + 1, std::int64_t{0}}) {
        const bool usual = capacity == size; // the others are tried for one of the three
        if (capacity < 0 || (!usual && every != 5)) continue;
        run(in_order, every, want, capacity, true);
        run(in_any_order, every, want, capacity, false);
      }
    }
  }

 private:
  std::vector<int> wanted(std::uint64_t every) const {
    std::vector<int> want;
    for (std::size_t t = 0; t + 1 < offsets_.size(); ++t)
      for (std::int64_t a = offsets_[t]; a < offsets_[t + 1]; ++a)
        if (is_found(a, every)) want.push_back(value_found(t, a, a - offsets_[t]));
    return want;
  }

  void run(const run_of_collect& call, std::uint64_t every, const std::vector<int>& want,
           std::int64_t capacity, bool ordered) const {
    constexpr int behind = 64, untouched = -1;
    const auto atoms = static_cast<std::size_t>(offsets_.back() - offsets_.front());
    const auto times = to_executor(exec_, std::vector<int>(atoms + 1));
    const auto out = to_executor(exec_, std::vector<int>(capacity + behind, untouched));
    const auto count = to_executor(exec_, std::vector<std::int64_t>{-5});
    call(every, times.data(), out.span().first(capacity), count.data());

    const std::string what = name_ + (ordered ? " in order" : " in any order") + ", one in " +
                             std::to_string(every) + ", room for " + std::to_string(capacity) + " of " +
                             std::to_string(want.size());
    std::vector<int> visited(atoms + 1, 1);
    visited.back() = 0;
    ASSERT_EQ(to_host(exec_, times), visited) << what;
    ASSERT_EQ(to_host(exec_, count).front(), static_cast<std::int64_t>(want.size())) << what;
    std::vector<int> got = to_host(exec_, out);
    ASSERT_EQ(std::vector<int>(got.begin() + capacity, got.end()), std::vector<int>(behind, untouched))
        << what;
    got.resize(std::min<std::size_t>(capacity, want.size()));
    if (ordered) {
      ASSERT_TRUE(std::equal(got.begin(), got.end(), want.begin())) << what;
    } else {
      std::vector<int> all = want;
      std::sort(got.begin(), got.end());
      std::sort(all.begin(), all.end());
      ASSERT_TRUE(std::includes(all.begin(), all.end(), got.begin(), got.end())) << what;
    }
  }

  Executor exec_;
  std::string name_;
  const std::vector<std::int64_t>& offsets_;
};

/// The laws under one schedule on one tile set.
template <class Offset, class Executor, class Schedule>
void expect_collects(const Executor& exec, const std::string& name, const Schedule& schedule,
                     const named_tiles& set) {
  const auto offsets = to_executor(exec, std::vector<Offset>(set.offsets.begin(), set.offsets.end()));
  auto plan = make_plan(exec, schedule, csr_tiles(offsets.span()));
  const auto first = static_cast<Offset>(set.offsets.front());
  using visit = find_some<int, Offset>;
  collection_judge<Executor>(exec, "\"" + set.name + "\" under " + name, set.offsets)
      .all([&](std::uint64_t every, int* times, std::span<int> out,
               std::int64_t* count) { collect_atoms(exec, plan, visit{every, first, times}, out, count); },
           [&](std::uint64_t every, int* times, std::span<int> out, std::int64_t* count) {
             collect_atoms(exec, plan, visit{every, first, times}, out, count, in_any_order);
           });
}

/// Under each of the schedules that for_each(visit) names, on sets(items) of the items that it gives to a block.
template <class Executor, class ForEach, class Sets>
void expect_collects_under(const Executor& exec, int block_size, const ForEach& for_each, const Sets& sets) {
  for_each([&](const char* name, auto schedule) {
    schedule.block_size = block_size;
    for (const named_tiles& set : sets(items_of_a_block(schedule)))
      expect_collects<int>(exec, name + (", blocks of " + std::to_string(block_size)), schedule, set);
  });
}

} // namespace evenly::laws
