// SPDX-License-Identifier: Apache-2.0
// evenly bfs, evenly sssp, evenly dfs: searches of a graph, in one launch or under schedules, checked, then timed.
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

enum class search_kind { bfs, sssp, dfs };

/// Sources of searches: one vertex by its label in the input, or random vertices with edges.
struct source_choice {
  std::optional<std::string> label;
  int random = 8;
};

/// A schedule for kernels per frontier; empty for one persistent kernel.
using search_form = std::optional<any_schedule>;

struct search_options {
  search_kind kind = search_kind::bfs;
  std::string input;
  io::graph_reading reading;
  source_choice source;
  std::optional<weight_source> weights;  ///< default: those of the file if it has some, else hash
  std::vector<search_form> forms;        ///< in this order
  std::vector<std::string> beside;       ///< names of peers to time as well
  path_way way;                          ///< for shortest paths without a schedule
  std::optional<executor_kind> executor; ///< default: cuda, or cpu without a GPU
  bool together = false;                 ///< run all searches together
  bool trace = false;                    ///< print the frontiers
  std::string
      output; ///< path of a file for levels, distances or the order, `-` for standard output, empty for none
  std::string parents; ///< likewise
  std::string map;     ///< likewise, for the labels of the vertices
  std::string json;    ///< likewise
  std::string report;  ///< likewise, for an HTML page
  int repeat = 0;      ///< 0: until the times settle
  bench_options bench;
};

/// The schedules of searches that launch kernels per frontier.
std::vector<any_schedule> search_schedules();

/// `count` vertices with edges, the same on every run. Empty if there are no edges.
std::vector<int> random_sources(const csr_matrix<double>& edges, int count);

/// Prints a table of times and writes the requested files. Returns whether all results are correct. Throws
/// evenly::error.
bool time_search(const search_options& options);
/// The same for breadth-first searches that run together, at most 64; one line has all levels of a vertex.
bool time_together(const search_options& options);

} // namespace evenly::graphs
