// SPDX-License-Identifier: Apache-2.0
// Every layout on one workload: each point of a torus, numbered at random, adds up the values of its four neighbours.
// bench_coalescing counts its loads.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/layouts/choice/forecast.hpp"
#include "evenly/layouts/registry.hpp"

namespace evenly::bench {

struct sum_of_loads {
  float* out;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block& block, std::int64_t job, const Load& load) const {
    const auto sums = traced(block, out);
    float sum = 0;
    load.each([&](float value) { sum += value; });
    sums[job] = sum;
  }
};

/// What thread t adds by reference r: another element for each, so that no load stands for two. `count`: a power of
/// two.
struct value_of_reference {
  const float* from;
  std::int64_t count;
  template <class Block> EVENLY_FN float operator()(Block& block, std::int64_t t, std::int64_t r) const {
    const auto values = traced(block, from);
    float value = values[(t + r) & (count - 1)];
    return value;
  }
};

/// P of a torus, by references: [r * threads + t].
inline std::vector<int> torus_of(int side) {
  const auto points = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  std::vector<int> number(points);
  std::iota(number.begin(), number.end(), 0);
  for (std::size_t i = points - 1; i > 0; --i) std::swap(number[i], number[detail::scattered(i) % (i + 1)]);
  const auto at = [&](int x, int y) {
    return number[static_cast<std::size_t>((y + side) % side * side + (x + side) % side)];
  };
  std::vector<int> p(4 * points);
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const int around[] = {at(x - 1, y), at(x + 1, y), at(x, y - 1), at(x, y + 1)};
      for (std::size_t r = 0; r < 4; ++r) p[r * points + static_cast<std::size_t>(at(x, y))] = around[r];
    }
  return p;
}

/// Calls visit(name, run, said, sums) for each layout: run(executor) is one launch, for which all else is ready on
/// `exec`; said is what it was forecast to load, and sums() what it has left, in the order of jobs. Of share_accumulate
/// it is the launch of the layout's own kernel, which leaves an update for each element and block, and there is no
/// forecast.
template <class Executor, class Visit> void each_layout_load(const Executor& exec, Visit visit) {
  constexpr int side = 128;
  const std::vector<int> references = torus_of(side);
  const layouts::access_shape shape{.threads = side * side, .references = 4, .elements = side * side};
  const auto p = to_executor(exec, references);
  const layouts::index_list<int> list(p);
  std::vector<float> elements(static_cast<std::size_t>(shape.elements));
  for (std::size_t e = 0; e < elements.size(); ++e) elements[e] = static_cast<float>(e % 251);
  const auto a = to_executor(exec, elements);
  const auto check = [&](const char* name, const auto& layout) {
    using kind = std::remove_cvref_t<decltype(layout)>;
    if constexpr (layouts::accumulates<kind>) {
      const auto plan = layouts::make_access_plan(exec, list, shape, layouts::access_objective{}, layout);
      const auto updates = make_buffer<float>(exec, static_cast<std::size_t>(plan.arrays().updates));
      const auto parts = static_cast<std::int64_t>(plan.arrays().part_starts.size()) - 1;
      using kernel = detail::accumulate_kernel<int, plus<float>, value_of_reference>;
      visit(
          std::string("arm ") + name,
          [&](const Executor& on) {
            launch(on, {block_count(parts, 1), shape.block},
                   kernel{plan.view(), {}, {a.data(), shape.elements}, updates.data()});
          },
          std::optional<layouts::access_forecast>{}, [&] { return to_host(exec, updates); });
    } else {
      const auto plan = layouts::make_access_plan(exec, list, shape, layouts::access_objective{}, layout);
      const auto copy = make_buffer<float>(exec, static_cast<std::size_t>(plan.slots()));
      buffer<float> moved;
      const float* data = a.data();
      if constexpr (layouts::commits<kind>) {
        moved = make_buffer<float>(exec, elements.size());
        layouts::permute(exec, plan.arrays().order, a.data(), moved.data());
        data = moved.data();
      }
      plan.refresh(exec, data, copy.data());
      const float* const copied = copy.data();
      const auto out = make_buffer<float>(exec, elements.size());
      visit(
          std::string("arm ") + name,
          [&](const Executor& on) {
            layouts::for_each_job(on, plan, list, data, copied, sum_of_loads{out.data()});
          },
          std::optional(forecast(exec, plan, data, copied)), [&] { return to_host(exec, out); });
    }
  };
  layouts::for_each_layout(check);
  layouts::for_each_graph_layout(check);
}

} // namespace evenly::bench
