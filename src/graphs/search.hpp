// SPDX-License-Identifier: Apache-2.0
// evenly bfs, evenly sssp, evenly dfs: searches of a graph, in one launch or under schedules, checked, then timed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evenly/runtime/any_schedule.hpp"
#include "graphs/edge_weights.hpp"
#include "graphs/graph_run.hpp"
#include "graphs/place.hpp"

namespace evenly::graphs {

enum class search_kind { bfs, sssp, dfs };

/// Sources of searches: one vertex by its label in the input, or random vertices with edges.
struct source_choice {
  std::optional<std::string> label;
  int random = 8;
};

/// A schedule for kernels per frontier; empty for one persistent kernel.
using search_form = std::optional<any_schedule>;

struct search_options : graph_options {
  search_kind kind = search_kind::bfs;
  source_choice source;
  std::optional<weight_source> weights; ///< default: those of the file if it has some, else hash
  std::vector<search_form> forms;       ///< in this order
  std::vector<std::string> beside;      ///< names of peers to time as well
  path_way way;                         ///< for shortest paths without a schedule
  bool together = false;                ///< run all searches together
  bool trace = false;                   ///< print the frontiers
};

/// The schedules of searches that launch kernels per frontier.
std::vector<any_schedule> search_schedules();

/// Prints a table of times and writes the requested files. Returns whether all results are correct. Throws
/// evenly::error.
bool time_search(const search_options& options);
/// The same for breadth-first searches that run together, at most 64; one line has all levels of a vertex.
bool time_together(const search_options& options);

// The parts that both have in common.

const char* name_of(search_kind kind);
/// Throws usage_error for sources that do not exist.
loaded_graph load_problem(const search_options& options, io::graph_source& source);
/// The sources by their labels in the input: numbers or names.
json::value named_sources(const loaded_graph& of);
/// The title of the table: the search, the executor and the sources.
std::string title_of(const loaded_graph& of, const search_options& options, executor_kind kind,
                     const std::string& place);

} // namespace evenly::graphs
