// SPDX-License-Identifier: Apache-2.0
// Index lists for threads in another order and for elements with other numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/reorganize/references.hpp"

namespace evenly::detail {

/// to[r * T + q] = numbers[P[r * T + jobs[q]]]. Neighbouring threads write neighbouring indices. `jobs`, `numbers`:
/// null for as they are.
template <class I> struct renumbered_reference {
  const I* p;
  std::int64_t threads;
  const I* jobs;
  const I* numbers;
  EVENLY_FN I operator()(std::int64_t i) const {
    I element;
    if (jobs == nullptr) {
      element = p[i];
    } else {
      const std::int64_t r = i / threads;
      element = p[r * threads + jobs[i - r * threads]];
    }
    return numbers == nullptr ? element : numbers[element];
  }
};

/// The same by two passes over tiles of threads, for which the list of a thread lies in one piece in between: what is
/// scattered is then K indices side by side, not one. `list[q * K + r]`.
template <class I> struct lists_of_threads {
  static constexpr int tile = 32; ///< threads
  static constexpr int part = 32; ///< references at a time

  const I* from;
  I* to;
  std::int64_t threads;
  std::int64_t references;
  const I* places;  ///< of the first pass: where the list of thread t goes
  const I* numbers; ///< of the second: an element's number, null for the same
  bool to_lists;    ///< the first pass

  EVENLY_FN slot<I> lay_out(storage_layout& layout, block_shape) const {
    return layout.take<I>(part * (tile + 1));
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto staged = block.storage(lay_out(layout, block.shape()));
    const std::int64_t first = std::int64_t{block.index()} * tile;
    const int count = static_cast<int>(smaller<std::int64_t>(tile, threads - first));
    for (std::int64_t r0 = 0; r0 < references; r0 += part) {
      const int width = static_cast<int>(smaller<std::int64_t>(part, references - r0));
      for (int i = block.rank(); i < tile * part; i += block.size()) {
        const int fast = i % tile, slow = i / tile;
        const int t = to_lists ? fast : slow, r = to_lists ? slow : fast;
        if (t >= count || r >= width) continue;
        const std::int64_t at = to_lists ? (r0 + r) * threads + first + t : (first + t) * references + r0 + r;
        I element = from[at];
        if (numbers != nullptr) element = numbers[element];
        staged[r * (tile + 1) + t] = element;
      }
      block.sync();
      for (int i = block.rank(); i < tile * part; i += block.size()) {
        const int fast = i % tile, slow = i / tile;
        const int t = to_lists ? slow : fast, r = to_lists ? fast : slow;
        if (t >= count || r >= width) continue;
        I element = staged[r * (tile + 1) + t];
        if (to_lists)
          to[places[first + t] * references + r0 + r] = element;
        else
          to[(r0 + r) * threads + first + t] = element;
      }
      block.sync();
    }
  }
};

/// P for threads in the order `jobs` (null: as they are; places: its inverse) and elements with other numbers (null: as
/// they are). From eight references on by two passes over whole lists.
template <class Executor, class I>
buffer<I> renumbered(const Executor& exec, const index_list<I>& p, const access_shape& shape, const I* jobs,
                     const I* places, const I* numbers) {
  constexpr int enough = 8;
  auto to = make_buffer<I>(exec, static_cast<std::size_t>(shape.positions()));
  if (jobs == nullptr || shape.references < enough) {
    tabulate(exec, shape.positions(), renumbered_reference<I>{p.at, shape.threads, jobs, numbers}, to.data());
    return to;
  }
  using pass = lists_of_threads<I>;
  const auto lists = make_buffer<I>(exec, static_cast<std::size_t>(shape.positions()));
  const launch_shape grid{block_count(shape.threads, pass::tile), 256};
  launch(exec, grid, pass{p.at, lists.data(), shape.threads, shape.references, places, nullptr, true});
  launch(exec, grid, pass{lists.data(), to.data(), shape.threads, shape.references, nullptr, numbers, false});
  return to;
}

} // namespace evenly::detail
