// SPDX-License-Identifier: Apache-2.0
// Orders of elements and threads: each compared with its definition, and equal on every executor.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/layouts/hilbert.hpp"
#include "layouts/layout_laws.hpp"

namespace evenly::laws {

using namespace layouts;
namespace {

template <class Order, class Executor = cpu>
std::vector<int> order_of_references(const named_references& of, const Order& order,
                                     const Executor& exec = cpu(2)) {
  return to_host(exec, order(exec, index_list<int>(of.p), of.shape));
}

/// The five-point stencil of a grid whose points are numbered at random; those at the border refer to themselves.
named_references shuffled_grid(int side) {
  const std::int64_t n = std::int64_t{side} * side;
  std::vector<int> number(static_cast<std::size_t>(n));
  std::iota(number.begin(), number.end(), 0);
  for (std::int64_t i = n - 1; i > 0; --i) std::swap(number[i], number[at_random(i, i + 1)]);
  named_references of{
      "grid", {.threads = n, .references = 4, .elements = n, .block = 64}, std::vector<int>(4 * n)};
  const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      for (int r = 0; r < 4; ++r) {
        const int u = std::clamp(x + dx[r], 0, side - 1), v = std::clamp(y + dy[r], 0, side - 1);
        of.p[static_cast<std::size_t>(r * n + number[y * side + x])] = number[v * side + u];
      }
  return of;
}
/// Sectors that warps touch by their references, in a given order of elements and of threads with them.
template <class Order> double sectors_each(const named_references& of, const Order& order) {
  access_shape shape = of.shape;
  shape.element_bytes = 16;
  const cpu exec(1);
  const std::vector<particle> a(static_cast<std::size_t>(shape.elements));
  const auto plan =
      make_access_plan(exec, index_list<int>(of.p), shape, access_objective{}, reorder<Order>{order});
  const auto copy = make_buffer<particle>(exec, a.size());
  const access_forecast all = forecast(exec, plan, a.data(), copy.data());
  return static_cast<double>(all.sectors) / static_cast<double>(all.requests);
}

TEST(Orders, ArePermutationsAndTheSameOnEveryExecutor) {
  for (const named_references& of : adversarial_references()) {
    const auto check = [&](const auto& order, std::int64_t count) {
      std::vector<int> found = order_of_references(of, order);
      EXPECT_EQ(found, order_of_references(of, order, simt({.seed = 3}))) << order.name << ", " << of.name;
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found.size(), static_cast<std::size_t>(count)) << order.name << ", " << of.name;
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], static_cast<int>(i));
    };
    check(by_smallest{}, of.shape.threads);
    check(by_frequency{}, of.shape.threads);
    check(first_access{}, of.shape.elements);
    check(hubs_first{}, of.shape.elements);
    if (of.shape.threads != of.shape.elements) continue;
    check(by_neighbours{}, of.shape.threads);
    check(propagated{}, of.shape.threads);
    check(reverse_cuthill_mckee{}, of.shape.threads);
  }
}

TEST(Orders, AreInverted) {
  const auto check = [](const auto& exec) {
    for (const named_references& of : adversarial_references()) {
      const buffer<int> order = first_access{}(exec, index_list<int>(of.p), of.shape);
      const buffer<int> places = detail::inverse_of(exec, order);
      const std::vector<int> one = to_host(exec, order), other = to_host(exec, places);
      for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(other[static_cast<std::size_t>(one[i])], static_cast<int>(i)) << of.name;
        EXPECT_EQ(one[static_cast<std::size_t>(other[i])], static_cast<int>(i)) << of.name;
      }
      const auto moved = make_buffer<int>(exec, one.size()), back = make_buffer<int>(exec, one.size());
      permute(exec, order, places.data(), moved.data());
      permute(exec, places, moved.data(), back.data());
      EXPECT_EQ(to_host(exec, back), other) << of.name;
    }
  };
  check(cpu(2));
  check(simt({.seed = 3}));
}

TEST(Orders, OfFirstAccessAndOfHubs) {
  const named_references of{"", {.threads = 3, .references = 2, .elements = 6}, {4, 1, 4, 5, 4, 1}};
  // thread 0: 4, 5; thread 1: 1, 4; thread 2: 4, 1
  EXPECT_EQ(order_of_references(of, first_access{}), (std::vector<int>{4, 5, 1, 0, 2, 3}));
  EXPECT_EQ(order_of_references(of, hubs_first{}), (std::vector<int>{4, 1, 5, 0, 2, 3}));
  EXPECT_EQ(order_of_references(of, by_smallest{}), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(order_of_references(of, by_frequency{}), (std::vector<int>{0, 2, 1}));
}

TEST(Orders, NeighboursOnHilbertsCurveAreNeighboursInSpace) {
  constexpr int bits = 3, side = 1 << bits;
  std::vector<int> cell_at(side * side * side, -1);
  for (int cell = 0; cell < side * side * side; ++cell) {
    const std::uint32_t place = hilbert_place(cell % side, cell / side % side, cell / side / side, bits);
    ASSERT_LT(place, cell_at.size());
    EXPECT_EQ(cell_at[place], -1) << "two cells at one place";
    cell_at[place] = cell;
  }
  for (std::size_t i = 1; i < cell_at.size(); ++i) {
    const int a = cell_at[i - 1], b = cell_at[i];
    EXPECT_EQ(std::abs(a % side - b % side) + std::abs(a / side % side - b / side % side) +
                  std::abs(a / side / side - b / side / side),
              1);
  }
}

struct point {
  float x, y, z;
};

TEST(Orders, OfPositionsOutsideTheBoxAndOfWrongBoxes) {
  const std::vector<point> at{{0.9f, 0, 0}, {-5, 0, 0}, {7, 7, 7}, {0.1f, 0, 0}};
  const named_references of{"", {.threads = 0, .references = 1, .elements = 4}, {}};
  const std::vector<int> order = order_of_references(of, hilbert<point>{at.data(), 0, 1});
  EXPECT_EQ(order[0], 1) << "what lies below counts as at the edge";
  EXPECT_THROW(order_of_references(of, hilbert<point>{at.data(), 1, 1}), invalid_argument);
}

TEST(Orders, BringNeighboursTogether) {
  const named_references grid = shuffled_grid(48);
  const double as_it_is = sectors_each(grid, by_neighbours{.hops = 1}),
               three = sectors_each(grid, by_neighbours{.hops = 3});
  EXPECT_LT(three, as_it_is);
  EXPECT_LT(sectors_each(grid, reverse_cuthill_mckee{}), 0.7 * as_it_is);
  EXPECT_LT(sectors_each(grid, propagated{}), sectors_each(grid, first_access{}) * 1.5);
}

TEST(Orders, ReverseCuthillMckeeKeepsTheBandNarrow) {
  constexpr int side = 20;
  const named_references grid = shuffled_grid(side);
  const std::vector<int> order = order_of_references(grid, reverse_cuthill_mckee{});
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
  int widest = 0;
  for (std::size_t i = 0; i < grid.p.size(); ++i)
    widest = std::max(widest, std::abs(place[i % order.size()] - place[grid.p[i]]));
  EXPECT_LE(widest, 2 * side);
}

TEST(AccessPlans, LookThroughListsUnlessSomebodyVouchesForThem) {
  const std::vector<int> p{0, 3, 9};
  const access_shape shape{.threads = 3, .references = 1, .elements = 4};
  const auto plan_of = [&](const index_list<int>& list) {
    return make_access_plan(cpu(1), list, shape, access_objective{}, none{}).bytes();
  };
  EXPECT_THROW(plan_of(index_list<int>(p)), invalid_argument);
  EXPECT_EQ(plan_of(index_list<int>(p).assume_valid()), 0u); // and is not run
}

TEST(AccessPlans, TakeIndicesOf64Bits) {
  const named_references of = adversarial_references().back();
  const std::vector<std::int64_t> wide(of.p.begin(), of.p.end());
  access_shape shape = of.shape;
  shape.element_bytes = 16;
  const cpu exec(1);
  std::vector<particle> a;
  for (std::int64_t e = 0; e < shape.elements; ++e) a.push_back(particle_of(e));
  const auto check = [&](const auto& layout) {
    const index_list<std::int64_t> list(wide);
    const auto plan = make_access_plan(exec, list, shape, access_objective{}, layout);
    std::vector<particle> copy(static_cast<std::size_t>(plan.slots())), out(wide.size());
    std::vector<int> calls(static_cast<std::size_t>(shape.threads));
    plan.refresh(exec, a.data(), copy.data());
    for_each_job(exec, plan, list, a.data(), copy.data(), store_loads{shape, out.data(), calls.data()});
    for (std::size_t i = 0; i < wide.size(); ++i) EXPECT_EQ(out[i].x, static_cast<float>(wide[i]));
  };
  check(pad{});
  check(sort_threads<>{});
  check(share<by_smallest>{.packed = true});
}

} // namespace
} // namespace evenly::laws
