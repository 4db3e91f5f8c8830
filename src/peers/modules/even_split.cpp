// SPDX-License-Identifier: Apache-2.0
// SpMV written by hand with OpenMP: every thread has the same number of nonzeros. The partial sums of rows that threads
// share are added at the end, in order. A sum has eight parts, as that of evenly has.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <omp.h>

#include "peers/peer_module.hpp"

namespace evenly::peers {
namespace {

template <class Value> Value sum_of(const csr_view<Value>& a, const Value* x, int begin, int end) {
  Value part[8] = {};
  for (; end - begin >= 8; begin += 8)
    for (int i = 0; i < 8; ++i) part[i] += a.values[begin + i] * x[a.columns[begin + i]];
  Value sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
  for (; begin < end; ++begin) sum += a.values[begin] * x[a.columns[begin]];
  return sum;
}

template <class Value> void multiply(const csr_view<Value>& a, const Value* x, Value* y, int threads) {
  struct carry_out {
    int row;
    Value sum;
  };
  std::vector<carry_out> carries(static_cast<std::size_t>(threads), {-1, Value{}});
  const std::int64_t atoms = a.offsets[a.rows];
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t count = omp_get_num_threads(), me = omp_get_thread_num();
    const int begin = static_cast<int>(atoms * me / count), end = static_cast<int>(atoms * (me + 1) / count);
    int row = static_cast<int>(std::upper_bound(a.offsets, a.offsets + a.rows + 1, begin) - a.offsets) - 1;
    if (me == 0) std::fill(y, y + row, Value{}); // empty rows before the first atom
    for (int k = begin; k < end; ++row) {
      const int stop = std::min(a.offsets[row + 1], end);
      const Value sum = sum_of(a, x, k, stop);
      if (k > a.offsets[row]) // an earlier thread stores this row
        carries[static_cast<std::size_t>(me)] = {row, sum};
      else
        y[row] = sum;
      k = stop;
    }
    for (; row < a.rows && a.offsets[row + 1] == end; ++row) y[row] = 0; // empty rows after the last atom
  }
  for (const carry_out& each : carries)
    if (each.row >= 0) y[each.row] += each.sum;
}

struct even_split {
  template <class Value> prepared_peer operator()(const vector_product<Value>& p, int threads) const {
    return {[p, threads] { multiply(p.a, p.x, p.y, threads); }};
  }
};

} // namespace
} // namespace evenly::peers

EVENLY_PEER(evenly::peers::even_split, "")
