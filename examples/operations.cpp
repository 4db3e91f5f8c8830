// SPDX-License-Identifier: Apache-2.0
// The operations of docs/operations.md, each in one line, alone and with an environment.
#include <cstdio>
#include <vector>

#include "evenly/algorithms/segments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/graph/betweenness.hpp"
#include "evenly/graph/connected_components.hpp"
#include "evenly/graph/core_numbers.hpp"
#include "evenly/graph/dfs.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/pagerank.hpp"
#include "evenly/graph/reachable.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/graph/simple_graph.hpp"
#include "evenly/graph/strong_components.hpp"
#include "evenly/graph/triangles.hpp"
#include "evenly/kernels/own_kernel.hpp"
#include "evenly/primitives/on_ranges.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/matrix.hpp"
#include "evenly/sparse/operators.hpp"
#include "evenly/sparse/sddmm.hpp"

namespace {

int wrong = 0;
template <class A, class B> void same(const A& a, const B& b) {
  if (a == b) return;
  std::printf("result %d is wrong\n", ++wrong);
}
template <class M> void same_matrix(const M& a, const M& b) {
  same(a.offsets, b.offsets);
  same(a.columns, b.columns);
  same(a.values, b.values);
}

void matrices() {
  const evenly::csr_matrix<float> a{3, 3, {0, 2, 2, 3}, {0, 2, 1}, {1, 2, 3}};
  const evenly::matrix<float> b(3, 2, {1, 2, 3, 4, 5, 6});
  const std::vector<float> x{1, 10, 100};
  std::vector<float> y(3), z(3);
  evenly::matrix<float> d(3, 2);

  y = a * x;
  evenly::spmv(a, x, z, evenly::merge_path{});
  same(y, z);

  evenly::spmv(a, x, y, 2, 1);
  evenly::spmv(a, x, z, 2, 1, evenly::cpu(4));
  same(y, z);

  const auto c = a * b;
  evenly::spmm(a, b, d, evenly::merge_path{});
  for (int i = 0; i < 3; ++i) same(c(i, 1), d(i, 1));

  const auto scores = evenly::sddmm(a, b, b);
  same_matrix(scores, evenly::sddmm(a, b, b, 1, 0, evenly::cpu(4)));

  const auto square = a * a;
  same_matrix(square, evenly::spgemm(a, a, evenly::cpu(4)));

  const auto sum = a + a;
  same_matrix(sum, evenly::add(a, a, 1, 1, evenly::cpu(4)));

  const auto t = evenly::transpose(a);
  same_matrix(t, evenly::transpose(a, evenly::cpu(4)));

  evenly::check_matrix(a);
  evenly::check_matrix(t, evenly::cpu(4));

  auto plan = evenly::make_plan(a);
  auto plan_of_schedule = evenly::make_plan(a, evenly::merge_path{});
  evenly::spmv(a, x, y, plan);
  evenly::spmv(a, x, z, plan_of_schedule);
  same(y, z);
}

void ranges() {
  const std::vector<float> values{3, 1, 2, 5};
  evenly::workspace memory;
  const evenly::maximum<float> max;
  const auto is_large = [](float value) { return value > 1; };

  const float sum = evenly::reduce(values);
  same(sum, evenly::reduce(values, evenly::cpu(4)));
  same(evenly::reduce(values, max), evenly::reduce(values, max, evenly::cpu(4)));

  const auto prefixes = evenly::inclusive_scan(values);
  same(prefixes, evenly::inclusive_scan(values, memory));
  const auto before = evenly::exclusive_scan(values);
  same(before, evenly::exclusive_scan(values, memory));

  const auto large = evenly::select(values, is_large);
  same(large, evenly::select(values, is_large, evenly::cpu(4)));

  std::vector<int> keys{2, 1, 2, 1}, other = keys;
  std::vector<float> moved = values, others = values;
  evenly::sort_by_key(keys, moved);
  evenly::sort_by_key(other, others, evenly::on(evenly::cpu(4)).with(memory));
  same(moved, others);

  const auto [distinct, sums] = evenly::reduce_by_key(keys, moved);
  same(sums, evenly::reduce_by_key(keys, moved, evenly::cpu(4)).values);
  const auto totals = evenly::reduce_by_index(keys, moved, 3);
  same(totals, evenly::reduce_by_index(keys, moved, 3, evenly::cpu(4)));

  evenly::sort(moved);
  evenly::sort(others, evenly::cpu(4));
  same(moved, others);
}

void segments() {
  const std::vector<int> offsets{0, 2, 2, 4};
  const std::vector<float> values{3, 1, 2, 5};
  const auto tiles = evenly::csr_tiles(offsets);
  const auto square = [v = values.data()](int k) { return v[k] * v[k]; };
  std::vector<float> y(3), z(3);
  const auto body = [v = values.data()](auto& range) {
    for (const auto tile : range.tiles()) {
      float sum = 0;
      for (const int k : range.atoms(tile)) sum += v[k];
      range.combine(tile, sum);
    }
  };
  const auto store = [to = y.data()](int tile, float sum) { to[tile] = sum; };

  const auto sums = evenly::segmented_reduce(values, offsets);
  same(sums, evenly::segmented_reduce(values, offsets, evenly::merge_path{}));

  const auto prefixes = evenly::segmented_inclusive_scan(values, offsets);
  same(prefixes, evenly::segmented_inclusive_scan(values, offsets, evenly::cpu(4)));
  const auto before = evenly::segmented_exclusive_scan(values, offsets);
  same(before, evenly::segmented_exclusive_scan(values, offsets, evenly::cpu(4)));

  const auto segment_of = evenly::expand(offsets);
  same(segment_of, evenly::expand(offsets, evenly::merge_path{}));

  const auto squares = evenly::reduce_tiles(tiles, square);
  same(squares, evenly::reduce_tiles(tiles, square, evenly::merge_path{}));

  same(sums, evenly::for_each_range(tiles, body, evenly::plus<float>{}));
  same(sums, evenly::for_each_range(tiles, body, evenly::plus<float>{}, evenly::cpu(4)));
  const evenly::cpu exec;
  same(sums, evenly::for_each_range(tiles, body, evenly::plus<float>{}, exec));
  evenly::for_each_range(tiles, body, evenly::plus<float>{}, store);
  same(y, sums);
  evenly::for_each_range(tiles, body, evenly::plus<float>{}, store,
                         evenly::on(evenly::cpu(4)).with(evenly::merge_path{}));
  same(y, sums);
}

void graphs() {
  const std::vector<int> from{0, 0, 1}, to{1, 2, 2}, lengths{1, 5, 1};
  const auto g = evenly::graph_from_edges(3, from, to, lengths);

  const auto [levels, parents] = evenly::bfs(g, 0);
  same(levels, evenly::bfs(g, 0, evenly::merge_path{}).levels);

  const auto [distances, before] = evenly::sssp(g, 0);
  same(distances, evenly::sssp(g, 0, evenly::merge_path{}).distances);

  same(evenly::reachable(g, 0), evenly::reachable(g, 0, evenly::cpu(1)));
  const auto [before_it, order] = evenly::dfs(g, 0);
  same(order.size(), evenly::dfs(g, 0, evenly::cpu(1)).order.size());
  same(evenly::strong_components(g), evenly::strong_components(g, evenly::cpu(1)));
  same(evenly::connected_components(g), evenly::connected_components(g, evenly::cpu(1)));

  const auto ranks = evenly::pagerank(g);
  same(ranks.scores, evenly::pagerank(g, {}, evenly::merge_path{}).scores);
  const auto simple = evenly::simple_graph(g);
  same(evenly::core_numbers(simple), evenly::core_numbers(simple, evenly::merge_path{}));
  same(evenly::triangles(simple), evenly::triangles(simple, evenly::cpu(1)));
  same(evenly::betweenness(g), evenly::betweenness(g, std::vector<int>{0, 1, 2}));
}

} // namespace

int main() {
  matrices();
  ranges();
  segments();
  graphs();
  return wrong;
}
