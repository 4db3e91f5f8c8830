// SPDX-License-Identifier: Apache-2.0
// reduce_tiles_wide: a sparse matrix times several vectors in one call, C = A X.
//
// X and C are dense and row-major, so neighbouring threads read neighbouring columns of a row of X. Any number of
// vectors is allowed; this program has 5.
#include <cstdio>
#include <vector>

#include "evenly/algorithms/reduce_tiles_wide.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/group_mapped.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"

/// Row i has nonzeros at the multiples of i + 1, so the first row is full and the last ones have one each.
struct matrix {
  int rows;
  std::vector<int> offsets{0}, columns;
  std::vector<double> values;

  explicit matrix(int n) : rows(n) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; j += i + 1) {
        columns.push_back(j);
        values.push_back(1 + (i + j) % 3);
      }
      offsets.push_back(static_cast<int>(columns.size()));
    }
  }
};

/// Whole numbers, so that no sum is rounded.
std::vector<double> vectors(int rows, int width) {
  std::vector<double> x;
  for (int i = 0; i < rows * width; ++i) x.push_back(i % 7 - 3);
  return x;
}

template <class Executor, class Schedule>
bool product_is_right(const Executor& exec, const Schedule& schedule, const matrix& a, int width) {
  const std::vector<double> x = vectors(a.rows, width);
  std::vector<double> product(x.size(), -1);
  auto plan = evenly::make_plan(exec, schedule, evenly::csr_tiles(a.offsets));
  const auto value = evenly::view(exec, a.values), in = evenly::view(exec, x);
  const auto column_of = evenly::view(exec, a.columns);
  const auto out = evenly::view(exec, product);
  evenly::reduce_tiles_wide(
      exec, plan, width,
      [=] EVENLY_FN(int k, int vector) { return value[k] * in[column_of[k] * width + vector]; },
      evenly::plus<double>{},
      [=] EVENLY_FN(int row, int vector, double sum) { out[row * width + vector] = sum; });

  std::vector<double> expected(x.size(), 0);
  for (int i = 0; i < a.rows; ++i)
    for (int k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      for (int v = 0; v < width; ++v) expected[i * width + v] += a.values[k] * x[a.columns[k] * width + v];
  if (product == expected) return true;
  std::printf("C[0][0] = %g, not %g\n", product[0], expected[0]);
  return false;
}

int main() {
  const matrix a(300);
  const int width = 5;
  const bool right = product_is_right(evenly::simt(), evenly::merge_path{}, a, width) &&
                     product_is_right(evenly::simt(), evenly::group_mapped<32>{}, a, width) &&
                     product_is_right(evenly::cpu(), evenly::merge_path{}, a, width);
  return right ? 0 : 1;
}
