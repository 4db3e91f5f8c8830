// SPDX-License-Identifier: Apache-2.0
// The laws of select, partition and reduce_by_key on any executor, for every length:
//   1. select keeps the values that a predicate holds for, in order; partition puts the others behind them, in order.
//   2. reduce_by_key gives the key of each run of equal neighbours and the product of the run's values, in order.
//   3. So it is wherever arrays begin, for select in place too, and with a workspace that others have used.
//   4. Nothing else is written: not even room behind the results.
// The references are loops on the host.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/primitives/partition.hpp"
#include "evenly/primitives/reduce_by_key.hpp"
#include "evenly/primitives/select.hpp"
#include "primitives/guarded.hpp"
#include "primitives/scan_laws.hpp"
#include "support/monoids.hpp"

namespace evenly::primitives {

/// Holds for about one value in `one_in`; for none if that is 0.
struct now_and_then {
  std::uint64_t one_in;
  EVENLY_FN bool operator()(std::int64_t i) const {
    return one_in > 0 && mixed(static_cast<std::uint64_t>(i)) % one_in == 0;
  }
  EVENLY_FN bool operator()(const stretches::value_type& v) const {
    return (*this)(static_cast<std::int64_t>(v.low));
  }
};

inline void make_numbered(int& value, std::int64_t i) { value = static_cast<int>(i); }
inline void make_numbered(stretches::value_type& value, std::int64_t i) {
  value = stretches::of(static_cast<std::uint64_t>(i));
}

/// Puts select and partition through the laws, for values of one type and one density of what is selected.
template <class T, class Executor> class compaction_laws {
 public:
  compaction_laws(const Executor& exec, std::int64_t max, int block_size)
      : exec_(exec), block_size_(block_size), values_(static_cast<std::size_t>(max)), in_(exec, max),
        out_(exec, max), rest_(exec, max), found_(make_buffer<std::int64_t>(exec, 1)) {
    for (std::int64_t i = 0; i < max; ++i) make_numbered(values_[static_cast<std::size_t>(i)], i);
  }

  void hold(const std::vector<std::int64_t>& lengths, now_and_then predicate, workspace& memory) {
    predicate_ = predicate;
    for (const std::int64_t n : lengths) {
      what_ = std::to_string(n) + ", one in " + std::to_string(predicate.one_in);
      all_ = {values_.data(), static_cast<std::size_t>(n)};
      accepted_.clear();
      rejected_.clear();
      for (const T& value : all_) (predicate(value) ? accepted_ : rejected_).push_back(value);
      hold_for_select(n, memory);
      hold_for_partition(n, memory);
      if (testing::Test::HasFailure()) return;
    }
  }

 private:
  std::int64_t accepted() const { return static_cast<std::int64_t>(accepted_.size()); }

  void hold_for_select(std::int64_t n, workspace& memory) {
    const std::string what = "select from " + what_;
    const offsets at(n);
    const T* in = in_.holding(at.in, all_);
    T* out = out_.poisoned(at.out, n);
    select(exec_, in, n, predicate_, out, found_.data(), memory, block_size_);
    EXPECT_EQ(result_of(exec_, found_), accepted()) << what;
    EXPECT_TRUE(same_bits(out_.taken(accepted(), what), accepted_)) << what;
    EXPECT_TRUE(same_bits(in_.taken(what), {all_.begin(), all_.end()})) << what;

    out = out_.holding(at.out, all_);
    select(exec_, static_cast<const T*>(out), n, predicate_, out, found_.data(), memory, block_size_);
    EXPECT_EQ(result_of(exec_, found_), accepted()) << what << " in place";
    EXPECT_TRUE(same_bits(out_.taken(accepted(), what), accepted_)) << what << " in place";
  }

  void hold_for_partition(std::int64_t n, workspace& memory) {
    const std::string what = "partition, or select to the host, of " + what_;
    const offsets at(n);
    const T* in = in_.holding(at.in, all_);
    T* out = out_.poisoned(at.out, n);
    T* rest = rest_.poisoned(at.in, n);
    partition(exec_, in, n, predicate_, out, rest, found_.data(), memory, block_size_);
    EXPECT_EQ(result_of(exec_, found_), accepted()) << what;
    EXPECT_TRUE(same_bits(out_.taken(accepted(), what), accepted_)) << what;
    EXPECT_TRUE(same_bits(rest_.taken(n - accepted(), what), rejected_)) << what;

    if (n % 16 > 1) return; // of what is left, each part has had all lengths
    out = out_.poisoned(at.out, n);
    EXPECT_EQ(select(exec_, in, n, predicate_, out), accepted()) << what;
    EXPECT_TRUE(same_bits(out_.taken(accepted(), what), accepted_)) << what;
    out = out_.poisoned(at.out, n);
    EXPECT_EQ(partition(exec_, in, n, predicate_, out), accepted()) << what;
    auto both = accepted_;
    both.insert(both.end(), rejected_.begin(), rejected_.end());
    EXPECT_TRUE(same_bits(out_.taken(what), both)) << what;
    EXPECT_TRUE(same_bits(in_.taken(what), {all_.begin(), all_.end()})) << what;
  }

  const Executor& exec_;
  int block_size_;
  std::vector<T> values_;
  now_and_then predicate_{};
  guarded<T, Executor> in_;
  guarded<T, Executor> out_;
  guarded<T, Executor> rest_;
  buffer<std::int64_t> found_;
  std::string what_; // of the length at hand: its name, its values, and those that the predicate tells apart
  std::span<const T> all_;
  std::vector<T> accepted_;
  std::vector<T> rejected_;
};

template <class T, class Executor>
void expect_compaction_laws(const Executor& exec, const std::vector<std::int64_t>& lengths,
                            const std::vector<std::uint64_t>& one_in, workspace& memory,
                            int block_size = 512) {
  std::int64_t max = 0;
  for (const std::int64_t n : lengths) max = larger(max, n);
  compaction_laws<T, Executor> laws(exec, max, block_size);
  for (const std::uint64_t each : one_in)
    if (!testing::Test::HasFailure()) laws.hold(lengths, {each}, memory);
}

/// Key of element i: it changes at about one element in `one_in`, at every one for 1, and at none for 0.
inline std::vector<int> keys_in_runs(std::int64_t count, std::uint64_t one_in) {
  std::vector<int> keys;
  int key = 100;
  for (std::int64_t i = 0; i < count; ++i) {
    if (now_and_then{one_in}(i)) key += i % 2 == 0 ? 7 : -3; // neighbours differ; keys far apart may be alike
    keys.push_back(key);
  }
  return keys;
}

/// The values of the run that begins at `begin`, combined.
template <class Op> struct run_of {
  using value = typename Op::value_type;

  run_of(std::span<const int> keys, const std::vector<value>& values, std::size_t begin) {
    for (end = begin; end < keys.size() && keys[end] == keys[begin]; ++end) all = Op{}(all, values[end]);
  }
  bool right(const value& found) const { return found == all; }

  std::size_t end;
  value all = Op{}.identity();
};
template <> struct run_of<float_sum> {
  run_of(std::span<const int> keys, const std::vector<float>& values, std::size_t begin) {
    double sizes = 0;
    for (end = begin; end < keys.size() && keys[end] == keys[begin]; ++end) {
      all += values[end];
      sizes += std::abs(values[end]);
    }
    bound = float_bound(static_cast<double>(end - begin), sizes);
  }
  bool right(float found) const { return std::abs(found - all) <= bound; }

  std::size_t end;
  double all = 0;
  double bound = 0;
};

/// Puts reduce_by_key through the laws, for the values of one monoid.
template <class Op, class Executor> class run_laws {
 public:
  using value = typename Op::value_type;

  run_laws(const Executor& exec, std::int64_t max, int block_size)
      : exec_(exec), block_size_(block_size), keys_(exec, max), values_(exec, max), keys_out_(exec, max),
        sums_out_(exec, max), runs_(make_buffer<std::int64_t>(exec, 1)) {
    for (std::int64_t i = 0; i < max; ++i) all_.push_back(Op::of(static_cast<std::uint64_t>(i)));
  }

  void hold(const std::vector<std::int64_t>& lengths, const std::vector<int>& keys, workspace& memory) {
    for (const std::int64_t n : lengths) {
      const std::string what = "reduce_by_key of " + std::to_string(n) + " " + Op::name;
      const offsets at(n);
      const std::span<const int> these(keys.data(), static_cast<std::size_t>(n));
      const int* in = keys_.holding(at.in, these);
      const value* values = values_.holding(at.out, {all_.data(), these.size()});
      int* keys_out = keys_out_.poisoned(at.out, n);
      value* sums_out = sums_out_.poisoned(at.in, n);
      reduce_by_key(exec_, in, values, n, Op{}, keys_out, sums_out, runs_.data(), memory, {}, block_size_);
      const std::int64_t runs = result_of(exec_, runs_);
      const auto found_keys = keys_out_.taken(runs, what);
      const auto found = sums_out_.taken(runs, what);
      expect_right(these, found_keys, found, what);

      keys_out = keys_out_.poisoned(at.out, n);
      sums_out = sums_out_.poisoned(at.in, n);
      reduce_by_key(exec_, in, values, n, Op{}, keys_out, sums_out, runs_.data(), memory, {}, block_size_);
      EXPECT_EQ(result_of(exec_, runs_), runs) << what << " a second time";
      EXPECT_TRUE(same_bits(keys_out_.taken(runs, what), found_keys)) << what << " a second time";
      EXPECT_TRUE(same_bits(sums_out_.taken(runs, what), found)) << what << " a second time";
      if (testing::Test::HasFailure()) return;
    }
  }

 private:
  void expect_right(std::span<const int> keys, const std::vector<int>& found_keys,
                    const std::vector<value>& found, const std::string& what) const {
    std::size_t run = 0;
    for (std::size_t begin = 0; begin < keys.size(); ++run) {
      const run_of<Op> expected(keys, all_, begin);
      if (run >= found.size() || found_keys[run] != keys[begin] || !expected.right(found[run])) {
        ADD_FAILURE() << what << ": run " << run << " at " << begin << " is wrong";
        return;
      }
      begin = expected.end;
    }
    EXPECT_EQ(found.size(), run) << what;
  }

  const Executor& exec_;
  int block_size_;
  guarded<int, Executor> keys_;
  guarded<value, Executor> values_;
  guarded<int, Executor> keys_out_;
  guarded<value, Executor> sums_out_;
  buffer<std::int64_t> runs_;
  std::vector<value> all_;
};

template <class Op, class Executor>
void expect_run_laws(const Executor& exec, const std::vector<std::int64_t>& lengths,
                     const std::vector<std::uint64_t>& one_in, workspace& memory, int block_size = 512) {
  std::int64_t max = 0;
  for (const std::int64_t n : lengths) max = larger(max, n);
  run_laws<Op, Executor> laws(exec, max, block_size);
  for (const std::uint64_t each : one_in)
    if (!testing::Test::HasFailure()) laws.hold(lengths, keys_in_runs(max, each), memory);
}

} // namespace evenly::primitives
