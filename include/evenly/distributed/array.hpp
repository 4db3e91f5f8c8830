// SPDX-License-Identifier: Apache-2.0
// array: an array whose ranges lie on the ranks of a world, and reductions of it.
//
// Reductions combine elements along one binary tree over their positions: node k of level l has the elements
// [k 2^l, (k + 1) 2^l). A rank combines the largest nodes that lie in its range, at most two of each level. Every rank
// gets these nodes of all ranks and combines the rest. So the bits depend on the elements only, not on the ranges, the
// number of ranks or that of threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/distributed/split.hpp"
#include "evenly/distributed/world.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly::distributed {

/// Elements of T on the ranks of a world: rank r has those of where().begin(r) to where().end(r). Move-only.
template <class T, executor Executor> class array {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  using value_type = T;

  array() = default;
  /// Zero bytes. Throws invalid_argument if the ranges are for another number of ranks.
  array(const world<Executor>& ranks, ranges where)
      : world_(std::make_shared<world<Executor>>(ranks)), where_(std::move(where)),
        parts_(static_cast<std::size_t>(ranks.count())) {
    require(where_.ranks() == ranks.size(), [&] {
      return evenly::detail::concat("ranges for ", where_.ranks(), " ranks are given to a world of ",
                                    ranks.size());
    });
    ranks.run([&](communicator& here) {
      auto& part = parts_[ranks.place(here)];
      const Executor& exec = ranks.executor(here);
      part = make_buffer<T>(exec, static_cast<std::size_t>(where_.size(here.rank())));
      exec.fill_zero(part.data(), part.size() * sizeof(T));
    });
  }

  std::int64_t size() const { return where_.total(); }
  const ranges& where() const { return where_; }
  const world<Executor>& ranks() const { return *world_; }
  /// The elements of a rank of this process, in the memory of its executor.
  std::span<T> part(const communicator& here) const { return parts_[world_->place(here)].span(); }

  /// Returns all elements, on every process. Collective; synchronises.
  std::vector<T> gather() const {
    std::vector<T> all;
    world_->run([&](communicator& here) {
      std::vector<T> found = gather(here);
      if (here.rank() == world_->first()) all = std::move(found);
    });
    return all;
  }
  /// The same inside a run: all ranks call it.
  std::vector<T> gather(communicator& here) const {
    const std::span<T> mine = part(here);
    std::vector<T> copy(mine.size());
    world_->executor(here).copy_to_host(copy.data(), mine.data(), mine.size_bytes());
    return here.all_gather_lists("elements of an array", std::span<const T>(copy));
  }

 private:
  std::shared_ptr<const world<Executor>> world_;
  ranges where_;
  std::vector<buffer<T>> parts_;
};

namespace detail {

/// A hash of an array: ranks compare what they were given.
inline std::uint64_t hash_of(const void* data, std::size_t bytes, std::uint64_t hash) {
  const auto* at = static_cast<const unsigned char*>(data);
  for (; bytes >= 8; bytes -= 8, at += 8) {
    std::uint64_t word = 0;
    for (int i = 0; i < 8; ++i) word |= std::uint64_t{at[i]} << (8 * i);
    hash = std::rotl((hash ^ word) * 0x9e3779b97f4a7c15U, 29);
  }
  for (; bytes > 0; --bytes, ++at) hash = std::rotl((hash ^ *at) * 0x9e3779b97f4a7c15U, 29);
  return hash ^ hash >> 32;
}

/// What a process was given: sizes, and a hash of the contents.
struct input_description {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
  std::uint64_t hash = 0;
};

/// Throws different_inputs on every rank if two ranks were given different things. `what`: "a matrix", say.
inline void require_same_inputs(communicator& here, const char* what, const input_description& mine) {
  const std::vector<input_description> all = here.all_gather("the sizes of the input", mine);
  const auto size_of = [&](const input_description& of) {
    return of.rows < 0 ? evenly::detail::concat(of.entries, " elements")
                       : evenly::detail::concat(of.rows, " x ", of.columns, " with ", of.entries, " entries");
  };
  const input_description& first = all.front();
  for (std::size_t r = 1; r < all.size(); ++r) {
    const input_description& other = all[r];
    if (other.rows != first.rows || other.columns != first.columns || other.entries != first.entries)
      throw different_inputs(evenly::detail::concat("rank 0 has ", what, " of ", size_of(first),
                                                    ", but rank ", r, " has one of ", size_of(other),
                                                    ": every rank must be given the same"));
    if (other.hash != first.hash)
      throw different_inputs(
          evenly::detail::concat("ranks 0 and ", r, " have ", what, " of ", size_of(first),
                                 " each, but with different contents: every rank must be given "
                                 "the same"));
  }
}

} // namespace detail

/// Distributes an array that every process has whole. By default ranks get equally many elements.
///
/// - Errors: invalid_argument if `where` is for another number of elements or ranks; different_inputs.
template <executor Executor, class T>
array<T, Executor> distribute_over(const world<Executor>& ranks, std::span<const T> whole,
                                   const ranges& where) {
  const auto size = static_cast<std::int64_t>(whole.size());
  require(where.total() == size, [&] {
    return evenly::detail::concat("ranges of ", where.total(), " elements are given for an array of ", size);
  });
  array<T, Executor> made(ranks, where);
  ranks.run([&](communicator& here) {
    if (ranks.count() < ranks.size())
      detail::require_same_inputs(here, "an array",
                                  {-1, -1, size, detail::hash_of(whole.data(), whole.size_bytes(), 1)});
    const std::span<T> part = made.part(here);
    ranks.executor(here).copy_from_host(part.data(), whole.data() + where.begin(here.rank()),
                                        part.size_bytes());
  });
  return made;
}
template <executor Executor, class T>
array<T, Executor> distribute_over(const world<Executor>& ranks, const std::vector<T>& whole,
                                   const ranges& where) {
  return distribute_over(ranks, std::span<const T>(whole), where);
}
template <executor Executor, class T>
array<T, Executor> distribute_over(const world<Executor>& ranks, const std::vector<T>& whole) {
  return distribute_over(ranks, whole, ranges::equal(static_cast<std::int64_t>(whole.size()), ranks.size()));
}

// --- details ---------------------------------------------------------------------------------------------------------
// The tree of a reduction.

namespace detail {

/// A node of the tree: elements [begin, begin + size), size a power of two that divides begin.
template <class T> struct tree_node {
  std::int64_t begin;
  std::int64_t size;
  T value;
};

/// The largest nodes that one thread combines, in elements.
inline constexpr std::int64_t leaf_size = 4096;

/// Returns the nodes of [begin, end) with at most `max` elements each, in order. Cost: O((end - begin) / max + log
/// max).
template <class T>
std::vector<tree_node<T>> tree_nodes(std::int64_t begin, std::int64_t end, std::int64_t max) {
  std::vector<tree_node<T>> nodes;
  while (begin < end) {
    std::int64_t size = begin == 0 ? max : smaller(begin & -begin, max);
    while (size > end - begin) size /= 2;
    nodes.push_back({begin, size, T{}});
    begin += size;
  }
  return nodes;
}

/// Combines one node: elements are get(i).
template <class T, class Op, class Get> struct combine_leaf {
  const tree_node<T>* nodes;
  std::int64_t first; ///< the position of the rank's first element
  Op op;
  Get get;
  static constexpr bool is_copyable = is_device_copyable<Op, Get>;

  EVENLY_FN tree_node<T> operator()(std::int64_t n) const {
    tree_node<T> node = nodes[n];
    const std::int64_t begin = node.begin - first;
    T stack[13];
    int depth = 0;
    const auto push = [&](std::int64_t number, T value) { // the number of the value among those of its level
      for (; number & 1; number >>= 1) value = op(stack[--depth], value);
      stack[depth++] = value;
    };
    if (node.size >= 8) {
      for (std::int64_t i = 0; i < node.size; i += 8) {
        const std::int64_t k = begin + i;
        push(i / 8, op(op(op(get(k), get(k + 1)), op(get(k + 2), get(k + 3))),
                       op(op(get(k + 4), get(k + 5)), op(get(k + 6), get(k + 7)))));
      }
    } else {
      for (std::int64_t i = 0; i < node.size; ++i) push(i, get(begin + i));
    }
    node.value = stack[0];
    return node;
  }
};

/// Combines nodes that are siblings; `nodes` are in order and without gaps.
template <class T, class Op>
std::vector<tree_node<T>> join_siblings(const std::vector<tree_node<T>>& nodes, const Op& op) {
  std::vector<tree_node<T>> stack;
  for (tree_node<T> each : nodes) {
    while (!stack.empty() && stack.back().size == each.size && stack.back().begin % (2 * each.size) == 0) {
      each = {stack.back().begin, 2 * each.size, op(stack.back().value, each.value)};
      stack.pop_back();
    }
    stack.push_back(each);
  }
  return stack;
}

} // namespace detail

/// Returns the elements get(i) of all ranks combined by `op`; see the head of this file. All ranks call it and get the
/// same value.
///
/// - `where`: rank r has the elements where.begin(r) to where.end(r).
/// - `get`: get(i) returns element i of the rank's own, from 0. It runs on `exec`.
/// - Synchronises. Moves at most 2 log2(elements) values from each rank to each other.
/// - Cost: O(elements of the rank) + O(ranks log elements).
template <executor Executor, class Op, class Get>
typename Op::value_type reduce(communicator& here, const Executor& exec, const ranges& where, const Op& op,
                               const Get& get) {
  using T = typename Op::value_type;
  using node = detail::tree_node<T>;
  const std::int64_t begin = where.begin(here.rank()), end = where.end(here.rank());
  std::vector<node> mine = detail::tree_nodes<T>(begin, end, detail::leaf_size);
  if (!mine.empty()) {
    const auto nodes = make_buffer<node>(exec, mine.size());
    const auto done = make_buffer<node>(exec, mine.size());
    exec.copy_from_host(nodes.data(), mine.data(), mine.size() * sizeof(node));
    tabulate(exec, static_cast<std::int64_t>(mine.size()),
             detail::combine_leaf<T, Op, Get>{nodes.data(), begin, op, get}, done.data());
    exec.copy_to_host(mine.data(), done.data(), mine.size() * sizeof(node));
    mine = detail::join_siblings(mine, op);
  }
  if (here.size() > 1) {
    const std::vector<node> all = here.all_gather_lists("nodes of a sum", std::span<const node>(mine));
    mine = detail::join_siblings(all, op);
  }
  if (mine.empty()) return op.identity();
  T value = mine.back().value;
  for (std::size_t i = mine.size() - 1; i-- > 0;) value = op(mine[i].value, value);
  return value;
}

namespace detail {

template <class T> struct element_of {
  const T* values;
  EVENLY_FN T operator()(std::int64_t i) const { return values[i]; }
};
template <class T> struct product_of_elements {
  const T* a;
  const T* b;
  EVENLY_FN T operator()(std::int64_t i) const { return a[i] * b[i]; }
};

} // namespace detail

/// Returns the elements of an array combined by `op`. Collective; every process gets the value.
template <class T, executor Executor, monoid_argument Given>
auto reduce(const array<T, Executor>& values, const Given& given) {
  const auto& op = evenly::detail::monoid_for<T>(given);
  T result{};
  values.ranks().run([&](communicator& here) {
    const T found = reduce(here, values.ranks().executor(here), values.where(), op,
                           detail::element_of<T>{values.part(here).data()});
    if (here.rank() == values.ranks().first()) result = found;
  });
  return result;
}

} // namespace evenly::distributed
