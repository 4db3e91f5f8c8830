// SPDX-License-Identifier: Apache-2.0
// spgemm and add: the vertices that are reached in one or two steps, and the number of paths. A A counts the paths of
// two steps, A + A A those of one or two.
#include <cstdio>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/sparse/add.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/spgemm.hpp"

int main() {
  // A wheel: vertices 0 to 5 around the hub 6, each with edges to both neighbours and to the hub.
  constexpr int rim = 6;
  evenly::csr_matrix<int> wheel;
  wheel.rows = wheel.cols = rim + 1;
  for (int v = 0; v <= rim; ++v) {
    for (int w = 0; w <= rim; ++w) {
      const bool around = v < rim && w < rim && ((v + 1) % rim == w || (w + 1) % rim == v);
      if (!around && !(v != w && (v == rim || w == rim))) continue;
      wheel.columns.push_back(w);
      wheel.values.push_back(1);
    }
    wheel.offsets.push_back(static_cast<int>(wheel.columns.size()));
  }
  const evenly::cpu exec;
  const auto two_steps = evenly::spgemm(exec, wheel.view(), wheel.view());
  const auto ways = to_host(exec, evenly::add(exec, wheel.view(), two_steps.view()));
  for (int v = 0; v < rim; ++v)
    for (auto k = ways.offsets[v]; k < ways.offsets[v + 1]; ++k) {
      const int w = ways.columns[k], apart = w == rim ? -1 : (w - v + rim) % rim;
      // To oneself and back by three; to a neighbour directly or by the hub; two apart by one between or the hub.
      const int expected = apart == -1 ? 3 : apart == 0 ? 3 : apart == 3 ? 1 : 2;
      if (ways.values[k] == expected) continue;
      std::printf("%d ways from %d to %d, not %d\n", ways.values[k], v, w, expected);
      return 1;
    }
  std::printf("%lld pairs are one or two steps apart\n", static_cast<long long>(ways.offsets.back()));
  return ways.offsets.back() == (rim + 1) * (rim + 1) ? 0 : 1;
}
