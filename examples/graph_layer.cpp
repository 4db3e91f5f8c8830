// SPDX-License-Identifier: Apache-2.0
// spmm: a layer of a graph neural network, H' = max(0, D A (H W)).
//
// Each vertex has a row of features. W mixes the features of a vertex; A, the graph's adjacency with rows divided by
// their sizes (D), replaces them by the mean over its neighbours. The plan is made once and used for all layers.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/spmm.hpp"

/// A ring of n vertices; vertex 0 is a neighbour of all others.
evenly::csr_matrix<float> mean_of_neighbours(int n) {
  evenly::csr_matrix<float> a;
  a.rows = a.cols = n;
  for (int v = 0; v < n; ++v) {
    std::vector<int> near{(v + n - 1) % n, (v + 1) % n};
    if (v == 0)
      for (int u = 2; u + 1 < n; ++u) near.push_back(u);
    for (const int u : near) {
      a.columns.push_back(u);
      a.values.push_back(1.0f / static_cast<float>(near.size()));
    }
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  return a;
}

/// H W, for features of equal number.
std::vector<float> mixed(const std::vector<float>& h, const std::vector<float>& w, std::size_t features) {
  std::vector<float> product(h.size());
  for (std::size_t v = 0; v < h.size() / features; ++v)
    for (std::size_t i = 0; i < features; ++i)
      for (std::size_t j = 0; j < features; ++j)
        product[v * features + j] += h[v * features + i] * w[i * features + j];
  return product;
}

template <class Executor>
float mean_after_layers(const Executor& exec, int vertices, int features, int layers) {
  const auto size = static_cast<std::size_t>(features);
  const evenly::csr_matrix<float> a = mean_of_neighbours(vertices);
  auto plan =
      evenly::make_plan(exec, evenly::automatic{.work = evenly::work_kind::wide_sums}, rows_of(a.view()));
  std::vector<float> h(static_cast<std::size_t>(vertices) * size), next(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = static_cast<float>(i / size % 2); // each other vertex
  std::vector<float> w(size * size); // a rotation of the features, and half of each
  for (std::size_t i = 0; i < size; ++i) w[i * size + i] = w[i * size + (i + 1) % size] = 0.5f;
  for (int layer = 0; layer < layers; ++layer) {
    const std::vector<float> hw = mixed(h, w, size);
    evenly::spmm(exec, plan, a.view(), evenly::dense_rows(vertices, features, hw.data()),
                 evenly::dense_rows(vertices, features, next.data()));
    std::ranges::transform(next, h.begin(), [](float x) { return std::max(0.0f, x); });
  }
  float sum = 0;
  for (const float x : h) sum += x;
  return sum / static_cast<float>(h.size());
}

int main() {
  // W's columns add up to 1, and so do A's rows: one half of the vertices hand their 1 to the other half and back.
  // Only vertex 0, whose neighbours are of both halves, makes a difference.
  const float on_cores = mean_after_layers(evenly::cpu(), 1000, 16, 2);
  const float on_simt = mean_after_layers(evenly::simt(), 1000, 16, 2);
  const bool right = std::abs(on_cores - 0.5f) < 0.01f && std::abs(on_simt - on_cores) < 1e-5f;
  if (!right) std::printf("the mean is %g on cpu and %g on the simulated GPU\n", on_cores, on_simt);
  return right ? 0 : 1;
}
