// SPDX-License-Identifier: Apache-2.0
// Two domains of work in one kernel: the rows of a matrix and the cells of a grid, each distributed by a suitable
// schedule. One launch processes both, so a domain with little work does not leave the GPU idle.
// fused_gpu.cu is the same source for a GPU.
#include <cstdio>
#include <span>
#include <vector>

#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/kernels/for_each_range.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/uniform.hpp"

/// sums[row] = the sum of the row's values; heat[cell] = the sum of the cell's four particles. Cells are whole, so a
/// thread writes its sum; rows may be cut, so partial sums are combined.
template <class Executor, class Rows, class Cells>
struct both : evenly::kernel_of_work<evenly::combines<Rows, int>, Cells> {
  template <class T> using span = evenly::span_on<Executor, T>;
  Rows rows;
  Cells cells;
  evenly::partials<int, int> carries;
  span<const int> values, particles;
  span<int> sums, heat;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto store = [&](int row, int sum) { sums[row] = sum; };
    evenly::for_each_range(block, rows, evenly::combine_with{carries, evenly::plus<int>{}, store},
                           [&](const auto& range) {
                             for (const auto row : range.tiles()) {
                               int sum = 0;
                               for (const int k : range.atoms(row)) sum += values[k];
                               range.combine(row, sum);
                             }
                           });
    evenly::for_each_range(block, cells, [&](const auto& range) {
      for (const auto cell : range.tiles()) {
        int sum = 0;
        for (const int particle : range.atoms(cell)) sum += particles[particle];
        heat[cell] = sum;
      }
    });
  }
};

template <class Executor> bool is_right(const Executor& exec) {
  constexpr int row_count = 700, cell_count = 3000;
  std::vector<int> offsets{0}, values, particles(4 * cell_count, 1);
  for (int row = 0; row < row_count; ++row) offsets.push_back(offsets.back() + (row == 9 ? 4000 : row % 3));
  for (int k = 0; k < offsets.back(); ++k) values.push_back(k % 11);

  const auto there = evenly::to_executor(exec, offsets), in = evenly::to_executor(exec, values),
             inside = evenly::to_executor(exec, particles);
  const auto sums = evenly::make_buffer<int>(exec, row_count),
             heat = evenly::make_buffer<int>(exec, cell_count);
  auto rows =
      evenly::work_of(exec, evenly::merge_path{}, evenly::csr_tiles(std::span<const int>(there.span())));
  auto cells = evenly::work_of(exec, evenly::thread_mapped{}, evenly::uniform_tiles(cell_count, 4));
  auto carries = evenly::make_partials<int>(exec, rows);
  // All blocks have one size. Their number is that of the larger domain. Each processes its ranges of both domains.
  launch(exec, {rows.blocks > cells.blocks ? rows.blocks : cells.blocks, rows.block_size},
         both<Executor, decltype(rows), decltype(cells)>{{},
                                                         rows,
                                                         cells,
                                                         carries.view(),
                                                         view(exec, in),
                                                         view(exec, inside),
                                                         view(exec, sums),
                                                         view(exec, heat)});

  const auto got = evenly::to_host(exec, sums);
  bool right = evenly::to_host(exec, heat) == std::vector<int>(cell_count, 4);
  for (int row = 0; row < row_count; ++row) {
    int sum = 0;
    for (int k = offsets[row]; k < offsets[row + 1]; ++k) sum += values[k];
    right = right && got[row] == sum;
  }
  std::printf("%d rows and %d cells in one launch%s\n", row_count, cell_count,
              right ? "" : ", which is wrong");
  return right;
}

int main() {
#if defined(__CUDACC__)
  if (int devices = 0; cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77; // no GPU
  return is_right(evenly::cuda()) ? 0 : 1;
#else
  return is_right(evenly::simt()) && is_right(evenly::cpu()) ? 0 : 1;
#endif
}
