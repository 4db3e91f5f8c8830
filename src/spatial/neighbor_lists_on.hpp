// SPDX-License-Identifier: Apache-2.0
// The bench of neighbor lists on an executor.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/spatial/neighbor_list.hpp"
#include "measure/executor_timer.hpp"
#include "spatial/neighbor_lists.hpp"

namespace evenly::spatial {

template <class Executor>
measure::bench neighbors_bench_on(const neighbors_problem& problem, const bench_options& bench,
                                  found_neighbors& found) {
  const auto exec = measure::make_executor<Executor>(bench);
  struct device_points {
    buffer<double> x, y, z;
  };
  const auto on = std::make_shared<device_points>(device_points{to_executor(exec, problem.points.x),
                                                                to_executor(exec, problem.points.y),
                                                                to_executor(exec, problem.points.z)});
  const auto last = std::make_shared<std::optional<neighbor_pairs<double>>>();
  measure::candidate way{.name = "cells", .title = "cells of the cutoff"};
  way.prepare = [=, cutoff = problem.cutoff, options = problem.options]() -> measure::prepared_run {
    return {[=] {
      last->reset(); // its memory is there for the next
      last->emplace(neighbor_list(exec, points_of(on->x, on->y, on->z), cutoff, options));
    }};
  };
  way.first_error = [=, &problem, &found]() {
    const neighbor_pairs<double>& list = **last;
    found = {to_host(exec, list.offsets()), to_host(exec, list.indices()), to_host(exec, list.shifts())};
    return first_error(found, problem);
  };
  way.afterwards = [last] { last->reset(); };
  return {measure::make_timer(exec, bench), std::make_shared<measure::unchecked_output>(),
          [all = std::vector{std::move(way)}](int) { return all; }};
}

} // namespace evenly::spatial
