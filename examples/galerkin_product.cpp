// SPDX-License-Identifier: Apache-2.0
// spgemm and transpose: the coarse matrix R A P of a multigrid method, with R = P^T, for changing values of A.
//
// A is the Laplacian of a line of n points, P interpolates between every second of them. The coarse matrix is again a
// Laplacian, of a line of n / 2 points, times 1/2. If the values of A change but not its pattern, as between time
// steps, the plans are reused.
#include <cstdio>
#include <utility>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/spgemm.hpp"
#include "evenly/sparse/transpose.hpp"

using matrix = evenly::csr_matrix<double>;

void add_row(matrix& a, const std::vector<std::pair<int, double>>& entries) {
  for (const auto& [column, value] : entries) {
    if (column < 0 || column >= a.cols) continue;
    a.columns.push_back(column);
    a.values.push_back(value);
  }
  a.offsets.push_back(static_cast<int>(a.columns.size()));
}

int main() {
  constexpr int n = 15, coarse = 7; // coarse point j is fine point 2 j + 1
  matrix a;
  a.rows = a.cols = n;
  for (int i = 0; i < n; ++i) add_row(a, {{i - 1, -1}, {i, 2}, {i + 1, -1}});
  matrix p;
  p.rows = n;
  p.cols = coarse;
  for (int i = 0; i < n; ++i)
    if (i % 2 == 1)
      add_row(p, {{i / 2, 1}});
    else
      add_row(p, {{i / 2 - 1, 0.5}, {i / 2, 0.5}});

  const evenly::cpu exec;
  const auto r = evenly::transpose(exec, p.view());
  const auto ap = evenly::spgemm<int>(exec, a.view(), p.view());
  evenly::spgemm_plan plan_ap(exec, a.view(), p.view());
  evenly::spgemm_plan plan_rap(exec, r.view(), ap.view());
  std::vector<int> columns(static_cast<std::size_t>(plan_rap.entries()));
  std::vector<double> values(columns.size());
  for (const double stiffness : {1.0, 3.0}) {
    std::vector<double> now = a.values;
    for (double& value : now) value *= stiffness;
    const evenly::csr_view<double> changed{n, n, a.offsets.data(), a.columns.data(), now.data()};
    plan_ap.fill(exec, changed, p.view(), ap.columns.span(), ap.values.span());
    plan_rap.fill(exec, r.view(), ap.view(), columns, values);
    for (int i = 0; i < coarse; ++i)
      for (auto k = plan_rap.offsets()[i]; k < plan_rap.offsets()[i + 1]; ++k) {
        const double expected = stiffness * (columns[k] == i ? 1 : -0.5);
        if (values[k] == expected) continue;
        std::printf("entry (%d, %d) is %g, not %g\n", i, columns[k], values[k], expected);
        return 1;
      }
  }
  std::printf("%lld entries of the coarse matrix\n", static_cast<long long>(plan_rap.entries()));
  return plan_rap.entries() == 3 * coarse - 2 ? 0 : 1;
}
