// SPDX-License-Identifier: Apache-2.0
// Products of formats (format_products.hpp) on the CPU and on the simulated GPU, under schedules that have every form
// of sharing: of columns, of lone entries, which add atomically, and of rows up to their padding.

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/schedules.hpp"
#include "work/format_products.hpp"

namespace evenly::laws {
namespace {

template <class Executor> void expect_products_of_others(const Executor& exec) {
  for_each_form_on<Executor>([&](const char* name, const auto& schedule) {
    expect_csc_products(exec, name, schedule);
    expect_coo_entry_products(exec, name, schedule);
    expect_ell_padding_products(exec, name, schedule);
  });
}

TEST(FormatProducts, OfOthersOnCpu) { expect_products_of_others(cpu(3)); }
TEST(FormatProducts, OfOthersOnSimt) { expect_products_of_others(simt()); }

} // namespace
} // namespace evenly::laws
