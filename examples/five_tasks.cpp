// SPDX-License-Identifier: Apache-2.0
// The five tasks of docs/five-tasks.md, which shows the lines between `begin` and `end`.
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

#include "evenly/algorithms/segments.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/frontier_loop.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/kernels/own_kernel.hpp"
#include "evenly/primitives/on_ranges.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/operators.hpp"

namespace {

std::vector<float> spmv(const evenly::csr_matrix<float>& a, const std::vector<float>& x) {
  // begin spmv
  const auto y = a * x;
  // end
  return y;
}

std::vector<float> reduce(const std::vector<int>& offsets, const std::vector<float>& values) {
  // begin segmented reduce
  const auto sums = evenly::segmented_reduce(values, offsets);
  // end
  return sums;
}

std::vector<int> search(const evenly::csr_matrix<float>& a, int source) {
  // begin bfs
  const auto [levels, parents] = evenly::bfs(a, source);
  // end
  return levels;
}

std::vector<int> search_written_out(const evenly::csr_matrix<float>& a, int source) {
  const evenly::cpu exec;
  // begin bfs, written out
  std::vector<int> levels(a.rows, INT_MAX);
  levels[source] = 0;
  const auto level = view(exec, levels);
  const auto target = view(exec, a.columns);
  evenly::frontier_loop loop(exec, evenly::merge_path{}, graph_view_of(a).out);
  loop.start_from(source).run([=](const auto& frontier, std::int64_t now) {
    return [=, next = int(now) + 1](int tile, int atom) -> std::optional<int> {
      const int to = target[frontier.source_atom(tile, atom)];
      return evenly::atomic_ref(level[to]).fetch_min(next) > next ? std::optional(to) : std::nullopt;
    };
  });
  // end
  return levels;
}

void sort(std::vector<int>& keys, std::vector<float>& values) {
  // begin sort by key
  evenly::sort_by_key(keys, values);
  // end
}

std::vector<float> kernel(const evenly::csr_matrix<float>& a, const std::vector<float>& in) {
  const evenly::cpu exec;
  const auto columns = view(exec, a.columns);
  const auto values = view(exec, a.values), x = view(exec, in);
  // begin kernel
  const auto term = [=](int k) { return std::abs(values[k] * x[columns[k]]); };
  const auto y = evenly::reduce_tiles(evenly::rows_of(a), term);
  // end
  return y;
}

std::vector<float> kernel_with_loops(const evenly::csr_matrix<float>& a, const std::vector<float>& in) {
  const evenly::cpu exec;
  const auto columns = view(exec, a.columns);
  const auto values = view(exec, a.values), x = view(exec, in);
  // begin kernel, with loops
  const auto body = [=](auto& range) {
    for (const auto row : range.tiles()) {
      float sum = 0;
      for (const int k : range.atoms(row)) sum += std::abs(values[k] * x[columns[k]]);
      range.combine(row, sum);
    }
  };
  const auto y = evenly::for_each_range(evenly::rows_of(a), body, evenly::plus<float>{});
  // end
  return y;
}

} // namespace

int main() {
  const evenly::csr_matrix<float> a{4, 4, {0, 2, 2, 3, 7}, {0, 3, 1, 0, 1, 2, 3}, {1, -2, 3, 4, 5, -6, 7}};
  const std::vector<float> x{1, 10, 100, 1000};
  std::vector<int> keys{3, 1, 2};
  std::vector<float> values{30, 10, 20};
  sort(keys, values);
  const std::vector<float> sizes{2001, 0, 30, 7654};
  const bool right[] = {spmv(a, x) == std::vector<float>{-1999, 0, 30, 6454},
                        reduce(a.offsets, a.values) == std::vector<float>{-1, 0, 3, 10},
                        search(a, 0) == std::vector<int>{0, 2, 2, 1},
                        search_written_out(a, 0) == std::vector<int>{0, 2, 2, 1},
                        keys == std::vector<int>{1, 2, 3} && values == std::vector<float>{10, 20, 30},
                        kernel(a, x) == sizes,
                        kernel_with_loops(a, x) == sizes};
  int wrong = 0;
  for (const bool each : right) wrong += each ? 0 : 1;
  std::printf("%d of 7 are wrong\n", wrong);
  return wrong;
}
