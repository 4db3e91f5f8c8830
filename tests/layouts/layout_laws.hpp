// SPDX-License-Identifier: Apache-2.0
// The laws of layouts (include/evenly/layouts), for any executor, and the references that they are put through:
//
//   1. for_each_job calls the body once for each job, and load(r) is A[P[r * T + job]], bit for bit. Under a layout
//   that
//      commits, A is what permute() has made of it, and job is a new number where threads are about elements.
//   2. refresh writes the copy's slots and nothing else.
//   3. Plans of the same arguments are equal: they have the same indices.
//   4. Loads make the memory requests that forecast predicts. (On simt, which counts requests.)
//   5. Under pad, what a warp loads by one reference lies in one window; packed blocks begin at one.
//
// broken_law() says which law is broken, and how; nothing where all hold.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/layouts/choice/forecast.hpp"
#include "evenly/layouts/registry.hpp"

namespace evenly::laws {

using namespace layouts;

struct named_references {
  std::string name;
  access_shape shape; ///< without the block
  std::vector<int> p;
};

/// T threads with K references each among M elements, by a formula of (r, t).
inline named_references references_by(const std::string& name, std::int64_t threads, int k,
                                      std::int64_t elements,
                                      const std::function<std::int64_t(std::int64_t, std::int64_t)>& of) {
  named_references made{name, {.threads = threads, .references = k, .elements = elements}, {}};
  for (std::int64_t r = 0; r < k; ++r)
    for (std::int64_t t = 0; t < threads; ++t) made.p.push_back(static_cast<int>(of(r, t)));
  return made;
}
inline std::int64_t at_random(std::int64_t i, std::int64_t bound) {
  return static_cast<std::int64_t>(detail::scattered(static_cast<std::uint64_t>(i)) %
                                   static_cast<std::uint64_t>(bound));
}
inline std::vector<named_references> adversarial_references() {
  const auto random = [](std::int64_t n, std::int64_t bound) {
    return [=](std::int64_t r, std::int64_t t) { return at_random(r * n + t, bound); };
  };
  std::vector<named_references> all;
  all.push_back(references_by("no threads", 0, 3, 5, random(1, 1)));
  all.push_back(references_by("no references", 70, 0, 5, random(1, 1)));
  all.push_back(references_by("one", 1, 1, 1, random(1, 1)));
  all.push_back(references_by("one element for all", 300, 2, 9, [](auto, auto) { return 8; }));
  all.push_back(references_by("each its own", 257, 1, 257, [](auto, std::int64_t t) { return t; }));
  all.push_back(references_by("backwards", 130, 2, 130, [](auto, std::int64_t t) { return 129 - t; }));
  all.push_back(references_by("random, many for each element", 700, 1, 90, random(700, 90)));
  all.push_back(references_by("random, as many elements", 333, 9, 333, random(333, 333)));
  all.push_back(references_by("random, more elements", 100, 11, 4000, random(100, 4000)));
  all.push_back(references_by("hubs", 500, 3, 500, [](std::int64_t r, std::int64_t t) {
    return at_random(at_random(r * 500 + t, 500) + 7, at_random(r + t, 3) == 0 ? 500 : 4);
  }));
  return all;
}

/// A few, of a few blocks each, for tests under tools that take long for each launch.
inline std::vector<named_references> few_references() {
  std::vector<named_references> few;
  few.push_back(references_by("one element for all", 40, 2, 9, [](auto, auto) { return 8; }));
  few.push_back(references_by("random, as many elements", 110, 5, 110,
                              [](std::int64_t r, std::int64_t t) { return at_random(r * 110 + t, 110); }));
  few.push_back(references_by("random, more elements", 70, 9, 900,
                              [](std::int64_t r, std::int64_t t) { return at_random(r * 70 + t, 900); }));
  return few;
}

/// What layouts move: of 16 bytes, read in one piece.
struct alignas(16) particle {
  float x, y, z, w;
};
EVENLY_FN inline particle particle_of(std::int64_t element, int epoch = 0) {
  const auto at = static_cast<float>(element);
  return {at, -at, at / 3, static_cast<float>(epoch)};
}

/// out[r * T + job] = load(r), by each() for odd jobs, and counts[job] is how often the body was called for it.
struct store_loads {
  access_shape shape;
  particle* out;
  int* calls;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block&, std::int64_t job, const Load& load) const {
    atomic_ref(calls[job]).fetch_add(1);
    if (job % 2 == 0) {
      for (std::int64_t r = 0; r < shape.references; ++r) out[r * shape.threads + job] = load(r);
    } else {
      std::int64_t r = 0;
      load.each([&](const particle& value) { out[r++ * shape.threads + job] = value; });
    }
  }
};

/// Buffers of prepared arrays, one after the other.
template <class Executor, class Prepared>
std::vector<std::int64_t> contents_of(const Executor& exec, const Prepared& of) {
  std::vector<std::int64_t> all;
  const auto add = [&](const auto& each) {
    for (const auto value : to_host(exec, each)) all.push_back(value);
    all.push_back(-7);
  };
  if constexpr (requires { of.jobs; }) add(of.jobs);
  if constexpr (requires { of.index; }) add(of.index);
  if constexpr (requires { of.order; }) add(of.order);
  if constexpr (requires { of.elements; }) add(of.elements);
  if constexpr (requires { of.part_starts; }) {
    add(of.part_starts);
    add(of.update_starts);
    add(of.by_element);
  }
  if constexpr (requires { of.on; })
    for (const std::int64_t each : contents_of(exec, of.on)) all.push_back(each);
  if constexpr (requires { of.sets; }) {
    add(of.sets.elements);
    add(of.sets.starts);
    add(of.sets.sizes);
  }
  return all;
}

/// Whether each warp's slots lie in one window: law 5, of pad.
template <class Executor, class Plan> std::string broken_windows(const Executor& exec, const Plan& plan) {
  const std::vector<int> index = to_host(exec, plan.arrays().index);
  const access_shape& s = plan.shape();
  const int window = plan.objective().sectors_of_window(s.element_bytes) * 32 / s.element_bytes;
  for (std::int64_t r = 0; r < s.references; ++r)
    for (std::int64_t w = 0; w < warps_in(s.threads, s.block, plan.objective().warp); ++w) {
      const position_range q = positions_of_warp(w, s.threads, s.block, plan.objective().warp);
      for (std::int64_t i = q.first; i < q.last; ++i)
        if (index[r * s.threads + i] / window != index[r * s.threads + q.first] / window)
          return "warp " + std::to_string(w) + " loads from two windows";
    }
  return {};
}

template <class Executor, class Layout>
std::string broken_law(const Executor& exec, const Layout& layout, const named_references& of, int block,
                       access_objective objective = {}) {
  access_shape shape = of.shape;
  shape.block = block;
  shape.element_bytes = sizeof(particle);
  const auto p = to_executor(exec, of.p);
  const index_list<int> list(p, 3);
  std::vector<particle> elements;
  for (std::int64_t e = 0; e < shape.elements; ++e) elements.push_back(particle_of(e));
  const auto a = to_executor(exec, elements);
  const auto plan = make_access_plan(exec, list, shape, objective, layout);
  const auto again = make_access_plan(exec, list, shape, objective, layout);
  if (contents_of(exec, plan.arrays()) != contents_of(exec, again.arrays())) return "3: plans differ";

  std::vector<int> jobs; // the thread of P that a job is, if its number is new
  const particle* data = a.data();
  buffer<particle> moved;
  if constexpr (commits<Layout>) {
    moved = make_buffer<particle>(exec, elements.size());
    permute(exec, plan.arrays().order, a.data(), moved.data());
    data = moved.data();
    if (shape.threads == shape.elements) jobs = to_host(exec, plan.arrays().order);
  }

  constexpr std::size_t guard = 16;
  const auto slots = static_cast<std::size_t>(plan.slots());
  const std::vector<particle> untouched(slots + 2 * guard, particle_of(-9));
  const auto copy = to_executor(exec, untouched);
  plan.refresh(exec, data, copy.data() + guard);
  const std::vector<particle> copied = to_host(exec, copy);
  for (std::size_t i = 0; i < guard; ++i)
    for (const std::size_t at : {i, guard + slots + i})
      if (std::memcmp(&copied[at], &untouched[at], sizeof(particle)) != 0)
        return "2: a guard was overwritten";

  const auto count = static_cast<std::size_t>(shape.total_references());
  const auto out = to_executor(exec, std::vector<particle>(count, particle_of(-9)));
  const auto calls = to_executor(exec, std::vector<int>(static_cast<std::size_t>(shape.threads), 0));
  for_each_job(exec, plan, list, data, copy.data() + guard, store_loads{shape, out.data(), calls.data()});
  for (const int each : to_host(exec, calls))
    if (each != 1) return "1: a job is done " + std::to_string(each) + " times";
  const std::vector<particle> loaded = to_host(exec, out);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t job = i % static_cast<std::size_t>(shape.threads);
    const int element = of.p[jobs.empty() ? i : i - job + static_cast<std::size_t>(jobs[job])];
    const particle right = particle_of(element);
    if (std::memcmp(&loaded[i], &right, sizeof(particle)) != 0)
      return "1: reference " + std::to_string(i) + " loaded what is no " + std::to_string(element);
  }
  if constexpr (std::is_same_v<Layout, pad>) {
    if (layout.design != pad_design::unaligned)
      if (const std::string wrong = broken_windows(exec, plan); !wrong.empty()) return "5: " + wrong;
  }
  if constexpr (requires { layout.packed; }) {
    const int window = objective.sectors_of_window(shape.element_bytes) * 32 / shape.element_bytes;
    for (const std::int64_t start : to_host(exec, plan.arrays().sets.starts))
      if (layout.packed && start % window != 0) return "5: a block begins within a window";
  }
  return {};
}

/// All layouts, each under all of these references and some sizes of blocks.
template <class Executor, class Expect>
void for_each_broken_law(const Executor& exec, std::span<const int> blocks, Expect expect,
                         const std::vector<named_references>& references = adversarial_references()) {
  for (const named_references& of : references)
    for (const int block : blocks) {
      const auto check = [&](const char* name, const auto& layout) {
        if constexpr (!accumulates<std::remove_cvref_t<decltype(layout)>>)
          expect(broken_law(exec, layout, of, block),
                 std::string(name) + ", " + of.name + ", blocks of " + std::to_string(block));
      };
      for_each_layout(check);
      if (of.shape.threads == of.shape.elements) for_each_graph_layout(check);
      check("share in little storage", share<>{.packed = true, .max_storage = 40 * sizeof(particle)});
      check("share on top of commit", commit<first_access, share<>>{});
      check("pad by size", pad{.design = pad_design::by_size, .run = 2});
      check("pad, copying", pad{.design = pad_design::copying});
    }
}

} // namespace evenly::laws
