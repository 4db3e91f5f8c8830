// SPDX-License-Identifier: Apache-2.0
// The page of the study of task pools: the figures of the paper, tables, and the agreement.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "evenly/spatial/particles.hpp"
#include "measure/text.hpp"
#include "report/charts.hpp"
#include "report/page.hpp"
#include "report/svg.hpp"
#include "report/table.hpp"
#include "study/task_report.hpp"

namespace evenly::study {

namespace colours = evenly::report::colours;
using evenly::report::html_details, evenly::report::html_figure, evenly::report::html_page,
    evenly::report::table, evenly::report::line_chart, evenly::report::scrolling, evenly::report::series,
    evenly::report::svg, evenly::report::timeline_chart;
using measure::grouped, measure::milliseconds, measure::xml_escaped;

namespace {

/// Figure 1.
std::string cloud(const spatial::particle_cells& cells) {
  constexpr double side = 260;
  svg picture(side, side);
  picture.rect(0, 0, side, side, "#ffffff", "#888888");
  for (std::size_t i = 0; i < cells.x.size(); ++i)
    picture.circle(side * cells.x[i] / spatial::octree_cells, side * cells.y[i] / spatial::octree_cells, 1,
                   fmt::format("#{0:02x}{0:02x}c0", cells.z[i] >> 14));
  return picture.str();
}

/// Figures 2 and 3: darker cells take longer.
std::string grid_table(const task_study_results& results, const std::string& experiment,
                       const std::string& input, const std::string& pool) {
  std::set<int> sizes, blocks;
  std::map<std::pair<int, int>, double> ms;
  double min = std::numeric_limits<double>::infinity(), max = 0;
  for (const task_study_run& run : results.runs) {
    if (run.experiment != experiment || run.error || run.input != input || run.pool != pool) continue;
    sizes.insert(run.block_size);
    blocks.insert(run.blocks);
    ms[{run.block_size, run.blocks}] = run.time.median;
    min = std::min(min, run.time.median);
    max = std::max(max, run.time.median);
  }
  if (ms.empty()) return "";
  std::string text = "<table><tr><th>threads \\ blocks</th>";
  for (const int b : blocks) text += fmt::format("<th>{}</th>", b);
  text += "</tr>\n";
  for (const int s : sizes) {
    text += fmt::format("<tr><td>{}</td>", s);
    for (const int b : blocks) {
      const auto at = ms.find({s, b});
      if (at == ms.end()) {
        text += "<td></td>";
        continue;
      }
      const double part = max > min ? std::log(at->second / min) / std::log(max / min) : 0;
      text += fmt::format("<td style=\"background: rgba(196, 70, 58, {:.2f})\">{}</td>", 0.7 * part,
                          milliseconds(at->second));
    }
    text += "</tr>\n";
  }
  return scrolling(text + "</table>");
}

/// One line per pool; point(run) returns the position, or nothing.
template <class Point>
std::string lines(const task_study_results& results, const std::vector<std::string>& experiments,
                  const char* x_title, const char* y_title, const Point& point) {
  std::vector<series> all;
  for (const std::string& experiment : experiments)
    for (const std::string& pool : pools_of(results, experiment)) {
      series line{experiment == by_warp.paper || experiment == by_block.paper ? pool + ", the paper's point"
                                                                              : pool,
                  colours::of_series(all.size()),
                  {}};
      for (const task_study_run& run : results.runs)
        if (run.experiment == experiment && run.pool == pool && !run.error)
          if (const auto at = point(run)) line.points.push_back(*at);
      std::ranges::sort(line.points);
      if (!line.points.empty()) all.push_back(std::move(line));
    }
  return line_chart(all, x_title, y_title);
}

using place = std::optional<std::pair<double, double>>;

std::string sizes_chart(const task_study_results& results, const tree_experiments& of,
                        const std::string& kind) {
  return lines(results, {"bulk", of.best, of.paper}, "particles", "ms",
               [&](const task_study_run& run) -> place {
                 const task_study_input* const of = results.find(run.input);
                 if (of == nullptr || of->kind != kind) return {};
                 return std::pair(static_cast<double>(of->points), run.time.median);
               });
}

std::string workers_chart(const task_study_results& results, const std::string& search) {
  return lines(results, {"workers"}, "workers", "million tasks a second",
               [&](const task_study_run& run) -> place {
                 if (run.input != search) return {};
                 return std::pair(static_cast<double>(run.blocks),
                                  static_cast<double>(run.tasks) / run.time.median / 1e3);
               });
}

std::string tasks_chart(const task_study_results& results, const std::vector<std::string>& kinds) {
  std::vector<series> all;
  for (const std::string& kind : kinds) {
    series line{kind, colours::of_series(all.size()), {}};
    for (const task_study_input& each : results.inputs)
      if (each.kind == kind)
        line.points.emplace_back(static_cast<double>(each.points), static_cast<double>(each.tasks()));
    std::ranges::sort(line.points);
    all.push_back(std::move(line));
  }
  return line_chart(all, "particles", "tasks");
}

std::string input_table(const task_study_results& results) {
  table made({"input", "particles", "nodes", "leaves", "depth", "log8(n/20)", "tasks", "tasks by depth"});
  for (const task_study_input& each : results.inputs) {
    std::string depths;
    for (const std::int64_t tasks : each.tasks_by_depth)
      depths += (depths.empty() ? "" : ", ") + grouped(static_cast<long long>(tasks));
    const double balanced = std::log(std::max(static_cast<double>(each.points) / 20, 1.0)) / std::log(8.0);
    made.row({each.input, grouped(each.points), grouped(each.nodes), grouped(each.leaves),
              std::to_string(each.depth), fmt::format("{:.2f}", balanced), grouped(each.tasks()), depths});
  }
  return made.html();
}

std::string all_runs(const task_study_results& results) {
  table made({"experiment", "input", "pool", "threads", "blocks", "median ms", "minimum", "maximum", "tasks",
              "rounds"});
  for (const task_study_run& run : results.runs) {
    if (run.error)
      made.row({run.experiment, run.input, run.pool, std::to_string(run.block_size),
                std::to_string(run.blocks), "FAILED: " + *run.error});
    else
      made.row({run.experiment, run.input, run.pool, std::to_string(run.block_size),
                std::to_string(run.blocks), milliseconds(run.time.median), milliseconds(run.time.min),
                milliseconds(run.time.max), grouped(run.tasks), std::to_string(run.rounds)});
  }
  return made.html();
}

/// The counts of every run, and the timelines.
std::string balance_of_runs(const task_study_results& results) {
  table made({"experiment", "input", "pool", "threads", "blocks", "workers", "tasks per worker: minimum",
              "mean", "maximum", "taken", "failed", "idle", "spins", "failed CAS"});
  std::string charts;
  bool is_empty = true;
  for (const task_study_run& run : results.runs) {
    if (run.error || !run.balance) continue;
    const tasks::task_balance& of = *run.balance;
    is_empty = false;
    made.row({run.experiment, run.input, run.pool, std::to_string(run.block_size), std::to_string(run.blocks),
              grouped(of.workers), grouped(of.tasks_min), fmt::format("{:.1f}", of.tasks_mean),
              grouped(of.tasks_max), grouped(of.taken), grouped(of.failed),
              of.profiled ? fmt::format("{:.1f}%", 100 * of.profiled->idle) : "",
              of.profiled ? grouped(of.profiled->spins) : "",
              of.profiled ? grouped(of.profiled->failed_cas) : ""});
    if (has_timeline(run))
      charts += html_figure(fmt::format("{}, {}, {}: {}", run.experiment, run.input, run.pool,
                                        evenly::report::caption_of_timelines),
                            timeline_chart(of.busy, of.ms_of_part));
  }
  if (is_empty) return "";
  return "<h2 id=\"balance\">Balance among the workers</h2>\n" +
         html_details("Workers over time, at the best and the paper's points", charts) +
         html_details("Counts of all runs", made.html());
}

std::string agreement_table(const task_study_results& results) {
  const std::vector<finding> by_warps = examine_tasks(results, by_warp);
  if (!has_runs_by_block(results)) return verdict_table({"measured here"}, {by_warps});
  return verdict_table({"a block runs a task, the lock as printed", "a warp runs a task"},
                       {examine_tasks(results, by_block), by_warps}, true);
}

/// Figures 2, 3 and 4.
std::string tree_figures(const task_study_results& results, const tree_experiments& of,
                         const std::vector<std::string>& kinds) {
  const char* const what = !has_runs_by_block(results) ? ""
                           : of.by_block               ? ", a block runs a task"
                                                       : ", a warp runs a task";
  std::string text = fmt::format("<h2 id=\"{}\">Threads of a block and blocks (figures 2 and 3), ms{}</h2>\n",
                                 of.grid, what);
  for (const std::string& input : inputs_of(results, of.grid))
    for (const std::string& pool : pools_of(results, of.grid))
      if (const std::string table = grid_table(results, of.grid, input, pool); !table.empty())
        text += fmt::format("<h3>{}, {}</h3>\n", xml_escaped(input), xml_escaped(pool)) + table;
  text += fmt::format("<h2 id=\"{}\">Time over particles (figure 4), ms{}</h2>\n", of.best, what);
  for (const std::string& kind : kinds) text += html_figure(kind, sizes_chart(results, of, kind));
  return text;
}

} // namespace

std::string page_of(const task_study_results& results) {
  std::string text =
      fmt::format("<p>Sections 5 and 6 of Cederman &amp; Tsigas, <i>On dynamic load balancing on graphics "
                  "processors</i> (2008), repeated on {} ({}), {}, commit {}{}. Every time is the median of "
                  "runs with correct trees.</p>\n",
                  xml_escaped(results.executor), xml_escaped(results.place), xml_escaped(results.date),
                  xml_escaped(results.commit), results.quick ? "; quick: few particles, few runs" : "");
  if (results.executor != "cuda")
    text += fmt::format("<p>On {} times say nothing about a GPU.</p>\n", xml_escaped(results.executor));
  text += "<h2 id=\"particles\">Particles (figures 1 and 5)</h2>\n";
  text += html_figure("uniform", cloud(spatial::uniform_particles(1500))) +
          html_figure("tube", cloud(spatial::tube_particles(1500)));
  text += input_table(results);
  std::vector<std::string> kinds;
  for (const task_study_input& each : results.inputs)
    if (std::ranges::count(kinds, each.kind) == 0) kinds.push_back(each.kind);
  text += html_figure("Tasks (figure 5)", tasks_chart(results, kinds));
  if (has_runs_by_block(results)) text += tree_figures(results, by_block, kinds);
  text += tree_figures(results, by_warp, kinds);
  text += "<h2 id=\"workers\">Tasks per second over workers</h2>\n";
  if (inputs_of(results, "workers").empty()) text += "<p>Not measured.</p>\n";
  for (const std::string& search : inputs_of(results, "workers"))
    text += html_figure(search, workers_chart(results, search));
  text += balance_of_runs(results);
  text += html_details("All runs", all_runs(results));
  text += "<h2 id=\"agreement\">Where this agrees with the paper</h2>\n" + agreement_table(results);
  return html_page("Task pools and octrees", text, colours_of_verdicts);
}

} // namespace evenly::study
