// SPDX-License-Identifier: Apache-2.0
// Tile sets made of sources under skeletons, on any executor: the laws (laws/laws.hpp) hold for lists and for pieces; a
// graph search whose frontiers are lists finds each vertex at its level, for every way to plan frontiers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/collect_atoms.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/chunked.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/tile_list.hpp"
#include "laws/laws.hpp"
#include "laws/tile_sets.hpp"
#include "support/messages.hpp"
#include "support/monoids.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {

inline void expect_none(const std::string& name, const findings& found) {
  for (const violation& each : found.all()) ADD_FAILURE() << name << ": " << each.what;
}

/// The offsets of listed tiles, and of tiles cut into pieces.
inline std::vector<std::int64_t> offsets_of_list(const std::vector<std::int64_t>& offsets,
                                                 const std::vector<int>& list) {
  std::vector<std::int64_t> all{0};
  for (const int t : list) all.push_back(all.back() + offsets[t + 1] - offsets[t]);
  return all;
}
inline std::vector<std::int64_t> offsets_of_pieces(const std::vector<std::int64_t>& offsets,
                                                   std::int64_t atoms_of_piece) {
  std::vector<std::int64_t> all{offsets.front()};
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t)
    for (std::int64_t at = offsets[t]; at < offsets[t + 1]; at += atoms_of_piece)
      all.push_back(std::min(at + atoms_of_piece, offsets[t + 1]));
  return all;
}

/// for_each_atom and reduce_tiles on a list of tiles in a random order, some of them often, and on pieces.
template <class Executor, class Schedule>
void expect_laws_on_sources(const Executor& exec, const std::string& name, const Schedule& schedule) {
  const std::vector<std::int64_t> offsets =
      tile_sizes().add(power_law(150, 700, 1)).add(20, 0).add(500).named("", 5).offsets;
  const auto there = to_executor(exec, std::vector<int>(offsets.begin(), offsets.end()));
  const auto rows = csr_tiles(there.span());
  std::vector<int> list;
  for (std::uint64_t i = 0; i < 400; ++i)
    list.push_back(static_cast<int>(mixed(i) % 3 == 0 ? 7 : mixed(i) % 171));
  const auto listed = to_executor(exec, list);

  const auto of_list = make_plan(exec, schedule, tile_list(rows, listed.data(), list.size()));
  findings found;
  check_laws<depth::basic>(exec, schedule, of_list.tiles(), offsets_of_list(offsets, list), found);
  const auto of_pieces = make_plan(exec, schedule, chunked(rows, 64, offsets.back() - offsets.front()));
  check_laws<depth::basic>(exec, schedule, of_pieces.tiles(), offsets_of_pieces(offsets, 64), found);
  expect_none(name, found);
}

// --- a search ---

struct test_graph {
  std::vector<int> offsets{0}, targets;

  int vertices() const { return static_cast<int>(offsets.size()) - 1; }
  /// The level of each vertex, -1 for those that are not reached, by a queue.
  std::vector<int> levels(int start) const {
    std::vector<int> level(offsets.size() - 1, -1), queue{start};
    level[start] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (int e = offsets[queue[i]]; e < offsets[queue[i] + 1]; ++e)
        if (level[targets[e]] < 0) {
          level[targets[e]] = level[queue[i]] + 1;
          queue.push_back(targets[e]);
        }
    return level;
  }
};
/// Most vertices have none to three edges, some 400, and some are not reached; with a chain, for frontiers of one
/// vertex.
inline test_graph uneven_graph(int vertices) {
  test_graph g;
  const int chain = 20;
  for (int v = 0; v < vertices; ++v) {
    const auto random = [&](int i) { return mixed(static_cast<std::uint64_t>(v) * 1000 + i); };
    const int edges = v < chain ? 1 : random(0) % 50 == 0 ? 400 : static_cast<int>(random(0) % 4);
    for (int e = 1; e <= edges; ++e)
      g.targets.push_back(v < chain ? v + 1 : static_cast<int>(random(e) % (vertices * 3 / 4)));
    g.offsets.push_back(static_cast<int>(g.targets.size()));
  }
  return g;
}

/// visit of a search: the vertex at an edge, if it is not visited yet.
template <class Listed> struct find_unseen {
  Listed listed;
  const int* target;
  int* level_of;
  int level;
  EVENLY_FN std::optional<int> operator()(int tile, int atom, int rank) const {
    const int edge = listed.source_atom(tile, atom);
    if (edge - rank != listed.source().source_begin(tile)) return {};
    int unseen = -1;
    if (!atomic_ref(level_of[target[edge]]).compare_exchange(unseen, level)) return {};
    return target[edge];
  }
};

/// A search on an executor, as far as it does not depend on how frontiers are planned.
template <class Executor> class frontier_search {
 public:
  frontier_search(const Executor& exec, const test_graph& g)
      : exec_(exec), vertices_(g.vertices()), edges_(static_cast<std::int64_t>(g.targets.size())),
        offsets_(to_executor(exec, g.offsets)), targets_(to_executor(exec, g.targets)),
        level_of_(to_executor(exec, std::vector<int>(vertices_, -1))),
        now_(to_executor(exec, std::vector<int>(vertices_))), next_(make_buffer<int>(exec, vertices_)),
        count_(to_executor(exec, std::vector<std::int64_t>{1})), found_(make_buffer<std::int64_t>(exec, 1)) {
    const int zero = 0;
    exec.copy_from_host(level_of_.data(), &zero, sizeof(zero)); // from vertex 0
  }

  capacity max_size() const { return {vertices_, edges_}; }
  auto counted_on_device() const { return tile_list(graph(), now_.data(), count_.data(), max_size()); }
  auto counted_on_host() const { return tile_list(graph(), now_.data(), read(count_)); }

  /// Goes on by a level under the frontier's plan; whether there is a frontier left.
  template <class Plan, class... Order> bool step(Plan& plan, Order... order) {
    start_step(plan, ++level_, order...);
    go_on();
    return is_left();
  }
  /// Its parts: what the executor does, what was found becomes the frontier, and whether it is empty.
  template <class Plan, class... Order> void start_step(Plan& plan, int level, Order... order) {
    const auto listed = plan.tiles();
    using visit = find_unseen<std::remove_cvref_t<decltype(listed)>>;
    collect_atoms(exec_, plan, visit{listed, targets_.data(), level_of_.data(), level}, next_.span(),
                  found_.data(), order...);
  }
  void go_on() {
    std::swap(now_, next_);
    std::swap(count_, found_);
  }
  bool is_left() const { return read(count_) > 0; }
  std::vector<int> levels() const { return to_host(exec_, level_of_); }

 private:
  csr_tile_set<int> graph() const { return csr_tiles(std::span<const int>(offsets_.span())); }
  std::int64_t read(const buffer<std::int64_t>& number) const { return to_host(exec_, number).front(); }

  Executor exec_;
  std::int64_t vertices_, edges_;
  buffer<int> offsets_, targets_, level_of_, now_, next_;
  buffer<std::int64_t> count_, found_;
  int level_ = 0;
};

/// Under a plan that is made once, and bound to each frontier without the host knowing its length.
template <class Executor, class Schedule, class... Order>
void expect_search_on_device(const Executor& exec, const std::string& name, const Schedule& schedule,
                             Order... order) {
  const test_graph g = uneven_graph(6000);
  frontier_search<Executor> search(exec, g);
  auto plan = make_plan(exec, schedule, search.counted_on_device());
  while (search.step(plan, order...)) plan.rebind(search.counted_on_device());
  EXPECT_EQ(search.levels(), g.levels(0)) << name;
}

/// Under a plan for each frontier.
template <class Executor, class Schedule>
void expect_search_by_plans(const Executor& exec, const std::string& name, const Schedule& schedule) {
  const test_graph g = uneven_graph(6000);
  frontier_search<Executor> search(exec, g);
  for (bool more = true; more;) {
    auto plan = make_plan(exec, schedule, search.counted_on_host());
    more = search.step(plan, in_any_order);
  }
  EXPECT_EQ(search.levels(), g.levels(0)) << name;
}

// --- capacities ---

/// visit of every atom.
struct find_all {
  EVENLY_FN std::optional<int> operator()(int, int atom) const { return atom; }
};

/// Collects all atoms of a source that is counted on the executor: as many as `want`, or none where it exceeds its
/// capacity, which a message reports that names `excess`.
template <class Executor, class Source>
void expect_collected(const Executor& exec, const Source& source, std::int64_t want,
                      const std::string& excess = "") {
  const auto out = to_executor(exec, std::vector<int>(30, -1));
  const auto count = to_executor(exec, std::vector<std::int64_t>{-5});
  auto plan = make_plan(exec, merge_path<>{}, source);
  const auto run = [&](auto... order) {
    collect_atoms(exec, plan, find_all{}, out.span(), count.data(), order...);
  };
  const bool refused = Executor::on_host && !excess.empty(); // the host sees it
  if (!excess.empty()) {
    const std::string said =
        message_of<invalid_argument>([&] { refused ? run() : void(plan.read_sizes(exec)); });
    EXPECT_TRUE(contains(said, excess)) << said;
  }
  for (const bool ordered : {true, false}) {
    if (!refused) ordered ? run() : run(in_any_order);
    EXPECT_EQ(to_host(exec, count).front(), refused ? -5 : want);
    const std::vector<int> got = to_host(exec, out);
    EXPECT_EQ(std::count(got.begin(), got.end(), -1), 30 - want);
  }
}

/// Lists and pieces whose capacity is exactly met, and exceeded by one tile or one atom.
template <class Executor> void expect_capacities_of_plans_kept(const Executor& exec) {
  const auto offsets = to_executor(exec, std::vector<int>{0, 2, 9, 9});
  const auto rows = csr_tiles(std::span<const int>(offsets.span()));
  const auto list = to_executor(exec, std::vector<int>{1, 0, 1});
  const auto count = to_executor(exec, std::vector<int>{3});
  const auto listed = [&](const capacity& max_size) {
    return tile_list(rows, list.data(), count.data(), max_size);
  };
  expect_collected(exec, listed({3, 16}), 16);
  expect_collected(exec, listed({2, 16}), 0, "room for 2 tiles, but there are 3");
  expect_collected(exec, listed({3, 15}), 0, "room for 15 atoms, but there are 16");
  expect_collected(exec, chunked(rows, 4, 9), 9);
  expect_collected(exec, chunked(rows, 4, 8), 0, "room for 8 atoms, but there are 9");
}

} // namespace evenly::laws
