// SPDX-License-Identifier: Apache-2.0
// The common part of the commands for values of vertices: an algorithm as an object, whose result is checked, timed
// and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graphs/analysis.hpp"
#include "graphs/analysis_place.hpp"
#include "graphs/laws.hpp"
#include "graphs/search_problem.hpp"

namespace evenly::graphs {

using named_number = std::pair<const char*, std::variant<std::int64_t, double>>;

/// One algorithm on one graph.
class analysis {
 public:
  virtual ~analysis() = default;
  /// The name of the command, and that of the results in the title of the table.
  virtual const char* name() const = 0;
  virtual const char* title() const = 0;

  /// Throws usage_error or file_error if the algorithm does not support the graph.
  virtual void load(search_problem& problem) = 0;
  virtual graph_view<double> view(const search_problem& problem) const = 0;
  void set_place(std::unique_ptr<analysis_place> place) { place_ = std::move(place); }
  timer& time() { return place_->time(); }
  /// Requires a place.
  virtual void prepare() = 0;
  virtual void run() = 0;
  /// Checks the result of the last run.
  virtual complaint wrong(const search_problem& problem) = 0;
  /// Edges that the last run visited; an edge and its reverse count once in a symmetric graph.
  virtual std::int64_t visited_edges(const search_problem& problem) const = 0;
  virtual std::size_t bytes() const = 0;
  /// Numbers that describe the result, by name.
  virtual std::vector<named_number> numbers() const = 0;
  virtual void write(const std::string& path, const io::vertex_labels& labels) const = 0;

 protected:
  std::unique_ptr<analysis_place> place_; ///< outlives the members of derived classes, which use its memory
};

/// Loads the graph, and checks, times, prints and writes the result. Returns whether it is correct.
bool time_analysis(const analysis_options& options, analysis& what);

} // namespace evenly::graphs
