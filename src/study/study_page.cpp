// SPDX-License-Identifier: Apache-2.0
// The study as a page: charts like figures 11 and 13 to 19 of the paper, tables, and the agreement.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "measure/text.hpp"
#include "report/charts.hpp"
#include "report/page.hpp"
#include "report/table.hpp"
#include "study/families.hpp"
#include "study/study_report.hpp"

namespace evenly::study {

namespace colours = evenly::report::colours;
using evenly::report::bar, evenly::report::bar_chart, evenly::report::html_details,
    evenly::report::html_figure, evenly::report::html_page, evenly::report::table, evenly::report::line_chart,
    evenly::report::series;
using measure::grouped, measure::milliseconds, measure::xml_escaped;

namespace {

constexpr std::string_view style_of_key =
    R"(.key { display: inline-block; width: .8em; height: .8em; margin: 0 .4em 0 1em; }
)";

// --- charts

constexpr std::uint32_t colour_fixed = colours::blue;
constexpr std::uint32_t colour_semi_dynamic = colours::orange;
constexpr std::uint32_t colour_dynamic = colours::green;
constexpr std::uint32_t colour_later = colours::violet;

std::uint32_t colour_of(mapping_class kind) {
  switch (kind) {
  case mapping_class::fixed:
    return colour_fixed;
  case mapping_class::semi_dynamic:
    return colour_semi_dynamic;
  case mapping_class::dynamic:
    return colour_dynamic;
  case mapping_class::later:
    break;
  }
  return colour_later;
}

/// Bars longer than this many times the median bar are cut and marked; their number is the value.
constexpr double longest_bar = 8;

bar bar_of(const std::string& label, const timing& time, std::uint32_t colour, const std::string& note = "") {
  return {label,  time.median, milliseconds(time.median) + (note.empty() ? "" : "  " + note),
          colour, time.min,    time.max};
}

// --- techniques

std::string technique_chart(const study_view& view, const std::string& workload) {
  std::vector<bar> bars;
  for (const family& each : view.families())
    if (const study_run* run = view.best(workload, each.name))
      bars.push_back(bar_of(each.title, run->time, colour_of(each.kind)));
  return bar_chart(bars, longest_bar);
}

std::string virtual_warp_chart(const study_view& view, const std::string& workload) {
  std::vector<bar> bars;
  for (const int size : view.virtual_warp_sizes())
    if (const study_run* run = view.best_virtual_warp(workload, size))
      bars.push_back(bar_of(fmt::format("{} threads", size), run->time, colour_fixed));
  return bar_chart(bars, longest_bar);
}

std::string workload_table(const study_results& results) {
  table made({"workload", "input", "tiles", "atoms", "average", "standard deviation", "longest", "empty"});
  for (const study_workload& w : results.workloads)
    made.row({w.name, w.input, grouped(w.tiles), grouped(w.atoms), fmt::format("{:.3g}", w.average),
              fmt::format("{:.4g}", w.deviation), grouped(w.longest), grouped(w.empty)});
  return made.html();
}

/// One row per technique, one cell per workload.
std::string by_workload(const study_view& view, const std::function<std::string(const study_run&)>& cell) {
  std::vector<std::string> heads{"technique"};
  for (const study_workload& w : view.all().workloads) heads.push_back(w.name);
  table made(heads);
  for (const family& each : view.families()) {
    std::vector<std::string> cells{each.title};
    for (const study_workload& w : view.all().workloads) {
      const study_run* const run = view.best(w.name, each.name);
      cells.push_back(run == nullptr ? "-" : cell(*run));
    }
    made.row(cells);
  }
  return made.html();
}

std::string all_runs(const study_view& view) {
  table made({"workload", "schedule", "threads per block", "median ms", "minimum", "maximum", "with plan",
              "first plan", "threads", "memory of the plan, bytes", "shared memory per block, bytes"});
  for (const study_run* run : view.runs()) {
    if (run->error)
      made.row({run->workload, run->schedule, std::to_string(run->block_size), "FAILED: " + *run->error});
    else
      made.row({run->workload, run->schedule, std::to_string(run->block_size), milliseconds(run->time.median),
                milliseconds(run->time.min), milliseconds(run->time.max),
                run->with_plan ? milliseconds(run->with_plan->median) : "-", milliseconds(run->plan_ms),
                grouped(run->threads), grouped(static_cast<long long>(run->memory)),
                grouped(static_cast<long long>(run->storage))});
  }
  return made.html();
}

std::string technique_section(const study_results& results, const std::string& op) {
  const study_view view(results, op);
  std::string text =
      fmt::format("<h2 id=\"{0}\">{0}: the best configuration of each technique, ms</h2>\n", xml_escaped(op));
  for (const study_workload& w : results.workloads)
    text += html_figure(w.name, technique_chart(view, w.name));
  text += html_details("Best configurations", by_workload(view, configuration));
  if (op == paper_operation) {
    text += html_details("Threads launched",
                         by_workload(view, [](const study_run& r) { return grouped(r.threads); }));
    text += html_details("Extra memory of the plan, bytes", by_workload(view, [](const study_run& r) {
                           return grouped(static_cast<long long>(r.memory));
                         }));
    text += html_details("Shared memory per block, bytes", by_workload(view, [](const study_run& r) {
                           return grouped(static_cast<long long>(r.storage));
                         }));
  }
  std::string sizes;
  for (const study_workload& w : results.workloads)
    sizes += html_figure(w.name, virtual_warp_chart(view, w.name));
  if (!sizes.empty()) text += html_details("Virtual warps by size, ms", sizes);
  return text + html_details("All runs", all_runs(view));
}

// --- multi-phase mapping

std::vector<const phase_run*> runs_of(const study_results& results, std::string_view workload,
                                      std::string_view experiment) {
  std::vector<const phase_run*> runs;
  for (const phase_run& run : results.phases)
    if (!run.error && run.workload == workload && run.experiment == experiment) runs.push_back(&run);
  return runs;
}

std::string bars_of(const std::vector<const phase_run*>& runs) {
  std::vector<bar> bars;
  for (const phase_run* run : runs)
    bars.push_back(
        bar_of(run->variant, run->time, colour_dynamic, fmt::format("in blocks of {}", run->block_size)));
  return bar_chart(bars, longest_bar);
}

std::string block_size_chart(const study_results& results, const std::string& workload) {
  std::map<int, double> partition, expansion, both;
  for (const phase_run* run : runs_of(results, workload, "block_size")) {
    (run->variant == "partition" ? partition : expansion)[run->block_size] = run->time.median;
    both[run->block_size] += run->time.median;
  }
  const auto line = [](const char* label, std::uint32_t colour, const std::map<int, double>& points) {
    return series{label, colour, {points.begin(), points.end()}};
  };
  return line_chart({line("partition", colour_fixed, partition), line("expansion", colour_dynamic, expansion),
                     line("both", colour_semi_dynamic, both)},
                    "threads in a block", "ms");
}

std::string searches_chart(const study_results& results, const std::string& workload) {
  series times{"ms", colour_dynamic, {}};
  for (const phase_run* run : runs_of(results, workload, "searches"))
    times.points.emplace_back(static_cast<double>(times.points.size() + 1), run->time.median);
  return line_chart({times}, "searches of a thread", "ms");
}

/// The additional time of each stage.
std::string stages_chart(const study_results& results, const std::string& workload) {
  std::vector<bar> bars;
  double before = 0;
  for (const phase_run* run : runs_of(results, workload, "stages")) {
    const char* const names[] = {"load", "search", "store"};
    if (bars.size() == 3) break;
    const double ms = std::max(run->time.median - before, 1e-6);
    bars.push_back({names[bars.size()], ms,
                    fmt::format("{}  up to here {}", milliseconds(ms), milliseconds(run->time.median)),
                    colour_dynamic});
    before = run->time.median;
  }
  return bar_chart(bars, longest_bar);
}

std::string phase_section(const study_results& results) {
  if (results.phases.empty()) return "";
  using chart = std::string (*)(const study_results&, const std::string&);
  const std::pair<const char*, chart> charts[] = {
      {"Block size: partition and expansion separately (figure 17), ms", block_size_chart},
      {"Stages of the expansion: additional time of each (figure 18), ms", stages_chart},
      {"Searches per thread in a chunk, IS (figure 19), ms", searches_chart},
      {"Launch shapes (figure 11), ms",
       [](const study_results& r, const std::string& w) { return bars_of(runs_of(r, w, "supply")); }},
      {"One optimization left out (section 3.3), ms",
       [](const study_results& r, const std::string& w) { return bars_of(runs_of(r, w, "without")); }},
      {"The partition with both searches (section 3.1), ms",
       [](const study_results& r, const std::string& w) { return bars_of(runs_of(r, w, "partition")); }},
  };
  std::string text = "<h2 id=\"phases\">Multi-phase mapping by itself, on update</h2>\n";
  for (const auto& [title, draw] : charts) {
    text += fmt::format("<h3>{}</h3>\n", title);
    for (const study_workload& w : results.workloads) text += html_figure(w.name, draw(results, w.name));
  }
  return text;
}

// --- agreement

std::string agreement_section(const study_results& results) {
  std::vector<std::string> operations;
  std::vector<std::vector<finding>> findings;
  const auto add = [&](const std::string& op) {
    operations.push_back(op);
    findings.push_back(examine_techniques(results, op));
    if (!has_times_with_plan(results, op)) return;
    operations.push_back(op + ", plan included");
    findings.push_back(examine_techniques(results, op, true));
  };
  add(std::string(paper_operation));
  for (const std::string& op : results.operations)
    if (op != paper_operation) add(op);
  std::string text = "<h2 id=\"agreement\">Where this agrees with the paper</h2>\n<h3>Techniques</h3>\n" +
                     verdict_table(operations, findings) + "<h3>Multi-phase mapping</h3>\n" +
                     verdict_table({std::string(paper_operation)}, {examine_phases(results)}) +
                     "<h3>Table 3</h3>\n" + verdict_table({"workloads"}, {examine_workloads(results)});
  if (!results.counted.empty())
    text += "<h3>Table 2, by counts</h3>\n" + verdict_table({"counts"}, {examine_counts(results)});
  return text;
}

std::string introduction(const study_results& results) {
  std::string text = fmt::format(
      "<p>Section 5 of Busato &amp; Bombieri, <i>A dynamic approach for workload partitioning on GPU "
      "architectures</i> (TPDS 2017), repeated on {} ({}), {}, commit {}{}. Every time is the median of runs "
      "with correct results. A cut bar is longer than {} times the median bar.</p>\n",
      xml_escaped(results.executor), xml_escaped(results.place), xml_escaped(results.date),
      xml_escaped(results.commit), results.quick ? "; quick: scaled-down workloads, few runs" : "",
      longest_bar);
  if (results.executor == "cpu")
    text += "<p>On the CPU a block is one thread, so block and group sizes have no meaning.</p>\n";
  if (results.executor == "simt") text += "<p>Times on the simulated GPU say nothing about a GPU.</p>\n";
  text += "<p>";
  for (const auto& [title, kind] :
       {std::pair("static", mapping_class::fixed), std::pair("semi-dynamic", mapping_class::semi_dynamic),
        std::pair("dynamic", mapping_class::dynamic), std::pair("not in the paper", mapping_class::later)})
    text +=
        fmt::format("<span class=\"key\" style=\"background: #{:06x}\"></span>{}", colour_of(kind), title);
  return text + "</p>\n";
}

} // namespace

std::string page_of(const study_results& results) {
  std::string text = introduction(results) + "<h2>Workloads</h2>\n" + workload_table(results);
  for (const std::string& op : results.operations) text += technique_section(results, op);
  text += phase_section(results) + agreement_section(results);
  return html_page("How work is mapped to threads", text,
                   std::string(colours_of_verdicts) + std::string(style_of_key));
}

} // namespace evenly::study
