// SPDX-License-Identifier: Apache-2.0
// Packed columns on the CPU and on the simulated GPU, and refusals.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "sparse/packed_laws.hpp"
#include "sparse/refusals.hpp"
#include "support/messages.hpp"
#include "support/schedules.hpp"

namespace evenly::products {
namespace {

TEST(PackedColumns, AreWhatTheyWereOnCores) { expect_columns_again(cpu(2)); }
TEST(PackedColumns, AreWhatTheyWereOnSimt) { expect_columns_again(simt({.warp_size = 32, .seed = 1})); }

TEST(PackedColumns, ChangeNoBitUnderEveryFormOfSharing) {
  for_each_form_on<cpu>(
      [](const std::string& name, const auto& schedule) { expect_packed_products(cpu(2), schedule, name); });
}
TEST(PackedColumns, ChangeNoBitOnSimt) {
  const simt exec({.warp_size = 32, .seed = 2});
  expect_packed_products(exec, merge_path{}, "merge_path");
  expect_packed_products(exec, nonzero_split{}, "nonzero_split");
  expect_packed_products(exec, dynamic_group_per_tile{}, "dynamic_group_per_tile");
  expect_packed_products(exec, group_per_tile<1>{}, "group_per_tile<1>");
}
TEST(PackedColumns, AreAddedInOrderByLoneThreadsOnSimt) {
  expect_sums_of_lone_threads_in_order(simt({.warp_size = 32, .seed = 4}));
}

TEST(PackedColumns, HaveRealProductsWithinTheirBoundAndTheirBitsAgain) {
  const cpu exec(3);
  const auto a = matrix_of_several_blocks(numbers::real);
  const auto on_exec = to_executor(exec, a);
  const auto packed = pack_columns(exec, on_exec.view());
  expect_real_product(exec, merge_path{}, with_packed(on_exec.view(), packed), a, "packed");
}

/// A plan for the rows serves packed columns, whose own are not needed any more.
TEST(PackedColumns, StandForColumnsThatAreGone) {
  const cpu exec(2);
  const auto a = with_sizes<double>({3, 0, 40, 1, 7}, 9, numbers::whole, 1);
  const auto on_exec = to_executor(exec, a);
  auto plan = make_plan(exec, merge_path{}, rows_of(on_exec.view()));
  auto without = on_exec.view();
  const auto packed = pack_columns(exec, without);
  without.columns = nullptr;
  expect_product_with(exec, plan, with_packed(without, packed), a, "without columns");
}

/// Of 128 entries of width w: 8 bytes of head and 16 w of differences.
TEST(PackedColumns, TakeWhatTheyPromise) {
  const cpu exec;
  std::vector<int> columns(300, 70);
  columns[130] = 70 + 1023;
  const auto a = to_executor(exec, row_of_columns(columns, 2000));
  const auto packed = pack_columns(exec, a.view());
  EXPECT_EQ(packed.bytes(), 3 * 8 + 16 * (1 + 10 + 1));
  EXPECT_EQ(packed.unpacked_bytes(), 1200);
  EXPECT_TRUE(packed.saves_memory());
  const auto few = to_executor(exec, row_of_columns({1, 2, 900}, 2000));
  EXPECT_FALSE(pack_columns(exec, few.view()).saves_memory());
}

TEST(PackedColumns, RefuseToBeWrittenOver) {
  const cpu exec;
  const auto a = to_executor(exec, row_of_every_third_column());
  const auto packed = pack_columns(exec, a.view());
  const std::vector<named_array> but_values{{"offsets", a.offsets.data(), 2},
                                            {"heads", packed.heads.data(), packed.heads.size()},
                                            {"words", packed.words.data(), packed.words.size()}};
  auto all = but_values;
  all.emplace_back("values", a.values.data(), 300);
  expect_apart(with_packed(a.view(), packed), all);
  expect_apart(with_packed(pattern_of<float>(a.view()), packed), but_values);
}

TEST(PackedColumns, RefuseThePlanOfAnotherMatrix) {
  const cpu exec;
  const auto a = to_executor(exec, row_of_every_third_column()),
             other = to_executor(exec, row_of_every_third_column());
  const auto packed = pack_columns(exec, a.view()), of_other = pack_columns(exec, other.view());
  expect_plan_refused(with_packed(a.view(), packed), with_packed(other.view(), of_other));
}

TEST(PackedColumns, RefuseWhatCannotBe) {
  const cpu exec;
  const auto refused = [&](const std::vector<int>& columns) {
    const auto a = to_executor(exec, row_of_columns(columns, 8));
    return message_of<invalid_argument>([&] { pack_columns(exec, a.view()); });
  };
  EXPECT_EQ(refused({3, 8, 2}), "columns are from 2 to 8, but the matrix has 8");
  EXPECT_EQ(refused({3, -1, 2}), "columns are from -1 to 3, but the matrix has 8");
  EXPECT_EQ(message_of<invalid_argument>([&] { pack_columns(exec, csr_view<double>{2, 2}); }),
            "offsets are null, but the matrix has 2 rows");
  EXPECT_NO_THROW(detail::check_packed_pieces(std::int64_t{1} << 28));
  EXPECT_EQ(
      message_of<invalid_argument>([&] { detail::check_packed_pieces((std::int64_t{1} << 28) + 1); }),
      "packed columns take 268435457 pieces of 16 bytes, more than the 268435456 that can be numbered: keep "
      "the columns unpacked");
  const auto a = to_executor(exec, row_of_columns({1, 2}, 8)),
             other = to_executor(exec, row_of_columns({1}, 8));
  const auto packed = pack_columns(exec, a.view());
  const std::string another = "the packed columns belong to another matrix: its sizes or offsets differ";
  EXPECT_EQ(message_of<invalid_argument>([&] { with_packed(other.view(), packed); }), another);
  EXPECT_EQ(message_of<invalid_argument>([&] { with_packed(pattern_of<float>(other.view()), packed); }),
            another);
}

} // namespace
} // namespace evenly::products
