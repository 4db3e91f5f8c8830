// SPDX-License-Identifier: Apache-2.0
// Operations in one line.
//
// WRONG=1 says: the operation must be a monoid, such as evenly::plus<float>{}: from std::plus, a lambda or another
// WRONG=2 says: evenly::monoid_of(function, identity) makes one
// WRONG=3 says: evenly::monoid_of(function, identity) makes one
// WRONG=4 says: evenly::monoid_of(function, identity) makes one
// WRONG=5 says: vectors must have the value type of the matrix, because evenly::spmv does not convert
// WRONG=6 says: vectors must have the value type of the matrix, because evenly::spmv does not convert
// WRONG=7 says: the elements of y must not be const
// WRONG=8 says: for_each_range needs tiles: rows_of(a) for a matrix, csr_tiles(offsets) for offsets
// WRONG=9 says: for_each_range needs tiles: rows_of(a) for a matrix, csr_tiles(offsets) for offsets
// WRONG=10 says: evenly::monoid_of(function, identity) makes one
// WRONG=11 says: out must have writable elements of the monoid's value_type
// WRONG=12 says: the plan was made for tiles of another type
// WRONG=13 says: the plan was made on an executor of another type
// WRONG=14 says: a range that is sorted in place must not be const
// WRONG=15 says: keys must be integers or floating-point numbers of 8 to 64 bits
// WRONG=16 says: a search makes its own plans: pass a schedule instead of a plan
// WRONG=17 says: dense matrices must have the value type of the sparse matrix, and C must not be const
// WRONG=18 says: both matrices must have the same value type
// WRONG=19 says: arrays of bool are not supported
// WRONG=20 says: evenly::monoid_of(function, identity) makes one
// WRONG=21 says: the plan must not be const, because the operation changes it
// WRONG=22 says: this operation has no schedule: its environment must be an executor, a workspace or both
// WRONG=23 says: this operation has no schedule: its environment must be an executor, a workspace or both
// WRONG=24 says: levels and parents must not be const and must have the vertex type of the graph
// WRONG=25 says: distances and parents must not be const, and parents must have the vertex type of the graph
// WRONG=26 says: tile_of must be a writable range of the tile set's tile_type
// WRONG=27 says: body must accept body(range), as in [=](auto& range), and be callable if const
// WRONG=28 says: body must accept body(range), as in [=](auto& range), and be callable if const
// WRONG=29 says: store must accept store(tile, value), as in [=](int tile, float value), and be callable if const
// WRONG=30 says: plus{} takes its type from the second parameter of store, which must be concrete
// WRONG=31 says: without a store the monoid must have a type, as in evenly::plus<float>{}
// WRONG=32 says: offsets of a matrix must be signed integers of 32 or 64 bits, such as int and std::int64_t
// WRONG=33 says: columns of a matrix must be of type int
// WRONG=34 says: offsets of a matrix must be signed integers of 32 or 64 bits, such as int and std::int64_t
// WRONG=35 says: columns of a matrix must be of type int

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "evenly/algorithms/segments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/kernels/own_kernel.hpp"
#include "evenly/primitives/on_ranges.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/operators.hpp"
#include "evenly/work/uniform.hpp"

#if !defined(WRONG)
#define WRONG 0
#endif

struct sum_atoms {
  template <class Range> EVENLY_FN void operator()(Range& range) const {
    for (const auto tile : range.tiles()) {
      float sum = 0;
      for (const auto k : range.atoms(tile)) sum += static_cast<float>(k);
      range.combine(tile, sum);
    }
  }
};

int main() {
  using namespace evenly;
  const csr_matrix<float> a{2, 2, {0, 1, 2}, {0, 1}, {1, 2}};
  std::vector<float> x{1, 2}, y(2);
  const std::vector<int> offsets{0, 1, 2};
  [[maybe_unused]] const auto store = [&](int tile, float sum) { y[static_cast<std::size_t>(tile)] = sum; };
  const auto tiles = csr_tiles(offsets);
  auto plan = make_plan(tiles, merge_path{});
#if WRONG == 1
  reduce(x, std::plus<>{});
#elif WRONG == 2
  evenly::inclusive_scan(x, y, std::plus<float>{}, cpu());
#elif WRONG == 3
  segmented_reduce(x, offsets, [](float p, float q) { return p + q; });
#elif WRONG == 4
  reduce_by_key(offsets, x, std::plus<>{}, cpu());
#elif WRONG == 5
  spmv(a, std::vector<double>{1, 2}, y);
#elif WRONG == 6
  a* offsets;
#elif WRONG == 7
  spmv(a, x, std::span<const float>(y));
#elif WRONG == 8
  for_each_range(offsets, sum_atoms{}, plus<float>{}, store);
#elif WRONG == 9
  for_each_range(a, sum_atoms{});
#elif WRONG == 10
  for_each_range(tiles, sum_atoms{}, std::plus<>{}, store);
#elif WRONG == 11
  std::vector<double> sums(2);
  segmented_reduce(x, offsets, sums);
#elif WRONG == 12
  for_each_range(uniform_tiles(2, 1), sum_atoms{}, plus<float>{}, store, plan);
#elif WRONG == 13
  for_each_range(tiles, sum_atoms{}, plus<float>{}, store, with(plan).on(simt()));
#elif WRONG == 14
  sort(offsets);
#elif WRONG == 15
  std::array<std::string, 2> names;
  sort(names);
#elif WRONG == 16
  bfs(a, 0, plan);
#elif WRONG == 17
  a* matrix<double>(2, 2);
#elif WRONG == 18
  a* csr_matrix<double>{};
#elif WRONG == 19
  const std::array<bool, 2> bits{};
  select(bits, [](bool bit) { return bit; });
#elif WRONG == 20
  segmented_exclusive_scan(x, offsets, y, std::plus<>{});
#elif WRONG == 21
  const auto fixed = make_plan(a, merge_path{});
  spmv(a, x, y, fixed);
#elif WRONG == 22
  sort(x, merge_path{});
#elif WRONG == 23
  spgemm(a, a, plan);
#elif WRONG == 24
  bfs(a, 0, offsets);
#elif WRONG == 25
  sssp(a, 0, x, y);
#elif WRONG == 26
  expand(cpu(), merge_path{}, tiles, x);
#elif WRONG == 27
  for_each_range(tiles, [](int tile) { return tile; }, plus{}, store);
#elif WRONG == 28
  for_each_range(tiles, [calls = 0](auto&) mutable { ++calls; });
#elif WRONG == 29
  for_each_range(tiles, sum_atoms{}, plus<float>{}, [](int) {});
#elif WRONG == 30
  for_each_range(tiles, sum_atoms{}, plus{}, [](int, auto) {});
#elif WRONG == 31
  for_each_range(tiles, sum_atoms{}, plus{});
#elif WRONG == 32
  bfs(make_csr_view(2, 2, std::vector<unsigned>{0, 1, 2}, offsets, x), 0);
#elif WRONG == 33
  spmv(make_csr_view(2, 2, offsets, std::vector<std::int64_t>{0, 1}, x), x, y);
#elif WRONG == 34
  csr_matrix{2, 2, std::vector<unsigned>{0, 1, 2}, offsets, x};
#elif WRONG == 35
  csr_matrix{2, 2, offsets, std::vector<std::int64_t>{0, 1}, x};
#endif
  return 0;
}
