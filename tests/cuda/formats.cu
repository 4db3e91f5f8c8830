// SPDX-License-Identifier: Apache-2.0
// Tile sets of sparse formats on a GPU: their laws (work/format_laws.hpp), and products (work/format_products.hpp),
// under a schedule that asks for begin and end of every tile, and under one that looks for the tiles of atoms.

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "work/format_laws.hpp"
#include "work/format_products.hpp"

namespace evenly::laws {
namespace {

TEST(ReducedFormatsOnCuda, KeepTheLaws) {
  const cuda_of_tuned_size exec;
  expect_coo_laws<int>(exec);
  expect_ell_laws(exec);
  expect_bcsr_laws(exec);
  expect_dia_laws(exec);
}

TEST(ReducedFormatsOnCuda, GiveProducts) {
  const cuda_of_tuned_size exec;
  expect_coo_row_products(exec, "thread_mapped", thread_mapped{});
  expect_coo_row_products(exec, "merge_path", merge_path{});
  expect_coo_entry_products(exec, "merge_path", merge_path{});
  expect_csc_products(exec, "thread_mapped", thread_mapped{});
  expect_ell_length_products(exec, "merge_path", merge_path{});
  expect_ell_padding_products(exec, "thread_mapped", thread_mapped{});
  expect_bcsr_products(exec, "merge_path", merge_path{});
  expect_dia_products(exec, "thread_mapped", thread_mapped{});
  expect_dia_products(exec, "merge_path", merge_path{});
}

} // namespace
} // namespace evenly::laws
