// SPDX-License-Identifier: Apache-2.0
// Products of formats (format_products.hpp) on the CPU and on the simulated GPU, under schedules that have every form
// of sharing: of dense blocks, whose sums are those of several rows, and of rows of given lengths.

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/schedules.hpp"
#include "work/format_products.hpp"

namespace evenly::laws {
namespace {

template <class Executor> void expect_products_of_bcsr_and_ell(const Executor& exec) {
  for_each_form_on<Executor>([&](const char* name, const auto& schedule) {
    expect_bcsr_products(exec, name, schedule);
    expect_ell_length_products(exec, name, schedule);
  });
}

TEST(FormatProducts, OfBcsrAndEllOnCpu) { expect_products_of_bcsr_and_ell(cpu(3)); }
TEST(FormatProducts, OfBcsrAndEllOnSimt) { expect_products_of_bcsr_and_ell(simt()); }

} // namespace
} // namespace evenly::laws
