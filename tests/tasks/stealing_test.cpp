// SPDX-License-Identifier: Apache-2.0
// stealing: the laws of pools.

#include "evenly/tasks/stealing.hpp"

#include <gtest/gtest.h>

#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

using namespace task_laws;

TEST(Stealing, KeepsTheLawsOnCpu) { expect_laws_on_cpu(stealing{}); }
TEST(Stealing, KeepsTheLawsOnSimt) {
  expect_laws_on_simt(stealing{}, 24);
  expect_answers_on_simt(stealing{});
}
TEST(Stealing, FromAnybodyKeepsTheLaws) {
  const stealing anybody{.order_of_victims = victims::random};
  expect_tree<each_thread>(cpu(), anybody, 5000, 3, 1, blocks_of(4));
  on_simt(anybody, 12, [](const simt& exec, const stealing& of, const task_options& options) {
    expect_tree<each_thread>(exec, of, 100, 2, 1, options);
  });
}
TEST(Stealing, KeepsTheLawsInManyInterleavings) { expect_interleavings(stealing{}, 1000); }
TEST(Stealing, EndsByExceptions) { expect_exceptions(stealing{}); }
TEST(Stealing, RefusesWhatCannotBe) { expect_refusals(stealing{}); }

} // namespace
} // namespace evenly
