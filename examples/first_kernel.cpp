// SPDX-License-Identifier: Apache-2.0
// The same product, by a kernel of one's own: loops over the rows and nonzeros that the calling thread has.
#include <cstdio>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/view.hpp"
#include "evenly/kernels/for_each_range.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"

template <class Executor, class Work> struct multiply {
  template <class T> using span = evenly::span_on<Executor, T>; // a view of memory; on simt it reports races
  Work rows;
  evenly::partials<float, int> left; // carry-out: partial sums of rows split across blocks
  span<const int> columns;
  span<const float> values, x;
  span<float> y;

  EVENLY_FN auto lay_out(evenly::storage_layout& layout, evenly::block_shape shape) const {
    return evenly::lay_out_combine<float>(layout, shape, rows);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    evenly::storage_layout layout;
    const auto slots = lay_out(layout, block.shape());
    const evenly::combine_with sums{left, evenly::plus<float>{},
                                    [this](int row, float sum) { y[row] = sum; }};
    evenly::for_each_range(block, rows, slots, sums, [&](const auto& range) {
      for (const auto row : range.tiles()) {
        float sum = 0;
        for (const int k : range.atoms(row)) sum += values[k] * x[columns[k]];
        range.combine(row, sum); // with what other threads have of the row
      }
    });
  }
};

int main() {
  const std::vector<int> offsets{0, 2, 2, 3, 7};
  const std::vector<int> columns{0, 3, 1, 0, 1, 2, 3};
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7};
  const std::vector<float> x{1, 10, 100, 1000};
  std::vector<float> y(4);

  const evenly::cpu exec;
  auto rows = evenly::work_of(exec, evenly::merge_path{}, evenly::csr_tiles(offsets)); // no plan is needed
  auto left = evenly::make_partials<float>(exec, rows);
  launch(exec, {rows.blocks, rows.block_size},
         multiply<evenly::cpu, decltype(rows)>{rows, left.view(), view(exec, columns), view(exec, values),
                                               view(exec, x), view(exec, y)});

  for (const float each : y) std::printf("%g\n", each);
  return y == std::vector<float>{2001, 0, 30, 7654} ? 0 : 1;
}
