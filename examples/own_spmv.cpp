// SPDX-License-Identifier: Apache-2.0
// A user-defined kernel under three schedules: y = A x, as loops over the rows and nonzeros of the calling thread.
//
// The kernel is the one for a thread per row (Osama et al., PPoPP 2023, listing 4), except that it combines partial
// sums, because rows may be cut. The schedule distributes the work: merge_path cuts rows, group_per_tile assigns eight
// threads to a row. There is no plan: each block finds the beginning of its work.
// The sum of a range depends on its atoms only, which `atoms_only` declares, and a second small kernel combines rows
// that blocks share. So the kernel is about as fast as spmv.
// own_spmv_gpu.cu is the same source for a GPU.
#include <cstdio>
#include <span>
#include <vector>

#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/kernels/for_each_range.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"

struct matrix {
  std::vector<int> offsets{0}, columns;
  std::vector<float> values;
};

/// Rows of up to four nonzeros, and one of 3,000.
matrix one_long_row(int rows) {
  matrix a;
  for (int row = 0; row < rows; ++row) {
    const int size = row == rows / 2 ? 3000 : row % 5;
    for (int k = 0; k < size; ++k) {
      a.columns.push_back((row + 7 * k) % rows);
      a.values.push_back(static_cast<float>(1 + (row + k) % 3)); // whole numbers: sums are exact
    }
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  return a;
}

template <class Executor> struct store_row {
  evenly::span_on<Executor, float> y;
  EVENLY_FN void operator()(int row, float sum) const { y[row] = sum; }
};

template <class Executor, class Work>
struct multiply : evenly::kernel_of_work<evenly::combines<Work, float>> {
  template <class T> using span = evenly::span_on<Executor, T>;
  Work rows;
  evenly::partials<float, int, evenly::carry_fix_up::deferred> carries;
  span<const float> values;
  span<const int> columns;
  span<const float> x;
  store_row<Executor> store;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto sum_up = [&](const auto& range) {
      for (const auto row : range.tiles()) {
        float sum = 0;
        for (const int k : range.atoms(row)) sum += range.read(values, k) * x[range.read(columns, k)];
        range.combine(row, sum);
      }
    };
    evenly::for_each_range(block, rows, evenly::combine_with{carries, evenly::plus<float>{}, store},
                           evenly::atoms_only(sum_up));
  }
};

template <class Executor, class Schedule>
bool is_right(const Executor& exec, const Schedule& schedule, const matrix& a, const char* name) {
  const auto rows = static_cast<int>(a.offsets.size()) - 1;
  std::vector<float> x, wanted;
  for (int i = 0; i < rows; ++i) x.push_back(static_cast<float>(i % 4));
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
    for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
    wanted.push_back(sum);
  }

  const auto offsets = evenly::to_executor(exec, a.offsets), columns = evenly::to_executor(exec, a.columns);
  const auto values = evenly::to_executor(exec, a.values), in = evenly::to_executor(exec, x);
  const auto y = evenly::make_buffer<float>(exec, x.size());

  const auto tiles = evenly::csr_tiles(std::span<const int>(offsets.span()));
  auto work = evenly::work_of(exec, schedule, tiles);
  auto carries =
      evenly::make_partials<float>(exec, work); // carry-out: partial sums of rows split across blocks
  const store_row<Executor> store{view(exec, y)};
  launch(exec, {work.blocks, work.block_size},
         multiply<Executor, decltype(work)>{
             {}, work, carries.deferred(), view(exec, values), view(exec, columns), view(exec, in), store});
  fix_up_carries(exec, work, carries, evenly::plus<float>{}, store);

  const bool right = evenly::to_host(exec, y) == wanted;
  std::printf("%s: %d blocks%s\n", name, work.blocks, right ? "" : ", and a wrong product");
  return right;
}

template <class Executor> bool all_are_right(const Executor& exec, const matrix& a) {
  return is_right(exec, evenly::thread_mapped{}, a, "thread_mapped") &&
         is_right(exec, evenly::group_per_tile<8>{}, a, "group_per_tile<8>") &&
         is_right(exec, evenly::merge_path{}, a, "merge_path");
}

int main() {
  const matrix a = one_long_row(2000);
#if defined(__CUDACC__)
  if (int devices = 0; cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77; // no GPU
  return all_are_right(evenly::cuda(), a) ? 0 : 1;
#else
  return all_are_right(evenly::simt(), a) && all_are_right(evenly::cpu(), a) ? 0 : 1;
#endif
}
