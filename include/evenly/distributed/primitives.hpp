// SPDX-License-Identifier: Apache-2.0
// Arrays on ranks: sums of segments, prefix sums and sorts.
//
//   auto segments = world.distribute(evenly::csr_tiles(offsets));          // offsets: the whole array
//   auto values = world.distribute(all_values, segments.atoms());
//   auto sums = segmented_reduce(segments, values, evenly::plus{});        // distributed as segments.tiles()
//
// Results have the same bits for every number of ranks and of threads per rank.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/distributed/array.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/distributed/reduce_tiles.hpp"
#include "evenly/distributed/split.hpp"
#include "evenly/distributed/world.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/work/csr.hpp"

namespace evenly::distributed {

// ---------------------------------------------------------------------------------------------------------------------
// Segments.

/// Segments of an array on the ranks of a world, some of them on several ranks. Move-only.
template <class Offset, executor Executor> class segments {
 public:
  /// - `all`: all segments, on the host of every process.
  /// - Errors: different_inputs.
  segments(const world<Executor>& ranks, const csr_tile_set<Offset>& all, const split_options& how = {})
      : world_(ranks), plan_(split(all, ranks.size(), how)), tiles_(stored_tiles(plan_)),
        atoms_(owned_atoms(plan_)), parts_(static_cast<std::size_t>(ranks.count())) {
    ranks.run([&](communicator& here) {
      if (ranks.count() < ranks.size()) {
        const std::size_t bytes =
            all.tiles() == 0 ? 0 : (static_cast<std::size_t>(all.tiles()) + 1) * sizeof(Offset);
        detail::require_same_inputs(here, "segments",
                                    {plan_.tiles, 1, plan_.atoms, detail::hash_of(all.offsets(), bytes, 1)});
      }
      parts_[ranks.place(here)] =
          local_tiles<Executor, Offset>(ranks.executor(here), plan_, here.rank(), all);
    });
  }

  const world<Executor>& ranks() const { return world_; }
  const split_plan& plan() const { return plan_; }
  /// The ranges of results, one per segment, and of values. Element 0 of the values is that of the first offset.
  const ranges& tiles() const { return tiles_; }
  const ranges& atoms() const { return atoms_; }
  local_tiles<Executor, Offset>& part(const communicator& here) { return parts_[world_.place(here)]; }

 private:
  world<Executor> world_;
  split_plan plan_;
  ranges tiles_, atoms_;
  std::vector<local_tiles<Executor, Offset>> parts_;
};

template <executor Executor, class Offset>
segments<Offset, Executor> distribute_over(const world<Executor>& ranks, const csr_tile_set<Offset>& all,
                                           const split_options& how = {}) {
  return {ranks, all, how};
}

namespace detail {

template <class T, class Executor> struct value_of_atom {
  pointer_on<Executor, const T> values;
  EVENLY_FN T operator()(std::int64_t k) const { return values[k]; }
};
template <class T, class Executor> struct stores_value {
  pointer_on<Executor, T> out;
  EVENLY_FN void operator()(int tile, const T& value) const { out[tile] = value; }
};

} // namespace detail

/// Returns the values of each segment combined by `op`; the identity for an empty one. Collective.
///
/// - `values`: distributed as of.atoms(). The result is distributed as of.tiles().
/// - Cost: O(values) and a message of a value per group to the next rank.
/// - Errors: invalid_argument if the values are distributed otherwise.
template <class T, class Offset, executor Executor, monoid_argument Op>
array<T, Executor> segmented_reduce(segments<Offset, Executor>& of, const array<T, Executor>& values,
                                    const Op& op) {
  require(values.where() == of.atoms(), [&] {
    return evenly::detail::concat("the array has ", values.size(),
                                  " values, but not in the ranges of the segments' ", of.atoms().total(),
                                  " values: distribute it with atoms()");
  });
  array<T, Executor> sums(of.ranks(), of.tiles());
  of.ranks().run([&](communicator& here) {
    reduce_tiles(here, of.ranks().executor(here), of.part(here),
                 detail::value_of_atom<T, Executor>{values.part(here).data()}, op,
                 detail::stores_value<T, Executor>{sums.part(here).data()});
  });
  return sums;
}

// ---------------------------------------------------------------------------------------------------------------------
// Prefix sums. Elements are combined in blocks of 4,096, from the left. What is before a block is the combination of
// the largest nodes of the tree of array.hpp, from the left.

namespace detail {

/// Scans block b of the rank's elements, beginning with before[b] unless it is the first of the array.
template <class T, monoid Op> struct scan_leaves_kernel {
  const T* values;
  T* out;
  const T* before;
  std::int64_t count;
  bool has_before; ///< the rank's first block has elements before it
  bool inclusive;
  Op op;
  static constexpr bool is_copyable = is_device_copyable<Op>;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if (block.rank() != 0) return;
    const std::int64_t begin = block.index() * leaf_size, end = smaller(begin + leaf_size, count);
    bool any = has_before || block.index() > 0;
    T sum = any ? before[block.index()] : op.identity();
    for (std::int64_t i = begin; i < end; ++i) {
      const T value = values[i];
      if (!inclusive) out[i] = sum;
      sum = any ? op(sum, value) : value;
      any = true;
      if (inclusive) out[i] = sum;
    }
  }
};

template <class T> T combine_left(const std::vector<tree_node<T>>& stack, const auto& op) {
  T sum = stack.front().value;
  for (std::size_t i = 1; i < stack.size(); ++i) sum = op(sum, stack[i].value);
  return sum;
}

template <class T, executor Executor, monoid Op>
void scan_part(communicator& here, const Executor& exec, const ranges& where, std::span<const T> values,
               std::span<T> out, bool inclusive, const Op& op) {
  using node = tree_node<T>;
  const std::int64_t begin = where.begin(here.rank()), count = where.size(here.rank());
  std::vector<node> mine = tree_nodes<T>(begin, begin + count, leaf_size);
  const auto nodes = make_buffer<node>(exec, mine.size()), done = make_buffer<node>(exec, mine.size());
  exec.copy_from_host(nodes.data(), mine.data(), mine.size() * sizeof(node));
  tabulate(exec, static_cast<std::int64_t>(mine.size()),
           combine_leaf<T, Op, element_of<T>>{nodes.data(), begin, op, {values.data()}}, done.data());
  exec.copy_to_host(mine.data(), done.data(), mine.size() * sizeof(node));

  const std::vector<node> joined = join_siblings(mine, op);
  std::vector<node> all = here.all_gather_lists("nodes of a scan", std::span<const node>(joined));
  std::erase_if(all, [&](const node& each) { return each.begin >= begin; });
  std::vector<node> stack = join_siblings(all, op);
  const bool has_before = !stack.empty();
  std::vector<T> before;
  for (const node& each : mine) {
    if (each.begin % leaf_size == 0)
      before.push_back(stack.empty() ? op.identity() : combine_left(stack, op));
    stack.push_back(each);
    stack = join_siblings(stack, op);
  }
  if (count == 0) return;
  const auto starts = make_buffer<T>(exec, before.size());
  exec.copy_from_host(starts.data(), before.data(), before.size() * sizeof(T));
  launch(
      exec, {block_count(count, leaf_size), 32},
      scan_leaves_kernel<T, Op>{values.data(), out.data(), starts.data(), count, has_before, inclusive, op});
}

template <class T, executor Executor, monoid_argument Given>
array<T, Executor> scan(const array<T, Executor>& values, bool inclusive, const Given& given) {
  const auto& op = evenly::detail::monoid_for<T>(given);
  const ranges& where = values.where();
  for (int r = 1; r < where.ranks(); ++r)
    require(where.begin(r) % leaf_size == 0 || where.begin(r) == where.total(), [&] {
      return evenly::detail::concat("rank ", r, " begins at element ", where.begin(r),
                                    ": ranges for a scan begin at "
                                    "multiples of 4096, as those of ranges::equal(size, ranks, 4096) do");
    });
  array<T, Executor> out(values.ranks(), where);
  values.ranks().run([&](communicator& here) {
    scan_part<T>(here, values.ranks().executor(here), where, values.part(here), out.part(here), inclusive,
                 op);
  });
  return out;
}

} // namespace detail

/// Return the prefix sums of an array: element i is the combination of the elements up to i, or before i. Collective.
///
/// - `values`: in ranges that begin at multiples of 4,096: ranges::equal(size, ranks, 4096).
/// - Cost: two passes, and a message of at most 2 log2(elements) values between each two ranks.
/// - Errors: invalid_argument for other ranges.
template <class T, executor Executor, monoid_argument Op>
array<T, Executor> inclusive_scan(const array<T, Executor>& values, const Op& op) {
  return detail::scan(values, true, op);
}
template <class T, executor Executor, monoid_argument Op>
array<T, Executor> exclusive_scan(const array<T, Executor>& values, const Op& op) {
  return detail::scan(values, false, op);
}

// ---------------------------------------------------------------------------------------------------------------------
// Sort.

namespace detail {

/// An element of a rank's sorted keys. Equal keys are told apart by their places, so any input can be cut evenly.
template <class Key> struct key_sample {
  Key key;
  int rank;
  std::int64_t place;
  auto operator<=>(const key_sample&) const = default;
};

} // namespace detail

/// Sorts the integers of an array, in its ranges. Collective.
///
/// - Cost: O((keys / ranks) log keys) on the host of each rank. Each key is sent at most twice; a rank holds at most
///   about twice its share. Samples take ranks^2 elements.
/// - Source: sample sort by regular sampling (Shi & Schaeffer 1992).
template <std::integral Key, executor Executor> void sort(array<Key, Executor>& keys) {
  keys.ranks().run([&](communicator& here) {
    using sample = detail::key_sample<Key>;
    const Executor& exec = keys.ranks().executor(here);
    const std::span<Key> part = keys.part(here);
    const auto size = static_cast<std::size_t>(here.size());
    std::vector<Key> mine(part.size());
    exec.copy_to_host(mine.data(), part.data(), part.size_bytes());
    std::sort(mine.begin(), mine.end());

    std::vector<sample> samples;
    for (std::size_t i = 0; i < size && !mine.empty(); ++i) {
      const std::size_t place = i * mine.size() / size;
      samples.push_back({mine[place], here.rank(), static_cast<std::int64_t>(place)});
    }
    std::vector<sample> all = here.all_gather_lists("samples of keys", std::span<const sample>(samples));
    std::sort(all.begin(), all.end());
    std::vector<std::int64_t> cuts{0};
    for (std::size_t r = 1; r < size; ++r) {
      if (all.empty()) {
        cuts.push_back(0);
        continue;
      }
      const sample& cut = all[r * all.size() / size];
      const auto at = cut.rank == here.rank()  ? mine.begin() + cut.place
                      : here.rank() < cut.rank ? std::upper_bound(mine.begin(), mine.end(), cut.key)
                                               : std::lower_bound(mine.begin(), mine.end(), cut.key);
      cuts.push_back(at - mine.begin());
    }
    cuts.push_back(static_cast<std::int64_t>(mine.size()));
    mine = here.exchange_ranges("keys between samples", std::span<const Key>(mine), cuts);
    std::sort(mine.begin(), mine.end());

    // Back to the ranges of the array.
    std::int64_t first = 0;
    const auto counts = here.all_gather("sorted keys", static_cast<std::int64_t>(mine.size()));
    for (int r = 0; r < here.rank(); ++r) first += counts[static_cast<std::size_t>(r)];
    std::vector<std::int64_t> places;
    for (int r = 0; r <= here.size(); ++r) {
      const std::int64_t cut = r == here.size() ? keys.size() : keys.where().begin(r);
      places.push_back(std::clamp<std::int64_t>(cut - first, 0, static_cast<std::int64_t>(mine.size())));
    }
    mine = here.exchange_ranges("sorted keys", std::span<const Key>(mine), places);
    exec.copy_from_host(part.data(), mine.data(), part.size_bytes());
  });
}

} // namespace evenly::distributed
