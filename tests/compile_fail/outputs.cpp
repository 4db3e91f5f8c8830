// SPDX-License-Identifier: Apache-2.0
// Threads cannot write elements that share bytes.
//
// WRONG=1 says: elements of a std::vector<bool> share bytes
// WRONG=2 says: elements of a std::vector<bool> share bytes

#include <vector>

#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/select.hpp"

int main() {
  const evenly::cpu exec;
  std::vector<bool> bits(100), others(100);
  std::vector<char> bytes(100);
  evenly::reduce(exec, bits.begin(), 100, evenly::plus<int>{});
  const auto holds = [](bool bit) { return bit; };
  evenly::select(exec, bits.cbegin(), 100, holds, bytes.begin());
#if WRONG == 1
  evenly::select(exec, bits.cbegin(), 100, holds, others.begin());
#elif WRONG == 2
  evenly::inclusive_scan(exec, bits.begin(), 100, evenly::maximum<bool>{}, others.begin());
#endif
}
