// SPDX-License-Identifier: Apache-2.0
// Atomic operations are of objects of 4 or 8 bytes, in an order that the operation has.
//
// WRONG=1 says: the order of a load must be relaxed, acquire or seq_cst
// WRONG=2 says: the order of a store must be relaxed, release or seq_cst
// WRONG=3 says: atomic operations need a trivially copyable type of 4 or 8 bytes
// WRONG=4 says: the scope must be scope::block, scope::device or scope::system
// WRONG=5 says: keys must be integers or floating-point numbers of 8 to 64 bits
// WRONG=6 says: the output must have the type of the keys

#include <string>
#include <vector>

#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/primitives/sort.hpp"

int main() {
  using namespace evenly;
  int value = 0;
  atomic_ref(value).store(1);
  std::vector<int> keys(3), out(3);
  sort(cpu(1), keys.data(), 3, out.data());
#if WRONG == 1
  atomic_ref(value).load(order::release{});
#elif WRONG == 2
  atomic_ref(value).store(1, order::acq_rel{});
#elif WRONG == 3
  short small = 0;
  atomic_ref(small).store(1);
#elif WRONG == 4
  atomic_ref(value, 5).store(1);
#elif WRONG == 5
  std::vector<std::string> words(3), sorted(3);
  sort(cpu(1), words.data(), 3, sorted.data());
#elif WRONG == 6
  std::vector<long> wide(3);
  sort(cpu(1), keys.data(), 3, wide.data());
#endif
  return atomic_ref(value).load() - 1;
}
