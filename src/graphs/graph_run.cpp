// SPDX-License-Identifier: Apache-2.0
#include "graphs/graph_run.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "generate/random.hpp"
#include "graphs/ranked_place.hpp"
#include "graphs/vertex_lines.hpp"
#include "io/input.hpp"
#include "measure/text.hpp"
#include "report/measured_run.hpp"

namespace evenly::graphs {

namespace {

class lent_timer final : public timer {
 public:
  explicit lent_timer(timer& whose) : whose_(whose) {}
  std::string place() const override { return whose_.place(); }
  int threads() const override { return whose_.threads(); }
  double time_once(const std::function<void()>& run) override { return whose_.time_once(run); }
  std::function<void()> copy(std::int64_t bytes) override { return whose_.copy(bytes); }
  std::function<void()> fill(std::int64_t bytes) override { return whose_.fill(bytes); }

 private:
  timer& whose_;
};

std::string size_of(const loaded_graph& of, const char* separator) {
  return measure::with_noun(of.graph.edges.rows, "vertex", "vertices") + separator +
         measure::with_noun(of.graph.edges.atoms(), "edge");
}

} // namespace

std::string title_of(const std::string& what, const loaded_graph& of, executor_kind kind,
                     const std::string& place) {
  return fmt::format("{} of {} on {} ({}): {}", what, host::printable(of.graph.name), name_of(kind), place,
                     size_of(of, ", "));
}

std::vector<int> random_sources(const csr_matrix<double>& edges, int count) {
  std::vector<int> with_edges;
  for (int v = 0; v < edges.rows; ++v)
    if (edges.offsets[v + 1] > edges.offsets[v]) with_edges.push_back(v);
  if (std::ssize(with_edges) <= count) return with_edges;
  constexpr std::int64_t max_draws = 64; // per source, on average
  const bool draws_any = std::ssize(with_edges) * max_draws >= edges.rows;
  generate::random_sequence random(0, generate::stream::sources);
  std::vector<int> sources;
  while (static_cast<int>(sources.size()) < count) {
    const int v = draws_any ? random.below(edges.rows)
                            : with_edges[static_cast<std::size_t>(random.below(std::ssize(with_edges)))];
    if (edges.offsets[v + 1] > edges.offsets[v] && std::ranges::count(sources, v) == 0) sources.push_back(v);
  }
  return sources;
}

place_options placing_of(const std::string& name, const loaded_graph& of, const bench_options& bench,
                         std::int64_t reserve) {
  return {.bench = bench,
          .memory = {.name = fmt::format("{} of {} vertices and {} edges", name, of.graph.edges.rows,
                                         of.graph.edges.atoms()),
                     .remedy = of.graph.memory_remedy(),
                     .reserve = reserve}};
}

bool time_on_graph(const graph_options& options, const graph_work& work) {
  const executor_kind kind = report::executor_of(options.executor);
  io::graph_source source(options.input, options.reading);
  json::value head{{"search", work.name},
                   {"input", io::input_name(options.input)},
                   {"undirected", options.reading.undirected}};
  if (ranks_in_use() > 0) head["ranks"] = ranks_in_use();
  head.update(work.head);
  return report::measure_input(
      {.executor = kind,
       .input = options.input,
       .outputs = {options.json, options.report, {options.output, options.parents, options.map}},
       .head = [&] { return head; },
       .work =
           [&](measure::result_file& file, std::string& table) {
             const loaded_graph loaded = work.load(source);
             const bool is_right = work.run(kind, loaded, file, table);
             if (!options.map.empty())
               write_labels(options.map, loaded.graph.labels, loaded.graph.edges.rows);
             return is_right;
           },
       .of_page = work.of_page});
}

measure::bench bench_of(timer& whose) {
  return {std::make_unique<lent_timer>(whose), std::make_shared<measure::unchecked_output>(), {}};
}

std::string memory_note(std::size_t bytes) {
  return fmt::format("{} bytes of memory in addition to graph and result", measure::grouped(bytes));
}

} // namespace evenly::graphs
