// SPDX-License-Identifier: Apache-2.0
// What lies on the host cannot be read by a device, and the types of iterators tell.
//
// WRONG=1 says: elements of a std::vector or std::deque are on the host: copy them to the device with to_executor
// WRONG=2 says: elements of a std::vector or std::deque are on the host: copy them to the device with to_executor

#include <vector>

#include "evenly/core/monoid.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"

int main() {
  const evenly::cuda exec;
  const std::vector<int> values(100);
  const auto there = evenly::to_executor(exec, values);
  evenly::reduce(exec, there.data(), 100, evenly::plus<int>{});
  evenly::reduce(exec, there.span().begin(), 100, evenly::plus<int>{});
#if WRONG == 1
  evenly::reduce(exec, values.begin(), 100, evenly::plus<int>{});
#elif WRONG == 2
  std::vector<int> sums(100);
  evenly::inclusive_scan(exec, there.data(), 100, evenly::plus<int>{}, sums.begin());
#endif
}
