// SPDX-License-Identifier: Apache-2.0
// What atomic operations promise, on any executor: none is lost, each returns what was there, and what was done before
// a release is seen after the acquire that sees it.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly::atomic_laws {

/// What all threads change.
template <class T> struct cells {
  T sum, difference, min, max, swapped, counted, bits_off, bits_on;
};

/// What thread i adds, subtracts and exchanges: the sums of many thousands are exact as floats too.
template <class T> EVENLY_FN T part_of(int i) { return static_cast<T>(i % 64 + 1); }

/// Each thread does each operation once; `returned`: what its exchange, and its additions, returned.
template <class T, class Scope, class Order> struct do_all {
  cells<T>* at;
  T* swapped_out;
  T* before_sum;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const int me = block.index() * block.size() + block.rank();
    const T mine = static_cast<T>(me + 1);
    before_sum[me] = atomic_ref(at->sum, Scope{}).fetch_add(1, Order{});
    atomic_ref(at->difference, Scope{}).fetch_sub(part_of<T>(me), Order{});
    atomic_ref(at->min, Scope{}).fetch_min(mine, Order{});
    atomic_ref(at->max, Scope{}).fetch_max(mine, Order{});
    swapped_out[me] = atomic_ref(at->swapped, Scope{}).exchange(part_of<T>(me), Order{});
    const atomic_ref counter(at->counted, Scope{});
    T seen = counter.load(order::relaxed{});
    while (!counter.compare_exchange(seen, static_cast<T>(seen + 1), Order{})) block.backoff();
    if constexpr (std::is_integral_v<T>) {
      const int bit = static_cast<int>(me % (8 * sizeof(T) - 1));
      atomic_ref(at->bits_off, Scope{}).fetch_and(static_cast<T>(~(T{1} << bit)), Order{});
      atomic_ref(at->bits_on, Scope{}).fetch_or(static_cast<T>(T{1} << bit), Order{});
    }
  }
};

template <class T, class Scope, class Order, class Executor>
void expect_all(const Executor& exec, int blocks, int block_size) {
  const int threads = Executor::serial_blocks ? blocks : blocks * block_size;
  const auto at = to_executor(exec, std::vector<cells<T>>{{0, 0, static_cast<T>(threads + 5), 0, 0, 0,
                                                           std::numeric_limits<T>::max(), 0}});
  const auto out = to_executor(exec, std::vector<T>(threads)),
             sums = to_executor(exec, std::vector<T>(threads));
  launch(exec, {blocks, block_size}, do_all<T, Scope, Order>{at.data(), out.data(), sums.data()});
  const cells<T> end = to_host(exec, at)[0];
  T total = 0, all_bits = 0;
  std::vector<int> drawn(threads);
  for (int i = 0; i < threads; ++i) total = static_cast<T>(total + part_of<T>(i));
  for (const T each : to_host(exec, sums)) ++drawn.at(static_cast<std::size_t>(each));
  EXPECT_EQ(drawn, std::vector<int>(threads, 1)); // every value before is one thread's
  EXPECT_EQ(end.sum, static_cast<T>(threads));
  EXPECT_EQ(end.difference, static_cast<T>(T{0} - total));
  EXPECT_EQ(end.min, T{1});
  EXPECT_EQ(end.max, static_cast<T>(threads));
  EXPECT_EQ(end.counted, static_cast<T>(threads));
  T swapped = end.swapped; // what went in has come out, or is there
  for (const T each : to_host(exec, out)) swapped = static_cast<T>(swapped + each);
  EXPECT_EQ(swapped, total);
  if constexpr (std::is_integral_v<T>) {
    for (int i = 0; i < threads; ++i) all_bits |= static_cast<T>(T{1} << i % (8 * sizeof(T) - 1));
    EXPECT_EQ(end.bits_on, all_bits);
    EXPECT_EQ(end.bits_off, static_cast<T>(std::numeric_limits<T>::max() & ~all_bits));
  }
}

template <class Executor> void expect_operations(const Executor& exec, int blocks, int block_size) {
  expect_all<int, scope::device, order::acq_rel>(exec, blocks, block_size);
  expect_all<unsigned, scope::system, order::seq_cst>(exec, blocks, block_size);
  expect_all<std::int64_t, scope::device, order::relaxed>(exec, blocks, block_size);
  expect_all<std::uint64_t, scope::system, order::release>(exec, blocks, block_size);
  expect_all<float, scope::device, order::acquire>(exec, blocks, block_size);
  expect_all<double, scope::device, order::relaxed>(exec, blocks, block_size);
  expect_all<int, scope::block, order::relaxed>(exec, 1, block_size);
}

/// A value that is handed over as a whole.
struct pair_of_words {
  int word;
  int same;
};

/// Threads store, load, swap and compare pairs; `torn`: whether one was seen whose words differ.
struct hand_over_pairs {
  pair_of_words* shared;
  int* torn;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const atomic_ref place(*shared);
    const int me = block.index() * block.size() + block.rank();
    for (int i = 0; i < 20; ++i) {
      pair_of_words seen = place.load();
      bool right = seen.word == seen.same;
      seen = place.exchange({me, me});
      right = right && seen.word == seen.same;
      place.compare_exchange(seen, {i, i});
      right = right && seen.word == seen.same;
      place.store({-i, -i});
      if (!right) atomic_ref(*torn).store(1);
    }
  }
};

/// Block b waits for block b - 1 and adds 1 to what it left in plain memory; relaxed accesses with fences, or a release
/// and an acquire.
template <bool Fences> struct pass_on {
  int* value;
  int* turn;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if (block.rank() == 0) {
      const atomic_ref mine(*turn);
      if constexpr (Fences) {
        while (mine.load(order::relaxed{}) != block.index()) block.backoff();
        block.fence();
      } else
        while (mine.load() != block.index()) block.backoff();
    }
    block.sync();
    value[block.index() + 1] = value[block.index()] + 1;
    block.sync();
    if (block.rank() != 0) return;
    if constexpr (Fences) {
      block.fence();
      atomic_ref(*turn).store(block.index() + 1, order::relaxed{});
    } else
      atomic_ref(*turn).store(block.index() + 1);
  }
};

template <class Executor> void expect_orders(const Executor& exec, int blocks) {
  const auto shared = to_executor(exec, std::vector<pair_of_words>{{7, 7}});
  const auto torn = to_executor(exec, std::vector<int>{0});
  launch(exec, {blocks, 64, true}, hand_over_pairs{shared.data(), torn.data()});
  EXPECT_EQ(to_host(exec, torn), std::vector<int>{0});
  std::vector<int> expected(blocks + 1);
  for (int b = 0; b <= blocks; ++b) expected[b] = b;
  for (const bool fences : {false, true}) {
    const auto value = to_executor(exec, std::vector<int>(blocks + 1));
    const auto turn = to_executor(exec, std::vector<int>{0});
    if (fences)
      launch(exec, {blocks, 1, true}, pass_on<true>{value.data(), turn.data()});
    else
      launch(exec, {blocks, 1, true}, pass_on<false>{value.data(), turn.data()});
    EXPECT_EQ(to_host(exec, value), expected);
  }
}

/// One thread: where one value is NaN, the object stays.
struct extremes_of_nan {
  float* at;
  template <class Block> EVENLY_FN void operator()(Block&) const {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    at[2] = atomic_ref(at[0]).fetch_min(nan);
    atomic_ref(at[0]).fetch_max(nan);
    at[1] = nan;
    atomic_ref(at[1]).fetch_min(-1.0f);
    atomic_ref(at[1]).fetch_max(1.0f);
  }
};

template <class Executor> void expect_nan_stays_out(const Executor& exec) {
  const auto at = to_executor(exec, std::vector<float>{3, 0, 0});
  launch(exec, {1, 1}, extremes_of_nan{at.data()});
  const auto seen = to_host(exec, at);
  EXPECT_EQ(seen[0], 3);
  EXPECT_NE(seen[1], seen[1]);
  EXPECT_EQ(seen[2], 3);
}

} // namespace evenly::atomic_laws
