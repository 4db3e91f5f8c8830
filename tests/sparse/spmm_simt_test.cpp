// SPDX-License-Identifier: Apache-2.0
// Sparse times dense on the simulated GPU, which sees races and accesses outside of storage.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/group_mapped.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "sparse/spmm_laws.hpp"

namespace evenly::products {
namespace {

TEST(SpmmOnSimt, HasTheEntriesOfASlowProduct) {
  for_each_form<float>(numbers::whole, [](const char* name, const auto& a) {
    expect_in_all_layouts(simt({.warp_size = 32, .seed = 1}), merge_path{}, a, {1, 8, 100, 160},
                          numbers::whole, name);
  });
  for_each_form<double>(numbers::real, [](const char* name, const auto& a) {
    expect_in_all_layouts(simt({.warp_size = 8, .seed = 2}), merge_path{}, a, {3, 32}, numbers::real, name);
  });
}

TEST(SpmmOnSimt, HasThemUnderOtherForms) {
  for_each_form<float>(numbers::real, [](const char* name, const auto& a) {
    expect_in_all_layouts(simt(), dynamic_group_per_tile{}, a, {3, 32}, numbers::real, name);
    expect_in_all_layouts(simt(), group_mapped<32>{}, a, {3, 32}, numbers::real, name);
  });
}

TEST(SpmmOnSimt, HasThemInSeveralPanels) {
  const auto a = with_sizes<float>({3, 0, 40, 1, 7}, 20, numbers::whole, 1);
  expect_in_all_layouts(simt(), merge_path{}, a, {128, 512}, numbers::whole, "few rows");
}

TEST(SpmmOnSimt, TakesOffsetsOf64Bits) { expect_wide_offsets<float>(simt(), merge_path{}); }

TEST(SpmmOnSimt, KeepsItsIdentities) {
  const simt exec({.warp_size = 32, .seed = 4});
  expect_identities_of_spmm<float>(exec, merge_path{}, "merge_path");
  expect_identities_of_spmm<float>(exec, dynamic_group_per_tile{}, "dynamic_group_per_tile");
  expect_identities_of_spmm<float>(exec, group_mapped<32>{}, "group_mapped<32>");
}

TEST(SpmmOnSimt, PropagatesWhatIsNotANumber) {
  expect_not_numbers<float>(simt(), merge_path{});
  expect_not_numbers<float>(simt(), dynamic_group_per_tile{});
  expect_not_numbers<float>(simt(), group_mapped<32>{});
}

TEST(SpmmOnSimt, HasTheSameBitsInAnyInterleaving) {
  std::vector<int> sizes;
  for (int r = 0; r < 80; ++r) sizes.push_back(r == 40 ? 600 : r % 9);
  const auto a = with_sizes<float>(sizes, 50, numbers::real, 1);
  const auto b = random_dense<float>(50, 32, dense_layout::rows, 0, numbers::real, 11);
  const dense_matrix<float> none(80, 32, dense_layout::rows, 0);
  const auto first = multiplied(simt({.warp_size = 32, .seed = 0}), merge_path{}, a, b, none);
  for (const std::uint64_t seed : {1, 2, 3})
    EXPECT_TRUE(same_bits(multiplied(simt({.warp_size = 32, .seed = seed}), merge_path{}, a, b, none), first))
        << "seed " << seed;
  expect_same_bits_again(simt(), merge_path{}, a, 20, "merge_path");
  expect_same_bits_again(simt(), dynamic_group_per_tile{}, a, 20, "dynamic_group_per_tile");
}

} // namespace
} // namespace evenly::products
