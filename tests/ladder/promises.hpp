// SPDX-License-Identifier: Apache-2.0
// The contract of every version of the ladders, on any executor: the result of going through the elements in order, for
// any associative operation and any length; nothing else touched; the same bits again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/ladder/versions.hpp"
#include "support/monoids.hpp"
#include "support/sanitized.hpp"

namespace evenly::ladder {

/// The lengths of the tests: all up to max_length, and those around powers of 2 up to max_power.
const std::int64_t max_length = sanitized ? 70 : 300;
const int max_power = sanitized ? 9 : 13;

/// Addition of whole numbers, small ones of both signs.
struct int_sum : plus<int> {
  static constexpr const char* name = "int sums";
  static constexpr int of(std::uint64_t key) { return static_cast<int>(mixed(key) % 201) - 100; }
};

template <class Op> std::vector<typename Op::value_type> elements_for(std::int64_t n) {
  std::vector<typename Op::value_type> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(Op::of(static_cast<std::uint64_t>(i)));
  return values;
}

/// prefix[i]: the first i elements combined, in order; for float in double precision.
template <class Op> auto prefixes_of(const std::vector<typename Op::value_type>& values, const Op& op) {
  if constexpr (std::is_same_v<typename Op::value_type, float>) {
    std::vector<double> prefix{0};
    for (const float each : values) prefix.push_back(prefix.back() + static_cast<double>(each));
    return prefix;
  } else {
    std::vector<typename Op::value_type> prefix{op.identity()};
    for (const auto& each : values) prefix.push_back(op(prefix.back(), each));
    return prefix;
  }
}

template <class T> bool agrees(const T& found, const T& right, double) { return found == right; }
/// `terms`: the sum of their magnitudes.
inline bool agrees(float found, double right, double terms) {
  return std::abs(static_cast<double>(found) - right) <=
         40 * static_cast<double>(std::numeric_limits<float>::epsilon()) * terms;
}

template <class T> double magnitude(const T&) { return 0; }
inline double magnitude(float value) { return std::abs(static_cast<double>(value)); }

/// Elements on an executor with 7 guards on both sides, and so off the alignment of memory.
template <class T, class Executor> class guarded {
 public:
  static constexpr std::size_t guards = 7;

  guarded(const Executor& exec, const std::vector<T>& values)
      : exec_(exec), all_(to_executor(exec, with_guards(values))) {}

  T* data() const { return all_.data() + guards; }
  /// Expects the guards untouched.
  std::vector<T> values() const {
    const std::vector<T> found = to_host(exec_, all_);
    const std::vector<T> right = with_guards(std::vector<T>(found.begin() + guards, found.end() - guards));
    EXPECT_EQ(std::memcmp(found.data(), right.data(), found.size() * sizeof(T)), 0)
        << "a guard was overwritten";
    return {found.begin() + guards, found.end() - guards};
  }

 private:
  static std::vector<T> with_guards(const std::vector<T>& values) {
    std::vector<T> all(values.size() + 2 * guards);
    std::memset(all.data(), 0x5A, all.size() * sizeof(T));
    std::copy(values.begin(), values.end(), all.begin() + guards);
    return all;
  }

  const Executor& exec_;
  buffer<T> all_;
};

template <class Version> Version with_block_size(Version version, int block_size) {
  if constexpr (requires { version.block_size; }) version.block_size = block_size;
  return version;
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline std::string described(const char* version, std::int64_t n, const char* monoid, int block_size) {
  return std::string(version) + " of " + std::to_string(n) + " " + monoid + ", blocks of " +
         std::to_string(block_size);
}

/// What is checked knows no version: it compiles once for a monoid and an executor. Prepares for n elements, and
/// returns what is run, on an input and an output.
template <class T> using runs = std::function<std::function<void(T*, T*)>(std::int64_t)>;

template <class Op, class Executor>
void expect_reduction(const Executor& exec, const runs<typename Op::value_type>& prepare, bool destroys_input,
                      std::int64_t n) {
  using T = typename Op::value_type;
  const Op op;
  const std::vector<T> values = elements_for<Op>(n);
  double terms = 0;
  for (const T& each : values) terms += magnitude(each);
  const auto right = prefixes_of(values, op).back();
  const auto run = prepare(n);
  std::vector<T> before;
  for (int turn = 0; turn < 2; ++turn) {
    const guarded<T, Executor> in(exec, values);
    const guarded<T, Executor> out(exec, std::vector<T>(1, Op::of(12345)));
    run(in.data(), out.data());
    const std::vector<T> found = out.values();
    const std::vector<T> left = in.values();
    ASSERT_TRUE(agrees(found[0], right, terms));
    ASSERT_TRUE(destroys_input || same_bits(left, values)) << "the input was overwritten";
    ASSERT_TRUE(turn == 0 || same_bits(found, before)) << "other bits on the second run";
    before = found;
  }
}

template <class Op, class Executor>
void expect_scan(const Executor& exec, const runs<typename Op::value_type>& prepare, prefixes kind,
                 std::int64_t n) {
  using T = typename Op::value_type;
  const Op op;
  const std::vector<T> values = elements_for<Op>(n);
  const auto right = prefixes_of(values, op);
  const std::size_t shift = kind == prefixes::inclusive ? 1 : 0;
  const auto run = prepare(n);
  std::vector<T> before;
  for (int turn = 0; turn < 2; ++turn) {
    const guarded<T, Executor> in(exec, values);
    const guarded<T, Executor> out(exec, std::vector<T>(static_cast<std::size_t>(n), Op::of(12345)));
    run(in.data(), out.data());
    const std::vector<T> found = out.values();
    double terms = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      terms += magnitude(values[i]);
      ASSERT_TRUE(agrees(found[i], right[i + shift], terms)) << "element " << i;
    }
    ASSERT_TRUE(same_bits(in.values(), values)) << "the input was overwritten";
    ASSERT_TRUE(turn == 0 || same_bits(found, before)) << "other bits on the second run";
    before = found;
  }
}

template <class Op, class Executor>
void expect_all_reductions(const Executor& exec, int block_size, const std::vector<std::int64_t>& lengths) {
  using T = typename Op::value_type;
  for_each_reduction([&]<class Version>(const Version& each) {
    const Version version = with_block_size(each, block_size);
    const runs<T> prepare = [&](std::int64_t n) {
      const auto memory = std::make_shared<room<T>>(version.template prepare<T>(exec, n));
      return [&, n, memory](T* in, T* out) { version(exec, in, n, Op{}, out, *memory); };
    };
    for (const std::int64_t n : lengths) {
      SCOPED_TRACE(described(version.name, n, Op::name, block_size));
      expect_reduction<Op>(exec, prepare, Version::destroys_input, n);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

template <class Op, class Executor>
void expect_all_scans(const Executor& exec, int block_size, const std::vector<std::int64_t>& lengths) {
  using T = typename Op::value_type;
  for_each_scan([&]<class Version>(const Version& each) {
    const Version version = with_block_size(each, block_size);
    for (const prefixes kind : {prefixes::inclusive, prefixes::exclusive}) {
      const runs<T> prepare = [&](std::int64_t n) {
        const auto memory = std::make_shared<room<T>>(version.template prepare<T>(exec, n));
        return [&, n, memory](T* in, T* out) { version(exec, kind, in, n, Op{}, out, *memory); };
      };
      for (const std::int64_t n : lengths) {
        SCOPED_TRACE(described(version.name, n, Op::name, block_size) +
                     (kind == prefixes::inclusive ? ", inclusive" : ", exclusive"));
        expect_scan<Op>(exec, prepare, kind, n);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

template <class Op, class Executor>
void expect_all_rotations(const Executor& exec, int block_size, std::int64_t rows, std::int64_t cols) {
  using T = typename Op::value_type;
  const std::vector<T> values = elements_for<Op>(rows * cols);
  std::vector<T> right(values.size());
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c)
      right[static_cast<std::size_t>(c * rows + r)] = values[static_cast<std::size_t>(r * cols + c)];
  for_each_rotation([&](const auto& version) {
    SCOPED_TRACE(std::string(version.name) + " of " + std::to_string(rows) + " x " + std::to_string(cols) +
                 ", blocks of " + std::to_string(block_size));
    const guarded<T, Executor> in(exec, values);
    const guarded<T, Executor> out(exec, std::vector<T>(values.size(), Op::of(12345)));
    with_block_size(version, block_size)(exec, in.data(), rows, cols, out.data());
    ASSERT_TRUE(same_bits(out.values(), right));
    ASSERT_TRUE(same_bits(in.values(), values));
  });
}

inline std::vector<std::int64_t> all_lengths_to(std::int64_t last) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 0; n <= last; ++n) lengths.push_back(n);
  return lengths;
}

/// Two on either side of each power of two in [2^from, 2^to].
inline std::vector<std::int64_t> around_powers(int from, int to) {
  std::vector<std::int64_t> lengths;
  for (int k = from; k <= to; ++k)
    for (const int off : {-2, -1, 0, 1, 2}) lengths.push_back((std::int64_t{1} << k) + off);
  return lengths;
}

} // namespace evenly::ladder
