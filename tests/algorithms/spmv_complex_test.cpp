// SPDX-License-Identifier: Apache-2.0
// spmv of complex values: exact where sums of whole numbers are, else within an error bound for each row.
#include "evenly/sparse/spmv.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/complex_products.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/schedules.hpp"

namespace evenly {
namespace {

TEST(SpmvOfComplexValues, IsExactForWholeNumbersOnCpu) { expect_exact<std::complex<double>>(cpu(2)); }
TEST(SpmvOfComplexValues, IsExactForWholeNumbersOnSimt) { expect_exact<std::complex<float>>(simt()); }

/// Each product of two complex numbers rounds by at most sqrt(8) units (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2002, lemma 3.5), each sum by one.
TEST(SpmvOfComplexValues, IsWithinTheRoundingBoundOfADoublePrecisionSum) {
  using value = std::complex<float>;
  const auto any = [](std::uint64_t i) { return value(float_sum::of(2 * i), float_sum::of(2 * i + 1)); };
  const auto a = make_matrix<value>(any);
  std::vector<value> x;
  for (std::uint64_t i = 0; i < 70; ++i) x.push_back(any(i + 50'000));
  for_each_form_on<cpu>([&](const char* name, const auto& schedule) {
    std::vector<value> y(200);
    spmv(cpu(2), schedule, a.view(), x, y);
    for (int row = 0; row < a.rows; ++row) {
      std::complex<double> want = 0;
      double magnitude = 0;
      for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
        const auto term = std::complex<double>(a.values[k]) * std::complex<double>(x[a.columns[k]]);
        want += term;
        magnitude += std::abs(term);
      }
      const double steps = a.offsets[row + 1] - a.offsets[row] + std::sqrt(8.0);
      EXPECT_LE(std::abs(std::complex<double>(y[row]) - want),
                steps * std::numeric_limits<float>::epsilon() * magnitude)
          << name << " row " << row;
    }
  });
}

} // namespace
} // namespace evenly
