// SPDX-License-Identifier: Apache-2.0
// evenly bfs, evenly sssp: searches of a graph, in one launch or under schedules, checked by their laws, then timed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evenly/runtime/any_schedule.hpp"
#include "graphs/edge_weights.hpp"
#include "graphs/place.hpp"
#include "io/edge_list.hpp"
#include "measure/bench.hpp"

namespace evenly::graphs {

enum class search_kind { bfs, sssp };

/// Where searches start: at one vertex, as the input calls it, or at some, drawn at random of those with edges.
struct source_choice {
  std::optional<std::string> label;
  int random = 8;
};

/// How a search goes: under a schedule from frontier to frontier; none: in one launch that stays.
using search_form = std::optional<any_schedule>;

struct search_options {
  search_kind kind = search_kind::bfs;
  std::string input;
  io::graph_reading reading;
  source_choice source;
  std::optional<weight_source> weights;  ///< none: the file's, if it has some, else hash
  std::vector<search_form> forms;        ///< in their order
  path_way way;                          ///< of shortest paths without a schedule
  std::optional<executor_kind> executor; ///< none: cuda, or cpu without a GPU
  bool together = false;                 ///< whether searches go together
  bool trace = false;                    ///< whether frontiers are printed
  std::string output;  ///< a file's path for levels or distances, `-` for standard output, empty for none
  std::string parents; ///< likewise
  std::string map;     ///< likewise, for the label of each vertex
  std::string json;    ///< likewise
  std::string report;  ///< likewise: a page of HTML
  int repeat = 0;      ///< 0: as often as is needed
  bench_options bench;
};

/// The schedules of searches from frontier to frontier.
std::vector<any_schedule> search_schedules();

/// So many vertices with edges, the same on every run. None where there are no edges.
std::vector<int> random_sources(const csr_matrix<double>& edges, int count);

/// Prints a table of times; writes what is asked for. Returns whether all results were right. Throws evenly::error.
bool time_search(const search_options& options);
/// Likewise of breadth-first searches that go together, 64 at most; the levels of a vertex are one line.
bool time_together(const search_options& options);

} // namespace evenly::graphs
