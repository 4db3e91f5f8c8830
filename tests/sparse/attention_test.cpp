// SPDX-License-Identifier: Apache-2.0
// Graph attention on cores and on the simulated GPU, and refusals.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/narrow_floats.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "sparse/attention_laws.hpp"
#include "support/messages.hpp"

namespace evenly::products {
namespace {

const std::vector<attended_size> many{{1, 0}, {1, 1},  {1, 7},   {3, 7},  {1, 32},
                                      {4, 8}, {1, 64}, {2, 128}, {1, 129}};

/// The reference's gradients are the slopes of sum(out * seed).
TEST(Attention, HasAReferenceWithTheSlopesOfItsOutput) {
  const auto m = with_sizes<float>({3, 0, 1, 6}, 4, numbers::whole, 2);
  for (const bool dots : {true, false}) {
    const attention_layer layer = layer_of<double>(m, 2, 3, dots, 5);
    const attention_result right = reference_attention(m, layer, dots);
    const auto sum_of = [&](const attention_layer& of) {
      const auto out = reference_attention(m, of, dots).out;
      double sum = 0;
      for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] * of.seed[i];
      return sum;
    };
    const auto compare = [&](std::vector<double> attention_layer::* member,
                             const std::vector<double>& gradient) {
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        attention_layer more = layer, less = layer;
        (more.*member)[i] += 1e-5, (less.*member)[i] -= 1e-5;
        EXPECT_NEAR((sum_of(more) - sum_of(less)) / 2e-5, gradient[i], 1e-7);
      }
    };
    compare(&attention_layer::rows, right.rows);
    compare(&attention_layer::columns, right.columns);
    compare(&attention_layer::v, right.v);
  }
}

TEST(Attention, IsThatOfTheReferenceOnCores) {
  expect_attentions<dot_scores, float>(cpu(2), many, true, "dots");
  expect_attentions<additive_scores, float>(cpu(2), many, true, "sums");
  expect_attentions<dot_scores, double, std::int64_t>(cpu(3), {{1, 5}, {2, 40}}, true, "double, 64 bits");
  expect_attentions<additive_scores, half>(cpu(1), {{2, 8}}, true, "half");
  expect_attentions<dot_scores, bfloat16>(cpu(2), {{1, 9}}, false, "bfloat16");
}

TEST(Attention, IsThatOfTheReferenceOnSimt) {
  expect_attentions<dot_scores, float>(simt({.warp_size = 32, .seed = 1}), {{1, 0}, {3, 7}, {4, 8}, {1, 129}},
                                       true, "dots");
  expect_attentions<additive_scores, float>(simt({.warp_size = 32, .seed = 2}), {{1, 1}, {2, 32}}, true,
                                            "sums");
  expect_attentions<dot_scores, float>(simt({.warp_size = 1}), {{2, 4}}, false, "dots, warps of 1");
  expect_attentions<dot_scores, float>(simt({.warp_size = 64, .seed = 5}), {{3, 16}}, true,
                                       "dots, warps of 64");
  expect_attentions<additive_scores, double, std::int64_t>(simt({.warp_size = 8, .seed = 3}), {{2, 6}}, true,
                                                           "double, 64 bits");
}

/// Cores cut a row among blocks.
TEST(Attention, CutsLongRows) {
  std::vector<int> sizes{3, 0, 40'000, 0, 7, 6000};
  for (int r = 0; r < 4000; ++r) sizes.push_back(r % 3);
  const auto m = with_sizes<float>(sizes, 60, numbers::whole, 4);
  expect_attention<dot_scores, float>(cpu(3), m, 2, 20, 0, true, "cores");
  expect_attention<additive_scores, double>(cpu(3), m, 1, 9, 0, true, "cores, sums");
}

TEST(Attention, PropagatesWhatIsNotANumber) {
  expect_attention_of_not_numbers(cpu(2));
  expect_attention_of_not_numbers(simt());
}

TEST(Attention, HasTheSameBitsAgain) {
  EXPECT_EQ(attention_bits(cpu(2)), attention_bits(cpu(2)));
  const auto first = attention_bits(simt({.warp_size = 32, .seed = 0}));
  EXPECT_EQ(attention_bits(simt({.warp_size = 32, .seed = 1})), first);
}

TEST(Attention, RefusesWhatCannotBe) {
  const auto m = with_sizes<float>({2, 0, 1, 3}, 3, numbers::whole, 1);
  std::array<float, 40> q{}, k{}, v{}, out{};
  auto plan = plan_attention(cpu(), m.view());
  const auto refusal = [&](const dense_view<const float>& of_q, const dense_view<const float>& of_v,
                           int heads, const dense_view<float>& to) {
    return message_of<invalid_argument>([&] {
      plan.forward(dot_scores<const float>{of_q, dense_rows<const float>(3, 4, k.data())}, of_v, heads, to);
    });
  };
  const auto fit_q = dense_rows<const float>(4, 4, q.data()), fit_v = dense_rows<const float>(3, 4, v.data());
  const auto fit = dense_rows(4, 4, out.data());
  EXPECT_EQ(refusal(fit_q, fit_v, 0, fit), "heads = 0: it must be at least 1");
  EXPECT_EQ(refusal(fit_q, fit_v, 3, fit), "V has 4 columns, which is not a multiple of the 3 heads");
  EXPECT_EQ(refusal(dense_rows<const float>(3, 4, q.data()), fit_v, 2, fit),
            "the operand of rows has 3 rows of 4 elements: it must have 4 of 4");
  EXPECT_EQ(refusal(fit_q, fit_v, 2, dense_rows(4, 3, out.data())),
            "out has 4 rows of 3 elements: it must have 4 of 4");
  EXPECT_EQ(refusal(dense_columns<const float>(4, 4, q.data()), fit_v, 2, fit),
            "the operand of rows is by columns: features must be by rows");
  EXPECT_EQ(refusal(fit_q, fit_v, 2, dense_rows(4, 4, v.data() + 1)),
            "out begins 4 bytes after the start of an input and overlaps it: they must be disjoint");
}

} // namespace
} // namespace evenly::products
