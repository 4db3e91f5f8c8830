// SPDX-License-Identifier: Apache-2.0
// Orders of threads or of elements. An order is a function object
//   order(exec, P, shape) -> buffer<I>, whose [i] is the number of the thread or element at position i
// with a member `of`: the things that it orders. If thread i belongs to element i, as in lists of neighbouring atoms,
// an order of elements is also one of threads: order_of::both permits that use.
//
// The executor makes all orders, by kernels and a stable sort. They are the same on every run.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/layouts/detail/for_each_index.hpp"
#include "evenly/layouts/detail/reading.hpp"
#include "evenly/layouts/detail/renumbered.hpp"
#include "evenly/layouts/references.hpp"
#include "evenly/primitives/detail/radix_sort.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly::layouts {

enum class order_of { threads, elements, both };

} // namespace evenly::layouts

namespace evenly::detail {

/// The numbers [0, count) as indices.
template <class I, class Executor> buffer<I> counted_up(const Executor& exec, std::int64_t count) {
  auto numbers = make_buffer<I>(exec, static_cast<std::size_t>(count));
  tabulate(exec, count, same_number{}, numbers.data());
  return numbers;
}

/// `first` sorted by ascending keys, where keys[i] belongs to first[i]. The sort is stable, so that several keys can
/// sort from the least to the most significant. Without `first`: the numbers [0, count). `bits`: keys are below 2^bits.
template <class I, class Key> struct sorted_numbers {
  buffer<Key> keys;
  buffer<I> order;
};
template <class I, class Executor, class Key>
sorted_numbers<I, Key> sorted_by(const Executor& exec, std::span<const Key> keys, const buffer<I>& first,
                                 int bits = 8 * sizeof(Key)) {
  const auto count = static_cast<std::int64_t>(keys.size());
  sorted_numbers<I, Key> made{make_buffer<Key>(exec, keys.size()), make_buffer<I>(exec, keys.size())};
  workspace memory;
  sort_numbers(exec, keys.data(), first.data(), count, made.keys.data(), made.order.data(), memory, bits);
  return made;
}
template <class I, class Executor, class Key>
buffer<I> ordered_by(const Executor& exec, const buffer<Key>& keys, const buffer<I>& first,
                     int bits = 8 * sizeof(Key)) {
  return sorted_by(exec, std::span<const Key>(keys.data(), keys.size()), first, bits).order;
}
template <class I, class Executor, class Key>
buffer<I> ordered_by(const Executor& exec, const buffer<Key>& keys, int bits = 8 * sizeof(Key)) {
  return ordered_by<I>(exec, keys, counted_up<I>(exec, static_cast<std::int64_t>(keys.size())), bits);
}
/// The number of bits of numbers below `bound`.
inline int bits_below(std::int64_t bound) {
  return larger(
      static_cast<int>(std::bit_width(static_cast<std::uint64_t>(larger<std::int64_t>(bound - 1, 0)))), 1);
}

/// to[i] = from[at[i]].
template <class T, class I> struct picked {
  const T* from;
  const I* at;
  EVENLY_FN T operator()(std::int64_t i) const { return read_whole<false>(from + at[i]); }
};

/// Counts the references to each element, and finds the first one, by the number of its thread and then by that among
/// the thread's references; T * K if there is none. A launch processes a range of the threads, because earlier ranges
/// may already have found all elements. Count: an unsigned type for these numbers; short ones fit into a cache.
template <class I, class Count> struct note_references {
  const I* p;
  layouts::access_shape shape;
  std::int64_t first_thread;
  std::int64_t some_threads;
  Count* times; ///< may be null
  Count* first; ///< may be null
  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t i) const {
    const std::int64_t r = i / some_threads, t = first_thread + i - r * some_threads;
    const I element = load_streaming(p + r * shape.threads + t);
    const auto number = static_cast<Count>(t * shape.references + r);
    if (times != nullptr) atomic_ref(times[element]).fetch_add(Count{1}, order::relaxed{});
    if (first == nullptr) return;
    const auto min = atomic_ref(first[element]); // loaded first: few references are a new minimum
    if (min.load(order::relaxed{}) > number) min.fetch_min(number, order::relaxed{});
  }
};
template <class Count> struct is_unnoted {
  const Count* first;
  Count none;
  EVENLY_FN std::int64_t operator()(std::int64_t e) const { return first[e] == none; }
};
struct constant_number {
  std::int64_t value;
  EVENLY_FN std::int64_t operator()(std::int64_t) const { return value; }
};
template <class Count> struct noted_references {
  buffer<Count> times;
  buffer<Count> first;
};
template <class Count, class Executor, class I>
noted_references<Count> note(const Executor& exec, const layouts::index_list<I>& p,
                             const layouts::access_shape& shape, bool times) {
  const auto size = static_cast<std::size_t>(shape.elements);
  noted_references<Count> noted{make_buffer<Count>(exec, times ? size : 0), make_buffer<Count>(exec, size)};
  exec.fill_zero(noted.times.data(), noted.times.size() * sizeof(Count));
  tabulate(exec, shape.elements, constant_number{shape.total_references()}, noted.first.data());
  const auto note_those_of = [&](std::int64_t from, std::int64_t to, Count* first) {
    if (times || first != nullptr)
      for_each_index(exec, (to - from) * shape.references, 8,
                     note_references<I, Count>{p.at, shape, from, to - from,
                                               times ? noted.times.data() : nullptr, first});
  };
  constexpr std::int64_t many = 1 << 22; // in references
  const std::int64_t some = shape.total_references() < many ? shape.threads : shape.threads / 4;
  note_those_of(0, some, noted.first.data());
  if (some == shape.threads) return noted;
  const is_unnoted<Count> unnoted{noted.first.data(), static_cast<Count>(shape.total_references())};
  const bool all = reduce(exec, generated{unnoted}, shape.elements, plus<std::int64_t>{}) == 0;
  note_those_of(some, shape.threads, all ? nullptr : noted.first.data());
  return noted;
}
/// Calls make(Count{}) with a type that can count the references.
template <class Make> auto with_counts(const layouts::access_shape& shape, const Make& make) {
  return shape.total_references() < std::numeric_limits<std::uint32_t>::max() ? make(std::uint32_t{})
                                                                              : make(std::uint64_t{});
}

/// The smallest element that thread t refers to; threads without references come last.
template <class I> struct smallest_reference {
  const I* p;
  std::int64_t threads;
  std::int64_t references;
  EVENLY_FN std::int64_t operator()(std::int64_t t) const {
    I min = std::numeric_limits<I>::max();
    visit_under_way(
        0, references, 1, [&](std::int64_t r) { return load_streaming(p + r * threads + t); },
        [&](std::int64_t, I element) {
          min = smaller(min, element);
          return true;
        });
    return min;
  }
};

/// A key that sorts in descending order. all: at least the maximum.
template <class I, class Count> struct largest_first {
  const Count* times;
  const I* at;
  std::int64_t all;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    return all - static_cast<std::int64_t>(times[at[i]]);
  }
};

/// Throws invalid_argument unless there are as many threads as elements.
inline void require_graph(const char* caller, const layouts::access_shape& shape) {
  require(shape.threads == shape.elements, [&] {
    return std::string(caller) + " needs as many threads as elements, but there are " +
           std::to_string(shape.threads) + " threads and " + std::to_string(shape.elements) + " elements";
  });
}

/// An order of threads by `order`. Throws invalid_argument if it orders elements and threads do not belong to elements.
template <class Executor, class I, class Order>
buffer<I> order_threads(const Executor& exec, const layouts::index_list<I>& p,
                        const layouts::access_shape& shape, const Order& order) {
  static_assert(Order::of != layouts::order_of::elements,
                "sort_threads needs an order of threads, or of threads and elements");
  if (Order::of == layouts::order_of::both) require_graph(Order::name, shape);
  return order(exec, p, shape);
}

} // namespace evenly::detail

namespace evenly::layouts {

/// Threads in place.
struct identity_order {
  static constexpr const char* name = "as_they_are";
  static constexpr order_of of = order_of::threads;

  template <class Executor, class I>
  buffer<I> operator()(const Executor&, const index_list<I>&, const access_shape&) const {
    return {};
  }
};

/// Threads by the smallest element that they refer to.
struct by_smallest {
  static constexpr const char* name = "by_smallest";
  static constexpr order_of of = order_of::threads;

  template <class Executor, class I>
  buffer<I> operator()(const Executor& exec, const index_list<I>& p, const access_shape& shape) const {
    const auto min = make_buffer<I>(exec, static_cast<std::size_t>(shape.threads));
    tabulate(exec, shape.threads, detail::smallest_reference<I>{p.at, shape.threads, shape.references},
             min.data());
    return detail::ordered_by<I>(exec,
                                 min); // all bits: threads without references have the largest number
  }
  /// For threads with one reference each: the order, and P in that order.
  template <class Executor, class I>
  detail::sorted_numbers<I, I> with_references(const Executor& exec, const index_list<I>& p,
                                               const access_shape& shape) const {
    return detail::sorted_by(exec, std::span<const I>(p.at, static_cast<std::size_t>(p.count)),
                             detail::counted_up<I>(exec, p.count), detail::bits_below(shape.elements));
  }
};

/// Elements by the first reference to them; elements without references come last, in order.
struct first_access {
  static constexpr const char* name = "first_access";
  static constexpr order_of of = order_of::elements;

  template <class Executor, class I>
  buffer<I> operator()(const Executor& exec, const index_list<I>& p, const access_shape& shape) const {
    return detail::with_counts(shape, [&](auto count) {
      const auto noted = detail::note<decltype(count)>(exec, p, shape, false);
      return detail::ordered_by<I>(exec, noted.first, detail::bits_below(shape.total_references() + 1));
    });
  }
};

/// Elements by their number of references, descending; ties by the first reference.
struct hubs_first {
  static constexpr const char* name = "hubs_first";
  static constexpr order_of of = order_of::elements;

  template <class Executor, class I>
  buffer<I> operator()(const Executor& exec, const index_list<I>& p, const access_shape& shape) const {
    return detail::with_counts(shape, [&](auto count) {
      using number = decltype(count);
      const std::int64_t all = shape.total_references();
      const int bits = detail::bits_below(all + 1);
      const auto noted = detail::note<number>(exec, p, shape, true);
      const buffer<I> order = detail::ordered_by<I>(exec, noted.first, bits);
      const auto keys = make_buffer<number>(exec, static_cast<std::size_t>(shape.elements));
      tabulate(exec, shape.elements, detail::largest_first<I, number>{noted.times.data(), order.data(), all},
               keys.data());
      return detail::ordered_by<I>(exec, keys, order, bits);
    });
  }
};

} // namespace evenly::layouts
