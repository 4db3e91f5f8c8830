// SPDX-License-Identifier: Apache-2.0
// attention_plan: a layer of graph attention, H' = softmax(Q K^T at the edges) V, and the gradients of its inputs.
//
// Each vertex asks its neighbours: an edge's score is the dot product of a row of Q and a row of K. The scores of a
// vertex's edges become shares by a softmax over the row, and its new features are the shares times rows of V. The
// result is compared with three operations that store the shares: sddmm, a softmax of segments, and spmm.
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
#include "evenly/sparse/attention.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/sddmm.hpp"
#include "evenly/sparse/segment_plan.hpp"
#include "evenly/sparse/spmm.hpp"

constexpr int vertices = 300, heads = 2, width = 8; // of a head

/// A ring in which vertex 0 is a neighbour of all. The values are places for the shares.
evenly::csr_matrix<float> ring() {
  evenly::csr_matrix<float> a;
  a.rows = a.cols = vertices;
  for (int v = 0; v < vertices; ++v) {
    for (int u = 0; u < vertices; ++u)
      if (v == 0 || u == 0 || u == (v + 1) % vertices || u == (v + vertices - 1) % vertices)
        a.columns.push_back(u);
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  a.values.resize(a.columns.size());
  return a;
}

auto rows_of_features(const float* x) { return evenly::dense_rows(vertices, heads * width, x); }
auto rows_of_features(float* x) { return evenly::dense_rows(vertices, heads * width, x); }

struct layer {
  std::vector<float> next, of_queries, of_keys, of_values;
};

/// The new features of x, and the gradients of the sum of all new features.
template <class Executor>
layer attended(const Executor& exec, const evenly::csr_matrix<float>& a, const std::vector<float>& x) {
  const std::size_t size = x.size();
  layer made{std::vector<float>(size), std::vector<float>(size), std::vector<float>(size),
             std::vector<float>(size)};
  std::vector<float> log_sums(std::size_t{vertices} * heads);
  const std::vector<float> ones(size, 1);
  const auto features = rows_of_features(x.data());
  const evenly::dot_scores<const float> scores{features, features, 1 / std::sqrt(float{width})};

  auto plan = evenly::plan_attention(exec, a.view());
  plan.forward(scores, features, heads, rows_of_features(made.next.data()), log_sums.data());
  plan.backward(scores, features, heads, rows_of_features(made.next.data()), log_sums.data(),
                rows_of_features(ones.data()),
                evenly::dot_scores<float>{rows_of_features(made.of_queries.data()),
                                          rows_of_features(made.of_keys.data())},
                rows_of_features(made.of_values.data()));
  return made;
}

/// The new features by three operations for each head.
std::vector<float> attended_in_steps(evenly::csr_matrix<float>& a, const std::vector<float>& x) {
  const evenly::cpu exec;
  auto plan =
      evenly::make_plan(exec, evenly::automatic{.work = evenly::work_kind::wide_sums}, rows_of(a.view()));
  const auto entries = static_cast<int>(a.columns.size());
  auto rows = evenly::segments_by_offsets(exec, std::span<const int>(a.offsets), entries);
  const auto shares = evenly::dense_rows(entries, 1, a.values.data());

  std::vector<float> next(x.size());
  for (int h = 0; h < heads; ++h) {
    const auto head = rows_of_features(x.data()).columns(h * width, width);
    evenly::sddmm(exec, plan, a.view(), head, head, a.values, 1 / std::sqrt(float{width}));
    rows.softmax(shares, shares);
    evenly::spmm(exec, plan, a.view(), head, rows_of_features(next.data()).columns(h * width, width));
  }
  return next;
}

bool are_near(const std::vector<float>& a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) < 1e-4f)) return false;
  return a.size() == b.size();
}

int main() {
  evenly::csr_matrix<float> a = ring();
  std::vector<float> features(std::size_t{vertices} * heads * width);
  for (std::size_t i = 0; i < features.size(); ++i) features[i] = static_cast<float>(i * 7 % 11) / 11;
  const layer on_cores = attended(evenly::cpu(), a, features);
  const layer on_simt = attended(evenly::simt(), a, features);
  const bool right =
      are_near(on_cores.next, attended_in_steps(a, features)) && are_near(on_cores.next, on_simt.next) &&
      are_near(on_cores.of_queries, on_simt.of_queries) && are_near(on_cores.of_keys, on_simt.of_keys) &&
      are_near(on_cores.of_values, on_simt.of_values);
  if (!right) std::puts("the fused layer differs from its steps, or on the simulated GPU");
  return right ? 0 : 1;
}
