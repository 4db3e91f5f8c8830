// SPDX-License-Identifier: Apache-2.0
// The operations of the GPU part, for its table (cuda_part.hpp). They throw.
#pragma once

#include "evenly/execution/cuda.hpp"
#include "python/cuda_part.hpp"
#include "python/cuda_rows.hpp"

namespace evenly::python {

void cuda_spmv(cuda_rows& rows, const cuda& exec, const cuda_entries& of, const input& x, const output& y);
void cuda_spmm(cuda_rows& rows, const cuda& exec, const cuda_entries& of, const input& b, const output& c);
void cuda_segment_reduce(cuda_rows& rows, const cuda& exec, const input& values, combine op,
                         const output& out);
void cuda_segment_scan(cuda_rows& rows, const cuda& exec, const input& values, bool is_inclusive,
                       const output& out);
void cuda_bfs(cuda_rows& rows, const cuda& exec, const cuda_entries& edges, bool is_undirected, int source,
              const output& levels, const output& parents);
void cuda_reduce(const cuda& exec, const input& values, combine op, const output& out);
void cuda_scan(const cuda& exec, const input& values, combine op, bool is_inclusive, const output& out);

/// Calls body(monoid) with plus, minimum or maximum.
template <class T, class Body> void with_monoid(combine op, const Body& body) {
  switch (op) {
  case combine::sum:
    return body(plus<T>{});
  case combine::min:
    return body(minimum<T>{});
  case combine::max:
    return body(maximum<T>{});
  case combine::prod:
    break;
  }
  throw invalid_argument("prod does not run on a GPU: there are sum, min and max");
}

} // namespace evenly::python
