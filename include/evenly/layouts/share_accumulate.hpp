// SPDX-License-Identifier: Apache-2.0
// share_accumulate: y[P[r * T + t]] = y[P[r * T + t]] op value(t, r) for an associative op, without atomic operations
// and with the same bits on every run.
//
// A block keeps its values in storage. The plan orders its references by element, so that one thread combines those of
// an element, in the order of r and t, and writes one update. So there is one update per element and block, however
// often the block refers to the element. reduce_by_key combines the updates of an element in the order of blocks, and
// each element is updated once. If storage cannot hold the values of all references of a block, the block processes its
// references in parts, with updates per element and part.
//
// Use it for kernels that store through P with several references to an element: copies of an element would diverge,
// and threads would overwrite each other's values.
//
// Cost: two sorts for the plan, one of T K keys of 64 bits. A run reads each value once, and writes and reads each
// update once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/layouts/none.hpp"
#include "evenly/layouts/orders.hpp"
#include "evenly/layouts/plan.hpp"
#include "evenly/primitives/detail/element_at.hpp"
#include "evenly/primitives/reduce_by_key.hpp"
#include "evenly/primitives/select.hpp"

namespace evenly::layouts {

/// Parts of blocks: part i has references [i % parts_of_block * step, ...) of the threads of block i / parts_of_block.
template <class I> struct accumulate_view {
  access_shape shape;
  std::int64_t parts_of_block;
  int step;                          ///< references per part
  const std::int64_t* part_starts;   ///< the first update of each part
  const std::int64_t* update_starts; ///< the first reference of each update, in `order`
  const std::int32_t* order;         ///< (r - first r of the part) * block + thread of the block
};

} // namespace evenly::layouts

namespace evenly::detail {

/// A part and an element as one number, for sorting.
template <class I> struct part_and_element {
  const I* p;
  layouts::access_shape shape;
  std::int64_t parts_of_block;
  int step;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    const std::int64_t r = i / shape.threads, t = i - r * shape.threads;
    return (t / shape.block * parts_of_block + r / step) * shape.elements + p[i];
  }
};
struct reference_in_part {
  layouts::access_shape shape;
  int step;
  EVENLY_FN std::int32_t operator()(std::int64_t i) const {
    const std::int64_t r = i / shape.threads, t = i - r * shape.threads;
    return static_cast<std::int32_t>(r % step * shape.block + t % shape.block);
  }
};
/// Whether key i differs from the previous one.
template <class Key> struct begins_run {
  const Key* keys;
  EVENLY_FN bool operator()(std::int64_t i) const { return i == 0 || keys[i] != keys[i - 1]; }
};
/// The first of `count` sorted updates that is in this part or a later one.
struct first_of_part {
  const std::int64_t* keys; ///< of the references
  const std::int64_t* updates;
  std::int64_t count;
  std::int64_t elements;
  EVENLY_FN std::int64_t operator()(std::int64_t part) const {
    std::int64_t low = 0, high = count;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (keys[updates[middle]] / elements < part)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};
template <class I> struct element_of_update {
  const std::int64_t* keys;
  const std::int64_t* updates;
  std::int64_t elements;
  EVENLY_FN I operator()(std::int64_t u) const { return static_cast<I>(keys[updates[u]] % elements); }
};

template <class I, class Op, class Value> struct accumulate_kernel {
  using T = typename Op::value_type;
  layouts::accumulate_view<I> view;
  Op op;
  Value value;
  T* updates;

  EVENLY_FN slot<T> lay_out(storage_layout& layout, block_shape) const {
    return layout.take<T>(view.step * view.shape.block);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto staged = block.storage(lay_out(layout, block.shape()));
    const std::int64_t of_block = block.index() / view.parts_of_block;
    const std::int64_t first = of_block * view.shape.block;
    const int threads = static_cast<int>(smaller<std::int64_t>(view.shape.block, view.shape.threads - first));
    const std::int64_t r0 = block.index() % view.parts_of_block * view.step;
    const int width = static_cast<int>(smaller<std::int64_t>(view.step, view.shape.references - r0));
    for (int t = block.rank(); t < threads; t += block.size())
      for (int r = 0; r < width; ++r) {
        const T increment = value(block, first + t, r0 + r);
        staged[r * view.shape.block + t] = increment;
      }
    block.sync();
    const auto starts = traced(block, view.update_starts);
    const auto order = traced(block, view.order);
    const auto out = traced(block, updates);
    const auto parts = traced(block, view.part_starts);
    const std::int64_t begin = parts[block.index()], end = parts[block.index() + 1];
    for (std::int64_t u = begin + block.rank(); u < end; u += block.size()) {
      const std::int64_t from = starts[u], to = starts[u + 1];
      const std::int32_t head = order[from];
      T sum = staged[head];
      for (std::int64_t i = from + 1; i < to; ++i) {
        const std::int32_t next = order[i];
        const T more = staged[next];
        sum = op(sum, more);
      }
      out[u] = sum;
    }
  }
};

/// An output that ignores the keys.
struct no_keys {
  struct element {
    template <class Value> EVENLY_FN void operator=(const Value&) const {}
  };
  EVENLY_FN element operator[](std::int64_t) const { return {}; }
};
/// An output with the effect y[elements[i]] = y[elements[i]] op value for out[i] = value.
template <class I, class Op> struct updated_elements {
  using T = typename Op::value_type;
  struct element {
    T* at;
    Op op;
    EVENLY_FN void operator=(const T& value) const { *at = op(*at, value); }
  };
  const I* elements;
  T* y;
  Op op;
  EVENLY_FN element operator[](std::int64_t i) const { return {y + elements[i], op}; }
};

} // namespace evenly::detail

namespace evenly::layouts {

struct share_accumulate {
  static constexpr const char* name = "share_accumulate";

  std::size_t max_storage = 64 * 1024; ///< bytes per block

  template <class I> struct prepared_arrays {
    static constexpr bool takes_blocks = true;
    access_shape shape;
    std::int64_t parts_of_block = 1;
    int step = 1;
    std::int64_t updates = 0;  ///< of all blocks
    std::int64_t distinct = 0; ///< number of elements with references
    buffer<std::int64_t> part_starts;
    buffer<std::int64_t> update_starts;
    buffer<std::int32_t> order;
    buffer<I> by_element;      ///< updates in the order of their elements; [i] is an update
    buffer<I> sorted_elements; ///< the elements of these
    buffer<I> elements;        ///< each element with references, once
    buffer<std::int64_t> runs; ///< counts for reduce_by_key

    accumulate_view<I> view() const {
      return {shape, parts_of_block, step, part_starts.data(), update_starts.data(), order.data()};
    }
    std::int64_t slots() const { return 0; }
    no_source source() const { return {}; }
    std::size_t bytes() const {
      return (part_starts.size() + update_starts.size()) * sizeof(std::int64_t) +
             order.size() * sizeof(std::int32_t) +
             (by_element.size() + sorted_elements.size() + elements.size()) * sizeof(I);
    }
  };

  template <class Executor, class I>
  prepared_arrays<I> prepare(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                             const access_objective&) const {
    prepared_arrays<I> made;
    made.shape = shape;
    const std::int64_t fit = static_cast<std::int64_t>(max_storage) / shape.element_bytes / shape.block;
    require(fit >= 1, [&] {
      return "a block of " + std::to_string(shape.block) + " threads with increments of " +
             std::to_string(shape.element_bytes) + " bytes needs more than " + std::to_string(max_storage) +
             " bytes of storage: use smaller blocks";
    });
    made.step = static_cast<int>(smaller(fit, larger<std::int64_t>(shape.references, 1)));
    made.parts_of_block = larger<std::int64_t>(ceil_div<std::int64_t>(shape.references, made.step), 1);
    const std::int64_t parts = ceil_div<std::int64_t>(shape.threads, shape.block) * made.parts_of_block;
    require(parts + 1 <= std::numeric_limits<std::int64_t>::max() / larger<std::int64_t>(shape.elements, 1),
            [&] {
              return std::to_string(parts) + " parts of blocks and " + std::to_string(shape.elements) +
                     " elements overflow 64-bit numbers";
            });
    made.runs = make_buffer<std::int64_t>(exec, 1);
    sort_references(exec, p, parts, made);
    return made;
  }

 private:
  template <class Executor, class I>
  void sort_references(const Executor& exec, const index_list<I>& p, std::int64_t parts,
                       prepared_arrays<I>& made) const {
    const auto count = static_cast<std::size_t>(p.count);
    const auto keys = make_buffer<std::int64_t>(exec, count), sorted = make_buffer<std::int64_t>(exec, count);
    const auto in_part = make_buffer<std::int32_t>(exec, count);
    tabulate(exec, p.count, detail::part_and_element<I>{p.at, made.shape, made.parts_of_block, made.step},
             keys.data());
    tabulate(exec, p.count, detail::reference_in_part{made.shape, made.step}, in_part.data());
    made.order = make_buffer<std::int32_t>(exec, count);
    workspace memory;
    const std::int64_t elements = larger<std::int64_t>(made.shape.elements, 1);
    detail::sort_numbers(exec, keys.data(), in_part.data(), p.count, sorted.data(), made.order.data(), memory,
                         detail::bits_below(parts * elements));

    auto starts = make_buffer<std::int64_t>(exec, count + 1);
    made.updates =
        select(exec, counting{}, p.count, detail::begins_run<std::int64_t>{sorted.data()}, starts.data());
    require(made.updates <= std::numeric_limits<I>::max(), [&] {
      return std::to_string(made.updates) + " updates: numbers of " + std::to_string(8 * sizeof(I)) +
             " bits, the index type of P, cannot number them";
    });
    exec.copy_from_host(starts.data() + made.updates, &p.count, sizeof(p.count));
    const auto updates = static_cast<std::size_t>(made.updates);
    made.update_starts = make_buffer<std::int64_t>(exec, updates + 1);
    tabulate(exec, made.updates + 1, detail::element_at<std::int64_t>{starts.data()},
             made.update_starts.data());
    made.part_starts = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(parts + 1));
    tabulate(exec, parts + 1,
             detail::first_of_part{sorted.data(), made.update_starts.data(), made.updates, elements},
             made.part_starts.data());

    const auto of_updates = make_buffer<I>(exec, updates);
    tabulate(exec, made.updates,
             detail::element_of_update<I>{sorted.data(), made.update_starts.data(), elements},
             of_updates.data());
    const auto numbers = detail::counted_up<I>(exec, made.updates);
    made.sorted_elements = make_buffer<I>(exec, updates);
    made.by_element = make_buffer<I>(exec, updates);
    detail::sort_numbers(exec, of_updates.data(), numbers.data(), made.updates, made.sorted_elements.data(),
                         made.by_element.data(), memory, detail::bits_below(elements));
    made.elements = make_buffer<I>(exec, updates);
    const auto runs = make_buffer<std::int64_t>(exec, updates);
    made.distinct = select(exec, counting{}, made.updates, detail::begins_run<I>{made.sorted_elements.data()},
                           runs.data());
    tabulate(exec, made.distinct, detail::picked<I, std::int64_t>{made.sorted_elements.data(), runs.data()},
             made.elements.data());
  }
};

/// y[P[r * T + t]] = y[P[r * T + t]] op value(block, t, r) for all t and r. Values of an element are combined in the
/// order of blocks; within a block (or a part of its references) in the order of r and t.
///
/// - value: a trivially copyable function object that runs on `exec`. It is called once per reference and must not
///   synchronise.
/// - y: elements on `exec`. updates: room for plan.arrays().updates.
/// - Cost: one call of `value` per reference, and a sum per block and distinct element, which a second pass combines.
/// - Synchronisation: asynchronous on cuda, one call at a time.
/// - Throws invalid_argument if the plan is not for P, its epoch, the executor or the size of T.
template <class Executor, class I, monoid Op, class Value>
void accumulate(const Executor& exec, const access_plan<Executor, share_accumulate, I>& plan,
                const index_list<I>& p, const Value& value, const Op& op, typename Op::value_type* y,
                typename Op::value_type* updates, workspace& memory) {
  using T = typename Op::value_type;
  plan.require_for(exec, p);
  plan.template require_type<T>();
  const auto& made = plan.arrays();
  if (made.updates == 0) return;
  detail::require_memory("y", y, made.shape.elements);
  detail::require_memory("updates", updates, made.updates);
  const std::int64_t parts = static_cast<std::int64_t>(made.part_starts.size()) - 1;
  launch(exec, {block_count(parts, 1), made.shape.block},
         detail::accumulate_kernel<I, Op, Value>{plan.view(), op, value, updates});
  reduce_by_key(exec, made.sorted_elements.data(),
                generated{detail::picked<T, I>{updates, made.by_element.data()}}, made.updates, op,
                detail::no_keys{}, detail::updated_elements<I, Op>{made.elements.data(), y, op},
                made.runs.data(), memory);
}

} // namespace evenly::layouts
