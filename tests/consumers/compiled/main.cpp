// SPDX-License-Identifier: Apache-2.0
// Reads a matrix with evenly::io, and multiplies it by evenly::runtime under a schedule that is chosen by name.
#include <cstdio>
#include <span>
#include <vector>

#include "evenly/io/read.hpp"
#include "evenly/runtime/any_executor.hpp"
#include "evenly/runtime/any_plan.hpp"
#include "evenly/runtime/any_schedule.hpp"

int main(int count, char** words) {
  if (count != 2) return 2;
  const evenly::csr_matrix<double> a = evenly::io::read_matrix(words[1]);
  const evenly::any_executor exec = evenly::make_executor("cpu");
  evenly::any_plan plan(exec, evenly::any_schedule("merge_path"),
                        evenly::csr_tile_set<int>(a.offsets.data(), a.rows));
  const std::vector<double> x(static_cast<std::size_t>(a.cols), 1.0);
  std::vector<double> y(static_cast<std::size_t>(a.rows));
  plan.spmv(a.view(), std::span(x), std::span(y));
  exec.synchronize();
  for (const double sum : y) std::printf("%g ", sum);
  std::printf("\n");
  return y == std::vector<double>{3, 0, 3} ? 0 : 1;
}
