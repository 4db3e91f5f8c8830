// SPDX-License-Identifier: Apache-2.0
// Matrices in every format on a GPU: the laws of sparse/format_laws.hpp and sparse/compact_laws.hpp.

#include <bit>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"
#include "sparse/compact_laws.hpp"
#include "sparse/format_laws.hpp"

namespace evenly::products {
namespace {

TEST(ReducedFormatsOnCuda, KeepTheirLaws) { expect_formats(cuda_of_any_size()); }
TEST(ReducedFormatsOnCuda, KeepTheirLawsWithFewBitsOrNone) { expect_compact_formats(cuda_of_any_size()); }

TEST(ReducedFormatsOnCuda, HaveRowsWithOffsetsOf64Bits) {
  expect_rows_with_wide_offsets(cuda_of_any_size(), merge_path{});
}

TEST(ReducedFormatsOnCuda, HaveProductsOfLoneThreads) { expect_products_of_lone_threads(cuda_of_any_size()); }

TEST(ReducedFormatsOnCuda, HaveOneTransposedProduct) {
  expect_transposed_products(cuda_of_any_size(), merge_path{}, "merge_path");
}

struct widened_bits {
  EVENLY_FN float operator()(std::int64_t bits) const {
    return half::of_bits(static_cast<std::uint16_t>(bits));
  }
};

TEST(ReducedFormatsOnCuda, WidenEveryHalfAsTheHostDoes) {
  const cuda exec;
  const auto wide = make_buffer<float>(exec, 1 << 16);
  tabulate(exec, 1 << 16, widened_bits{}, wide.data());
  const std::vector<float> found = to_host(exec, wide);
  for (std::uint32_t bits = 0; bits < found.size(); ++bits) {
    const float right = half::of_bits(static_cast<std::uint16_t>(bits));
    if (right != right)
      EXPECT_NE(found[bits], found[bits]) << bits;
    else
      EXPECT_EQ(std::bit_cast<std::uint32_t>(found[bits]), std::bit_cast<std::uint32_t>(right)) << bits;
  }
}

} // namespace
} // namespace evenly::products
