// SPDX-License-Identifier: Apache-2.0
// Stores through P, for any executor: each reference's element gets its value, all others stay, guards too.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/layouts/commit.hpp"
#include "evenly/layouts/duplicate.hpp"
#include "evenly/layouts/none.hpp"
#include "evenly/layouts/pad.hpp"
#include "evenly/layouts/reorder.hpp"
#include "evenly/layouts/sort_threads.hpp"
#include "evenly/layouts/store.hpp"
#include "layouts/layout_laws.hpp"

namespace evenly::laws {

using namespace layouts;

/// Those whose P has no element twice, spread over more elements than there are references.
inline std::vector<named_references> one_to_one_references() {
  std::vector<named_references> all;
  const auto add = [&](const char* name, std::int64_t threads, int k, std::int64_t elements,
                       std::int64_t step) {
    all.push_back(references_by(name, threads, k, elements, [=](std::int64_t r, std::int64_t t) {
      return (t * k + r) * step % elements;
    }));
  };
  add("no threads", 0, 2, 5, 1);
  add("one", 1, 1, 1, 1);
  add("in order", 300, 1, 300, 1);
  add("scattered", 301, 1, 1009, 577);
  add("scattered, three each", 301, 3, 1009, 577);
  add("scattered, nine each", 110, 9, 991, 101);
  return all;
}

/// A few of them.
inline std::vector<named_references> few_one_to_one_references() {
  std::vector<named_references> few = one_to_one_references();
  few.erase(few.begin(), few.end() - 2);
  return few;
}

/// store(r, ...) for even references; odd ones are left.
struct store_particles {
  std::int64_t references;
  template <class Block, class Store>
  EVENLY_FN void operator()(Block&, std::int64_t job, const Store& store) const {
    for (std::int64_t r = 0; r < references; r += 2) store(r, particle_of(job * references + r, 7));
  }
};

template <class Executor, class Layout>
std::string broken_store(const Executor& exec, const Layout& layout, const named_references& of, int block) {
  access_shape shape = of.shape;
  shape.block = block;
  shape.element_bytes = sizeof(particle);
  constexpr std::size_t guard = 16;
  std::vector<particle> elements(static_cast<std::size_t>(shape.elements) + 2 * guard, particle_of(-9));
  for (std::int64_t e = 0; e < shape.elements; ++e)
    elements[guard + static_cast<std::size_t>(e)] = particle_of(e);
  const auto p = to_executor(exec, of.p);
  const auto a = to_executor(exec, elements);
  const auto plan = make_store_plan(exec, index_list<int>(p), shape, access_objective{}, layout);
  const auto copy = make_buffer<particle>(exec, static_cast<std::size_t>(plan.slots()));
  store_each(exec, plan, index_list<int>(p), a.data() + guard, copy.data(),
             store_particles{shape.references});
  for (std::int64_t t = 0; t < shape.threads; ++t)
    for (std::int64_t r = 0; r < shape.references; r += 2)
      elements[guard + static_cast<std::size_t>(of.p[static_cast<std::size_t>(r * shape.threads + t)])] =
          particle_of(t * shape.references + r, 7);
  const std::vector<particle> found = to_host(exec, a);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (std::memcmp(&found[i], &elements[i], sizeof(particle)) != 0)
      return "element " + std::to_string(static_cast<std::int64_t>(i - guard)) + " is wrong";
  return {};
}

template <class Executor, class Expect>
void for_each_broken_store(const Executor& exec, Expect expect, std::initializer_list<int> blocks = {32, 100},
                           const std::vector<named_references>& references = one_to_one_references()) {
  for (const named_references& of : references)
    for (const int block : blocks) {
      const auto check = [&](const char* name, const auto& layout) {
        expect(broken_store(exec, layout, of, block), std::string(name) + ", " + of.name);
      };
      check("none", none{});
      check("sort_threads", sort_threads<>{});
      check("reorder", reorder<first_access>{});
      check("duplicate", duplicate{});
      check("duplicate half", duplicate{.fraction = 0.5});
      check("pad", pad{});
    }
}

} // namespace evenly::laws
