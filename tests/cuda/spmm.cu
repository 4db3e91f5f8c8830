// SPDX-License-Identifier: Apache-2.0
// Sparse times dense on a GPU: the laws of sparse/spmm_laws.hpp.

#include <vector>

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "sparse/spmm_laws.hpp"

namespace evenly::products {
namespace {

TEST(ReducedSpmmOnCuda, HasTheEntriesOfASlowProduct) {
  std::vector<int> sizes;
  for (int r = 0; r < 300; ++r) sizes.push_back(r % 7 == 3 ? 0 : r == 50 ? 900 : r % 12);
  expect_in_all_layouts(cuda_of_any_size(), merge_path{}, with_sizes<float>(sizes, 90, numbers::whole, 1),
                        {3, 32, 160}, numbers::whole, "few rows");
}

TEST(SpmmOnCuda, HasTheEntriesOfASlowProduct) {
  const cuda_of_any_size exec;
  for_each_form<float>(numbers::whole, [&](const char* name, const auto& a) {
    expect_in_all_layouts(exec, merge_path{}, a, {1, 3, 8, 32, 100, 128, 512}, numbers::whole, name);
    expect_in_all_layouts(exec, dynamic_group_per_tile{}, a, {1, 3, 8, 32, 100}, numbers::whole, name);
  });
  for_each_form<double>(numbers::real, [&](const char* name, const auto& a) {
    expect_in_all_layouts(exec, merge_path{}, a, {1, 3, 8, 32, 100, 128, 512}, numbers::real, name);
  });
}

TEST(SpmmOnCuda, TakesOffsetsOf64Bits) { expect_wide_offsets<float>(cuda_of_any_size(), merge_path{}); }

TEST(SpmmOnCuda, KeepsItsIdentities) {
  expect_identities_of_spmm<float>(cuda_of_any_size(), merge_path{}, "float");
}

TEST(SpmmOnCuda, PropagatesWhatIsNotANumber) { expect_not_numbers<float>(cuda_of_any_size(), merge_path{}); }

TEST(SpmmOnCuda, HasTheSameBitsAgain) {
  std::vector<int> sizes;
  for (int r = 0; r < 20'000; ++r) sizes.push_back(r % 9000 == 9 ? 30'000 : r % 11);
  const auto a = with_sizes<float>(sizes, 5000, numbers::real, 2);
  for (const int width : {1, 32, 100})
    expect_same_bits_again(cuda_of_any_size(), merge_path{}, a, width, "cuda");
}

} // namespace
} // namespace evenly::products
