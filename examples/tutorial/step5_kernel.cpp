// SPDX-License-Identifier: Apache-2.0
// Step 5: a user-defined kernel, which computes two values per row in one pass over its nonzeros.
#include <cstdio>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/kernels/for_each_range.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"

template <class Executor, class Work> struct product_and_count : evenly::kernel_of_work<Work> {
  template <class T> using span = evenly::span_on<Executor, T>;
  Work rows;
  span<const int> columns;
  span<const float> values, x;
  span<float> y;
  span<int> negative;

  /// Called by every thread of every block.
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    evenly::for_each_range(block, rows, [&](const auto& range) {
      for (const auto row : range.tiles()) { // whole rows: thread_mapped cuts none
        float sum = 0;
        int below = 0;
        for (const int k : range.atoms(row)) {
          sum += values[k] * x[columns[k]];
          below += values[k] < 0;
        }
        y[row] = sum;
        negative[row] = below;
      }
    });
  }
};

template <class Executor> bool is_right(const char* name, const Executor& exec) {
  const std::vector<int> offsets{0, 2, 3, 3, 9, 10};
  const std::vector<int> columns{0, 4, 1, 0, 1, 2, 3, 4, 0, 2};
  const std::vector<float> values{1, -1, -2, 1, 1, 1, -1, -1, -1, 3};
  const std::vector<float> x{1, 2, 3, 4, 5};
  std::vector<float> y(5);
  std::vector<int> negative(5);

  auto work = evenly::work_of(exec, evenly::thread_mapped{}, evenly::csr_tiles(offsets));
  launch(exec, {work.blocks, work.block_size},
         product_and_count<Executor, decltype(work)>{{},
                                                     work,
                                                     view(exec, columns),
                                                     view(exec, values),
                                                     view(exec, x),
                                                     view(exec, y),
                                                     view(exec, negative)});

  for (int row = 0; row < 5; ++row)
    std::printf("%s: row %d: y = %g, %d negative\n", name, row, y[row], negative[row]);
  return y == std::vector<float>{-4, -4, 0, -4, 9} && negative == std::vector<int>{1, 1, 0, 3, 0};
}

int main() { return is_right("simt", evenly::simt()) && is_right("cpu", evenly::cpu()) ? 0 : 1; }
