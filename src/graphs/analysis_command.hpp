// SPDX-License-Identifier: Apache-2.0
// The options of the commands that compute a value for each vertex of a graph.
#pragma once

#include <string>

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "graphs/analysis.hpp"
#include "graphs/graph_options.hpp"
#include "io/output_format.hpp"

namespace evenly::graphs {

/// The common part of the commands.
class analysis_command : public cli::command {
 public:
  /// `values`: the results per vertex.
  analysis_command(const char* name, const std::string& values) : command(name), name_(name) {
    add_graph_input(*this, options_.input);
    cli::add_executor(*this, options_.executor);
    cli::add_reading(*this, options_.reading);
    add("--undirected", options_.reading.undirected,
        "use the simple graph: each edge in both directions, without parallel edges and self-loops");
    cli::add_output(*this, options_.output, io::vector_output,
                    "output file of the " + values + ": .npy, .mtx, or text, one per line");
    add_vertex_map(*this, options_.map);
    cli::add_json(*this, options_.json);
    cli::add_report(*this, options_.report);
    cli::add_run_options(*this, options_.repeat, options_.bench);
  }

  bool run() override {
    cli::require_files(*this, {options_.input}, {"--columns", "--renumber"});
    cli::refuse_outputs_over(*this, {options_.input});
    cli::refuse_without_effect(*this, name_, options_.executor);
    return time(options_);
  }

 protected:
  analysis_options options_;

 private:
  virtual bool time(const analysis_options& options) = 0;

  const char* name_;
};

} // namespace evenly::graphs
