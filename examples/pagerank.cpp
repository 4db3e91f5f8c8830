// SPDX-License-Identifier: Apache-2.0
// PageRank by spmv (Brin & Page, "The anatomy of a large-scale hypertextual web search engine", 1998).
//
// A page gives its rank in equal parts to the pages that it links to; a page without links gives it to all. The links
// come as pairs, in any order: as coordinates, which become compressed rows of the pages that are linked to. A plan is
// made once for all rounds.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/coo_matrix.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/spmv.hpp"

template <class Executor>
std::vector<double> page_rank(const Executor& exec, int pages,
                              const std::vector<std::pair<int, int>>& links) {
  constexpr double damping = 0.85;
  std::vector<int> out(static_cast<std::size_t>(pages));
  for (const auto& [from, to] : links) ++out[static_cast<std::size_t>(from)];
  std::vector<int> to_of, from_of;
  std::vector<double> part;
  for (const auto& [from, to] : links) {
    to_of.push_back(to);
    from_of.push_back(from);
    part.push_back(1.0 / out[static_cast<std::size_t>(from)]);
  }
  const evenly::coo_view<double> given{pages,        pages,          static_cast<int>(links.size()),
                                       to_of.data(), from_of.data(), part.data()};
  const auto a = evenly::to_csr(exec, given); // simt, as cpu, reads where the host does
  auto plan = evenly::make_plan(exec, evenly::automatic{.work = evenly::work_kind::gathered_sums},
                                evenly::rows_of(a.view()));
  std::vector<double> rank(static_cast<std::size_t>(pages), 1.0 / pages), next(rank.size());
  for (double change = 1; change > 1e-12;) {
    double nowhere = 0; // the rank of pages without links
    for (std::size_t v = 0; v < rank.size(); ++v)
      if (out[v] == 0) nowhere += rank[v];
    evenly::spmv(exec, plan, a.view(), rank, next, damping);
    change = 0;
    for (std::size_t v = 0; v < rank.size(); ++v) {
      next[v] += (1 - damping + damping * nowhere) / pages;
      change += std::abs(next[v] - rank[v]);
    }
    std::swap(rank, next);
  }
  return rank;
}

int main() {
  // Everybody links to page 0, which links to page 1; page 3 is known to nobody, page 4 links nowhere.
  const std::vector<std::pair<int, int>> links{{2, 0}, {1, 0}, {3, 0}, {0, 1}, {3, 4}, {2, 4}};
  const std::vector<double> rank = page_rank(evenly::cpu(), 5, links);
  bool right = rank == page_rank(evenly::simt(), 5, links);
  double all = 0;
  for (std::size_t v = 0; v < rank.size(); ++v) {
    std::printf("page %zu: %.4f\n", v, rank[v]);
    all += rank[v];
  }
  right = right && std::abs(all - 1) < 1e-9 && rank[0] > rank[1] && rank[1] > rank[4] && rank[4] > rank[3] &&
          std::abs(rank[2] - rank[3]) < 1e-12;
  return right ? 0 : 1;
}
