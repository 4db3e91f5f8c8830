// SPDX-License-Identifier: Apache-2.0
// Orders that are made by the host: METIS, and hierarchical clustering of working sets.
#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/layouts/metis.hpp"
#include "evenly/layouts/working_sets.hpp"
#include "layouts/layout_laws.hpp"
#include "support/messages.hpp"

namespace evenly::laws {

using namespace layouts;
namespace {

template <class Order>
std::vector<int> order_of_references(const named_references& of, const Order& order, int block) {
  access_shape shape = of.shape;
  shape.block = block;
  const cpu exec(2);
  return to_host(exec, order(exec, index_list<int>(of.p), shape));
}
void expect_permutation(std::vector<int> order, std::int64_t count) {
  std::sort(order.begin(), order.end());
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(order, all);
}

/// Different elements that blocks of threads in this order refer to, added up over blocks.
std::size_t elements_of_blocks(const named_references& of, const std::vector<int>& order, int block) {
  std::size_t all = 0;
  for (std::size_t first = 0; first < order.size(); first += static_cast<std::size_t>(block)) {
    std::set<int> elements;
    for (std::size_t i = first; i < std::min(first + static_cast<std::size_t>(block), order.size()); ++i)
      for (std::int64_t r = 0; r < of.shape.references; ++r)
        elements.insert(of.p[static_cast<std::size_t>(r * of.shape.threads + order[i])]);
    all += elements.size();
  }
  return all;
}

/// Groups of threads, in random order, each with elements of its own, of which every thread refers to some.
named_references groups(int count, int threads_each, int elements_each, int references) {
  const int threads = count * threads_each;
  return references_by("groups", threads, references, count * elements_each,
                       [=](std::int64_t r, std::int64_t t) {
                         const std::int64_t group = t * 7919 % threads / threads_each;
                         return group * elements_each + at_random(t * references + r, elements_each);
                       });
}

TEST(WorkingSets, OfGroupsStandTogether) {
  constexpr int block = 64;
  const named_references of = groups(32, block, 24, 16);
  std::vector<int> identity_order(static_cast<std::size_t>(of.shape.threads));
  std::iota(identity_order.begin(), identity_order.end(), 0);
  const std::vector<int> order = order_of_references(of, by_working_sets{.sample = 256}, block);
  expect_permutation(order, of.shape.threads);
  EXPECT_LE(elements_of_blocks(of, order, block), 32u * 24 * 2) << "a group for each block is 32 * 24";
  EXPECT_GT(elements_of_blocks(of, identity_order, block), 32u * 24 * 8);
}

TEST(WorkingSets, OfAnyReferencesAreAnOrderThatRepeats) {
  for (const named_references& of : adversarial_references())
    for (const int sample : {1, 2, 100}) {
      const std::vector<int> order = order_of_references(of, by_working_sets{.sample = sample}, 64);
      expect_permutation(order, of.shape.threads);
      EXPECT_EQ(order, order_of_references(of, by_working_sets{.sample = sample}, 64)) << of.name;
    }
}

TEST(WorkingSets, RefuseSamplesAndListsThatAreTooLarge) {
  const named_references of = groups(2, 4, 4, 2);
  EXPECT_EQ(message_of<invalid_argument>([&] { order_of_references(of, by_working_sets{.sample = 0}, 4); }),
            "sample = 0: must be from 1 to 8192");
  index_list<int> long_list;
  long_list.count = std::int64_t{1} << 28;
  EXPECT_EQ(message_of<invalid_argument>(
                [&] { by_working_sets{}(cpu(1), long_list, {.threads = long_list.count, .elements = 1}); }),
            "by_working_sets runs on one host thread and supports at most 16777216 references, but there "
            "are 268435456: use by_smallest");
}

#if defined(EVENLY_HAS_METIS)

named_references torus(int side) {
  return references_by("torus", side * side, 4, side * side, [=](std::int64_t r, std::int64_t t) {
    const std::int64_t x = t % side, y = t / side, one = r % 2 == 0 ? 1 : side - 1;
    return r < 2 ? y * side + (x + one) % side : (y + one) % side * side + x;
  });
}

TEST(Metis, CutsFewReferences) {
  constexpr int side = 48, block = 64;
  const named_references of = torus(side);
  const std::vector<int> order = order_of_references(of, metis{}, block);
  expect_permutation(order, of.shape.threads);
  EXPECT_EQ(order, order_of_references(of, metis{}, block));
  std::vector<int> part(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    part[static_cast<std::size_t>(order[i])] = static_cast<int>(i) / block;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < of.p.size(); ++i)
    cut += part[i % order.size()] != part[static_cast<std::size_t>(of.p[i])];
  EXPECT_LE(cut, of.p.size() / 5) << "squares of 8 x 8 cut an eighth";
}

TEST(Metis, KeepsTheLawsOfArms) {
  for (const named_references& of : adversarial_references())
    if (of.shape.threads == of.shape.elements) {
      EXPECT_EQ(broken_law(cpu(2), share<metis>{}, of, 64), "") << of.name;
      EXPECT_EQ(broken_law(simt(), reorder<metis>{}, of, 32), "") << of.name;
    }
}

TEST(Metis, RefusesMoreEdgesThanItCanNumber) {
  if (sizeof(idx_t) > 4) GTEST_SKIP() << "this METIS numbers edges by 64 bits";
  index_list<int> long_list;
  long_list.count = std::int64_t{1} << 30;
  const access_shape shape{.threads = 1 << 26, .references = 16, .elements = 1 << 26};
  EXPECT_EQ(message_of<invalid_argument>([&] { metis{}(cpu(1), long_list, shape); }),
            "metis numbers edges with 32 bits, which support at most 1073741823 references, but there are "
            "1073741824: use by_neighbours");
}

#endif

} // namespace
} // namespace evenly::laws
