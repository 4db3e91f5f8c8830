// SPDX-License-Identifier: Apache-2.0
// Orders: which thread, or which element, stands where. An order is a function object
//   order(exec, P, shape) -> buffer<I>, whose [place] is who stands there
// with `of`, what it orders. Where thread i is about element i, as an atom with its neighbours is, an order of elements
// is one of threads: order_of::both says that it may be taken so.
//
// All are made where the executor works, by own kernels and a stable sort, and are the same whenever they are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/sort.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/reorganize/references.hpp"

namespace evenly {

enum class order_of { threads, elements, both };

namespace detail {

/// [0, count), as indices.
struct same_number {
  EVENLY_FN std::int64_t operator()(std::int64_t i) const { return i; }
};
template <class I, class Executor> buffer<I> counted_up(const Executor& exec, std::int64_t count) {
  auto numbers = make_buffer<I>(exec, static_cast<std::size_t>(count));
  tabulate(exec, count, same_number{}, numbers.data());
  return numbers;
}

/// `first` in ascending order of keys, of which keys[i] is that of first[i]; equal keys stay in order, so that several
/// keys sort from the least to the most significant. Without it: the numbers [0, count).
template <class I, class Executor, class Key>
buffer<I> ordered_by(const Executor& exec, const buffer<Key>& keys, buffer<I> first) {
  const auto count = static_cast<std::int64_t>(keys.size());
  const auto sorted = make_buffer<Key>(exec, keys.size());
  auto order = make_buffer<I>(exec, keys.size());
  sort_by_key(exec, keys.data(), first.data(), count, sorted.data(), order.data());
  return order;
}
template <class I, class Executor, class Key>
buffer<I> ordered_by(const Executor& exec, const buffer<Key>& keys) {
  return ordered_by<I>(exec, keys, counted_up<I>(exec, static_cast<std::int64_t>(keys.size())));
}

/// inverse[order[i]] = i.
template <class I> struct invert_order {
  const I* order;
  I* inverse;
  std::int64_t count;
  std::int64_t per_block;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t first = block.index() * per_block, last = smaller(first + per_block, count);
    for (std::int64_t i = first + block.rank(); i < last; i += block.size())
      inverse[order[i]] = static_cast<I>(i);
  }
};
template <class Executor, class I> buffer<I> inverse_of(const Executor& exec, const buffer<I>& order) {
  constexpr int block_size = 256;
  const auto count = static_cast<std::int64_t>(order.size());
  auto inverse = make_buffer<I>(exec, order.size());
  const std::int64_t per_block = items_per_block(exec, count, 4 * block_size);
  launch(exec, {block_count(count, per_block), block_size},
         invert_order<I>{order.data(), inverse.data(), count, per_block});
  return inverse;
}

/// to[i] = from[at[i]].
template <class T, class I> struct picked {
  const T* from;
  const I* at;
  EVENLY_FN T operator()(std::int64_t i) const { return from[at[i]]; }
};

/// How often each element is referred to, and by which reference first, in the order of threads (of one thread, in
/// that of its references). The latter is T * K where there is none.
template <class I> struct note_references {
  const I* p;
  access_shape shape;
  std::uint64_t* times; ///< may be null
  std::int64_t* first;
  std::int64_t per_block;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t begin = block.index() * per_block, end = smaller(begin + per_block, shape.positions());
    for (std::int64_t i = begin + block.rank(); i < end; i += block.size()) {
      const I element = p[i];
      const std::int64_t place = i % shape.threads * shape.references + i / shape.threads;
      if (times != nullptr) atomic_ref(times[element]).fetch_add(1, order::relaxed{});
      atomic_ref(first[element]).fetch_min(place, order::relaxed{});
    }
  }
};
struct constant_number {
  std::int64_t value;
  EVENLY_FN std::int64_t operator()(std::int64_t) const { return value; }
};
struct noted_references {
  buffer<std::uint64_t> times;
  buffer<std::int64_t> first;
};
template <class Executor, class I>
noted_references note(const Executor& exec, const index_list<I>& p, const access_shape& shape, bool times) {
  constexpr int block_size = 256;
  const auto size = static_cast<std::size_t>(shape.elements);
  noted_references noted{make_buffer<std::uint64_t>(exec, times ? size : 0),
                         make_buffer<std::int64_t>(exec, size)};
  exec.fill_zero(noted.times.data(), noted.times.size() * sizeof(std::uint64_t));
  tabulate(exec, shape.elements, constant_number{shape.positions()}, noted.first.data());
  const std::int64_t per_block = items_per_block(exec, shape.positions(), 8 * block_size);
  launch(
      exec, {block_count(shape.positions(), per_block), block_size},
      note_references<I>{p.at, shape, times ? noted.times.data() : nullptr, noted.first.data(), per_block});
  return noted;
}

/// The least element that thread t refers to; all threads without references are last.
template <class I> struct smallest_reference {
  const I* p;
  std::int64_t threads;
  std::int64_t references;
  EVENLY_FN std::int64_t operator()(std::int64_t t) const {
    I least = std::numeric_limits<I>::max();
    for (std::int64_t r = 0; r < references; ++r) least = smaller(least, p[r * threads + t]);
    return least;
  }
};

/// Greatest first.
template <class I> struct most_first {
  const std::uint64_t* times;
  const I* at;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const { return -static_cast<std::int64_t>(times[at[i]]); }
};

/// Throws invalid_argument unless there are as many threads as elements.
inline void require_graph(const char* who, const access_shape& shape) {
  require(shape.threads == shape.elements, [&] {
    return std::string(who) + " takes thread i for element i, and there are " + said(shape.threads) +
           " threads and " + said(shape.elements) + " elements";
  });
}

/// An order of threads by `order`. Throws invalid_argument if it is one of elements, and threads are something else.
template <class Executor, class I, class Order>
buffer<I> order_threads(const Executor& exec, const index_list<I>& p, const access_shape& shape,
                        const Order& order) {
  static_assert(Order::of != order_of::elements, "threads take an order of threads, or of both");
  if (Order::of == order_of::both) require_graph(Order::name, shape);
  return order(exec, p, shape);
}

} // namespace detail

/// Threads as they are: no order.
struct as_they_are {
  static constexpr const char* name = "as_they_are";
  static constexpr order_of of = order_of::threads;

  template <class Executor, class I>
  buffer<I> operator()(const Executor&, const index_list<I>&, const access_shape&) const {
    return {};
  }
};

/// Threads by the least element that they refer to.
struct by_smallest {
  static constexpr const char* name = "by_smallest";
  static constexpr order_of of = order_of::threads;

  template <class Executor, class I>
  buffer<I> operator()(const Executor& exec, const index_list<I>& p, const access_shape& shape) const {
    const auto least = make_buffer<I>(exec, static_cast<std::size_t>(shape.threads));
    tabulate(exec, shape.threads, detail::smallest_reference<I>{p.at, shape.threads, shape.references},
             least.data());
    return detail::ordered_by<I>(exec, least);
  }
};

/// Elements by the first reference to them; those without any are last, in order.
struct first_access {
  static constexpr const char* name = "first_access";
  static constexpr order_of of = order_of::elements;

  template <class Executor, class I>
  buffer<I> operator()(const Executor& exec, const index_list<I>& p, const access_shape& shape) const {
    return detail::ordered_by<I>(exec, detail::note(exec, p, shape, false).first);
  }
};

/// Elements by how often they are referred to, most first; ties by the first reference.
struct hubs_first {
  static constexpr const char* name = "hubs_first";
  static constexpr order_of of = order_of::elements;

  template <class Executor, class I>
  buffer<I> operator()(const Executor& exec, const index_list<I>& p, const access_shape& shape) const {
    const detail::noted_references noted = detail::note(exec, p, shape, true);
    buffer<I> order = detail::ordered_by<I>(exec, noted.first);
    const auto keys = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(shape.elements));
    tabulate(exec, shape.elements, detail::most_first<I>{noted.times.data(), order.data()}, keys.data());
    return detail::ordered_by<I>(exec, keys, std::move(order));
  }
};

} // namespace evenly
