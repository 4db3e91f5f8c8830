// SPDX-License-Identifier: Apache-2.0
// evenly scc and evenly components.
#include <algorithm>
#include <cstddef>

#include "graphs/analysis.hpp"
#include "graphs/traversal_laws.hpp"
#include "measure/usage_error.hpp"

namespace evenly::graphs {

namespace {

class components_analysis final : public values_analysis<int> {
 public:
  explicit components_analysis(bool are_strong) : are_strong_(are_strong) {}

  std::string title() const override { return are_strong_ ? "strong components" : "connected components"; }
  bool keeps_self_loops() const override { return true; }
  std::int64_t bytes_of_check(const loaded_graph& of) const override {
    return std::int64_t{40} * of.graph.edges.rows + 8 * of.graph.edges.atoms();
  }
  std::size_t bytes() const override { return 0; }
  std::vector<named_number> numbers() const override {
    std::vector<std::int64_t> sizes(values_.size());
    for (const int label : values_) ++sizes[static_cast<std::size_t>(label)];
    const std::int64_t largest = sizes.empty() ? 0 : std::ranges::max(sizes);
    return {{"components", std::ranges::count_if(sizes, [](std::int64_t size) { return size > 0; })},
            {"largest", largest}};
  }
  void write(const std::string& path, const io::vertex_labels& labels) const override {
    write_parents(path, labels, values_);
  }

 private:
  values_pointer<int> make(analysis_place& place) override {
    return are_strong_ ? place.strong_components() : place.connected_components();
  }
  complaint first_wrong(const loaded_graph& of, const namer& label) const override {
    const auto& out = view(of).out;
    return are_strong_ ? wrong_with_components(out, values_, label)
                       : wrong_with_connected_components(out, values_, label);
  }

  bool are_strong_;
};

constexpr const char* labels_of_components = "labels: the smallest vertex number in each vertex's component";
constexpr const char* rate_of_components =
    "M edges/s counts all edges; in a symmetric graph, an edge and its reverse count as one.";

class scc_command : public analysis_command {
 public:
  scc_command()
      : analysis_command("scc", labels_of_components, rate_of_components,
                         "add the reverse of every edge: the components are then the connected components") {
    add_example("evenly scc rmat:scale=10,edges=4 --on cpu --repeat 3",
                "time the components of a generated graph");
    add_example("evenly scc edges.el --on cpu -o labels.txt", "write the components of your graph");
  }

 private:
  std::unique_ptr<analysis> make() override { return std::make_unique<components_analysis>(true); }
};
const cli::registered<scc_command> scc_registered;

class components_command : public analysis_command {
 public:
  components_command()
      : analysis_command("components", labels_of_components, rate_of_components,
                         "add the reverse of every edge; the components stay the same") {
    add_example("evenly components rmat:scale=10,edges=4 --on cpu --repeat 3",
                "time the components of a generated graph");
    add_example("evenly components edges.el --on cpu -o labels.txt", "write the components of your graph");
    add_ranks("result");
    add_to_footer(
        "The components of a directed graph are those of the graph with both directions of each edge.");
  }

 private:
  std::unique_ptr<analysis> make() override { return std::make_unique<components_analysis>(false); }
  void check() override {
    if (options_.bench.ranks != 0 && !options_.reading.undirected)
      throw measure::usage_error(
          "--ranks: components on ranks need edges in both directions: add --undirected");
  }
};
const cli::registered<components_command> components_registered;

} // namespace
} // namespace evenly::graphs
