// SPDX-License-Identifier: Apache-2.0
// Breadth-first search on ranks, by edges of the frontier or by edges of vertices that are not reached yet.
//
//   auto G = world.distribute(incoming);                       // row v has the edges u -> v, column u
//   auto found = evenly::distributed::bfs(G, source);          // found.levels, found.parents
//   evenly::distributed::breadth_first search(G);              // for several sources
//   auto again = search.from(other_source);
//
// On each level a rank sends the vertices that it has found to the ranks whose edges start there: to each as a list of
// numbers or as bits, whichever is smaller. Then each rank searches its own edges in the direction that reads fewer of
// them:
// - top-down: the edges that start at the frontier, distributed evenly among threads.
// - bottom-up: for each vertex that is not reached, its edges up to the first that starts at the frontier.
//
// A rank that has a piece of a vertex's edges sends the least parent that it has found to the rank of the vertex.
// Levels and parents do not depend on the directions.
//
// Source: Beamer, Asanovic & Patterson, "Direction-optimizing breadth-first search" (SC 2012); on ranks: Beamer, Buluc,
// Asanovic & Patterson (IPDPSW 2013), there with a matrix that is cut in two dimensions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "evenly/algorithms/collect_atoms.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/distributed/array.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/distributed/matrix.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/tile_list.hpp"

namespace evenly::distributed {

// --- details ---------------------------------------------------------------------------------------------------------

namespace detail {

template <class Value, class Offset, executor Executor>
void check_graph(const matrix<Value, Offset, Executor>& graph, std::int64_t source) {
  const std::int64_t vertices = graph.rows().total();
  require(graph.columns() == graph.rows(), [&] {
    return evenly::detail::concat("a graph of ", vertices, " rows and ", graph.columns().total(),
                                  " columns: it needs as many columns as rows, in the same ranges");
  });
  require(source >= 0 && source < vertices, [&] {
    return evenly::detail::concat("source = ", source, ": must be a vertex, from 0 to ", vertices - 1);
  });
}

/// Of the rows of a rank, and of the row that is open at its end.
struct reached_rows {
  int* levels;     ///< -1: not reached
  int* candidates; ///< the least parent found on this level; the greatest integer: none
};
inline constexpr int no_parent = std::numeric_limits<int>::max();

/// Top-down: an edge of the frontier. Returns its row if no other edge has found it.
template <class Frontier> struct arrive_at_row {
  Frontier frontier;
  const int* rows;    ///< of the edges, by the gathered vertex that they start at
  const int* numbers; ///< of gathered vertices, in the graph
  reached_rows of;

  EVENLY_FN std::optional<int> operator()(tile_type<Frontier> tile, atom_type<Frontier> atom) const {
    const int row = rows[frontier.source_atom(tile, atom)];
    if (of.levels[row] != -1) return {};
    const int parent = numbers[frontier.source(tile)];
    if (atomic_ref(of.candidates[row]).fetch_min(parent, order::relaxed{}) != no_parent) return {};
    return row;
  }
};
/// Bottom-up: the least parent of a row in the frontier.
template <class Tiles> struct parent_in_frontier {
  Tiles tiles;
  std::int64_t atoms;
  const int* columns;
  const int* numbers;
  const unsigned char* in_frontier;
  const int* levels;
  bool sorted; ///< columns ascend in rows: the first parent is the least

  EVENLY_FN int operator()(std::int64_t i) const {
    const auto row = static_cast<int>(i);
    if (levels[row] != -1) return no_parent;
    const std::int64_t begin = larger(std::int64_t{tiles.begin(row)}, std::int64_t{0});
    const std::int64_t end = row == tiles.tiles() ? atoms : static_cast<std::int64_t>(tiles.end(row));
    int least = no_parent;
    for (std::int64_t k = begin; k < end; ++k) {
      if (!in_frontier[columns[k]]) continue;
      least = smaller(least, numbers[columns[k]]);
      if (sorted) break;
    }
    return least;
  }
};

} // namespace detail

// ---------------------------------------------------------------------------------------------------------------------

/// Levels and parents of a breadth-first search.
template <executor Executor> struct search_result {
  array<int, Executor> levels; ///< -1: not reached
  array<int, Executor>
      parents;                ///< the least neighbour one level above; the source is its own; -1: not reached
  std::int64_t rounds = 0;    ///< levels
  std::int64_t bottom_up = 0; ///< how often a rank has searched bottom-up
  std::int64_t bytes_sent = 0; ///< by all ranks, to say which vertices the frontier has
};

/// Breadth-first searches of one graph, one at a time. The graph outlives it.
template <class Value, class Offset, executor Executor> class breadth_first {
 public:
  /// Sorts the edges of each rank by their starts. Collective.
  ///
  /// - `graph`: row v has the edges that lead to v; its values have no effect.
  /// - Cost: O(vertices + edges of the rank); memory of 4 bytes per edge.
  /// - Errors: invalid_argument if the matrix is not square.
  explicit breadth_first(matrix<Value, Offset, Executor>& graph)
      : graph_(graph), parts_(static_cast<std::size_t>(graph.ranks().count())) {
    if (graph.rows().total() > 0) detail::check_graph(graph, 0);
    graph.ranks().run([&](communicator& here) { prepare(here, parts_[graph_.ranks().place(here)]); });
  }

  /// Searches from a vertex. Collective.
  ///
  /// - Cost: on each level O(edges that are read) and, if the search goes bottom-up, O(vertices of the rank); one or
  ///   two messages to each neighbour and a few bytes to each rank.
  /// - Errors: invalid_argument if the source is no vertex.
  search_result<Executor> from(std::int64_t source) {
    detail::check_graph(graph_, source);
    const auto& ranks = graph_.ranks();
    search_result<Executor> found{array<int, Executor>(ranks, graph_.rows()),
                                  array<int, Executor>(ranks, graph_.rows()), 0, 0, 0};
    ranks.run([&](communicator& here) {
      const totals mine =
          search(here, parts_[ranks.place(here)], source, found.levels.part(here), found.parents.part(here));
      totals all;
      for (const totals& each : here.all_gather("totals of a search", mine)) {
        all.bottom_up += each.bottom_up;
        all.bytes_sent += each.bytes_sent;
      }
      if (here.rank() != ranks.first()) return;
      found.rounds = mine.rounds;
      found.bottom_up = all.bottom_up;
      found.bytes_sent = all.bytes_sent;
    });
    return found;
  }

 private:
  struct totals {
    std::int64_t rounds = 0, bottom_up = 0, bytes_sent = 0;
  };
  /// A place in the list of a target.
  struct place {
    int target;
    int position;
  };
  struct part {
    int rows = 0;     ///< without the row that is open at the end
    int gathered = 0; ///< vertices that edges of the rank start at, and its own
    std::int64_t edges = 0;
    bool sorted = true;
    buffer<Offset> starts;         ///< for each gathered vertex, where its edges begin
    buffer<int> ends;              ///< the rows of these edges
    buffer<int> numbers;           ///< of gathered vertices, in the graph
    std::vector<int> place_starts; ///< for each vertex of the rank, where its places begin
    std::vector<place> places;
    // What a search changes.
    buffer<int> levels, candidates, active, found;
    buffer<std::int64_t> found_count;
    buffer<unsigned char> in_frontier; ///< of gathered vertices
  };

  void prepare(communicator& here, part& of) {
    auto& from = graph_.part(here);
    const Executor& exec = graph_.ranks().executor(here);
    const std::int64_t own = graph_.rows().size(here.rank()), first = graph_.rows().begin(here.rank());
    of.rows = from.rows.tiles();
    of.edges = from.rows.atoms();
    of.gathered = static_cast<int>(own + static_cast<std::int64_t>(from.needed.size()));
    std::vector<int> numbers(static_cast<std::size_t>(own));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<int>(first) + static_cast<int>(i);
    numbers.insert(numbers.end(), from.needed.begin(), from.needed.end());
    of.numbers = to_executor(exec, numbers);

    std::vector<Offset> starts(static_cast<std::size_t>(of.gathered) + 1);
    const int* const columns = from.columns.data();
    for (std::int64_t k = 0; k < of.edges; ++k) ++starts[static_cast<std::size_t>(columns[k]) + 1];
    for (std::size_t i = 1; i < starts.size(); ++i)
      starts[i] = static_cast<Offset>(starts[i] + starts[i - 1]);
    std::vector<int> ends(static_cast<std::size_t>(of.edges));
    std::vector<Offset> next = starts;
    const auto& tiles = from.rows.launch().mapping.tiles;
    std::int64_t k = 0;
    for (int row = 0; row <= of.rows; ++row) {
      const std::int64_t end = row == of.rows ? of.edges : static_cast<std::int64_t>(tiles.end(row));
      for (const std::int64_t begin = k; k < end; ++k) {
        const auto column = static_cast<std::size_t>(columns[k]);
        ends[static_cast<std::size_t>(next[column]++)] = row;
        of.sorted =
            of.sorted && (k == begin || numbers[static_cast<std::size_t>(columns[k - 1])] <= numbers[column]);
      }
    }
    of.starts = to_executor(exec, starts);
    of.ends = to_executor(exec, ends);

    const std::span<const int> list = from.exchange.list();
    of.place_starts.assign(static_cast<std::size_t>(own) + 1, 0);
    for (const int vertex : list) ++of.place_starts[static_cast<std::size_t>(vertex) + 1];
    for (std::size_t i = 1; i < of.place_starts.size(); ++i) of.place_starts[i] += of.place_starts[i - 1];
    of.places.resize(list.size());
    std::vector<int> free = of.place_starts;
    const auto& targets = from.exchange.targets();
    for (std::size_t t = 0; t < targets.size(); ++t)
      for (std::int64_t i = 0; i < targets[t].count; ++i) {
        const auto vertex = static_cast<std::size_t>(list[static_cast<std::size_t>(targets[t].first + i)]);
        of.places[static_cast<std::size_t>(free[vertex]++)] = {static_cast<int>(t), static_cast<int>(i)};
      }

    const auto all_rows = static_cast<std::size_t>(of.rows) + 1,
               gathered = static_cast<std::size_t>(of.gathered);
    of.levels = make_buffer<int>(exec, all_rows);
    of.candidates = make_buffer<int>(exec, all_rows);
    of.active = make_buffer<int>(exec, gathered);
    of.found = make_buffer<int>(exec, all_rows);
    of.found_count = make_buffer<std::int64_t>(exec, 1);
    of.in_frontier = make_buffer<unsigned char>(exec, gathered);
    exec.fill_zero(of.in_frontier.data(), gathered);
  }

  totals search(communicator& here, part& of, std::int64_t source, std::span<int> levels,
                std::span<int> parents) {
    const Executor& exec = graph_.ranks().executor(here);
    auto& from = graph_.part(here);
    const auto& tiles = from.rows.launch().mapping.tiles;
    const std::int64_t first = graph_.rows().begin(here.rank());
    int* const level_of = of.levels.data();
    int* const candidates = of.candidates.data();
    std::fill_n(level_of, of.rows + 1, -1);
    std::fill_n(candidates, of.rows + 1, detail::no_parent);
    std::ranges::fill(parents, -1);
    std::int64_t unread = of.edges; // of rows that are not reached
    const auto edges_of = [&](int row) {
      const std::int64_t begin = larger(std::int64_t{tiles.begin(row)}, std::int64_t{0});
      return (row == of.rows ? of.edges : static_cast<std::int64_t>(tiles.end(row))) - begin;
    };
    std::vector<int> found; // rows
    const auto reach = [&](int row, int level, int parent) {
      level_of[row] = level;
      unread -= edges_of(row);
      parents[static_cast<std::size_t>(row)] = parent;
      found.push_back(row);
    };
    if (source >= first && source < graph_.rows().end(here.rank()))
      reach(static_cast<int>(source - first), 0, static_cast<int>(source));

    const csr_tile_set<Offset> by_start(of.starts.data(), of.gathered);
    const auto frontier = [&](int count) { return tile_list(by_start, of.active.data(), count); };
    auto plan = make_plan(exec, schedule_for_sums{}, frontier(0), capacity{of.gathered, of.edges});
    totals sums;
    for (int level = 1;; ++level) {
      std::int64_t all = 0;
      for (const std::int64_t each :
           here.all_gather("sizes of a level", static_cast<std::int64_t>(found.size())))
        all += each;
      if (all == 0) break;
      ++sums.rounds;
      const int active = share(here, of, found, sums.bytes_sent);
      found.clear();
      std::int64_t edges = 0;
      for (int i = 0; i < active; ++i) {
        const int vertex = of.active.data()[i];
        edges += by_start.end(vertex) - by_start.begin(vertex);
      }
      const bool bottom_up = (unread + of.rows) / reads_saved < edges;
      std::int64_t count = 0;
      if (bottom_up) {
        ++sums.bottom_up;
        for (int i = 0; i < active; ++i) of.in_frontier.data()[of.active.data()[i]] = 1;
        using by_rows = detail::parent_in_frontier<std::remove_cvref_t<decltype(tiles)>>;
        tabulate(exec, of.rows + std::int64_t{1},
                 by_rows{tiles, of.edges, from.columns.data(), of.numbers.data(), of.in_frontier.data(),
                         level_of, of.sorted},
                 candidates);
        for (int i = 0; i < active; ++i) of.in_frontier.data()[of.active.data()[i]] = 0;
        for (int row = 0; row <= of.rows; ++row)
          if (candidates[row] != detail::no_parent) of.found.data()[count++] = row;
      } else if (edges > 0) {
        plan.rebind(frontier(active));
        using visit = detail::arrive_at_row<std::remove_cvref_t<decltype(plan.tiles())>>;
        collect_atoms(exec, plan,
                      visit{plan.tiles(), of.ends.data(), of.numbers.data(), {level_of, candidates}},
                      of.found.span(), of.found_count.data(), in_any_order);
        exec.copy_to_host(&count, of.found_count.data(), sizeof count);
      }
      // The first row may have parents on earlier ranks, the last one belongs to a later rank.
      const int open_candidate = candidates[of.rows];
      const bool found_first = of.rows > 0 && candidates[0] != detail::no_parent;
      share_open_row(here, from.rows, candidates, open_candidate);
      for (std::int64_t i = 0; i < count; ++i) {
        const int row = of.found.data()[i];
        if (row < of.rows) reach(row, level, candidates[row]);
      }
      if (of.rows > 0 && !found_first && candidates[0] != detail::no_parent) {
        if (level_of[0] == -1) reach(0, level, candidates[0]);
        candidates[0] = detail::no_parent;
      }
      if (open_candidate != detail::no_parent && level_of[of.rows] == -1) {
        level_of[of.rows] = level;
        unread -= edges_of(of.rows);
      }
      candidates[of.rows] = detail::no_parent;
    }
    std::copy_n(level_of, of.rows, levels.data());
    return sums;
  }

  /// Sends the found rows to the ranks that need them. Returns the number of vertices of the frontier that edges of
  /// this rank may start at, which are written to `active`.
  int share(communicator& here, part& of, const std::vector<int>& found, std::int64_t& bytes_sent) {
    const auto& exchange = graph_.part(here).exchange;
    const auto &sources = exchange.sources(), &targets = exchange.targets();
    std::vector<std::vector<int>> positions(targets.size());
    int* const active = of.active.data();
    int count = 0;
    for (const int row : found) {
      active[count++] = row;
      for (int i = of.place_starts[static_cast<std::size_t>(row)];
           i < of.place_starts[static_cast<std::size_t>(row) + 1]; ++i) {
        const place& at = of.places[static_cast<std::size_t>(i)];
        positions[static_cast<std::size_t>(at.target)].push_back(at.position);
      }
    }
    std::vector<int> sizes(targets.size()), expected(sources.size());
    std::vector<outgoing> out;
    std::vector<incoming> in;
    for (std::size_t t = 0; t < targets.size(); ++t) {
      sizes[t] = static_cast<int>(positions[t].size());
      out.push_back({targets[t].rank, &sizes[t], sizeof(int)});
    }
    for (std::size_t s = 0; s < sources.size(); ++s)
      in.push_back({sources[s].rank, &expected[s], sizeof(int)});
    here.exchange("sizes of frontiers", out, in);
    bytes_sent += static_cast<std::int64_t>(out.size() * sizeof(int));

    out.clear();
    in.clear();
    for (std::size_t t = 0; t < targets.size(); ++t) {
      std::vector<int>& list = positions[t];
      if (list.empty()) continue;
      if (is_as_bits(list.size(), targets[t].count)) {
        std::vector<int> bits(words_of_bits(targets[t].count));
        for (const int i : list)
          bits[static_cast<std::size_t>(i) / 32] |= static_cast<int>(1U << (static_cast<unsigned>(i) % 32));
        list = std::move(bits);
      }
      out.push_back({targets[t].rank, list.data(), list.size() * sizeof(int)});
      bytes_sent += static_cast<std::int64_t>(list.size() * sizeof(int));
    }
    std::vector<std::vector<int>> arrived(sources.size());
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const auto size = static_cast<std::size_t>(expected[s]);
      if (size == 0) continue;
      arrived[s].resize(is_as_bits(size, sources[s].count) ? words_of_bits(sources[s].count) : size);
      in.push_back({sources[s].rank, arrived[s].data(), arrived[s].size() * sizeof(int)});
    }
    here.exchange("frontiers", out, in);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const auto add = [&](std::int64_t position) {
        active[count++] = static_cast<int>(sources[s].first + position);
      };
      if (!is_as_bits(static_cast<std::size_t>(expected[s]), sources[s].count)) {
        for (const int position : arrived[s]) add(position);
        continue;
      }
      for (std::size_t word = 0; word < arrived[s].size(); ++word)
        for (auto bits = static_cast<unsigned>(arrived[s][word]); bits != 0; bits &= bits - 1)
          add(static_cast<std::int64_t>(word) * 32 + std::countr_zero(bits));
    }
    return count;
  }
  static std::size_t words_of_bits(std::int64_t count) {
    return static_cast<std::size_t>(ceil_div(count, std::int64_t{32}));
  }
  /// Whether bits for `all` vertices take less than numbers of `size` of them.
  static bool is_as_bits(std::size_t size, std::int64_t all) { return words_of_bits(all) < size; }

  /// Sends the candidate of the open row to its rank, and takes the least of those that arrive for the first row.
  static void share_open_row(communicator& here, const local_tiles<Executor, Offset>& rows, int* candidates,
                             int mine) {
    std::vector<int> theirs(rows.sources().size());
    std::vector<outgoing> out;
    std::vector<incoming> in;
    if (rows.target() >= 0) out.push_back({rows.target(), &mine, sizeof mine});
    for (std::size_t i = 0; i < theirs.size(); ++i)
      in.push_back({rows.sources()[i].rank, &theirs[i], sizeof(int)});
    if (out.empty() && in.empty()) return;
    here.exchange("parents of shared rows", out, in);
    for (const int each : theirs) candidates[0] = smaller(candidates[0], each);
  }

  static constexpr std::int64_t reads_saved = 14; ///< as in Beamer et al. (2012)

  matrix<Value, Offset, Executor>& graph_;
  std::vector<part> parts_;
};

/// One breadth-first search from `source`. Collective. Cost and errors: those of breadth_first and one search.
template <class Value, class Offset, executor Executor>
search_result<Executor> bfs(matrix<Value, Offset, Executor>& graph, std::int64_t source) {
  detail::check_graph(graph, source);
  return breadth_first<Value, Offset, Executor>(graph).from(source);
}

} // namespace evenly::distributed
