// SPDX-License-Identifier: Apache-2.0
// Graph attention on a GPU: the laws of sparse/attention_laws.hpp.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/core/narrow_floats.hpp"
#include "evenly/execution/cuda.hpp"
#include "sparse/attention_laws.hpp"

namespace evenly::products {
namespace {

TEST(AttentionOnCuda, IsThatOfTheReference) {
  const cuda_of_tuned_size exec;
  const std::vector<attended_size> many{{1, 0},  {1, 1}, {1, 7},   {3, 7},  {1, 32},
                                        {4, 32}, {4, 8}, {1, 128}, {2, 64}, {1, 129}};
  expect_attentions<dot_scores, float>(exec, many, true, "dots");
  expect_attentions<additive_scores, float>(exec, many, true, "sums");
  expect_attentions<dot_scores, double, std::int64_t>(exec, {{1, 5}, {2, 40}}, true, "double, 64 bits");
  expect_attentions<additive_scores, half>(exec, {{2, 8}, {1, 64}}, true, "half");
}

TEST(AttentionOnCuda, DividesALongRow) {
  std::vector<int> sizes;
  for (int r = 0; r < 5000; ++r) sizes.push_back(r % 3000 == 9 ? 200'000 : r % 11 == 3 ? 0 : r % 7);
  const auto m = with_sizes<float>(sizes, 500, numbers::whole, 2);
  expect_attention<dot_scores, float>(cuda_of_tuned_size(), m, 1, 32, 0, true, "long rows");
}

TEST(AttentionOnCuda, PropagatesWhatIsNotANumber) { expect_attention_of_not_numbers(cuda_of_tuned_size()); }

TEST(AttentionOnCuda, HasTheSameBitsAgain) {
  EXPECT_EQ(attention_bits(cuda_of_tuned_size()), attention_bits(cuda_of_tuned_size()));
}

} // namespace
} // namespace evenly::products
