// SPDX-License-Identifier: Apache-2.0
// The options that all commands on one graph share.
#pragma once

#include <string>

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "graphs/graph_run.hpp"
#include "graphs/ranked_place.hpp"
#include "io/output_format.hpp"

namespace evenly::graphs {

/// Options: graph_options, or a class derived from it.
template <class Options = graph_options> class graph_command : public cli::command {
 public:
  /// `values`: the results, in files of one of `formats`; `undirected`: the help of that option.
  graph_command(const char* name, const std::string& values, const char* undirected,
                const io::output_formats& formats = io::vector_output, const cli::seed_option& seed = {})
      : command(name) {
    cli::add_input(
        *this, "input FILE|GENERATOR", options_.input,
        "an edge list (.el .edgelist .edges .txt .csv .tsv .wel .adjlist .gr .graph, KONECT), a serialized "
        "graph (.sg .wsg) or a matrix with one row per source vertex (.mtx .npz .npy .hb .rb): a file, "
        "plain, compressed or "
        "in an archive, - for standard input, or a generator")
        .required();
    cli::add_executor(*this, options_.executor);
    cli::add_reading(*this, options_.reading);
    add("--undirected", options_.reading.undirected, undirected);
    cli::add_output(*this, options_.output, formats, "output file of the " + values);
    add("--map FILE", options_.map,
        "output file of the ids or names of the vertices, one per line, in the order of the results")
        .writes(io::text_output);
    cli::add_json(*this, options_.json);
    cli::add_report(*this, options_.report);
    cli::add_run_options(*this, options_.repeat, options_.bench, seed);
  }

  bool run() override {
    check();
    cli::require_files(*this, {options_.input}, {"--columns", "--renumber"});
    cli::refuse_outputs_over(*this, {options_.input});
    if (options_.bench.ranks != 0 && !options_.executor) options_.executor = measure::executor_kind::cpu;
    cli::refuse_without_effect(*this, doing(), options_.executor);
    return run_on_ranks(options_.bench, [this] { return time(); });
  }

 protected:
  /// Throws usage_error for options that exclude each other.
  virtual void check() {}
  /// The activity, for errors.
  virtual std::string doing() const { return name(); }
  virtual bool time() = 0;

  /// Adds --ranks. `result`: what has the same bits for every number of ranks.
  void add_ranks(const std::string& result) { cli::add_ranks(*this, options_.bench.ranks, "graph", result); }

  Options options_;
};

} // namespace evenly::graphs
