// SPDX-License-Identifier: Apache-2.0
// An access plan: the layout of data for the references A[P[r * T + t]] of a kernel.
//
//   const auto plan = make_access_plan(exec, P, shape, objective, pad{});    // indices only; may synchronise
//   plan.refresh(exec, a, copy);                                             // whenever the contents of A have changed
//   for_each_job(exec, plan, P, a, copy, body);                              // body(block, job, load), load(r)
//
// A plan holds indices, not data. From run to run A may hold other values, of any type of shape.element_bytes. A plan
// is immutable and move-only. It belongs to the P and the epoch it was made for; it refuses others, and executors with
// other memory. Layouts that read A itself have no slots: refresh then has no effect, and `copy` may be null. The same
// kernels build and run plans on cpu, simt and cuda.
//
// A layout is a struct of parameters with `name` and prepare(exec, P, shape, objective), which returns prepared arrays:
// an owner of buffers with
//   view()     the view for kernels (view.hpp)
//   slots()    elements of the copy, 0 for none
//   source()   a function object: slot -> element of A, negative for padding
//   bytes()    of its buffers
//   takes_blocks   whether a launch must have blocks of shape.block positions
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/layouts/references.hpp"
#include "evenly/layouts/view.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly::layouts {

/// The source of prepared arrays that have a list of elements.
template <class I> struct ordered_source {
  const I* order;
  EVENLY_FN std::int64_t operator()(std::int64_t slot) const { return order[slot]; }
};

} // namespace evenly::layouts

namespace evenly::detail {

/// The element of a slot; zeros for padding.
template <class T, class Source> struct gathered_element {
  Source source;
  const T* a;
  EVENLY_FN T operator()(std::int64_t slot) const {
    const std::int64_t element = source(slot);
    return element < 0 ? T{} : read_whole<false>(a + element);
  }
};

} // namespace evenly::detail

namespace evenly::layouts {

template <class Executor, class Layout, signed_of_32_or_64_bits I> class access_plan {
  using prepared_type = decltype(std::declval<const Layout&>().prepare(
      std::declval<const Executor&>(), std::declval<const index_list<I>&>(),
      std::declval<const access_shape&>(), std::declval<const access_objective&>()));

 public:
  using prepared_arrays = prepared_type;

  access_plan(const Executor& exec, const index_list<I>& p, const access_shape& shape,
              const access_objective& objective, const Layout& layout)
      : p_(p), shape_(shape), objective_(objective), where_(memory_of(exec)),
        prepared_(layout.prepare(exec, p, shape, objective)) {}

  auto view() const { return prepared_.view(); }
  const access_shape& shape() const { return shape_; }
  const access_objective& objective() const { return objective_; }
  std::uint64_t epoch() const { return p_.epoch; }
  /// The number of elements of the copy that refresh makes; 0 if references go to A itself.
  std::int64_t slots() const { return prepared_.slots(); }
  /// The bytes of the plan's indices, and of a copy of A.
  std::size_t bytes() const { return prepared_.bytes(); }
  std::size_t copy_bytes() const {
    return static_cast<std::size_t>(slots()) * static_cast<std::size_t>(shape_.element_bytes);
  }
  const prepared_arrays& arrays() const { return prepared_; }

  /// copy[s] = A[source(s)] for every slot. Asynchronous on cuda.
  template <class T> void refresh(const Executor& exec, const T* a, T* copy) const {
    require_type<T>();
    require_here(exec);
    if (slots() == 0) return;
    detail::require_memory("a", a, shape_.elements);
    detail::require_apart("a", a, shape_.elements, "copy", copy, slots(), false);
    tabulate(exec, slots(), detail::gathered_element<T, decltype(prepared_.source())>{prepared_.source(), a},
             copy);
  }

  /// Throws invalid_argument unless the plan is for `p`, its epoch, and the memory of `exec`.
  void require_for(const Executor& exec, const index_list<I>& p) const {
    require_here(exec);
    require(p.at == p_.at && p.count == p_.count,
            [] { return std::string("the access plan was made for another P: make a plan for this P"); });
    require(p.epoch == p_.epoch, [&] {
      return "the access plan was made in epoch " + std::to_string(p_.epoch) +
             " of P, but P is now in epoch " + std::to_string(p.epoch) + ": make a plan for this epoch";
    });
  }
  template <class T> void require_type() const {
    require(sizeof(T) == static_cast<std::size_t>(shape_.element_bytes), [&] {
      return "elements have " + std::to_string(sizeof(T)) +
             " bytes, but the access plan is for elements of " + std::to_string(shape_.element_bytes);
    });
  }

  /// The same for a run with A and its copy: also checks the size of elements, and for null pointers.
  template <class T>
  void require_run(const Executor& exec, const index_list<I>& p, const T* a, const T* copy) const {
    require_for(exec, p);
    require_type<T>();
    if (shape_.total_references() > 0) detail::require_memory("a", a, shape_.elements);
    detail::require_memory("copy", copy, slots());
  }

 private:
  void require_here(const Executor& exec) const {
    require(memory_of(exec) == where_, [&] {
      return "the access plan is in the memory of " + memory_name(where_) +
             ", but the executor uses that of " + memory_name(memory_of(exec));
    });
  }

  index_list<I> p_;
  access_shape shape_;
  access_objective objective_;
  int where_;
  prepared_type prepared_;
};

/// Makes a plan for the references of P. May synchronise and allocate. Throws invalid_argument for wrong sizes, for an
/// index that is out of range (with its number and value), and for a case that the layout does not support.
template <class Executor, signed_of_32_or_64_bits I, class Layout>
access_plan<Executor, Layout, I> make_access_plan(const Executor& exec, const index_list<I>& p,
                                                  const access_shape& shape,
                                                  const access_objective& objective, const Layout& layout) {
  detail::check_access(shape, objective);
  detail::check_indices(exec, p, shape);
  return {exec, p, shape, objective, layout};
}

} // namespace evenly::layouts

namespace evenly::detail {

/// The number of positions per block if it need not be shape.block. A job with few references takes less time than its
/// thread costs, so threads have several jobs if there are many.
template <class Executor>
std::int64_t positions_per_block(const Executor& exec, const layouts::access_shape& shape,
                                 std::int64_t threads) {
  constexpr std::int64_t enough = 8, many_threads = 1 << 20;
  const std::int64_t jobs = ceil_div(enough, larger<std::int64_t>(shape.references, 1));
  const std::int64_t of_thread = larger<std::int64_t>(smaller(jobs, threads / many_threads), 1);
  return items_per_block(exec, threads, shape.block * of_thread);
}

} // namespace evenly::detail

namespace evenly::layouts {

/// Calls body(block, job, load) for every job in [0, T), each on one thread; load(r) is A[P[r * T + job]].
///
/// - a: A. copy: the result of plan.refresh; null if the plan has no slots.
/// - body: a trivially copyable function object that runs on `exec`. The block is for traced() (block/block.hpp);
///   its threads must not synchronise.
/// - Synchronisation: asynchronous on cuda.
/// - Throws invalid_argument if the plan is not for P, its epoch, the executor or the size of T.
template <class Executor, class Layout, class I, class T, class Body>
void for_each_job(const Executor& exec, const access_plan<Executor, Layout, I>& plan, const index_list<I>& p,
                  const T* a, const T* copy, const Body& body) {
  plan.require_run(exec, p, a, copy);
  using prepared_arrays = typename access_plan<Executor, Layout, I>::prepared_arrays;
  const std::int64_t threads = plan.shape().threads;
  std::int64_t per_block = plan.shape().block;
  if constexpr (!prepared_arrays::takes_blocks)
    per_block = detail::positions_per_block(exec, plan.shape(), threads);
  if (threads == 0) return;
  detail::note_parts(exec, plan.view(), body);
  launch(exec, {block_count(threads, per_block), plan.shape().block},
         access_kernel<T, decltype(plan.view()), Body>{plan.view(), a, copy, per_block, body});
}

} // namespace evenly::layouts

namespace evenly::detail {

template <class I, class T>
void require_plain(const layouts::index_list<I>& p, const layouts::access_shape& shape, const T* a) {
  require(p.count == shape.total_references() && sizeof(T) == static_cast<std::size_t>(shape.element_bytes),
          [&] {
            return std::to_string(p.count) + " indices and elements of " + std::to_string(sizeof(T)) +
                   " bytes, but the shape has " + std::to_string(shape.total_references()) +
                   " references to elements of " + std::to_string(shape.element_bytes) +
                   ": pass the shape of this P and A";
          });
  if (shape.total_references() > 0) require_memory("a", a, shape.elements);
}

} // namespace evenly::detail

namespace evenly::layouts {

/// The same for jobs [first, last) with unchanged references, without a plan. The indices of P are not checked.
/// load.position counts from `first`. Throws invalid_argument for wrong sizes.
template <class Executor, class I, class T, class Body>
void for_some_jobs(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                   position_range jobs, const T* a, const Body& body) {
  detail::require_plain(p, shape, a);
  require(0 <= jobs.first && jobs.first <= jobs.last && jobs.last <= shape.threads, [&] {
    return "jobs from " + std::to_string(jobs.first) + " to " + std::to_string(jobs.last) + ": there are " +
           std::to_string(shape.threads);
  });
  const std::int64_t count = jobs.last - jobs.first;
  if (count == 0) return;
  detail::note_parts(exec, p, body);
  const std::int64_t per_block = detail::positions_per_block(exec, shape, count);
  using view = some_jobs_view<I>;
  const I* const index = p.count > 0 ? p.at + jobs.first : nullptr;
  launch(exec, {block_count(count, per_block), shape.block},
         access_kernel<T, view, Body>{
             view{{shape.threads, shape.references, nullptr, index, false}, count, jobs.first}, a, nullptr,
             per_block, body});
}

/// The same for all jobs, without a plan. Runs the kernel of the layout `none`.
template <class Executor, class I, class T, class Body>
void for_each_job(const Executor& exec, const index_list<I>& p, const access_shape& shape, const T* a,
                  const Body& body) {
  detail::require_plain(p, shape, a);
  if (shape.threads == 0) return;
  detail::note_parts(exec, p, body);
  const std::int64_t per_block = detail::positions_per_block(exec, shape, shape.threads);
  using view = indexed_view<I>;
  launch(exec, {block_count(shape.threads, per_block), shape.block},
         access_kernel<T, view, Body>{view{shape.threads, shape.references, nullptr, p.at, false}, a, nullptr,
                                      per_block, body});
}

} // namespace evenly::layouts
