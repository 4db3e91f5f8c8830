// SPDX-License-Identifier: Apache-2.0
// The laws of reduce, inclusive_scan and exclusive_scan on any executor. For a monoid Op, values v and every length n:
//   1. inclusive_scan gives v[0], v[0] v[1], ...; exclusive_scan the same from the identity on, without the last;
//      reduce the product of all. Exactly, or for floating point within a bound.
//   2. So it is wherever arrays begin, in place, and with a workspace that others have used.
//   3. Nothing else is written, the input is not changed, and a second run gives the same bits.
// The reference is one loop on the host, in the order of the values.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "primitives/guarded.hpp"
#include "support/monoids.hpp"

namespace evenly::primitives {

/// Values of a monoid and the products of their prefixes: prefixes[i] is of the first i.
template <class Op> struct prefixes_of {
  using value = typename Op::value_type;

  explicit prefixes_of(std::int64_t count) : prefixes{Op{}.identity()} {
    for (std::int64_t i = 0; i < count; ++i) {
      values.push_back(Op::of(static_cast<std::uint64_t>(i)));
      prefixes.push_back(Op{}(prefixes.back(), values.back()));
    }
  }
  std::span<const value> first(std::int64_t count) const {
    return {values.data(), static_cast<std::size_t>(count)};
  }
  bool right(std::int64_t count, const value& found) const {
    return found == prefixes[static_cast<std::size_t>(count)];
  }

  std::vector<value> values;
  std::vector<value> prefixes;
};

/// How far a sum of n floats, whose sizes add up to `sizes`, may be from the exact one.
inline double float_bound(double n, double sizes) {
  return 2 * (n > 256 ? std::sqrt(n) : n) * 0x1p-24 * sizes;
}

/// Of float sums the prefixes are kept in double, and found ones may be as far off as float_bound says.
template <> struct prefixes_of<float_sum> {
  explicit prefixes_of(std::int64_t count) : prefixes{0}, sizes{0} {
    for (std::int64_t i = 0; i < count; ++i) {
      values.push_back(float_sum::of(static_cast<std::uint64_t>(i)));
      prefixes.push_back(prefixes.back() + values.back());
      sizes.push_back(sizes.back() + std::abs(values.back()));
    }
  }
  std::span<const float> first(std::int64_t count) const {
    return {values.data(), static_cast<std::size_t>(count)};
  }
  bool right(std::int64_t count, float found) const {
    const auto n = static_cast<std::size_t>(count);
    return std::abs(found - prefixes[n]) <= float_bound(static_cast<double>(n), sizes[n]);
  }

  std::vector<float> values;
  std::vector<double> prefixes;
  std::vector<double> sizes;
};

/// Puts reduce and the scans through the laws, at every length of a list.
template <class Op, class Executor> class scan_laws {
 public:
  using value = typename Op::value_type;
  using scan = std::function<void(const value* in, std::int64_t count, value* out)>;

  scan_laws(const Executor& exec, std::int64_t max, int block_size)
      : exec_(exec), block_size_(block_size), expected_(max), in_(exec, max), out_(exec, max),
        one_(make_buffer<value>(exec, 1)) {}

  void hold(const std::vector<std::int64_t>& lengths, workspace& memory) {
    for (const std::int64_t n : lengths) {
      hold_for_reduce(n, memory);
      hold_for_scan("inclusive_scan", n, 1, [&](const value* in, std::int64_t count, value* out) {
        inclusive_scan(exec_, in, count, Op{}, out, memory, block_size_);
      });
      hold_for_scan("exclusive_scan", n, 0, [&](const value* in, std::int64_t count, value* out) {
        exclusive_scan(exec_, in, count, Op{}, out, memory, block_size_);
      });
      if (testing::Test::HasFailure()) return;
    }
  }

 private:
  void hold_for_reduce(std::int64_t n, workspace& memory) {
    const std::string what = name("reduce", n);
    const value* in = in_.holding(offsets(n).in, expected_.first(n));
    reduce(exec_, in, n, Op{}, one_.data(), memory, block_size_);
    const value found = result_of(exec_, one_);
    reduce(exec_, in, n, Op{}, one_.data(), memory, block_size_);
    const value again = result_of(exec_, one_);
    EXPECT_TRUE(expected_.right(n, found)) << what;
    EXPECT_TRUE(same_bits<value>({found}, {again})) << what << " a second time";
    EXPECT_TRUE(same_bits(in_.taken(what), {expected_.values.begin(), expected_.values.begin() + n})) << what;
  }

  /// `first`: how many values the first element of the output is the product of.
  void hold_for_scan(const char* of, std::int64_t n, std::int64_t first, const scan& run) {
    const std::string what = name(of, n);
    const offsets at(n);
    const value* in = in_.holding(at.in, expected_.first(n));
    value* out = out_.poisoned(at.out, n);
    run(in, n, out);
    const std::vector<value> found = out_.taken(what);
    expect_right(found, first, what);
    EXPECT_TRUE(same_bits(in_.taken(what), {expected_.values.begin(), expected_.values.begin() + n})) << what;

    out = out_.poisoned(at.out, n);
    run(in, n, out);
    EXPECT_TRUE(same_bits(out_.taken(what), found)) << what << " a second time";

    out = out_.holding(at.out, expected_.first(n));
    run(out, n, out);
    expect_right(out_.taken(what), first, what + " in place");
  }

  void expect_right(const std::vector<value>& found, std::int64_t first, const std::string& what) const {
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (expected_.right(static_cast<std::int64_t>(i) + first, found[i])) continue;
      ADD_FAILURE() << what << ": element " << i << " is wrong";
      return;
    }
  }

  static std::string name(const char* of, std::int64_t n) {
    return std::string(of) + " of " + std::to_string(n) + " " + Op::name;
  }

  const Executor& exec_;
  int block_size_;
  prefixes_of<Op> expected_;
  guarded<value, Executor> in_;
  guarded<value, Executor> out_;
  buffer<value> one_;
};

template <class Op, class Executor>
void expect_scan_laws(const Executor& exec, const std::vector<std::int64_t>& lengths, workspace& memory,
                      int block_size = 512) {
  if (testing::Test::HasFailure()) return;
  std::int64_t max = 0;
  for (const std::int64_t n : lengths) max = larger(max, n);
  scan_laws<Op, Executor>(exec, max, block_size).hold(lengths, memory);
}

/// The bits of a float reduce and of both scans of n values.
template <class Executor> std::vector<float> float_results(const Executor& exec, std::int64_t n) {
  workspace memory;
  const prefixes_of<float_sum> all(n);
  const auto in = to_executor(exec, all.values);
  const auto out = make_buffer<float>(exec, 2 * static_cast<std::size_t>(n) + 1);
  inclusive_scan(exec, in.data(), n, float_sum{}, out.data(), memory);
  exclusive_scan(exec, in.data(), n, float_sum{}, out.data() + n, memory);
  reduce(exec, in.data(), n, float_sum{}, out.data() + 2 * n, memory);
  return to_host(exec, out);
}

/// 4. What is not finite comes out where a loop over the values gives it: from a place with NaN on, all is NaN; from
///    one
/// with an infinity on, infinity, and NaN from where the other one joins it.
template <class Executor> void expect_values_that_are_not_finite(const Executor& exec, std::int64_t n) {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  workspace memory;
  const auto out = make_buffer<float>(exec, static_cast<std::size_t>(n));
  const auto kind = [](float x) { return std::isnan(x) ? 2 : std::isinf(x) ? (x > 0 ? 1 : -1) : 0; };
  for (const std::vector<float>& special :
       {std::vector{nan}, {infinite}, {-infinite, -infinite}, {infinite, -infinite}}) {
    std::vector<float> values(static_cast<std::size_t>(n), 0.25f);
    for (std::size_t i = 0; i < special.size(); ++i) values[values.size() * (2 * i + 1) / 5] = special[i];
    const auto in = to_executor(exec, values);
    inclusive_scan(exec, in.data(), n, float_sum{}, out.data(), memory);
    const auto found = to_host(exec, out);
    float sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += values[i];
      ASSERT_EQ(kind(found[i]), kind(sum)) << i << " of " << n;
    }
    EXPECT_EQ(kind(reduce(exec, in.data(), n, float_sum{})), kind(sum)) << n;
  }
}

/// Takes elements of a scan and keeps every 2^20th: an output that is no array.
template <class T> struct kept_now_and_then {
  T* kept;
  struct place {
    T* to;
    EVENLY_FN void operator=(const T& value) const {
      if (to != nullptr) *to = value;
    }
  };
  EVENLY_FN place operator[](std::int64_t i) const {
    return {(i & ((1 << 20) - 1)) == 0 ? kept + (i >> 20) : nullptr};
  }
};

struct index_as_word {
  EVENLY_FN std::uint64_t operator()(std::int64_t i) const { return static_cast<std::uint64_t>(i); }
};

/// 5. Inputs need no memory, outputs need not be arrays, and lengths have 64 bits: prefixes of 0 + 1 + 2 + ...
template <class Executor> void expect_scans_of_formulas(const Executor& exec, std::int64_t n) {
  workspace memory;
  const auto sum_below = [](std::uint64_t i) { return i % 2 == 0 ? i / 2 * (i - 1) : (i - 1) / 2 * i; };
  EXPECT_EQ(reduce(exec, generated(index_as_word{}), n, word_sum{}),
            sum_below(static_cast<std::uint64_t>(n)));
  const auto kept = make_buffer<std::uint64_t>(exec, static_cast<std::size_t>((n >> 20) + 1));
  exclusive_scan(exec, counting(), n, word_sum{}, kept_now_and_then<std::uint64_t>{kept.data()}, memory);
  const auto found = to_host(exec, kept);
  for (std::uint64_t i = 0; i << 20 < static_cast<std::uint64_t>(n); ++i)
    ASSERT_EQ(found[i], sum_below(i << 20)) << i << " of " << n;
}

} // namespace evenly::primitives
