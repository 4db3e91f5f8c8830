// SPDX-License-Identifier: Apache-2.0
// The study as one page: charts in the manner of the paper's figures 11 and 13 to 19, tables, and the agreement.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "draw/svg.hpp"
#include "measure/text.hpp"
#include "study/claims.hpp"
#include "study/families.hpp"
#include "study/report.hpp"

namespace evenly::cli {
namespace {

constexpr std::string_view style = R"(
body { font: 15px/1.45 Helvetica, Arial, sans-serif; max-width: 1120px; margin: 2em auto; padding: 0 1em;
       color: #222; background: #fff; }
h2 { margin-top: 2em; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; margin: .6em 0; font-size: 13px; }
th, td { padding: 2px 8px; text-align: right; border-bottom: 1px solid #e4e4e4; }
th:first-child, td:first-child, td.words { text-align: left; }
td.agrees { background: #d8efd9; } td.disagrees { background: #f6d5d2; } td.open { background: #eee; }
figure { display: inline-block; margin: .5em 1em .5em 0; vertical-align: top; }
figcaption { font-weight: bold; }
details { margin: .6em 0; } summary { cursor: pointer; }
)";

std::string escaped(std::string_view text) { return xml_escaped(text); }

// --- tables

class table {
 public:
  explicit table(const std::vector<std::string>& heads) {
    text_ = "<table><tr>";
    for (const std::string& head : heads) text_ += "<th>" + escaped(head) + "</th>";
    text_ += "</tr>\n";
  }
  void row(const std::vector<std::string>& cells) {
    text_ += "<tr>";
    for (const std::string& each : cells) text_ += "<td>" + escaped(each) + "</td>";
    text_ += "</tr>\n";
  }
  std::string str() const { return text_ + "</table>\n"; }

 private:
  std::string text_;
};

std::string details(const std::string& summary, const std::string& body) {
  return "<details><summary>" + escaped(summary) + "</summary>\n" + body + "</details>\n";
}

std::string figure(const std::string& caption, const std::string& picture) {
  return "<figure><figcaption>" + escaped(caption) + "</figcaption>\n" + picture + "</figure>\n";
}

// --- charts

struct bar {
  std::string label;
  double ms;
  std::string note; ///< shown where a mouse rests on it
  std::string colour;
};

constexpr std::string_view colour_fixed = "#4878a8";
constexpr std::string_view colour_semi_dynamic = "#d98c3f";
constexpr std::string_view colour_dynamic = "#57a05c";
constexpr std::string_view colour_later = "#9a79b5";

std::string_view colour_of(mapping_class kind) {
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

/// Bars that are longer than this many times the shortest are cut, and marked as such; their number says how long they
/// are.
constexpr double longest_bar = 8;

std::string bar_chart(const std::vector<bar>& bars) {
  constexpr double label_width = 165;
  constexpr double bar_width = 260;
  constexpr double number_width = 95;
  constexpr double height = 20;
  double least = 0;
  double most = 0;
  for (const bar& each : bars) {
    least = least == 0 ? each.ms : std::min(least, each.ms);
    most = std::max(most, each.ms);
  }
  const double full = std::min(most, longest_bar * least);
  svg picture(label_width + bar_width + number_width, height * static_cast<double>(bars.size()) + 4);
  double y = 2;
  for (const bar& each : bars) {
    const bool cut = each.ms > full;
    const double length = std::max(1.0, bar_width * std::min(each.ms / full, 1.0));
    picture.begin_group(each.note, {{"data-ms", fmt::format("{:.6g}", each.ms)}});
    picture.text(label_width - 6, y + 14, each.label, 12, "end");
    picture.rect(label_width, y + 2, length, height - 5, each.colour);
    if (cut) picture.rect(label_width + length - 14, y + 1, 4, height - 3, "#fff");
    picture.text(label_width + length + 5, y + 14, milliseconds(each.ms), 12, "start", "#222",
                 each.ms == least ? "bold" : "normal");
    picture.end_group();
    y += height;
  }
  return picture.str();
}

struct series {
  std::string label;
  std::string colour;
  std::map<int, double> points; ///< x, ms
};

std::string line_chart(const std::vector<series>& all, const std::string& x_title) {
  constexpr double left = 55;
  constexpr double width = 300;
  constexpr double height = 150;
  double most = 0;
  std::set<int> xs;
  for (const series& each : all)
    for (const auto& [x, ms] : each.points) {
      most = std::max(most, ms);
      xs.insert(x);
    }
  if (xs.empty()) return "";
  svg picture(left + width + 130, height + 55);
  const auto x_of = [&](int x) {
    const auto at = static_cast<double>(std::distance(xs.begin(), xs.find(x)));
    return left + 15 + (width - 30) * (xs.size() > 1 ? at / static_cast<double>(xs.size() - 1) : 0.5);
  };
  const auto y_of = [&](double ms) { return 10 + height * (1 - ms / most); };
  picture.line(left, 10, left, 10 + height, "#888");
  picture.line(left, 10 + height, left + width, 10 + height, "#888");
  for (const double part : {0.0, 0.5, 1.0})
    picture.text(left - 5, y_of(part * most) + 4, milliseconds(part * most), 11, "end");
  for (const int x : xs) picture.text(x_of(x), height + 26, std::to_string(x), 11, "middle");
  picture.text(left + width / 2, height + 44, x_title, 11, "middle");
  double legend = 20;
  for (const series& each : all) {
    const std::pair<const int, double>* before = nullptr;
    for (const auto& point : each.points) {
      if (before != nullptr)
        picture.line(x_of(before->first), y_of(before->second), x_of(point.first), y_of(point.second),
                     each.colour, 2);
      picture.begin_group(fmt::format("{}, {}: {} ms", each.label, point.first, milliseconds(point.second)));
      picture.circle(x_of(point.first), y_of(point.second), 3, each.colour);
      picture.end_group();
      before = &point;
    }
    picture.rect(left + width + 8, legend - 9, 10, 10, each.colour);
    picture.text(left + width + 22, legend, each.label, 11);
    legend += 16;
  }
  return picture.str();
}

// --- techniques

std::string technique_chart(const study_view& view, const std::string& workload) {
  std::vector<bar> bars;
  for (const family& each : view.families())
    if (const study_run* run = view.best(workload, each.name))
      bars.push_back({each.title, run->time.median, configuration(*run), std::string(colour_of(each.kind))});
  return bars.empty() ? "" : bar_chart(bars);
}

std::string virtual_warp_chart(const study_view& view, const std::string& workload) {
  std::vector<bar> bars;
  for (const int size : view.virtual_warp_sizes())
    if (const study_run* run = view.best_virtual_warp(workload, size))
      bars.push_back({fmt::format("{} threads", size), run->time.median, configuration(*run),
                      std::string(colour_fixed)});
  return bars.empty() ? "" : bar_chart(bars);
}

std::string workload_table(const study_results& results) {
  table made({"workload", "input", "tiles", "atoms", "average", "standard deviation", "longest", "empty"});
  for (const study_workload& w : results.workloads)
    made.row({w.name, w.input, grouped(w.tiles), grouped(w.atoms), fmt::format("{:.3g}", w.average),
              fmt::format("{:.4g}", w.deviation), grouped(w.longest), grouped(w.empty)});
  return made.str();
}

/// One row for each technique, one cell for each workload.
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
  return made.str();
}

std::string all_runs(const study_view& view) {
  table made({"workload", "schedule", "block", "median ms", "least", "most", "plan ms", "threads",
              "plan's memory, bytes", "storage of a block, bytes"});
  for (const study_run* run : view.runs()) {
    if (run->error)
      made.row({run->workload, run->schedule, std::to_string(run->block_size), "FAILED: " + *run->error});
    else
      made.row({run->workload, run->schedule, std::to_string(run->block_size), milliseconds(run->time.median),
                milliseconds(run->time.least), milliseconds(run->time.most), milliseconds(run->plan_ms),
                grouped(run->threads), grouped(static_cast<long long>(run->memory)),
                grouped(static_cast<long long>(run->storage))});
  }
  return made.str();
}

std::string technique_section(const study_results& results, const std::string& op) {
  const study_view view(results, op);
  std::string text =
      fmt::format("<h2 id=\"{0}\">{0}: the best configuration of each technique, ms</h2>\n", escaped(op));
  for (const study_workload& w : results.workloads)
    if (const std::string chart = technique_chart(view, w.name); !chart.empty())
      text += figure(w.name, chart);
  text += details("Best configurations", by_workload(view, configuration));
  if (op == paper_operation) {
    text +=
        details("Threads launched", by_workload(view, [](const study_run& r) { return grouped(r.threads); }));
    text += details("Extra memory of the plan, bytes", by_workload(view, [](const study_run& r) {
                      return grouped(static_cast<long long>(r.memory));
                    }));
    text += details("Storage of a block, bytes", by_workload(view, [](const study_run& r) {
                      return grouped(static_cast<long long>(r.storage));
                    }));
  }
  std::string sizes;
  for (const study_workload& w : results.workloads)
    if (const std::string chart = virtual_warp_chart(view, w.name); !chart.empty())
      sizes += figure(w.name, chart);
  if (!sizes.empty()) text += details("Virtual warps by size, ms", sizes);
  return text + details("All runs", all_runs(view));
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
    bars.push_back({run->variant, run->time.median, fmt::format("blocks of {}", run->block_size),
                    std::string(colour_dynamic)});
  return bars.empty() ? "" : bar_chart(bars);
}

std::string block_size_chart(const study_results& results, const std::string& workload) {
  series partition{"partition", std::string(colour_fixed), {}};
  series expansion{"expansion", std::string(colour_dynamic), {}};
  series both{"both", std::string(colour_semi_dynamic), {}};
  for (const phase_run* run : runs_of(results, workload, "block_size")) {
    (run->variant == "partition" ? partition : expansion).points[run->block_size] = run->time.median;
    both.points[run->block_size] += run->time.median;
  }
  return line_chart({partition, expansion, both}, "threads in a block");
}

std::string searches_chart(const study_results& results, const std::string& workload) {
  series times{"ms", std::string(colour_dynamic), {}};
  for (const phase_run* run : runs_of(results, workload, "searches"))
    times.points[static_cast<int>(times.points.size()) + 1] = run->time.median;
  return line_chart({times}, "searches of a thread");
}

/// The time that each stage adds to those before it.
std::string stages_chart(const study_results& results, const std::string& workload) {
  std::vector<bar> bars;
  double before = 0;
  for (const phase_run* run : runs_of(results, workload, "stages")) {
    const char* const names[] = {"load", "search", "store"};
    if (bars.size() == 3) break;
    const double ms = std::max(run->time.median - before, 1e-6);
    bars.push_back({names[bars.size()], ms, fmt::format("up to here {} ms", milliseconds(run->time.median)),
                    std::string(colour_dynamic)});
    before = run->time.median;
  }
  return bars.empty() ? "" : bar_chart(bars);
}

std::string phase_section(const study_results& results) {
  if (results.phases.empty()) return "";
  using chart = std::string (*)(const study_results&, const std::string&);
  const std::pair<const char*, chart> charts[] = {
      {"Block size, partition and expansion apart (figure 17), ms", block_size_chart},
      {"Stages of the expansion: what each adds (figure 18), ms", stages_chart},
      {"Searches of each thread in a chunk, IS (figure 19), ms", searches_chart},
      {"Launch shapes (figure 11), ms",
       [](const study_results& r, const std::string& w) { return bars_of(runs_of(r, w, "supply")); }},
      {"The partition by both searches (section 3.1), ms",
       [](const study_results& r, const std::string& w) { return bars_of(runs_of(r, w, "partition")); }},
  };
  std::string text = "<h2 id=\"phases\">Multi-phase mapping by itself, on update</h2>\n";
  for (const auto& [title, draw] : charts) {
    text += fmt::format("<h3>{}</h3>\n", title);
    for (const study_workload& w : results.workloads)
      if (const std::string picture = draw(results, w.name); !picture.empty())
        text += figure(w.name, picture);
  }
  return text;
}

// --- agreement

std::string verdict_cell(verdict_word verdict) {
  const char* const kind = verdict == verdict_word::agrees      ? "agrees"
                           : verdict == verdict_word::disagrees ? "disagrees"
                                                                : "open";
  return fmt::format("<td class=\"{}\">{}</td>", kind, name_of(verdict));
}

/// `others`: findings on the same statements, for other operations.
std::string finding_rows(const std::vector<finding>& findings,
                         const std::vector<std::vector<finding>>& others) {
  std::string text;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const finding& each = findings[i];
    text += fmt::format("<tr><td>{}</td><td class=\"words\">{}</td>{}<td class=\"words\">{}</td>",
                        escaped(each.source), escaped(each.claim), verdict_cell(each.verdict),
                        escaped(each.numbers));
    for (const auto& other : others) text += verdict_cell(other[i].verdict);
    text += "</tr>\n";
  }
  return text;
}

std::string finding_table(const std::vector<finding>& findings,
                          const std::vector<std::string>& other_operations,
                          const std::vector<std::vector<finding>>& others) {
  std::string text = "<table><tr><th>where</th><th>the paper says</th><th>update</th><th>our numbers</th>";
  for (const std::string& op : other_operations) text += "<th>" + escaped(op) + "</th>";
  return text + "</tr>\n" + finding_rows(findings, others) + "</table>\n";
}

std::string agreement_section(const study_results& results) {
  std::vector<std::string> other_operations;
  std::vector<std::vector<finding>> others;
  for (const std::string& op : results.operations)
    if (op != paper_operation) {
      other_operations.push_back(op);
      others.push_back(examine_techniques(results, op));
    }
  return "<h2 id=\"agreement\">Where this agrees with the paper</h2>\n<h3>Techniques</h3>\n" +
         finding_table(examine_techniques(results, paper_operation), other_operations, others) +
         "<h3>Multi-phase mapping</h3>\n" + finding_table(examine_phases(results), {}, {});
}

std::string introduction(const study_results& results) {
  std::string text = fmt::format(
      "<p>Section 5 of Busato &amp; Bombieri, <i>A dynamic approach for workload partitioning on GPU "
      "architectures</i> "
      "(TPDS 2017), carried out again: on {} ({}), {}, commit {}{}. Every time is the median of runs whose "
      "result passed "
      "its check. A bar that is cut is longer than {} times the shortest.</p>\n",
      escaped(results.executor), escaped(results.place), escaped(results.date), escaped(results.commit),
      results.quick ? "; quick: small likenesses of the workloads, few runs" : "", longest_bar);
  if (results.executor == "cpu")
    text +=
        "<p>On the cores of the CPU a block is one thread: sizes of blocks and of groups mean nothing.</p>\n";
  if (results.executor == "simt")
    text += "<p>On the simulated GPU times are those of the simulation, and say nothing about a GPU's.</p>\n";
  svg legend(560, 20);
  double x = 2;
  for (const auto& [title, kind] :
       {std::pair("static", mapping_class::fixed), std::pair("semi-dynamic", mapping_class::semi_dynamic),
        std::pair("dynamic", mapping_class::dynamic), std::pair("not in the paper", mapping_class::later)}) {
    legend.rect(x, 4, 12, 12, colour_of(kind));
    legend.text(x + 17, 14, title);
    x += 130;
  }
  return text + legend.str();
}

} // namespace

std::string study_page(const study_results& results) {
  std::string text = fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
                                 "<title>evenly: mapping study</title><style>{}</style></head>\n<body>\n"
                                 "<h1>How work is mapped to threads</h1>\n",
                                 style);
  text += introduction(results) + "<h2>Workloads</h2>\n" + workload_table(results);
  for (const std::string& op : results.operations) text += technique_section(results, op);
  return text + phase_section(results) + agreement_section(results) + "</body></html>\n";
}

} // namespace evenly::cli
