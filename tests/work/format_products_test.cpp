// SPDX-License-Identifier: Apache-2.0
// Products of formats (format_products.hpp) on the CPU and on the simulated GPU, under schedules that have every form of
// sharing: of formats whose tiles are found in a way of their own.

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/schedules.hpp"
#include "work/format_products.hpp"

namespace evenly::laws {
namespace {

template <class Executor> void expect_products_of_coo_and_dia(const Executor& exec) {
  for_each_form_of_sharing([&](const char* name, const auto& schedule) {
    expect_coo_row_products(exec, name, schedule);
    expect_dia_products(exec, name, schedule);
  });
}

TEST(FormatProducts, OfCooAndDiaOnCpu) { expect_products_of_coo_and_dia(cpu(3)); }
TEST(FormatProducts, OfCooAndDiaOnSimt) { expect_products_of_coo_and_dia(simt()); }

} // namespace
} // namespace evenly::laws
