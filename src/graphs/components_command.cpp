// SPDX-License-Identifier: Apache-2.0
// evenly scc.
#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "graphs/components.hpp"
#include "graphs/graph_options.hpp"
#include "io/output_format.hpp"

namespace evenly::graphs {

using cli::add_executor, cli::add_json, cli::add_output, cli::add_reading, cli::add_run_options, cli::command,
    cli::help_on_generators, cli::help_on_results, cli::refuse_outputs_over, cli::refuse_without_effect,
    cli::registered, cli::require_files;

namespace {

class components_command : public command {
 public:
  components_command() : command("scc") {
    add_graph_input(*this, options_.input);
    add_executor(*this, options_.executor);
    add_reading(*this, options_.reading);
    add("--undirected", options_.reading.undirected,
        "add the reverse of every edge: the components are then the connected components");
    add_output(*this, options_.output, io::vector_output,
               "output file of the labels: the least vertex of each vertex's component; .npy, .mtx, or text, "
               "one per line");
    add_vertex_map(*this, options_.map);
    add_json(*this, options_.json);
    add_run_options(*this, options_.repeat, options_.bench);
    add_example("evenly scc rmat:scale=10,edges=4 --on cpu --repeat 3",
                "time the components of a generated graph");
    add_example("evenly scc edges.el --on cpu -o labels.txt", "write the components of your graph");
    add_to_footer(help_on_results() +
                  "M edges/s counts all edges; in a symmetric graph, an edge and its "
                  "reverse count as one.\n\n" +
                  help_on_generators());
  }

  bool run() override {
    require_files(*this, {options_.input}, {"--columns", "--renumber"});
    refuse_outputs_over(*this, {options_.input});
    refuse_without_effect(*this, "scc", options_.executor);
    return time_components(options_);
  }

 private:
  component_options options_;
};
const registered<components_command> components_registered;

} // namespace
} // namespace evenly::graphs
