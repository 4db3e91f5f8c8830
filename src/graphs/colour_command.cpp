// SPDX-License-Identifier: Apache-2.0
// evenly colour.
#include <algorithm>

#include <fmt/format.h>

#include "cli/option_values.hpp"
#include "graphs/analysis.hpp"
#include "graphs/analysis_laws.hpp"
#include "graphs/structures.hpp"
#include "io/edge_list.hpp"
#include "measure/usage_error.hpp"

namespace evenly::graphs {

namespace {

class colour_analysis final : public values_analysis<int> {
 public:
  explicit colour_analysis(const colour_options& options) : options_(options) {}

  std::string title() const override { return "colours"; }
  /// Throws usage_error for a directed graph.
  void load(loaded_graph& of) override {
    if (const auto edge = io::find_one_way_edge(of.graph.edges))
      throw measure::usage_error(fmt::format(
          "the edge from {} to {} has no reverse: colours need an undirected graph: add --undirected",
          of.label(edge->from), of.label(edge->to)));
  }
  std::vector<named_number> numbers() const override {
    const std::int64_t colours = values_.empty() ? 0 : std::int64_t{std::ranges::max(values_)} + 1;
    return {{"colours", colours}, {"rounds", totals_.iterations}};
  }

 private:
  values_pointer<int> make(analysis_place& place) override { return place.structure({options_}); }
  complaint first_wrong(const loaded_graph& of, const namer& label) const override {
    return wrong_with_colours(view(of).out, options_, values_, label);
  }

  colour_options options_;
};

class colour_command : public analysis_command {
 public:
  colour_command()
      : analysis_command("colour", "colours, from 0: .npy, .mtx, or text, one per line",
                         "M edges/s counts an edge and its reverse as one.", simple_graph, io::vector_output,
                         {"seed of the colours, and on simt also of the thread interleaving (default: 0)",
                          [] { return cli::everywhere; }}) {
    add("--order ORDER", order_,
        cli::choices<colour_order>{{"largest_first", colour_order::largest_first},
                                   {"random", colour_order::random}},
        "an order",
        "vertices get the least colour that no neighbour before them has: largest_first (by degree, then a "
        "hash "
        "of the seed) or random (default: largest_first)");
    add_example("evenly colour rmat:scale=10,edges=4 --undirected --on cpu --repeat 3",
                "time the colours of a generated graph");
    add_example("evenly colour edges.el --undirected --on cpu --seed 7 -o colours.txt",
                "write a colour for each vertex of your graph");
    add_to_footer("Colours are the same for a seed on every executor and for any number of threads.");
  }

 private:
  std::unique_ptr<analysis> make() override {
    return std::make_unique<colour_analysis>(colour_options{.seed = options_.bench.seed, .order = order_});
  }

  colour_order order_ = colour_order::largest_first;
};
const cli::registered<colour_command> colour_registered;

} // namespace
} // namespace evenly::graphs
