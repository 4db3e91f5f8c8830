// SPDX-License-Identifier: Apache-2.0
// Scans by one thread: each way through the data, of which the executor takes one by type, length and alignment.

#include <cstddef>
#include <cstdint>
#include <typeinfo>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/monoid.hpp"
#include "evenly/primitives/detail/serial.hpp"
#include "primitives/serial_unit.hpp"
#include "support/monoids.hpp"

namespace evenly::detail {
namespace {

/// Scans elements [begin, begin + length) of a longer array, for every length and a begin that is aligned or not.
template <bool Inclusive, class Op, class Make> void expect_scans(int longest, const Make& make) {
  using T = typename Op::value_type;
  const Op op;
  for (const int begin : {0, 1, 5}) {
    for (int length = 0; length <= longest; length += length < 300 ? 1 : 37) {
      for (const bool streaming : {false, true}) {
        const int size = begin + length + 3;
        std::vector<T> in(static_cast<std::size_t>(size));
        for (int i = 0; i < size; ++i) in[i] = make(i);
        std::vector<T> out = in, want = in;
        T sum = make(1000);
        const T prefix = sum;
        for (int i = begin; i < begin + length; ++i) {
          const T next = op(sum, in[i]);
          want[i] = Inclusive ? next : sum;
          sum = next;
        }
        const serial_scan<Inclusive, const T*, T*, Op> run(in.data(), out.data(), begin, begin + length, op);
        run.write(prefix, streaming);
        ASSERT_EQ(out, want) << begin << " + " << length << (streaming ? ", streaming" : "");
        ASSERT_EQ(op(prefix, run.total()), sum);
      }
    }
  }
}

template <class T> T some(int i) { return static_cast<T>(mixed(static_cast<std::uint64_t>(i))); }

TEST(SerialScan, OfIntegersIsRight) {
  expect_scans<true, plus<std::uint8_t>>(5000, some<std::uint8_t>);
  expect_scans<false, plus<std::uint16_t>>(3000, some<std::uint16_t>);
  expect_scans<true, plus<std::uint32_t>>(3000, some<std::uint32_t>);
  expect_scans<false, plus<std::uint64_t>>(3000, some<std::uint64_t>);
}

TEST(SerialScan, OfSignedIntegersIsRight) {
  const auto small = [](int i) { return i % 7 - 3; };
  expect_scans<true, plus<int>>(3000, small);
  expect_scans<false, plus<int>>(3000, small);
}

TEST(SerialScan, OfOtherMonoidsIsRight) {
  expect_scans<true, affine_maps>(2000, [](int i) { return affine_maps::of(static_cast<std::uint64_t>(i)); });
  expect_scans<false, maximum<int>>(3000, some<int>);
  const auto small = [](int i) { return static_cast<double>(i % 11); }; // sums are exact
  expect_scans<true, plus<double>>(3000, small);
  expect_scans<false, plus<double>>(3000, small);
}

/// Two units of this program have registers of different widths, or would have, and one of them may have none.
TEST(SerialScan, HasANameForEachKindOfUnit) {
  const unit_without_avx there = of_unit_without_avx();
  EXPECT_EQ(typeid(serial_unit::scan) == *there.scan, there.register_bytes == EVENLY_REGISTER_BYTES);
  EXPECT_EQ(typeid(serial_scan<true, const int*, int*, plus<int>>) ==
                typeid(serial_scan<true, const int*, int*, plus<int>, false>),
            !EVENLY_INTEGER_LANES);
}

TEST(SerialScan, IsTheSameInEachKindOfUnit) {
  std::vector<int> integers;
  std::vector<float> numbers;
  for (int i = 0; i < 5000; ++i) {
    integers.push_back(some<int>(i) % 1000);
    numbers.push_back(static_cast<float>(some<int>(i)));
  }
  const unit_without_avx there = of_unit_without_avx();
  const auto plain = serial_unit::scanned<false>(integers);
  EXPECT_EQ(serial_unit::scanned<EVENLY_INTEGER_LANES>(integers), plain);
  EXPECT_EQ(there.scanned(integers), plain);
  const float greatest = serial_unit::greatest<0>(numbers);
  EXPECT_EQ(serial_unit::greatest<EVENLY_REGISTER_BYTES>(numbers), greatest);
  EXPECT_EQ(there.greatest(numbers), greatest);
}

} // namespace
} // namespace evenly::detail
