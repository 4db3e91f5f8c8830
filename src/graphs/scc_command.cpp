// SPDX-License-Identifier: Apache-2.0
// evenly scc.
#include <algorithm>
#include <cstddef>

#include "graphs/analysis.hpp"
#include "graphs/traversal_laws.hpp"

namespace evenly::graphs {

namespace {

class scc_analysis final : public values_analysis<int> {
 public:
  std::string title() const override { return "strong components"; }
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
  values_pointer<int> make(analysis_place& place) override { return place.strong_components(); }
  complaint first_wrong(const loaded_graph& of, const namer& label) const override {
    return wrong_with_components(view(of).out, values_, label);
  }
};

class scc_command : public analysis_command {
 public:
  scc_command()
      : analysis_command("scc", "labels: the least vertex of each vertex's component",
                         "M edges/s counts all edges; in a symmetric graph, an edge and its reverse count as "
                         "one.",
                         "add the reverse of every edge: the components are then the connected components") {
    add_example("evenly scc rmat:scale=10,edges=4 --on cpu --repeat 3",
                "time the components of a generated graph");
    add_example("evenly scc edges.el --on cpu -o labels.txt", "write the components of your graph");
  }

 private:
  std::unique_ptr<analysis> make() override { return std::make_unique<scc_analysis>(); }
};
const cli::registered<scc_command> scc_registered;

} // namespace
} // namespace evenly::graphs
