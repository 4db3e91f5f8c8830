// SPDX-License-Identifier: Apache-2.0
// A plan is for one type of executor and of tile set.
//
// WRONG=1 says: the plan was made for another executor
// WRONG=2 says: spmv needs a plan that was made for rows_of(a)
// WRONG=3 says: spmv needs a plan that was made for rows_of(a)

#include <cstdint>
#include <vector>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/uniform.hpp"

int main() {
  const evenly::cpu exec;
  const evenly::csr_matrix<float> a{2, 2, {0, 1, 2}, {0, 1}, {3, 4}};
  const std::vector<float> x(2);
  std::vector<float> y(2);
  auto plan = evenly::make_plan(exec, evenly::thread_mapped{}, evenly::rows_of(a.view()));
  evenly::spmv(exec, plan, a.view(), x, y);
#if WRONG == 1
  evenly::for_each_atom(evenly::simt(), plan, [](int, int) {});
#elif WRONG == 2
  auto other = evenly::make_plan(exec, evenly::thread_mapped{}, evenly::uniform_tiles(2, 1));
  evenly::spmv(exec, other, a.view(), x, y);
#elif WRONG == 3
  const std::vector<std::int64_t> wide{0, 1, 2};
  auto other = evenly::make_plan(exec, evenly::thread_mapped{}, evenly::csr_tiles(wide));
  evenly::spmv(exec, other, a.view(), x, y);
#endif
}
