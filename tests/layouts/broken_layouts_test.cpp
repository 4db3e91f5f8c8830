// SPDX-License-Identifier: Apache-2.0
// Layouts with a fault each, which the laws find; and plans with arguments that they are not for.
#include <algorithm>
#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "layouts/layout_laws.hpp"
#include "support/messages.hpp"

namespace evenly::laws {

using namespace layouts;
namespace {

/// A right plan whose indices are spoiled.
struct spoiled : pad {
  std::function<void(pad::prepared_arrays<int>&)> spoil;

  template <class Executor, class I>
  pad::prepared_arrays<I> prepare(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                                  const access_objective& objective) const {
    auto made = pad::prepare(exec, p, shape, objective);
    spoil(made);
    return made;
  }
};

std::string broken_by(std::function<void(pad::prepared_arrays<int>&)> spoil) {
  const named_references of =
      references_by("random", 200, 2, 50, [](auto r, auto t) { return at_random(r * 200 + t, 50); });
  return broken_law(cpu(1), spoiled{{}, std::move(spoil)}, of, 64).substr(0, 2);
}

TEST(BrokenArms, AreFoundOut) {
  EXPECT_EQ(broken_by([](auto&) {}), "");
  EXPECT_EQ(broken_by([](auto& plan) { ++plan.index.data()[17]; }), "1:") << "a wrong index";
  EXPECT_EQ(broken_by([](auto& plan) { plan.jobs.data()[3] = plan.jobs.data()[4]; }), "1:") << "a job twice";
  EXPECT_EQ(broken_by([](auto& plan) { std::swap(plan.jobs.data()[0], plan.jobs.data()[199]); }), "1:")
      << "jobs that have each other's indices";
  EXPECT_EQ(broken_by([](auto& plan) { plan.elements.data()[0] ^= 1; }), "1:") << "another element copied";
  EXPECT_EQ(broken_by([](auto& plan) { plan.elements.data()[plan.index.data()[0]] = -1; }), "1:")
      << "padding where an element belongs";
  int epoch = 0;
  EXPECT_EQ(broken_by([&](auto& plan) {
              plan.shape.block += epoch++;
              plan.elements.data()[0] += epoch;
            }),
            "3:")
      << "another plan each time";
}

/// Right but for where windows begin.
struct shifted : pad {
  template <class Executor, class I>
  pad::prepared_arrays<I> prepare(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                                  const access_objective& objective) const {
    auto made = pad::prepare(exec, p, shape, objective);
    auto elements = make_buffer<I>(exec, static_cast<std::size_t>(made.used + 1));
    elements.data()[0] = -1;
    std::copy_n(made.elements.data(), made.used, elements.data() + 1);
    for (I& each : made.index.span()) ++each;
    ++made.used;
    made.elements = std::move(elements);
    return made;
  }
};

TEST(BrokenArms, AWarpMayNotLoadFromTwoWindows) {
  const named_references of = references_by("rows", 64, 1, 64, [](auto, std::int64_t t) { return t; });
  EXPECT_EQ(broken_law(cpu(1), pad{}, of, 64), "");
  access_shape shape = of.shape;
  shape.element_bytes = 16;
  shape.block = 64;
  const index_list<int> p(of.p);
  EXPECT_NE(broken_windows(cpu(1), make_access_plan(cpu(1), p, shape, {}, shifted{})), "");
}

/// A plan on the host for 6 threads with 2 references each among 4 elements.
struct small {
  cpu exec = cpu(1);
  std::vector<int> indices{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
  access_shape shape{.threads = 6, .references = 2, .elements = 4, .element_bytes = 4, .block = 4};
  std::vector<float> a{1, 2, 3, 4}, copy = std::vector<float>(24), out = std::vector<float>(6);

  template <class Layout = none> auto plan(Layout layout = {}, access_objective objective = {}) const {
    return make_access_plan(exec, index_list<int>(indices, 1), shape, objective, layout);
  }
};
struct sum_loads {
  float* out;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block&, std::int64_t job, const Load& load) const {
    out[job] = load(0) + load(1);
  }
};

TEST(AccessPlans, RefuseWrongReferences) {
  small s;
  s.indices[7] = 4;
  EXPECT_EQ(message_of<invalid_argument>([&] { s.plan(); }),
            "P[7] = 4 (reference 1 of thread 1): there are 4 elements, numbered from 0");
  s.indices[7] = -1;
  EXPECT_EQ(message_of<invalid_argument>([&] { s.plan(); }),
            "P[7] = -1 (reference 1 of thread 1): there are 4 elements, numbered from 0");
  s.indices.pop_back();
  EXPECT_EQ(message_of<invalid_argument>([&] { s.plan(); }),
            "P has 11 indices, and 6 threads with 2 references each need 12");
}

TEST(AccessPlans, RefuseWrongShapes) {
  const auto with = [](auto change) {
    small s;
    change(s.shape);
    return message_of<invalid_argument>([&] { s.plan(); });
  };
  EXPECT_EQ(with([](access_shape& s) { s.threads = -1; }), "threads = -1: must be 0 or more");
  EXPECT_EQ(with([](access_shape& s) { s.references = -2; }), "references = -2: must be 0 or more");
  EXPECT_EQ(with([](access_shape& s) { s.element_bytes = 0; }), "element_bytes = 0: must be 1 or more");
  EXPECT_EQ(with([](access_shape& s) { s.block = 0; }), "block_size = 0: a block has 1 to 1024 threads");
  EXPECT_EQ(with([](access_shape& s) { s.threads = std::int64_t{1} << 62; }),
            "4611686018427387904 threads with 2 references each overflow their number");
  EXPECT_EQ(message_of<invalid_argument>([&] { small().plan(none{}, {.warp = 24}); }),
            "warp = 24: must be a power of two from 1 to 64");
  small wide;
  wide.shape.elements = std::int64_t{1} << 32;
  EXPECT_EQ(message_of<invalid_argument>([&] { wide.plan(); }),
            "6 threads and 4294967296 elements: numbers of 32 bits, the index type of P, cannot number them");
}

TEST(AccessPlans, RefuseWhatArmsCannotDo) {
  small s;
  EXPECT_EQ(message_of<invalid_argument>([&] { s.plan(duplicate{.fraction = 1.5}); }),
            "fraction = 1.500000: must be from 0 to 1");
  EXPECT_EQ(message_of<invalid_argument>([&] { s.plan(duplicate{.max_bytes = 47}); }),
            "a copy for each of 12 references needs 48 bytes, but max_bytes is 47: use a smaller fraction");
  EXPECT_EQ(message_of<invalid_argument>([&] { s.plan(pad{.run = 0}); }), "run = 0: must be at least 1 warp");
  EXPECT_EQ(
      message_of<invalid_argument>([&] { s.plan(pad{}, {.warp = 32, .window_sectors = 2}); }),
      "a window of 64 bytes has 16 elements of 4 bytes: pad takes 32, as many as a warp has threads, to 256");
  EXPECT_EQ(message_of<invalid_argument>([&] { s.plan(reorder<by_neighbours>{}); }),
            "by_neighbours needs as many threads as elements, but there are 6 threads and 4 elements");
  small graph;
  graph.shape.elements = 6;
  EXPECT_EQ(message_of<invalid_argument>([&] { graph.plan(sort_threads<reverse_cuthill_mckee>{{11}}); }),
            "reverse_cuthill_mckee runs on one host thread and supports at most 11 references, but there "
            "are 12: use by_neighbours");
  EXPECT_EQ(
      message_of<invalid_argument>([&] { s.plan(share_accumulate{.max_storage = 12}); }),
      "a block of 4 threads with increments of 4 bytes needs more than 12 bytes of storage: use smaller "
      "blocks");
  s.shape.element_bytes = 12;
  EXPECT_EQ(message_of<invalid_argument>([&] { s.plan(pad{}, {.warp = 4, .window_sectors = 2}); }),
            "elements of 12 bytes must divide a window of 64 bytes under pad");
}

TEST(AccessPlans, AreForOnePOneEpochAndOneType) {
  small s;
  const auto plan = s.plan(duplicate{});
  const auto run = [&](const index_list<int>& p, const float* copy) {
    return message_of<invalid_argument>(
        [&] { for_each_job(s.exec, plan, p, s.a.data(), copy, sum_loads{s.out.data()}); });
  };
  const auto other = s.indices;
  EXPECT_EQ(run({other, 1}, s.copy.data()), "the access plan was made for another P: make a plan for this P");
  EXPECT_EQ(run({s.indices, 2}, s.copy.data()),
            "the access plan was made in epoch 1 of P, but P is now in epoch 2: make a plan for this epoch");
  EXPECT_EQ(run({s.indices, 1}, nullptr), "copy is null, but must have 12 elements");
  std::vector<double> a(4), copy(12);
  EXPECT_EQ(message_of<invalid_argument>([&] { plan.refresh(s.exec, a.data(), copy.data()); }),
            "elements have 8 bytes, but the access plan is for elements of 4");
  EXPECT_EQ(message_of<invalid_argument>([&] { plan.refresh(s.exec, s.copy.data(), s.copy.data() + 2); }),
            "copy begins 8 bytes after the start of a and overlaps it: they must be disjoint");
}

} // namespace
} // namespace evenly::laws
