// SPDX-License-Identifier: Apache-2.0
// Type erasure of layouts (erased_layouts.hpp), included by one translation unit per executor, which instantiates
// layouts_of.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "evenly/layouts/pipeline.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "layouts/erased_layouts.hpp"

namespace evenly::layouts {

/// The view of prepared arrays in kernels.
template <class Prepared>
using view_behind = std::remove_cvref_t<decltype(std::declval<const Prepared&>().view())>;

template <class View, class Prepared>
typename erased_arrays<View>::source_type source_of(const Prepared& of) {
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(of.source())>, no_source>)
    return {};
  else
    return of.source();
}

template <class Prepared> erased_arrays<view_behind<Prepared>> erase(Prepared&& made) {
  const auto kept = std::make_shared<const Prepared>(std::move(made));
  const buffer<int>* order = nullptr;
  const buffer<int>* jobs = nullptr;
  if constexpr (requires { kept->on; }) order = &kept->order; // for commit
  if constexpr (requires { kept->jobs; }) jobs = &kept->jobs;
  return {kept->view(), kept->slots(), source_of<view_behind<Prepared>>(*kept), kept->bytes(), order,
          jobs,         kept};
}

/// A functor instead of a lambda, because nvcc considers some lambdas uncopyable in std::function.
template <class Executor, class Layout> struct prepares_and_erases {
  Layout layout;
  auto operator()(const Executor& exec, const index_list<int>& p, const access_shape& shape,
                  const access_objective& objective) const {
    return erase(layout.prepare(exec, p, shape, objective));
  }
};
template <class Executor, class Layout>
using erased_of = erased_layout<Executor, view_behind<typename Layout::template prepared_arrays<int>>>;
template <class Executor, class Layout>
erased_of<Executor, Layout> erased(const char* name, const Layout& layout) {
  return {name, prepares_and_erases<Executor, Layout>{layout}};
}

/// The value that thread t adds to its element r under share_accumulate.
struct small_addend {
  template <class Block> EVENLY_FN int operator()(Block&, std::int64_t t, std::int64_t r) const {
    return static_cast<int>((t + r) % 3) + 1;
  }
};

/// 1 for an element if a reference is the first one to it.
template <class Number> struct is_touched {
  const Number* first;
  Number references;
  EVENLY_FN std::int64_t operator()(std::int64_t e) const { return first[e] < references; }
};

/// A pseudo-random key, different for each i.
struct random_key {
  std::uint64_t seed;
  EVENLY_FN std::uint64_t operator()(std::int64_t i) const {
    return detail::scattered(static_cast<std::uint64_t>(i) ^ detail::scattered(seed));
  }
};

template <class Executor> struct takes_layouts {
  std::vector<named_layout<Executor>>& all;

  void operator()(const char* name, const share_accumulate& layout) const { all.push_back({name, layout}); }
  void operator()(const char* name, const absent_layout& layout) const { all.push_back({name, layout}); }
  void operator()(const char* name, const pipelined& layout) const { all.push_back({name, layout}); }
  void operator()(const char* name, const automatic& layout) const { all.push_back({name, layout}); }
  template <class Layout> void operator()(const char* name, const left_in_order<Layout>& of) const {
    all.push_back({name, left_in_order<erased_of<Executor, Layout>>{erased<Executor>(name, of.layout)}});
  }
  template <class Order, class On>
  void operator()(const char* name, const made_in_order<Order, On>& of) const {
    const erased_order<Executor> order = of.order; // g++ 12 falsely warns at -O1 if it is made in the list
    all.push_back({name, made_in_order<erased_order<Executor>, erased_of<Executor, On>>{
                             order, erased<Executor>(name, of.on)}});
  }
  template <class Layout> void operator()(const char* name, const Layout& layout) const {
    all.push_back({name, erased<Executor>(name, layout)});
  }
};

template <class Executor>
std::vector<named_layout<Executor>> layouts_of<Executor>::all(const access_workload& of,
                                                              const atom_position* positions) {
  std::vector<named_layout<Executor>> found;
  for_each_layout_of(of, positions, takes_layouts<Executor>{found});
  return found;
}

template <class Executor>
std::variant<listed_layout<Executor>, shared_layout<Executor>>
layouts_of<Executor>::for_pipeline(const access_workload& of, const atom_position* positions) {
  using curve = hilbert<atom_position>;
  if (of.use == access_use::forces)
    return erased<Executor>(reorder<>::name, reorder<curve>{{positions, 0, of.box}});
  if (of.is_graph()) return erased<Executor>(reorder<>::name, reorder<by_neighbours>{});
  return erased<Executor>(share<>::name, share<by_smallest>{});
}

template <class Executor>
auto layouts_of<Executor>::make(const Executor& exec, const index_list<int>& p, const access_shape& shape,
                                const listed_layout<Executor>& layout) -> plan<indexed_view<int>> {
  return make_access_plan(exec, p, shape, {}, layout);
}
template <class Executor>
auto layouts_of<Executor>::make(const Executor& exec, const index_list<int>& p, const access_shape& shape,
                                const duplicate_layout<Executor>& layout) -> plan<duplicate_view<int>> {
  return make_access_plan(exec, p, shape, {}, layout);
}
template <class Executor>
auto layouts_of<Executor>::make(const Executor& exec, const index_list<int>& p, const access_shape& shape,
                                const shared_layout<Executor>& layout) -> plan<share_view<int>> {
  return make_access_plan(exec, p, shape, {}, layout);
}
template <class Executor>
auto layouts_of<Executor>::make_sums(const Executor& exec, const index_list<int>& p,
                                     const access_shape& shape, const share_accumulate& layout) -> sums_plan {
  return make_access_plan(exec, p, shape, {}, layout);
}
template <class Executor>
detail::reordered_references<int>
layouts_of<Executor>::in_order(const Executor& exec, const index_list<int>& p, const access_shape& shape,
                               const erased_order<Executor>& order) {
  return detail::reordered(exec, p, shape, order);
}

template <class Executor>
std::size_t layouts_of<Executor>::touched(const Executor& exec, const index_list<int>& p,
                                          const access_shape& shape) {
  return detail::with_counts(shape, [&](auto count) {
    using number = decltype(count);
    const auto first = detail::note<number>(exec, p, shape, false).first;
    const is_touched<number> touches{first.data(), static_cast<number>(shape.total_references())};
    return static_cast<std::size_t>(reduce(exec, generated{touches}, shape.elements, plus<std::int64_t>{}));
  });
}

template <class Executor>
buffer<int> layouts_of<Executor>::with_other_numbers(const Executor& exec, const buffer<int>& p,
                                                     const access_shape& shape, std::uint64_t seed) {
  const auto keys = make_buffer<std::uint64_t>(exec, static_cast<std::size_t>(shape.elements));
  tabulate(exec, shape.elements, random_key{seed}, keys.data());
  const buffer<int> numbers = detail::ordered_by<int>(exec, keys);
  auto to = make_buffer<int>(exec, p.size());
  tabulate(exec, shape.total_references(), detail::picked<int, int>{numbers.data(), p.data()}, to.data());
  return to;
}

template <class Executor>
buffer<int> layouts_of<Executor>::numbers(const Executor& exec, std::int64_t count) {
  return detail::counted_up<int>(exec, count);
}

template <class Executor>
access_sample layouts_of<Executor>::sample_of_blocks(const Executor& exec, const index_list<int>& p,
                                                     const access_shape& shape) {
  return sample_blocks(exec, p, shape);
}
template <class Executor>
access_sample layouts_of<Executor>::sample_of_clusters(const Executor& exec, const index_list<int>& p,
                                                       const access_shape& shape) {
  return sample_clusters(exec, p, shape);
}

template <class Executor>
void layouts_of<Executor>::add_small(const Executor& exec, const sums_plan& plan, const index_list<int>& p,
                                     int* sums, int* updates, workspace& memory) {
  accumulate(exec, plan, p, small_addend{}, plus<int>{}, sums, updates, memory);
}

} // namespace evenly::layouts
