// SPDX-License-Identifier: Apache-2.0
// Operations in one line on a GPU: owners in its memory, sizes from the arguments, results in its memory.

#include <span>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/segments.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/kernels/own_kernel.hpp"
#include "evenly/primitives/on_ranges.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/matrix.hpp"
#include "evenly/sparse/operators.hpp"

namespace evenly::front_door {
namespace {

using device_vector = vector<float, cuda>;

/// 3 rows, one of them empty, and 4 columns.
csr_matrix<float> small_matrix() { return {3, 4, {0, 2, 2, 5}, {0, 3, 0, 1, 2}, {1, 2, 3, 4, 5}}; }

TEST(FrontDoorOnCuda, VectorsAreCopiedThereAndBack) {
  const std::vector<float> values{1, 2, 3};
  const vector x(cuda(), values);
  static_assert(std::is_same_v<decltype(x), const device_vector>);
  EXPECT_EQ(x.to_host(), values);
  EXPECT_EQ(x.to(cuda()).to_host(), values);
  EXPECT_EQ(x.to(cpu()).to_host(), values);
  EXPECT_TRUE(device_vector(cuda(), std::vector<float>{}).empty());
}

TEST(FrontDoorOnCuda, MatrixTimesVector) {
  const auto a = small_matrix().to(cuda());
  const vector x(cuda(), std::vector<float>{1, 2, 3, 4});
  const std::vector<float> expected{9, 0, 26};
  const auto y = a * x;
  static_assert(std::is_same_v<decltype(y), const device_vector>);
  EXPECT_EQ(y.to_host(), expected);
  const device_vector out(cuda(), 3);
  spmv(a, x, out);
  EXPECT_EQ(out.to_host(), expected);
  auto plan = make_plan(a);
  spmv(a, x, out, 2, 1, plan);
  EXPECT_EQ(out.to_host(), (std::vector<float>{27, 0, 78}));
  spmv(a, x, out, merge_path{});
  EXPECT_EQ(out.to_host(), expected);
  EXPECT_THROW(spmv(a, out, out), invalid_argument);
}

TEST(FrontDoorOnCuda, MatrixTimesMatrix) {
  const auto a = small_matrix().to(cuda());
  const auto dense = a * matrix<float>(4, 2, {1, 2, 3, 4, 5, 6, 7, 8}).to(cuda());
  static_assert(std::is_same_v<decltype(dense), const matrix<float, cuda>>);
  const auto on_host = dense.to(cpu());
  EXPECT_EQ(std::vector<float>(on_host.data(), on_host.data() + on_host.size()),
            (std::vector<float>{15, 18, 0, 0, 40, 52}));

  const auto t = transpose(a);
  const csr_matrix<float> product = (a * t).to(cpu());
  EXPECT_EQ(product.offsets, (std::vector<int>{0, 2, 2, 4}));
  EXPECT_EQ(product.columns, (std::vector<int>{0, 2, 0, 2}));
  EXPECT_EQ(product.values, (std::vector<float>{5, 3, 3, 50}));
  EXPECT_EQ((a + a).to(cpu()).values, (std::vector<float>{2, 4, 6, 8, 10}));
  EXPECT_NO_THROW(check_matrix(a));
}

TEST(FrontDoorOnCuda, Segments) {
  const vector values(cuda(), std::vector<float>{1, 2, 3, 4});
  const vector offsets(cuda(), std::vector<int>{0, 1, 1, 4});
  EXPECT_EQ(segmented_reduce(values, offsets).to_host(), (std::vector<float>{1, 0, 9}));
  EXPECT_EQ(segmented_reduce(values, offsets, maximum<float>{}, merge_path{}).to_host()[2], 4);
  EXPECT_EQ(segmented_inclusive_scan(values, offsets).to_host(), (std::vector<float>{1, 2, 5, 9}));
  EXPECT_EQ(segmented_exclusive_scan(values, offsets).to_host(), (std::vector<float>{0, 0, 2, 5}));
  EXPECT_EQ(expand(offsets).to_host(), (std::vector<int>{0, 2, 2, 2}));
  EXPECT_THROW(segmented_reduce(vector(cuda(), std::vector<float>{1}), offsets), invalid_argument);
}

struct is_odd {
  EVENLY_FN bool operator()(int i) const { return i % 2 != 0; }
};

TEST(FrontDoorOnCuda, Ranges) {
  const std::vector<int> unsorted{3, 1, 2, 1};
  const vector keys(cuda(), unsorted), values(cuda(), std::vector<int>{0, 1, 2, 3});
  EXPECT_EQ(reduce(keys), 7);
  EXPECT_EQ(reduce(keys, maximum<int>{}), 3);
  EXPECT_EQ(exclusive_scan(keys).to_host(), (std::vector<int>{0, 3, 4, 6}));
  EXPECT_EQ(inclusive_scan(keys).to_host(), (std::vector<int>{3, 4, 6, 7}));
  EXPECT_EQ(select(keys, is_odd{}).to_host(), (std::vector<int>{3, 1, 1}));
  workspace memory;
  sort_by_key(keys, values, on(cuda()).with(memory));
  EXPECT_EQ(keys.to_host(), (std::vector<int>{1, 1, 2, 3}));
  EXPECT_EQ(values.to_host(), (std::vector<int>{1, 3, 2, 0}));
  const auto [distinct, sums] = reduce_by_key(keys, values);
  EXPECT_EQ(distinct.to_host(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(sums.to_host(), (std::vector<int>{4, 2, 0}));

  const vector again(cuda(), unsorted);
  sort(again);
  EXPECT_EQ(again.to_host(), keys.to_host());
  sort(std::span(again.data(), again.size()), cuda());
  EXPECT_EQ(again.to_host(), keys.to_host());
}

TEST(FrontDoorOnCuda, Searches) {
  const csr_matrix<float> edges{4, 4, {0, 2, 3, 3, 3}, {1, 2, 2}, {1, 5, 1}};
  const graph g(edges);
  const auto there = g.to(cuda());
  const auto [levels, parents] = bfs(there, 0);
  EXPECT_EQ(levels.to_host(), (std::vector<int>{0, 1, 1, -1}));
  EXPECT_EQ(parents.to_host(), (std::vector<int>{0, 0, 0, -1}));
  const auto under = bfs(there, 0, merge_path{});
  EXPECT_EQ(under.levels.to_host(), levels.to_host());
  const auto [distances, before] = sssp(there, 0);
  EXPECT_EQ(distances.to_host()[2], 2);
  EXPECT_EQ(before.to_host(), (std::vector<int>{0, 0, 1, -1}));
  const vector<float, cuda> existing(cuda(), 4);
  EXPECT_GE(sssp(there, 0, existing), 1);
  EXPECT_EQ(existing.to_host(), distances.to_host());
  EXPECT_EQ(bfs(edges.to(cuda()), 0).levels.to_host(), levels.to_host());
  EXPECT_THROW(bfs(there, 4), invalid_argument);
}

struct row_sums {
  csr_view<float> a;
  const float* x;
  template <class Range> EVENLY_FN void operator()(Range& range) const {
    for (const auto row : range.tiles()) {
      float sum = 0;
      for (const auto k : range.atoms(row)) sum += a.values[k] * x[a.columns[k]];
      range.combine(row, sum);
    }
  }
};
struct write_row {
  float* y;
  EVENLY_FN void operator()(int row, float sum) const { y[row] = sum; }
};
/// Stores by a lambda, which nvcc does not make trivially copyable. (In a test it would be in a private function.)
template <class Matrix> void multiply_by_lambda(const Matrix& a, const float* x, float* y) {
  const auto store = [=] EVENLY_FN(int row, float sum) { y[row] = sum; };
  for_each_range(rows_of(a), row_sums{a.view(), x}, plus{}, store, cuda());
}
struct visit_atoms {
  float* out;
  template <class Range> EVENLY_FN void operator()(Range& range) const {
    for (const auto row : range.tiles())
      for (const auto k : range.atoms(row)) out[k] = 1;
  }
};

TEST(FrontDoorOnCuda, KernelsOfOnesOwn) {
  const auto a = small_matrix().to(cuda());
  const vector x(cuda(), std::vector<float>{1, 2, 3, 4});
  const device_vector y(cuda(), 3), z(cuda(), 3), visited(cuda(), 5);
  for_each_range(rows_of(a), row_sums{a.view(), x.data()}, plus<float>{}, write_row{y.data()}, cuda());
  EXPECT_EQ(y.to_host(), (std::vector<float>{9, 0, 26}));
  multiply_by_lambda(a, x.data(), z.data());
  EXPECT_EQ(z.to_host(), y.to_host());
  for_each_range(rows_of(a), visit_atoms{visited.data()}, cuda());
  EXPECT_EQ(visited.to_host(), std::vector<float>(5, 1));
}

} // namespace
} // namespace evenly::front_door
