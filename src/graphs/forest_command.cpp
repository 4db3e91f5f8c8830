// SPDX-License-Identifier: Apache-2.0
// evenly forest.
#include <algorithm>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "graphs/analysis.hpp"
#include "graphs/analysis_laws.hpp"

namespace evenly::graphs {

namespace {

class forest_analysis final : public values_analysis<int> {
 public:
  std::string title() const override { return "minimum spanning forest"; }
  bool uses_weights() const override { return true; }
  void load(loaded_graph& of) override { has_weights_ = of.graph.has_weights; }
  graph_view<double> view(const loaded_graph& of) const override {
    return of.view<double>(has_weights_ ? of.graph.edges.values.data() : nullptr);
  }
  std::int64_t bytes_of_check(const loaded_graph& of) const override {
    return std::int64_t{4} * of.graph.edges.rows + 8 * of.graph.edges.atoms();
  }
  std::vector<named_number> numbers() const override {
    const auto edges = std::ssize(values_);
    return {{"forest_edges", edges}, {"trees", vertices_ - edges}, {"weight", weight_}};
  }
  /// An edge list: from, to and, if the graph has weights, the weight.
  void write(const std::string& path, const io::vertex_labels& labels) const override {
    write_lines(path, std::ssize(lines_), [&](std::string& line, std::int64_t i) {
      const auto& [from, to, weight] = lines_[static_cast<std::size_t>(i)];
      fmt::format_to(std::back_inserter(line), "{} {}", labels.of(from), labels.of(to));
      if (has_weights_) fmt::format_to(std::back_inserter(line), " {}", weight);
    });
  }

 private:
  struct edge_line {
    int from, to;
    double weight;
  };

  values_pointer<int> make(analysis_place& place) override { return place.spanning_forest(); }
  complaint first_wrong(const loaded_graph& of, const namer& label) const override {
    return wrong_with_spanning_forest(view(of), values_, label);
  }
  complaint wrong(const loaded_graph& of) override {
    complaint found = values_analysis::wrong(of);
    if (found) return found;
    const auto& edges = of.graph.edges;
    vertices_ = edges.rows;
    weight_ = 0;
    lines_.clear();
    for (const int e : values_) {
      const auto at = static_cast<std::size_t>(e);
      const auto next = std::ranges::upper_bound(edges.offsets, e);
      const int from = static_cast<int>(next - edges.offsets.begin()) - 1;
      lines_.push_back({from, edges.columns[at], edges.values[at]});
      weight_ += has_weights_ ? edges.values[at] : 1;
    }
    return {};
  }

  bool has_weights_ = false;
  std::int64_t vertices_ = 0;
  double weight_ = 0; ///< of the last result, and its edges
  std::vector<edge_line> lines_;
};

class forest_command : public analysis_command {
 public:
  forest_command()
      : analysis_command("forest", "edges: a list with the weights of the edges, if the graph has some",
                         "M edges/s counts an edge and its reverse as one.",
                         "add the reverse of every edge; an edge leads both ways in any case",
                         io::edge_list_output) {
    add_example("evenly forest grid:x=300,y=300 --on cpu --repeat 3", "time the forest of a generated graph");
    add_example("evenly forest edges.el --on cpu -o forest.el", "write the forest of your graph");
    add_to_footer(
        "Of edges with equal weights, the first is chosen. In a graph without weights all are equal.");
  }

 private:
  std::unique_ptr<analysis> make() override { return std::make_unique<forest_analysis>(); }
};
const cli::registered<forest_command> forest_registered;

} // namespace
} // namespace evenly::graphs
