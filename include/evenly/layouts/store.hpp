// SPDX-License-Identifier: Apache-2.0
// Stores through P: A[P[r * T + t]] = value, where no two references are to the same element. With duplicates, copies
// would diverge and threads would overwrite each other's values; use accumulate() instead (share_accumulate.hpp).
//
//   const auto plan = make_store_plan(exec, P, shape, objective, sort_threads<>{});   // throws for duplicates in P
//   store_each(exec, plan, P, a, copy, body);                         // body(block, job, store), store(r, value)
//
// If the layout has a copy of A, stores go to the copy, which is written back at the end. Layouts with elements in a
// block's storage do not support stores.
//
// Cost of the plan: that of the layout, two passes over P, and a temporary number per element. A run with a copy first
// makes the copy, so that elements without a store keep their values, and ends with a pass over the slots of the copy.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/layouts/detail/for_each_index.hpp"
#include "evenly/layouts/orders.hpp"
#include "evenly/layouts/plan.hpp"
#include "evenly/primitives/reduce.hpp"

namespace evenly::detail {

/// The number of a reference, counted thread by thread, if it is not the first to its element; otherwise `none`.
template <class I, class Count> struct later_reference {
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  const I* p;
  layouts::access_shape shape;
  const Count* first;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    const std::int64_t r = i / shape.threads, number = (i - r * shape.threads) * shape.references + r;
    return static_cast<std::int64_t>(first[p[i]]) == number ? none : number;
  }
};

/// Throws invalid_argument if two references are to one element; names the first duplicate. Synchronises.
template <class Executor, class I>
void require_one_to_one(const Executor& exec, const layouts::index_list<I>& p,
                        const layouts::access_shape& shape) {
  if (shape.total_references() == 0) return;
  with_counts(shape, [&](auto count) {
    using number = decltype(count);
    using search = later_reference<I, number>;
    const auto first = note<number>(exec, p, shape, false).first;
    const std::int64_t later =
        reduce(exec, generated{search{p.at, shape, first.data()}}, p.count, minimum<std::int64_t>{});
    if (later == search::none) return;
    const std::int64_t t = later / shape.references, r = later % shape.references;
    I element{};
    exec.copy_to_host(&element, p.at + r * shape.threads + t, sizeof(I));
    number earlier{};
    exec.copy_to_host(&earlier, first.data() + element, sizeof(number));
    const auto before = static_cast<std::int64_t>(earlier) / shape.references;
    throw invalid_argument(
        (before == t ? "thread " + std::to_string(t) + " stores twice"
                     : "threads " + std::to_string(before) + " and " + std::to_string(t) + " both store") +
        " to element " + std::to_string(element) +
        ": stores through P must write each element at most once; use accumulate() for other updates");
  });
}

/// Stores to the location that the reference would be loaded from: A or the copy. `opened`: of the view.
template <class I, class Opened, class Memory, class T>
EVENLY_INLINE_FN void store_by(const layouts::indexed_view<I>& view, const Opened& opened, const Memory& a,
                               const Memory& copy, std::int64_t q, std::int64_t r, const T& value) {
  I slot = opened.index[r * view.threads + q];
  if (view.copied)
    copy[slot] = value;
  else
    a[slot] = value;
}
template <class I, class Opened, class Memory, class T>
EVENLY_INLINE_FN void store_by(const layouts::duplicate_view<I>& view, const Opened& opened, const Memory& a,
                               const Memory& copy, std::int64_t q, std::int64_t r, const T& value) {
  if (q < view.cut) {
    copy[r * view.cut + q] = value;
    return;
  }
  I element = opened.index[r * view.threads + q];
  a[element] = value;
}

/// Stores through the references of one position.
template <class View, class Opened, class Memory> struct position_stores {
  const View& view;
  const Opened& opened;
  const Memory& a;
  const Memory& copy;
  std::int64_t position;

  /// A[P[r * T + job]] = value. Requires 0 <= r < K.
  template <class T> EVENLY_INLINE_FN void operator()(std::int64_t r, const T& value) const {
    store_by(view, opened, a, copy, position, r, value);
  }
};

template <class T, class View, class Body> struct store_kernel {
  View view;
  T* a;
  T* copy;
  std::int64_t per_block;
  Body body;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto opened =
        view.open(block, layouts::takes_no_slots{}, static_cast<const T*>(a), static_cast<const T*>(copy));
    const auto to_a = traced(block, a);
    const auto to_copy = traced(block, copy);
    for_each_of_block(block, per_block, view.threads, [&](std::int64_t q) {
      body(block, view.job(opened, q),
           position_stores<View, decltype(opened), decltype(to_a)>{view, opened, to_a, to_copy, q});
    });
  }
};

/// Copies copy[s] to its element of A, for all slots except padding.
template <class T, class Source> struct write_back {
  Source source;
  const T* copy;
  T* a;
  template <class Block> EVENLY_FN void operator()(Block& block, std::int64_t s) const {
    const std::int64_t element = source(s);
    if (element < 0) return;
    T value = traced(block, copy)[s];
    traced(block, a)[element] = value;
  }
};

template <class View> inline constexpr bool takes_stores = false;
template <class I> inline constexpr bool takes_stores<layouts::indexed_view<I>> = true;
template <class I> inline constexpr bool takes_stores<layouts::duplicate_view<I>> = true;

} // namespace evenly::detail

namespace evenly::layouts {

/// A plan for stores: an access plan for a P without duplicates.
template <class Executor, class Layout, signed_of_32_or_64_bits I>
class store_plan : public access_plan<Executor, Layout, I> {
  using base = access_plan<Executor, Layout, I>;
  static_assert(
      detail::takes_stores<decltype(std::declval<const base&>().view())>,
      "layouts that keep elements in storage do not support stores: use another layout, or accumulate()");

 public:
  explicit store_plan(base plan) : base(std::move(plan)) {}
};

/// Makes a plan for stores. May synchronise and allocate. Throws as make_access_plan, and invalid_argument if two
/// references are to one element.
template <class Executor, signed_of_32_or_64_bits I, class Layout>
store_plan<Executor, Layout, I> make_store_plan(const Executor& exec, const index_list<I>& p,
                                                const access_shape& shape, const access_objective& objective,
                                                const Layout& layout) {
  detail::check_access(shape, objective);
  detail::check_indices(exec, p, shape);
  detail::require_one_to_one(exec, p, shape);
  return store_plan<Executor, Layout, I>(make_access_plan(exec, p.assume_valid(), shape, objective, layout));
}

/// Calls body(block, job, store) for every job in [0, T), each on one thread; store(r, value) sets A[P[r * T + job]] =
/// value. Other elements do not change.
///
/// - copy: room for plan.slots() elements; null if there are none.
/// - Synchronisation: asynchronous on cuda.
/// - Throws as for_each_job does.
template <class Executor, class Layout, class I, class T, class Body>
void store_each(const Executor& exec, const store_plan<Executor, Layout, I>& plan, const index_list<I>& p,
                T* a, T* copy, const Body& body) {
  const access_shape& shape = plan.shape();
  plan.require_run(exec, p, a, copy);
  if (shape.total_references() == 0) return;
  detail::note_parts(exec, plan.view(), body);
  plan.refresh(exec, a, copy);
  const std::int64_t per_block = items_per_block(exec, shape.threads, shape.block);
  launch(exec, {block_count(shape.threads, per_block), shape.block},
         detail::store_kernel<T, decltype(plan.view()), Body>{plan.view(), a, copy, per_block, body});
  if (plan.slots() == 0) return;
  const auto source = plan.arrays().source();
  detail::for_each_index(exec, plan.slots(), 4,
                         detail::write_back<T, std::remove_const_t<decltype(source)>>{source, copy, a});
}

} // namespace evenly::layouts
