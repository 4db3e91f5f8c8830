// SPDX-License-Identifier: Apache-2.0
#include "graphs/analysis.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "report/measured_run.hpp"

namespace evenly::graphs {

using measure::bench, measure::candidate, measure::measurement, measure::prepared_run;
using report::timed_table;

namespace {

void drop_self_loops(csr_matrix<double>& edges) {
  std::size_t kept = 0, begin = 0;
  for (std::size_t v = 0; v + 1 < edges.offsets.size(); ++v) {
    const auto end = static_cast<std::size_t>(edges.offsets[v + 1]);
    for (std::size_t e = begin; e < end; ++e) {
      if (edges.columns[e] == static_cast<int>(v)) continue;
      edges.columns[kept] = edges.columns[e];
      edges.values[kept++] = edges.values[e];
    }
    edges.offsets[v + 1] = static_cast<int>(kept);
    begin = end;
  }
  edges.columns.resize(kept);
  edges.values.resize(kept);
}

loaded_graph load(io::graph_source& source, bool undirected, analysis& what) {
  loaded_graph made;
  made.graph = source.load();
  if (!what.uses_weights()) std::ranges::fill(made.graph.edges.values, 1.0);
  if (undirected && !what.keeps_self_loops()) drop_self_loops(made.graph.edges);
  what.load(made);
  made.symmetric = io::is_symmetric(made.graph.edges);
  return made;
}

measurement measured(int repeat, executor_kind kind, const loaded_graph& of, const std::string& name,
                     analysis& what) {
  bench on = bench_of(what.time());
  memory_guard within_memory;
  candidate made{.name = name, .title = name, .is_schedule = true};
  made.prepare = [&]() -> prepared_run {
    within_memory([&] { what.prepare(); });
    return {[&] { within_memory([&] { what.run(); }); }};
  };
  made.first_error = [&] { return what.wrong(of); };
  measurement result = measure::measure(on, made, report::few_rounds(repeat, kind, false));
  within_memory.rethrow();
  return result;
}

double million_edges_per_s(const loaded_graph& of, const measurement& result, const analysis& what) {
  return static_cast<double>(what.visited_edges(of)) / result.time.median / 1e3;
}

json::value json_of(const loaded_graph& of, const measurement& m, const analysis& what) {
  json::value line{{"schedule", m.what.name}, {"ok", !m.error}};
  put_times(line, m.time, !m.error);
  line["medges_per_s"] = measure::number_if(!m.error, million_edges_per_s(of, m, what));
  if (m.error) return line;
  if (what.bytes() > 0) line["bytes"] = what.bytes();
  line.update({{"vertices", of.graph.edges.rows}, {"edges", of.counted_edges()}});
  for (const auto& [name, value] : what.numbers())
    std::visit([&](auto number) { line[name] = number; }, value);
  return line;
}

std::string table_of(const loaded_graph& of, const measurement& m, const analysis& what) {
  std::vector<timed_table::column> columns{{"M edges/s", 14}};
  report::table::cells cells{fmt::format("{:.4g}", million_edges_per_s(of, m, what))};
  for (const auto& [name, value] : what.numbers()) {
    columns.push_back({name, 14});
    cells.push_back(std::holds_alternative<double>(value) ? fmt::format("{:.3g}", std::get<double>(value))
                                                          : std::to_string(std::get<std::int64_t>(value)));
  }
  timed_table table("", std::move(columns), 12);
  table.row(m, std::move(cells));
  if (!m.error && what.bytes() > 0) table.note(memory_note(what.bytes()));
  return table.text();
}

} // namespace

void require_memory(const timer& place, const std::string& what, std::int64_t bytes) {
  if (place.threads() == 0) return;
  if (const auto shortage = host::memory_shortage(bytes)) throw host::memory_error(what + ": " + *shortage);
}

bool time_analysis(const std::string& name, const graph_options& options, analysis& what) {
  return time_on_graph(
      options,
      {.name = name,
       .load = [&](io::graph_source& source) { return load(source, options.reading.undirected, what); },
       .run =
           [&](executor_kind kind, const loaded_graph& of, measure::result_file& file, std::string& table) {
             what.set_place(place_for_analysis(
                 kind, what.view(of), placing_of(what.title(), of, options.bench, what.bytes_of_check(of))));
             const measurement m = measured(options.repeat, kind, of, name, what);
             table = title_of(what.title(), of, kind, what.time().place()) + '\n' + table_of(of, m, what);
             file.add(json_of(of, m, what));
             if (!m.error && !options.output.empty()) what.write(options.output, of.graph.labels);
             return !m.error;
           }});
}

} // namespace evenly::graphs
