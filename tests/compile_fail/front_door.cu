// SPDX-License-Identifier: Apache-2.0
// Operations in one line are refused where their data are not.
//
// WRONG=1 says: an operation on a device was given data on the host
// WRONG=2 says: copy them with evenly::vector(exec, values) or a.to(exec)
// WRONG=3 says: an operation on a device was given data on the host
// WRONG=4 says: an operation on a device was given data on the host
// WRONG=5 says: an operation on the host was given data on a device
// WRONG=6 says: this constructor takes host memory only: copy a vector of a device with x.to(exec)

#include <array>
#include <vector>

#include "evenly/execution/cuda.hpp"
#include "evenly/primitives/on_ranges.hpp"
#include "evenly/sparse/operators.hpp"

#if !defined(WRONG)
#define WRONG 0
#endif

int main() {
  const evenly::cuda exec;
  const evenly::csr_matrix<float> a{1, 1, {0, 1}, {0}, {1}};
  const auto there = a.to(exec);
  std::vector<float> x{1};
  const evenly::vector x_there(exec, x);
  float sum = evenly::reduce(x) + evenly::reduce(x_there);
#if WRONG == 1
  sum += evenly::reduce(x, exec);
#elif WRONG == 2
  there* x;
#elif WRONG == 3
  evenly::spmv(a, x_there, x_there, exec);
#elif WRONG == 4
  evenly::sort(std::array<float, 2>{1, 2}, exec);
#elif WRONG == 5
  sum += evenly::reduce(x_there, evenly::cpu());
#elif WRONG == 6
  const evenly::vector copy(exec, x_there);
#endif
  return sum == 2 ? 0 : 1;
}
