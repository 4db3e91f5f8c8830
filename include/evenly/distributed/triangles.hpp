// SPDX-License-Identifier: Apache-2.0
// Triangles of a graph on ranks, by blocks of rows that go round.
//
//   auto G = world.distribute(graph);                             // simple: each edge in both directions
//   std::int64_t all = evenly::distributed::count_triangles(G);
//
// 1. A row that ranks share goes to the rank with its end, so ranks have whole rows.
// 2. Each edge is kept once, in the list of the end that comes first by degree, then by number. So lists are short,
//    also those of hubs.
// 3. The lists of each rank go from rank to rank. An edge (v, u) is counted when the list of u arrives: the common
//    elements of both lists are its triangles.
//
// Sums are of integers, so the result does not depend on the ranks.
// Source: lists by degree after Chiba & Nishizeki (SIAM J. Comput. 1985).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/distributed/bfs.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/distributed/entries.hpp"
#include "evenly/distributed/matrix.hpp"
#include "evenly/distributed/split.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly::distributed {

// --- details ---------------------------------------------------------------------------------------------------------

namespace detail {

/// Lists of neighbours, sorted: list v is numbers[starts[v]] to numbers[starts[v + 1]].
struct neighbour_lists {
  std::vector<std::int64_t> starts{0};
  std::vector<int> numbers;

  std::span<const int> of(std::int64_t v) const {
    const auto first = static_cast<std::size_t>(starts[static_cast<std::size_t>(v)]);
    return {numbers.data() + first,
            static_cast<std::size_t>(starts[static_cast<std::size_t>(v) + 1]) - first};
  }
};
/// An edge from a vertex of the rank to one of the block that has arrived, as numbers of their lists.
struct edge_of_block {
  int mine;
  int theirs;
};
/// The common elements of the lists of an edge's ends.
struct count_common {
  const edge_of_block* edges;
  const std::int64_t* my_starts;
  const int* my_numbers;
  const std::int64_t* their_starts;
  const int* their_numbers;

  EVENLY_FN std::int64_t operator()(std::int64_t e) const {
    const edge_of_block of = edges[e];
    std::int64_t i = my_starts[of.mine], j = their_starts[of.theirs], count = 0;
    const std::int64_t my_end = my_starts[of.mine + 1], their_end = their_starts[of.theirs + 1];
    while (i < my_end && j < their_end) {
      const int a = my_numbers[i], b = their_numbers[j];
      count += a == b;
      i += a <= b;
      j += b <= a;
    }
    return count;
  }
};

/// The rank's whole rows. Parts of a row go to the rank that has its end.
template <class Value, class Offset, executor Executor>
neighbour_lists whole_rows(communicator& here, matrix<Value, Offset, Executor>& graph) {
  std::vector<located_entry<char>> entries;
  for_each_entry(graph, here, [&](std::int64_t row, std::int64_t column, const Value&) {
    if (row != column) entries.push_back({static_cast<int>(row), static_cast<int>(column), 0});
  });
  entries = send_home(here, std::move(entries), graph.rows());
  neighbour_lists rows;
  rows.starts.assign(static_cast<std::size_t>(graph.rows().size(here.rank())) + 1, 0);
  for (const auto& each : entries) {
    ++rows.starts[static_cast<std::size_t>(each.row - graph.rows().begin(here.rank())) + 1];
    rows.numbers.push_back(each.column);
  }
  std::partial_sum(rows.starts.begin(), rows.starts.end(), rows.starts.begin());
  return rows;
}
/// Keeps in each row the vertices that come after its own, by degree, then by number.
template <executor Executor>
neighbour_lists later_neighbours(communicator& here, const Executor& exec, const ranges& where,
                                 const neighbour_lists& rows) {
  const std::int64_t first = where.begin(here.rank()), own = where.size(here.rank());
  std::vector<int> needed, degrees;
  for (const int u : rows.numbers)
    if (u < first || u >= first + own) needed.push_back(u);
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  for (std::int64_t v = 0; v < own; ++v) degrees.push_back(static_cast<int>(rows.of(v).size()));
  column_exchange<int, Executor> exchange(here, exec, where, needed);
  const auto own_degrees = to_executor(exec, degrees);
  const auto gathered = exchange.gather(here, exec, own_degrees.data());
  const auto degree_of = [&](int u) {
    const auto place = u >= first && u < first + own
                           ? u - first
                           : own + (std::lower_bound(needed.begin(), needed.end(), u) - needed.begin());
    return gathered[static_cast<int>(place)];
  };
  neighbour_lists later;
  for (std::int64_t v = 0; v < own; ++v) {
    const std::pair mine(degrees[static_cast<std::size_t>(v)], static_cast<int>(first + v));
    for (const int u : rows.of(v))
      if (mine < std::pair(degree_of(u), u)) later.numbers.push_back(u);
    later.starts.push_back(static_cast<std::int64_t>(later.numbers.size()));
  }
  return later;
}

/// Sends lists to the rank before, and returns those of the rank behind.
inline neighbour_lists pass_on(communicator& here, const neighbour_lists& lists) {
  const int before = (here.rank() + here.size() - 1) % here.size(), behind = (here.rank() + 1) % here.size();
  const std::size_t sizes[] = {lists.starts.size(), lists.numbers.size()};
  std::size_t arriving[2] = {};
  const outgoing size_out{before, sizes, sizeof sizes};
  const incoming size_in{behind, arriving, sizeof arriving};
  here.exchange("sizes of lists of neighbours", {&size_out, 1}, {&size_in, 1});
  neighbour_lists next;
  next.starts.resize(arriving[0]);
  next.numbers.resize(arriving[1]);
  const outgoing starts_out{before, lists.starts.data(), sizes[0] * sizeof(std::int64_t)};
  const incoming starts_in{behind, next.starts.data(), arriving[0] * sizeof(std::int64_t)};
  here.exchange("starts of lists of neighbours", {&starts_out, 1}, {&starts_in, 1});
  const outgoing numbers_out{before, lists.numbers.data(), sizes[1] * sizeof(int)};
  const incoming numbers_in{behind, next.numbers.data(), arriving[1] * sizeof(int)};
  here.exchange("lists of neighbours", {&numbers_out, 1}, {&numbers_in, 1});
  return next;
}

} // namespace detail

// ---------------------------------------------------------------------------------------------------------------------

/// Returns the number of triangles. Collective; every process gets it.
///
/// - `graph`: undirected, with each edge in both directions. Values, loops and repeated edges have no effect.
/// - Cost: O(edges sqrt(edges)) in all. Each rank sends its lists, of half of the edges, once round all ranks; a rank
///   has its own lists and two of other ranks.
/// - Errors: invalid_argument if the matrix is not square.
template <class Value, class Offset, executor Executor>
std::int64_t count_triangles(matrix<Value, Offset, Executor>& graph) {
  if (graph.rows().total() == 0) return 0;
  detail::check_graph(graph, 0);
  const ranges& where = graph.rows();
  std::int64_t all = 0;
  graph.ranks().run([&](communicator& here) {
    const Executor& exec = graph.ranks().executor(here);
    const detail::neighbour_lists mine =
        detail::later_neighbours(here, exec, where, detail::whole_rows(here, graph));
    std::vector<std::vector<detail::edge_of_block>> edges(static_cast<std::size_t>(here.size()));
    for (std::int64_t v = 0; v < where.size(here.rank()); ++v)
      for (const int u : mine.of(v)) {
        const int owner = where.owner(u);
        edges[static_cast<std::size_t>(owner)].push_back(
            {static_cast<int>(v), static_cast<int>(u - where.begin(owner))});
      }
    const auto my_starts = to_executor(exec, mine.starts);
    const auto my_numbers = to_executor(exec, mine.numbers);
    detail::neighbour_lists block = mine;
    std::int64_t count = 0;
    for (int turn = 0; turn < here.size(); ++turn) {
      if (turn > 0) block = detail::pass_on(here, block);
      const auto& of = edges[static_cast<std::size_t>((here.rank() + turn) % here.size())];
      const auto pairs = to_executor(exec, of);
      const auto starts = to_executor(exec, block.starts);
      const auto numbers = to_executor(exec, block.numbers);
      const auto counts = make_buffer<std::int64_t>(exec, of.size());
      tabulate(exec, static_cast<std::int64_t>(of.size()),
               detail::count_common{pairs.data(), my_starts.data(), my_numbers.data(), starts.data(),
                                    numbers.data()},
               counts.data());
      for (const std::int64_t each : to_host(exec, counts)) count += each;
    }
    std::int64_t sum = 0;
    for (const std::int64_t each : here.all_gather("triangles", count)) sum += each;
    if (here.rank() == graph.ranks().first()) all = sum;
  });
  return all;
}

} // namespace evenly::distributed
