// SPDX-License-Identifier: Apache-2.0
// sddmm, segment_plan and spmm: a layer of graph attention, H' = softmax(Q K^T at the edges) V.
//
// Each vertex asks its neighbours: an edge's score is the dot product of a row of Q and a row of K. The scores of a
// vertex's edges become shares by a softmax over the row, and its new features are the shares times rows of V.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/sddmm.hpp"
#include "evenly/sparse/segment_plan.hpp"
#include "evenly/sparse/spmm.hpp"

/// A ring of n vertices in which vertex 0 is a neighbour of all. The values are places for the shares.
evenly::csr_matrix<float> ring(int n) {
  evenly::csr_matrix<float> a;
  a.rows = a.cols = n;
  for (int v = 0; v < n; ++v) {
    for (int u = 0; u < n; ++u)
      if (v == 0 || u == 0 || u == (v + 1) % n || u == (v + n - 1) % n) a.columns.push_back(u);
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  a.values.resize(a.columns.size());
  return a;
}

template <class Executor>
std::vector<float> attended(const Executor& exec, evenly::csr_matrix<float>& a,
                            const std::vector<float>& features, int width) {
  const auto x = evenly::dense_rows<const float>(a.rows, width, features.data());
  auto plan =
      evenly::make_plan(exec, evenly::automatic{.work = evenly::work_kind::wide_sums}, rows_of(a.view()));
  const auto entries = static_cast<int>(a.columns.size());
  auto rows = evenly::segments_by_offsets(exec, std::span<const int>(a.offsets), entries);
  const auto shares = evenly::dense_rows(entries, 1, a.values.data());

  evenly::sddmm(exec, plan, a.view(), x, x, a.values, 1 / std::sqrt(static_cast<float>(width)));
  rows.softmax(shares, shares);
  std::vector<float> next(features.size());
  evenly::spmm(exec, plan, a.view(), x, evenly::dense_rows(a.rows, width, next.data()));
  return next;
}

int main() {
  constexpr int vertices = 300, width = 8;
  evenly::csr_matrix<float> a = ring(vertices);
  std::vector<float> features(std::size_t{vertices} * width);
  for (std::size_t i = 0; i < features.size(); ++i) features[i] = static_cast<float>(i * 7 % 11) / 11;
  const std::vector<float> on_cores = attended(evenly::cpu(), a, features, width);
  const std::vector<float> shares = a.values;
  const std::vector<float> on_simt = attended(evenly::simt(), a, features, width);
  bool right = true;
  for (std::size_t i = 0; i < on_cores.size(); ++i)
    right = right && std::abs(on_cores[i] - on_simt[i]) < 1e-5f;
  for (int v = 0; v < vertices; ++v) { // a vertex's shares add up to 1
    float sum = 0;
    for (int k = a.offsets[static_cast<std::size_t>(v)]; k < a.offsets[static_cast<std::size_t>(v) + 1]; ++k)
      sum += shares[static_cast<std::size_t>(k)];
    right = right && std::abs(sum - 1) < 1e-5f;
  }
  if (!right) std::puts("the shares do not add up to 1, or differ on the simulated GPU");
  return right ? 0 : 1;
}
