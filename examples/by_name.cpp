// SPDX-License-Identifier: Apache-2.0
// Schedule and executor by name, at run time: times several schedules and keeps the fastest for this matrix.
//
//   example_by_name [EXECUTOR [SCHEDULE ...]]      by default cpu and three of the schedules
//
// Links evenly::runtime. This file is not compiled for a GPU. `cuda` works if the library was compiled with it.
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/runtime/any_executor.hpp"
#include "evenly/runtime/any_plan.hpp"
#include "evenly/runtime/any_schedule.hpp"

int main(int argc, char** argv) try {
  const evenly::any_executor exec = evenly::make_executor(argc > 1 ? argv[1] : "cpu");
  std::vector<std::string> names(argv + (argc > 2 ? 2 : argc), argv + argc);
  if (names.empty()) names = {"thread_mapped", "merge_path:block_size=256", "group_per_tile<8>"};

  const int rows = 10'000; // row r has r % 7 entries of 1, in the first columns
  std::vector<int> offsets{0}, columns;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < r % 7; ++c) columns.push_back(c);
    offsets.push_back(static_cast<int>(columns.size()));
  }
  const auto on_offsets = to_executor(exec, offsets);
  const auto on_columns = to_executor(exec, columns);
  const auto values = to_executor(exec, std::vector<double>(columns.size(), 1.0));
  const auto x = to_executor(exec, std::vector<double>(7, 2.0));
  const auto y = evenly::make_buffer<double>(exec, static_cast<std::size_t>(rows));
  const evenly::csr_view<double> a{rows, 7, on_offsets.data(), on_columns.data(), values.data()};

  std::string fastest;
  double min = 0;
  for (const std::string& name : names) {
    evenly::any_plan plan(exec, evenly::any_schedule(name), evenly::csr_tile_set<int>(a.offsets, rows));
    const auto run = [&] {
      plan.spmv(a, x.span(), y.span());
      exec.synchronize();
    };
    run(); // the first run of a plan may allocate
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::micro> us = std::chrono::steady_clock::now() - start;
    std::printf("%-28s %8.1f us\n", name.c_str(), us.count());
    if (fastest.empty() || us.count() < min) fastest = name, min = us.count();
    const std::vector<double> found = to_host(exec, y);
    for (int r = 0; r < rows; ++r)
      if (found[static_cast<std::size_t>(r)] != 2.0 * (r % 7)) return 1;
  }
  std::printf("the fastest is %s\n", fastest.c_str());
} catch (const std::exception& e) {
  std::fprintf(stderr, "example_by_name: %s\n", e.what());
  return 1;
}
