// SPDX-License-Identifier: Apache-2.0
// evenly pagerank.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "graphs/analysis.hpp"
#include "graphs/analysis_laws.hpp"
#include "host/errors.hpp"
#include "io/edge_list.hpp"
#include "io/input.hpp"
#include "measure/usage_error.hpp"

namespace evenly::graphs {

using measure::usage_error;

namespace {

class pagerank_analysis final : public values_analysis<double> {
 public:
  /// `personalize`: labels of vertices with commas between, or the path of a file; empty for all vertices.
  pagerank_analysis(const pagerank_options& options, const std::string& personalize)
      : options_(options), personalize_(personalize) {}

  std::string title() const override { return "PageRank"; }
  bool uses_weights() const override { return options_.weighted; }
  void load(loaded_graph& of) override {
    if (options_.weighted) weights_of(of.graph, weight_source::file); // checks them
    if (personalize_.empty()) return;
    personalization_.assign(static_cast<std::size_t>(of.graph.edges.rows), 0.0);
    if (io::names_file(personalize_))
      read_personalization(of);
    else
      for (const std::string& label : parts(personalize_)) personalization_[vertex(of, label)] += 1;
    options_.personalization = personalization_;
    detail::check_pagerank_options(options_, of.graph.edges.rows);
  }
  graph_view<double> view(const loaded_graph& of) const override {
    return of.view<double>(options_.weighted ? of.graph.edges.values.data() : nullptr);
  }
  std::int64_t visited_edges(const loaded_graph& of) const override {
    return of.graph.edges.atoms() * totals_.iterations;
  }
  std::vector<named_number> numbers() const override {
    return {{"iterations", totals_.iterations}, {"error", totals_.error}};
  }

 private:
  values_pointer<double> make(analysis_place& place) override { return place.pagerank(options_); }
  complaint first_wrong(const loaded_graph& of, const namer& label) const override {
    if (!totals_.converged)
      return fmt::format("no convergence: iteration {} still changed the scores by {:.3g}, more than the "
                         "tolerance {:g}",
                         totals_.iterations, totals_.error, options_.tolerance);
    return wrong_with_pagerank(view(of), options_, values_, label);
  }
  static std::vector<std::string> parts(const std::string& list) {
    std::vector<std::string> found;
    std::istringstream text(list);
    for (std::string part; std::getline(text, part, ',');) found.push_back(part);
    return found;
  }
  static std::size_t vertex(const loaded_graph& of, const std::string& label) {
    const auto found = of.graph.labels.find(label, of.graph.edges.rows);
    if (!found)
      throw usage_error(fmt::format("--personalize: {} is neither a file nor a vertex of the graph",
                                    host::in_quotes(label)));
    return static_cast<std::size_t>(*found);
  }
  /// Lines with a vertex, and its weight unless it is 1.
  void read_personalization(const loaded_graph& of) {
    const std::string path = host::printable(personalize_);
    std::ifstream file(personalize_);
    if (!file) throw io::file_error(path + ": cannot be read");
    std::int64_t number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      std::istringstream words(line);
      std::string label, weight = "1", more;
      if (!(words >> label) || label.starts_with('#')) continue;
      words >> weight >> more;
      const auto found = of.graph.labels.find(label, of.graph.edges.rows);
      if (!found)
        throw io::file_error(
            fmt::format("{}:{}: {} is not a vertex of the graph", path, number, host::in_quotes(label)));
      double value = 0;
      const auto read = std::from_chars(weight.data(), weight.data() + weight.size(), value);
      if (read.ec != std::errc{} || read.ptr != weight.data() + weight.size() || !more.empty() ||
          !(value >= 0 && std::isfinite(value)))
        throw io::file_error(
            fmt::format("{}:{}: expected a vertex and optionally a weight that is finite and not negative",
                        path, number));
      personalization_[static_cast<std::size_t>(*found)] += value;
    }
    if (std::ranges::none_of(personalization_, [](double w) { return w > 0; }))
      throw io::file_error(path + ": no vertex has a weight");
  }

  pagerank_options options_;
  std::string personalize_;
  std::vector<double> personalization_;
};

class pagerank_command : public analysis_command {
 public:
  pagerank_command()
      : analysis_command("pagerank", "scores, which sum to 1",
                         "M edges/s counts all edges once per iteration. A vertex without outgoing edges "
                         "passes its score to the vertices that jumps lead to.") {
    add_ranks("result");
    add("--weighted", ranking_.weighted, "follow edges in proportion to their weights");
    add(
        "--damping D",
        [this](const std::string& text) {
          ranking_.damping = cli::parse_positive("--damping", text);
          if (ranking_.damping >= 1) throw usage_error("--damping " + text + ": must be less than 1");
        },
        "the probability of following an edge, less than 1 (default: 0.85)");
    add(
        "--tolerance T",
        [this](const std::string& text) { ranking_.tolerance = cli::parse_positive("--tolerance", text); },
        "stop when the scores change by at most this in total (default: 1e-6)");
    add(
        "--max-iterations N",
        [this](const std::string& text) {
          ranking_.max_iterations = cli::parse_count("--max-iterations", text, {1, 1'000'000});
        },
        "stop after this many iterations (default: 1000)");
    add("--personalize FILE|VERTEX,...", personalize_,
        "jump to these vertices only: ids with commas between, or a file with one vertex per line, "
        "optionally "
        "followed by its weight");
    add_example("evenly pagerank rmat:scale=10,edges=4 --on cpu --repeat 3",
                "time PageRank of a generated graph");
    add_example("evenly pagerank edges.el --on cpu -o scores.txt", "write the scores of your graph");
  }

 private:
  std::unique_ptr<analysis> make() override {
    return std::make_unique<pagerank_analysis>(ranking_, personalize_);
  }
  void check() override {
    if (options_.bench.ranks != 0 && (ranking_.weighted || !personalize_.empty()))
      throw usage_error("--ranks: scores on ranks are neither weighted nor personalized");
  }

  pagerank_options ranking_; ///< without its personalization
  std::string personalize_;
};
const cli::registered<pagerank_command> pagerank_registered;

} // namespace
} // namespace evenly::graphs
