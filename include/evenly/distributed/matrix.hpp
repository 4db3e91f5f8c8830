// SPDX-License-Identifier: Apache-2.0
// matrix: a sparse matrix whose rows, or parts of rows, lie on the ranks of a world, and its product with an array.
//
//   auto A = world.distribute(csr);
//   auto x = world.distribute(values, A.columns());
//   auto y = A * x;                       // y is distributed as A.rows()
//
// A rank has a part of the merge path (split.hpp): some rows whole, and pieces of the rows at its ends. It numbers its
// columns as its own elements of x, then the elements that it needs of other ranks, in ascending order. Its own
// elements are read where they are. A product sends each of the others once: one message to each neighbour, and one
// value for each row that is cut. Where ranks reach each other, they store the elements into the neighbour's memory,
// and the message is a signal of 0 bytes; two buffers take turns, so that no rank overwrites what another still reads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/distributed/array.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/distributed/costs.hpp"
#include "evenly/distributed/reduce_tiles.hpp"
#include "evenly/distributed/split.hpp"
#include "evenly/distributed/world.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/work/csr.hpp"

namespace evenly::distributed {

// --- details ---------------------------------------------------------------------------------------------------------
// A rank's part of a matrix, and the elements of x that it gets and sends.

namespace detail {

/// A neighbour, and the elements that go between: [first, first + count) of the list or of the gathered elements.
struct neighbour {
  int rank;
  std::int64_t first;
  std::int64_t count;
};

/// Returns elements of x by a list.
template <class T> struct listed_element {
  const int* list;
  const T* x;
  EVENLY_FN T operator()(std::int64_t i) const { return x[list[i]]; }
};

/// The elements of x that entries of a rank need, by number: first its own, which are read where they are, then those
/// of other ranks.
template <class T, class Executor> struct gathered_elements {
  pointer_on<Executor, const T> own;
  pointer_on<Executor, const T> others;
  int own_count;

  EVENLY_FN T operator[](int number) const {
    const bool is_own = number < own_count; // two selections, no branch
    const auto from = is_own ? own : others;
    return from[is_own ? number : number - own_count];
  }
  EVENLY_FN void prefetch(int number) const {
    const bool is_own = number < own_count;
    const auto from = is_own ? own : others;
    prefetch_read(&from[is_own ? number : number - own_count]);
  }
};

/// The exchange of these elements. Those of other ranks are gathered in one array.
template <class T, executor Executor> class column_exchange {
 public:
  column_exchange() = default;
  /// - `needed`: the columns outside the rank's own, ascending. All ranks call it.
  column_exchange(communicator& here, const Executor& exec, const ranges& columns,
                  const std::vector<int>& needed)
      : own_(columns.size(here.rank())), reaches_(here.reaches()) {
    static_assert(Executor::on_host, "ranks on GPUs are not supported yet: use cpu or simt");
    const auto size = static_cast<std::size_t>(here.size());
    std::vector<std::int64_t> from(size), first(size);
    for (std::size_t i = 0; i < needed.size(); ++i) {
      const auto owner = static_cast<std::size_t>(columns.owner(needed[i]));
      if (from[owner]++ == 0) first[owner] = own_ + static_cast<std::int64_t>(i);
    }
    struct wanted {
      std::int64_t count, first;
      T* memory[2];
    };
    for (auto& each : gathered_) {
      if (&each != &gathered_[0] && !reaches_) break;
      each = make_buffer<T>(exec, needed.size());
    }
    std::vector<wanted> mine(size), all(size * size);
    for (std::size_t r = 0; r < size; ++r)
      mine[r] = {from[r], first[r] - own_, {gathered_[0].data(), gathered_[1].data()}};
    here.all_gather("numbers of columns", mine.data(), size * sizeof(wanted), all.data());

    std::vector<int> list;
    std::vector<outgoing> out;
    std::vector<incoming> in;
    std::int64_t sent = 0;
    for (int r = 0; r < here.size(); ++r) {
      const std::int64_t count = from[static_cast<std::size_t>(r)];
      const wanted& theirs = all[static_cast<std::size_t>(r) * size + static_cast<std::size_t>(here.rank())];
      if (r == here.rank()) continue;
      if (count > 0) {
        sources_.push_back({r, first[static_cast<std::size_t>(r)], count});
        out.push_back({r, needed.data() + (sources_.back().first - own_),
                       static_cast<std::size_t>(count) * sizeof(int)});
      }
      if (theirs.count > 0) {
        targets_.push_back({r, sent, theirs.count});
        for (int b = 0; b < 2; ++b)
          places_.push_back(theirs.memory[b] == nullptr ? nullptr : theirs.memory[b] + theirs.first);
        sent += theirs.count;
      }
      if (count > 0 || theirs.count > 0) neighbours_.push_back(r);
    }
    list.resize(static_cast<std::size_t>(sent));
    for (const neighbour& to : targets_)
      in.push_back({to.rank, list.data() + to.first, static_cast<std::size_t>(to.count) * sizeof(int)});
    here.exchange("lists of columns", out, in);
    for (int& column : list) column -= static_cast<int>(columns.begin(here.rank()));
    list_ = make_buffer<int>(exec, list.size());
    exec.copy_from_host(list_.data(), list.data(), list.size() * sizeof(int));
    if (!reaches_) packed_ = make_buffer<T>(exec, list.size());
  }

  const std::vector<neighbour>& sources() const { return sources_; }
  const std::vector<neighbour>& targets() const { return targets_; }
  std::int64_t needed() const {
    std::int64_t all = 0;
    for (const neighbour& each : sources_) all += each.count;
    return all;
  }
  std::int64_t sent() const { return static_cast<std::int64_t>(list_.size()); }
  /// For each target in turn, the elements that it needs, as numbers of the rank's own.
  std::span<const int> list() const { return list_.span(); }

  /// Returns the elements, valid until the next but one call and as long as `x`, the rank's own, which are not copied.
  /// All ranks call it.
  gathered_elements<T, Executor> gather(communicator& here, const Executor& exec, const T* x) {
    const std::size_t turn = reaches_ ? round_++ % 2 : 0;
    T* const others = gathered_[turn].data();
    std::vector<outgoing> out;
    std::vector<incoming> in;
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      const neighbour& to = targets_[t];
      T* const place = reaches_ ? places_[2 * t + turn] : packed_.data() + to.first;
      tabulate(exec, to.count, listed_element<T>{list_.data() + to.first, x}, place);
      if (!reaches_) out.push_back({to.rank, place, static_cast<std::size_t>(to.count) * sizeof(T)});
    }
    if (reaches_) {
      for (const int each : neighbours_) {
        out.push_back({each, nullptr, 0});
        in.push_back({each, nullptr, 0});
      }
    } else {
      for (const neighbour& from : sources_)
        in.push_back(
            {from.rank, others + (from.first - own_), static_cast<std::size_t>(from.count) * sizeof(T)});
    }
    here.exchange("elements of x", out, in);
    return {x, others, static_cast<int>(own_)};
  }

 private:
  std::int64_t own_ = 0;
  bool reaches_ = false;
  std::size_t round_ = 0;
  std::vector<neighbour> sources_, targets_;
  std::vector<T*> places_;      ///< for each target: where its elements go, in both buffers
  std::vector<int> neighbours_; ///< sources and targets
  buffer<int> list_;            ///< the elements for all targets, as numbers of own elements
  buffer<T> packed_;
  std::array<buffer<T>, 2> gathered_;
};

/// A rank's entries.
template <class Value, class Offset, executor Executor> struct matrix_part {
  local_tiles<Executor, Offset> rows;
  buffer<int> columns; ///< numbers of gathered elements
  buffer<Value> values;
  std::vector<int> needed; ///< the columns outside the rank's own, ascending
  column_exchange<Value, Executor> exchange;
};

/// `rows`: those of the whole matrix. `of`: the entries of the rank.
template <class Value, class Offset, executor Executor>
matrix_part<Value, Offset, Executor>
make_part(communicator& here, const Executor& exec, const csr_tile_set<Offset>& rows,
          const part_entries<Value>& of, const split_plan& plan, const ranges& columns) {
  matrix_part<Value, Offset, Executor> part;
  const int rank = here.rank();
  part.rows = local_tiles<Executor, Offset>(exec, plan, rank, rows);
  std::vector<int> number(static_cast<std::size_t>(columns.total()), -1), needed;
  for_each_needed(of, columns, rank, number, [&](int column) { needed.push_back(column); });
  std::sort(needed.begin(), needed.end());
  const auto own = static_cast<int>(columns.size(rank));
  for (std::size_t i = 0; i < needed.size(); ++i)
    number[static_cast<std::size_t>(needed[i])] = own + static_cast<int>(i);
  std::vector<int> local(of.columns.size());
  for (std::size_t k = 0; k < local.size(); ++k) {
    const int column = of.columns[k];
    local[k] = column >= columns.begin(rank) && column < columns.end(rank)
                   ? column - static_cast<int>(columns.begin(rank))
                   : number[static_cast<std::size_t>(column)];
  }
  part.columns = make_buffer<int>(exec, local.size());
  exec.copy_from_host(part.columns.data(), local.data(), local.size() * sizeof(int));
  part.values = make_buffer<Value>(exec, local.size());
  exec.copy_from_host(part.values.data(), of.values.data(), local.size() * sizeof(Value));
  part.exchange = column_exchange<Value, Executor>(here, exec, columns, needed);
  part.needed = std::move(needed);
  return part;
}

/// The contribution of an entry to its row.
template <class Value, class Atom, class Executor> struct times_gathered {
  pointer_on<Executor, const int> columns;
  pointer_on<Executor, const Value> values;
  gathered_elements<Value, Executor> x;
  EVENLY_FN Value operator()(Atom k) const { return values[k] * x[columns[k]]; }
  EVENLY_FN void prefetch(Atom k) const { x.prefetch(columns[k]); }
};
template <class Value, class Executor> struct stores_row {
  pointer_on<Executor, Value> y;
  EVENLY_FN void operator()(int row, const Value& sum) const { y[row] = sum; }
};

} // namespace detail

// ---------------------------------------------------------------------------------------------------------------------
// matrix: see the head of this file.

/// A matrix on the ranks of a world. Move-only; world.distribute(csr) makes it. One operation at a time may use it.
template <class Value, class Offset, executor Executor> class matrix {
 public:
  /// - `a`: the whole matrix, on the host of every process.
  /// - Cost: each rank reads all offsets and its own entries, in O(columns) host memory.
  /// - Errors: invalid_argument for a column outside the matrix or ranges that do not fit; different_inputs.
  matrix(const world<Executor>& ranks, const csr_view<Value, Offset>& a, const matrix_options& how = {})
      : matrix(ranks, detail::checked_rows(a), a.cols, how,
               [&](communicator& here, const split_plan& plan, const auto& use) {
                 if (ranks.count() < ranks.size())
                   detail::require_same_inputs(here, "a matrix", description_of(a));
                 use(detail::entries_of_part(a, plan, here.rank()));
               }) {}
  /// For entries that are on ranks already (entries.hpp). `give_part`(here, plan, use) calls use(entries) with the
  /// detail::part_entries that the plan gives to the rank.
  template <class GivePart>
  matrix(const world<Executor>& ranks, const csr_tile_set<Offset>& rows, int cols, const matrix_options& how,
         const GivePart& give_part)
      : world_(ranks), parts_(static_cast<std::size_t>(ranks.count())) {
    std::tie(plan_, columns_) = detail::plan_of(rows, cols, ranks.size(), how);
    rows_ = stored_tiles(plan_);
    ranks.run([&](communicator& here) {
      give_part(here, plan_, [&](const detail::part_entries<Value>& of) {
        parts_[ranks.place(here)] =
            detail::make_part<Value>(here, ranks.executor(here), rows, of, plan_, columns_);
      });
    });
  }

  /// The ranges of y and of x.
  const ranges& rows() const { return rows_; }
  const ranges& columns() const { return columns_; }
  const split_plan& plan() const { return plan_; }
  const world<Executor>& ranks() const { return world_; }

  /// For operations of one's own, inside a run: a rank's rows and entries; an exchange of values of type T per column.
  auto& part(const communicator& here) { return parts_[world_.place(here)]; }
  template <class T> auto exchange_of(communicator& here) {
    return detail::column_exchange<T, Executor>(here, world_.executor(here), columns_, part(here).needed);
  }

  /// y = A x, inside a run. All ranks call it. x: the rank's own elements; y: those of its rows.
  void multiply(communicator& here, std::span<const Value> x, std::span<Value> y) {
    auto& mine = part(here);
    const Executor& exec = world_.executor(here);
    const auto gathered = mine.exchange.gather(here, exec, x.data());
    reduce_tiles(
        here, exec, mine.rows,
        detail::times_gathered<Value, Offset, Executor>{mine.columns.data(), mine.values.data(), gathered},
        plus<Value>{}, detail::stores_row<Value, Executor>{y.data()});
  }
  /// y = A x. Collective. Throws invalid_argument unless x is distributed as columns() and y as rows().
  void multiply(const array<Value, Executor>& x, array<Value, Executor>& y) {
    require(x.where() == columns_, [&] {
      return evenly::detail::concat("x has ", x.size(), " elements, but not in the ranges of the matrix's ",
                                    columns_.total(), " columns: distribute it with columns()");
    });
    require(y.where() == rows_, [&] {
      return evenly::detail::concat("y has ", y.size(), " elements, but not in the ranges of the matrix's ",
                                    rows_.total(), " rows: distribute it with rows()");
    });
    require(x.ranks() == world_ && y.ranks() == world_,
            [] { return "the arrays and the matrix are on different worlds: use one world for all"; });
    world_.run([&](communicator& here) { multiply(here, x.part(here), y.part(here)); });
  }

  /// Returns what each rank holds and sends in a product. Collective.
  std::vector<rank_costs> costs() {
    std::vector<rank_costs> all;
    world_.run([&](communicator& here) {
      const auto& of = part(here);
      const rank_costs mine{of.rows.tiles(),
                            of.rows.atoms(),
                            columns_.size(here.rank()),
                            of.exchange.needed(),
                            static_cast<std::int64_t>(of.exchange.sources().size()),
                            of.exchange.sent(),
                            static_cast<std::int64_t>(of.exchange.targets().size()),
                            of.rows.carry_values()};
      std::vector<rank_costs> found = here.all_gather("costs", mine);
      if (here.rank() == world_.first()) all = std::move(found);
    });
    return all;
  }

  /// Returns a line per rank: what it holds, receives and sends in a product. Collective.
  std::string explain() { return distributed::explain(costs(), sizeof(Value)); }

 private:
  static detail::input_description description_of(const csr_view<Value, Offset>& a) {
    const std::int64_t first = a.rows == 0 ? 0 : static_cast<std::int64_t>(a.offsets[0]);
    const std::int64_t entries = a.rows == 0 ? 0 : static_cast<std::int64_t>(a.offsets[a.rows]) - first;
    std::uint64_t hash = 1;
    if (a.rows > 0)
      hash = detail::hash_of(a.offsets, (static_cast<std::size_t>(a.rows) + 1) * sizeof(Offset), hash);
    if (entries > 0) {
      hash = detail::hash_of(a.columns + first, static_cast<std::size_t>(entries) * sizeof(int), hash);
      hash = detail::hash_of(a.values + first, static_cast<std::size_t>(entries) * sizeof(Value), hash);
    }
    return {a.rows, a.cols, entries, hash};
  }

  world<Executor> world_;
  split_plan plan_;
  ranges rows_, columns_;
  std::vector<detail::matrix_part<Value, Offset, Executor>> parts_;
};

/// Returns A x, distributed as A.rows(). Collective.
template <class Value, class Offset, executor Executor>
array<Value, Executor> operator*(matrix<Value, Offset, Executor>& a, const array<Value, Executor>& x) {
  array<Value, Executor> y(a.ranks(), a.rows());
  a.multiply(x, y);
  return y;
}

/// Distributes a matrix that every process has whole on its host.
template <executor Executor, class Value, class Offset>
matrix<Value, Offset, Executor> distribute_over(const world<Executor>& ranks,
                                                const csr_view<Value, Offset>& a,
                                                const matrix_options& how = {}) {
  return {ranks, a, how};
}
template <executor Executor, class Value, class Offset>
matrix<Value, Offset, Executor> distribute_over(const world<Executor>& ranks,
                                                const csr_matrix<Value, Offset, cpu>& a,
                                                const matrix_options& how = {}) {
  return {ranks, a.view(), how};
}

} // namespace evenly::distributed
