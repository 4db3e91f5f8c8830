// SPDX-License-Identifier: Apache-2.0
// PageRank by sparse matrix-vector products (Brin and Page, "The anatomy of a large-scale hypertextual web search
// engine", 1998).
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/primitives/on_ranges.hpp"
#include "evenly/sparse/coo_matrix.hpp"
#include "evenly/sparse/operators.hpp"

/// The rank of each page. links: row = from, column = to. A page gives its rank in equal parts to the pages that it
/// links to; a page without links gives it to all pages.
template <class Executor>
std::vector<double> page_rank(evenly::csr_matrix<double> links, const Executor& exec) {
  const double damping = 0.85, pages = links.rows;
  for (std::size_t from = 0; from + 1 < links.offsets.size(); ++from)
    for (int k = links.offsets[from]; k < links.offsets[from + 1]; ++k)
      links.values[k] = damping / (links.offsets[from + 1] - links.offsets[from]);
  const auto to_from = evenly::transpose(links);
  auto plan = evenly::make_plan(to_from, exec); // for all rounds
  std::vector<double> rank(links.rows, 1 / pages), next(rank.size());
  for (double change = 1; change > 1e-12; std::swap(rank, next)) {
    evenly::spmv(to_from, rank, next, plan);
    const double rest = (1 - evenly::reduce(next)) / pages; // an equal part of what no link carries
    change = 0;
    for (std::size_t v = 0; v < rank.size(); ++v) change += std::abs((next[v] += rest) - rank[v]);
  }
  return rank;
}

int main() {
  // Pages 1, 2 and 3 link to page 0, which links to page 1. No page links to page 3. Page 4 links nowhere.
  const auto links = evenly::to_csr(
      evenly::coo_matrix<double>{5, 5, {2, 1, 3, 0, 3, 2}, {0, 0, 0, 1, 4, 4}, {1, 1, 1, 1, 1, 1}});
  const std::vector<double> rank = page_rank(links, evenly::cpu());
  double all = 0;
  for (std::size_t v = 0; v < rank.size(); ++v) {
    std::printf("page %zu: %.4f\n", v, rank[v]);
    all += rank[v];
  }
  return rank == page_rank(links, evenly::simt()) && std::abs(all - 1) < 1e-9 && rank[0] > rank[1] &&
                 rank[1] > rank[4] && rank[4] > rank[3] && std::abs(rank[2] - rank[3]) < 1e-12
             ? 0
             : 1;
}
