// SPDX-License-Identifier: Apache-2.0
#include "study/model_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/combined_heuristic.hpp"
#include "measure/text.hpp"
#include "report/page.hpp"
#include "report/svg.hpp"
#include "report/table.hpp"

namespace evenly::study {

using evenly::report::html_figure, evenly::report::html_page, evenly::report::svg, evenly::report::table;
using measure::grouped, measure::with_noun, measure::wrapped, measure::xml_escaped;

namespace {

const std::string heuristic = "heuristic", oracle = "oracle";

/// A class of sizes in the paper's data, with its speed-up of the heuristic over cuSPARSE on a V100
/// (plots/data/heuristics.csv of the authors' repository).
struct size_class {
  const char* name;
  std::int64_t from;
  std::int64_t end;
  double in_paper;
};
constexpr std::array classes{size_class{"all", 0, std::int64_t{1} << 62, 2.66},
                             size_class{"below 10^5", 0, 100'000, 3.11},
                             size_class{"10^5 to 10^6", 100'000, 1'000'000, 2.30},
                             size_class{"from 10^6", 1'000'000, std::int64_t{1} << 62, 1.29}};
constexpr double peak_in_paper = 39.0;

bool is_baseline(const std::string& kernel) {
  return kernel == "serial" || kernel.starts_with("openmp") || kernel.starts_with("cusparse");
}

/// In the order of the rule's candidates.
constexpr std::array<std::string_view, 3> schedules_of_paper{"merge_path", "thread_mapped",
                                                             "group_mapped<32>"};

/// The schedule that the rule of the paper chooses.
std::string chosen_by_rule(const model_run& of) {
  choice_facts facts;
  facts.tiles.tiles = of.rows;
  facts.tiles.atoms = of.nnzs;
  const auto choice = combined_heuristic{.columns = of.cols}.choose(cpu(1), facts);
  return std::string(schedules_of_paper.at(choice.index));
}

std::vector<std::string> kernels_of(const model_results& results) {
  std::vector<std::string> all;
  for (const model_run& run : results.runs)
    if (std::ranges::count(all, run.kernel) == 0) all.push_back(run.kernel);
  std::ranges::stable_partition(all, [](const std::string& kernel) { return !is_baseline(kernel); });
  all.insert(std::ranges::find_if(all, is_baseline), {heuristic, oracle});
  return all;
}

std::string times(const std::optional<speed_up>& of) { return of ? fmt::format("{:.2f}", of->mean) : "-"; }

table speed_up_table(const model_results& results) {
  const std::vector<model_dataset> all = datasets_of(results);
  const std::string baseline = baseline_of(results.executor);
  table made({"kernel", "sets", "speed-up", "peak", "at 90%", "below 10^5", "10^5 to 10^6", "from 10^6"},
             {-20, 6, 9, 8, 7, 11, 13, 10});
  for (const std::string& kernel : kernels_of(results)) {
    if (kernel == baseline) continue;
    const auto whole = speed_up_over(all, kernel, baseline);
    if (!whole) continue;
    std::vector<std::string> cells{kernel, std::to_string(whole->sets), fmt::format("{:.2f}", whole->mean),
                                   fmt::format("{:.2f}", whole->peak),
                                   fmt::format("{:.0f}%", 100 * whole->near_share)};
    for (std::size_t i = 1; i < classes.size(); ++i)
      cells.push_back(times(speed_up_over(all, kernel, baseline, classes[i].from, classes[i].end)));
    made.row(cells);
  }
  made.row({"paper: heuristic", "4831", fmt::format("{:.2f}", classes[0].in_paper),
            fmt::format("{:.2f}", peak_in_paper), "", fmt::format("{:.2f}", classes[1].in_paper),
            fmt::format("{:.2f}", classes[2].in_paper), fmt::format("{:.2f}", classes[3].in_paper)});
  return made;
}

std::string explanation(const model_results& results) {
  return fmt::format(
      "speed-up: time of {} over that of the kernel, geometric mean; peak: the maximum. "
      "at 90%: data sets on which the kernel has at least 90% of the speed. "
      "heuristic: the paper's rule, which chooses among three schedules by the number of nonzeros. "
      "oracle: the fastest schedule. The paper compares with cuSPARSE on a V100.",
      baseline_of(results.executor));
}

/// Figures 8 and 9: each data set by its nonzeros (10^2 to 10^8) and its speed-up (1/64 to 64), on logarithmic axes.
std::string landscape(const std::vector<model_dataset>& all, const std::string& kernel,
                      const std::string& baseline) {
  constexpr double width = 560, height = 260, left = 46, top = 12;
  const auto x_of = [](double nnzs) {
    return left + (width - left) * std::clamp((std::log10(nnzs) - 1) / 8, 0.0, 1.0);
  };
  const auto y_of = [](double times) {
    return top + (height - top) * std::clamp(0.5 - std::log2(times) / 12, 0.0, 1.0);
  };
  svg picture(width + 20, height + 40);
  for (const double times : {1.0 / 16, 1.0 / 4, 1.0, 4.0, 16.0}) {
    picture.line(left, y_of(times), width, y_of(times), times == 1.0 ? "#555" : "#ddd");
    picture.text(left - 6, y_of(times) + 4, fmt::format("{:.4g}", times), 11, "end");
  }
  for (int power = 2; power <= 8; power += 2)
    picture.text(x_of(std::pow(10, power)), height + 18, fmt::format("10^{}", power), 11, "middle");
  picture.text((left + width) / 2, height + 34, "nonzeros", 11, "middle");
  for (const model_dataset& each : all) {
    const auto ours = each.ms.find(kernel), theirs = each.ms.find(baseline);
    if (ours == each.ms.end() || theirs == each.ms.end() || each.nnzs < 1) continue;
    picture.circle(x_of(static_cast<double>(each.nnzs)), y_of(theirs->second / ours->second), 2.5, "#4878a8");
  }
  return picture.str();
}

/// A cell of a CSV file (RFC 4180).
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string quoted = "\"";
  for (const char each : text) quoted += each == '"' ? "\"\"" : std::string(1, each);
  return quoted + '"';
}

} // namespace

bool model_results::has(const std::string& kernel, const std::string& dataset) const {
  return std::ranges::any_of(
      runs, [&](const model_run& run) { return run.kernel == kernel && run.dataset == dataset; });
}

std::string identity(const model_run& run) { return run.kernel + " on " + run.dataset; }

void fields(record& io, model_run& run) {
  io("kernel", run.kernel);
  io("dataset", run.dataset);
  io("rows", run.rows);
  io("cols", run.cols);
  io("nnzs", run.nnzs);
  io.outcome(run.error, run.time);
}

void fields(record& io, model_results& all) {
  head_fields(io, "model", all);
  if (io.reads()) io.list("results", all.runs);
}

void merge(const study_file& file, model_results& all, model_results more) {
  file.add_runs(all.runs, std::move(more.runs), [](const model_run& run) { return identity(run); });
}

void forget_failed(model_results& all) {
  std::set<std::string> failed;
  for (const model_run& run : all.runs)
    if (run.error) failed.insert(run.dataset);
  std::erase_if(all.runs, [&](const model_run& run) { return failed.contains(run.dataset); });
}

bool is_in_paper(const std::string& schedule) { return std::ranges::count(schedules_of_paper, schedule) > 0; }

std::string baseline_of(const std::string& executor) {
  return executor == "cuda" ? "cusparse_alg2" : executor == "cpu" ? "openmp_static" : "thread_mapped";
}

std::vector<model_dataset> datasets_of(const model_results& results) {
  std::vector<model_dataset> all;
  std::map<std::string, std::size_t> places;
  std::vector<std::string> rules;
  for (const model_run& run : results.runs) {
    if (run.error) continue;
    const auto [at, is_new] = places.emplace(run.dataset, all.size());
    if (is_new) {
      all.push_back({run.dataset, run.nnzs, {}});
      rules.push_back(chosen_by_rule(run));
    }
    all[at->second].ms[run.kernel] = run.time.median;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& ms = all[i].ms;
    double fastest = std::numeric_limits<double>::infinity();
    for (const auto& [kernel, time] : ms)
      if (!is_baseline(kernel) && kernel != "automatic") fastest = std::min(fastest, time);
    if (const auto chosen = ms.find(rules[i]); chosen != ms.end()) ms[heuristic] = chosen->second;
    if (std::isfinite(fastest)) ms[oracle] = fastest;
  }
  return all;
}

std::optional<speed_up> speed_up_over(const std::vector<model_dataset>& all, const std::string& kernel,
                                      const std::string& other, std::int64_t from, std::int64_t end) {
  speed_up found;
  double logarithms = 0;
  std::size_t near = 0;
  for (const model_dataset& each : all) {
    const auto ours = each.ms.find(kernel), theirs = each.ms.find(other);
    if (each.nnzs < from || each.nnzs >= end || ours == each.ms.end() || theirs == each.ms.end()) continue;
    const double times = theirs->second / ours->second;
    ++found.sets;
    logarithms += std::log(times);
    found.peak = std::max(found.peak, times);
    near += times >= 0.9;
  }
  if (found.sets == 0) return {};
  found.mean = std::exp(logarithms / static_cast<double>(found.sets));
  found.near_share = static_cast<double>(near) / static_cast<double>(found.sets);
  return found;
}

json::value head_of(const model_results& results) { return to_json(results); }

std::string model_tables(const model_results& results) {
  return fmt::format("speed-ups over {}, float SpMV on {} ({})\n{}{}", baseline_of(results.executor),
                     results.executor, results.place, speed_up_table(results).text(),
                     wrapped(explanation(results), "  "));
}

std::string agreement(const model_results& results) { return model_tables(results); }

std::string csv_of(const model_results& results) {
  std::string text = "kernel,dataset,rows,cols,nnzs,elapsed\n";
  for (const model_run& run : results.runs)
    if (!run.error)
      text += fmt::format("{},{},{},{},{},{}\n", cell(run.kernel), cell(run.dataset), run.rows, run.cols,
                          run.nnzs, run.time.median);
  return text;
}

std::string page_of(const model_results& results) {
  const std::vector<model_dataset> all = datasets_of(results);
  const std::string baseline = baseline_of(results.executor);
  std::string text =
      fmt::format("<p>Section 6 of Osama, Porumbescu &amp; Owens, <i>A programming model for GPU load "
                  "balancing</i> (PPoPP 2023), "
                  "repeated on {} ({}), {}, commit {}{}: products of sparse matrices and vectors of float, "
                  "{}. Every time is the "
                  "median of runs with correct results.</p>\n",
                  xml_escaped(results.executor), xml_escaped(results.place), xml_escaped(results.date),
                  xml_escaped(results.commit), results.quick ? "; quick: few matrices and runs" : "",
                  with_noun(static_cast<std::int64_t>(all.size()), "matrix", "matrices"));
  text += fmt::format("<h2>Speed-ups over {}</h2>\n{}<p>{}</p>\n", xml_escaped(baseline),
                      speed_up_table(results).html(), xml_escaped(explanation(results)));
  text += "<h2>Figures 8 and 9</h2>\n";
  for (const std::string& kernel : kernels_of(results))
    if (kernel != baseline && speed_up_over(all, kernel, baseline))
      text += html_figure(fmt::format("{}: speed-up over {} by nonzeros", kernel, baseline),
                          landscape(all, kernel, baseline));
  return html_page("A programming model for load balancing", text);
}

} // namespace evenly::study
