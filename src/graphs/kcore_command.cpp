// SPDX-License-Identifier: Apache-2.0
// evenly kcore.
#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "graphs/analysis.hpp"
#include "graphs/analysis_laws.hpp"
#include "io/edge_list.hpp"

namespace evenly::graphs {

namespace {

class kcore_analysis final : public values_analysis<int> {
 public:
  std::string title() const override { return "core numbers"; }
  /// Throws file_error unless the graph is simple and symmetric.
  void load(loaded_graph& of) override {
    const auto& edges = of.graph.edges;
    const auto refuse = [&](const std::string& what) {
      throw io::file_error(fmt::format(
          "{}: {}: core numbers need a simple undirected graph: add --undirected", of.graph.source, what));
    };
    if (const auto edge = io::find_one_way_edge(edges))
      refuse(fmt::format("the edge from {} to {} has no reverse", of.label(edge->from), of.label(edge->to)));
    for (int v = 0; v < edges.rows; ++v) {
      const auto at = edges.columns.begin();
      const auto first = at + edges.offsets[static_cast<std::size_t>(v)],
                 last = at + edges.offsets[static_cast<std::size_t>(v) + 1];
      if (std::binary_search(first, last, v)) refuse("vertex " + of.label(v) + " has a self-loop");
      if (const auto twice = std::adjacent_find(first, last); twice != last)
        refuse(fmt::format("{} and {} have parallel edges", of.label(v), of.label(*twice)));
    }
  }
  std::vector<named_number> numbers() const override {
    const std::int64_t max = values_.empty() ? 0 : std::ranges::max(values_);
    const std::int64_t in_max_core = std::ranges::count(values_, max);
    return {{"max_core", max}, {"in_max_core", in_max_core}, {"rounds", totals_.iterations}};
  }

 private:
  values_pointer<int> make(analysis_place& place) override { return place.core_numbers(); }
  complaint first_wrong(const loaded_graph& of, const namer& label) const override {
    return wrong_with_core_numbers(view(of).out, values_, label);
  }
};

class kcore_command : public analysis_command {
 public:
  kcore_command()
      : analysis_command("kcore", "core numbers", "M edges/s counts an edge and its reverse as one.") {
    add_example("evenly kcore rmat:scale=10,edges=4 --undirected --on cpu --repeat 3",
                "time the core numbers of a generated graph");
    add_example("evenly kcore edges.el --undirected --on cpu -o numbers.txt",
                "write the core numbers of your graph");
  }

 private:
  std::unique_ptr<analysis> make() override { return std::make_unique<kcore_analysis>(); }
};
const cli::registered<kcore_command> kcore_registered;

} // namespace
} // namespace evenly::graphs
