// SPDX-License-Identifier: Apache-2.0
#include "study/access_report.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "json/value.hpp"
#include "measure/text.hpp"

namespace evenly::study {

using evenly::report::table;
using measure::milliseconds;

namespace {

constexpr double sector_bytes = 32;

/// share_accumulate is another operation and has no body to compare with.
bool is_compared(std::string_view layout) { return layout != "share_accumulate" && layout != "automatic"; }

std::string or_dash(const access_study_run* run) { return run == nullptr ? "-" : run->layout; }

std::string ratio_of_text(const std::optional<double>& share) {
  if (!share) return "not runnable";
  return *share == shut_down ? "shut down" : fmt::format("{:.2f}", *share);
}
std::string share_in_words(const access_view& of, const access_study_run* run) {
  if (run == nullptr || of.none == nullptr) return "-";
  const auto share = of.share_of(*run);
  return share ? fmt::format("{:.2f}", *share) : "shut off";
}

} // namespace

const std::vector<paper_row>& paper_rows() {
  static const std::vector<paper_row> all{
      {"MD", "molecular dynamics", "Sharing", "Sharing", {0.25, 0.1}, {0.85, 0.65}},
      {"IRREG", "partial diff. solver", "Sharing", "Sharing", {0.4, 0.1}, {0.9, 0.7}},
      {"NBF", "force field", "Sharing", "Sharing", {0.4, 0.15}, {0.95, 0.8}},
      {"CFD", "finite volume solver", "Sharing", "Sharing", {0.35, shut_down}, {0.6, shut_down}},
      {"CG", "conjugate gradient", "Sharing", "Sharing", {0.45, 0.15}, {0.5, 0.2}},
      {"UNWRAP", "3-D reconstruction", "Dup.", "(not runnable)", {1, {}}, {1, {}}},
      {"NN", "nearest neighbor", "Dup.", "Dup.", {0.7, 0.4}, {0.7, 0.4}},
      {"MERGE", "database update", "Padding", "Padding", {0.3, 0.3}, {0.6, 0.6}},
  };
  return all;
}
const paper_row* paper_row_of(const std::string& name) {
  const auto found =
      std::ranges::find_if(paper_rows(), [&](const paper_row& each) { return name == each.name; });
  return found == paper_rows().end() ? nullptr : &*found;
}

std::string_view algorithm_of(std::string_view layout) {
  if (!is_compared(layout)) return {};
  for (const std::string_view family : {"duplicate", "pad", "share"})
    if (layout.starts_with(family)) return family;
  return {};
}

double transformed_share(double run_ms, double overhead_ms, bool independent) {
  if (overhead_ms <= 0) return 1;
  if (independent) return std::min(1.0, run_ms / overhead_ms);
  return run_ms / (run_ms + overhead_ms);
}

access_view::access_view(const access_study_results& results, const access_study_workload& of)
    : workload(of) {
  for (const access_study_run& run : results.runs)
    if (run.workload == of.name) {
      if (run.experiment == "arms") runs.push_back(&run);
      if (run.experiment == "long" && run.is_timed()) long_runs_.push_back(&run);
    }
  none = layout("none");
  selected = layout("automatic");
  for (const access_study_run* run : long_runs_)
    if (run->layout == "automatic") selected = run;
}

double access_view::speedup(const access_study_run& run) const {
  for (const access_study_run* base : long_runs_)
    if (run.experiment == "long" && base->layout == "none") return base->loop_ms / run.loop_ms;
  return none->loop_ms / run.loop_ms;
}
const access_study_run* access_view::rival() const {
  if (selected == nullptr || selected->experiment != "long") return best();
  return lowest(
      long_runs_, [](const access_study_run& run) { return is_compared(run.layout); },
      &access_study_run::loop_ms);
}

const access_study_run* access_view::layout(std::string_view name) const {
  for (const access_study_run* run : runs)
    if (run->layout == name && run->is_timed()) return run;
  return nullptr;
}

const access_study_run* access_view::best(std::string_view family) const {
  return lowest(
      runs,
      [&](const access_study_run& run) {
        return run.is_timed() && is_compared(run.layout) &&
               (family.empty() || algorithm_of(run.layout) == family);
      },
      &access_study_run::loop_ms);
}
const access_study_run* access_view::best_of_paper() const {
  return lowest(
      runs, [](const access_study_run& run) { return run.is_timed() && !algorithm_of(run.layout).empty(); },
      &access_study_run::loop_ms);
}
const access_study_run* access_view::fastest(std::string_view family) const {
  return lowest(
      runs, [&](const access_study_run& run) { return run.is_timed() && algorithm_of(run.layout) == family; },
      &access_study_run::run_ms);
}
const access_study_run* access_view::smallest_copy(std::string_view family) const {
  return lowest(
      runs,
      [&](const access_study_run& run) {
        return run.is_timed() && algorithm_of(run.layout) == family && run.copy_bytes > 0;
      },
      &access_study_run::copy_bytes);
}

double access_view::load_efficiency(const access_study_run& run) const {
  if (run.sectors == 0) return 1;
  const auto asked = static_cast<double>(workload.threads) * static_cast<double>(workload.references) *
                     static_cast<double>(workload.element_bytes);
  return asked / (static_cast<double>(run.sectors) * sector_bytes);
}
std::optional<double> access_view::space(const access_study_run& run) const {
  const access_study_run* const all = layout("duplicate");
  if (all == nullptr || all->copy_bytes == 0) return {};
  return static_cast<double>(run.copy_bytes) / static_cast<double>(all->copy_bytes);
}
std::optional<double> access_view::share_of(const access_study_run& run) const {
  if (none == nullptr || run.run_ms >= none->run_ms) return {};
  return transformed_share(none->run_ms, run.refresh_ms + run.build_ms / run.runs_of_plan(),
                           workload.independent);
}

std::vector<access_view> views_of(const access_study_results& results) {
  std::vector<access_view> all;
  for (const access_study_workload& each : results.workloads) {
    access_view made(results, each);
    if (made.none != nullptr) all.push_back(std::move(made));
  }
  return all;
}

std::string access_table(const access_study_results& results, const std::string& workload) {
  const access_study_workload* const of = results.find(workload);
  if (of == nullptr) return "";
  const access_view view(results, *of);
  table made({"layout", "run ms", "refresh", "plan", "loop", "speedup", "of a run", "efficiency", "space"});
  for (const access_study_run* run : view.runs) {
    if (!run->is_timed()) {
      made.row({run->layout, run->error ? "FAILED" : "refused"});
      continue;
    }
    const auto space = view.space(*run);
    const bool compared = view.none != nullptr && run->layout != "share_accumulate";
    made.row({run->layout, milliseconds(run->run_ms), milliseconds(run->refresh_ms),
              milliseconds(run->build_ms), milliseconds(run->loop_ms),
              compared ? factor(view.speedup(*run)) : "-", compared ? factor(view.potential(*run)) : "-",
              compared ? factor(view.load_efficiency(*run)) : "-",
              space && run->copy_bytes > 0 ? factor(*space) : "-"});
  }
  return made.empty() ? "" : made.text();
}

std::vector<int> changes_of(const access_study_results& results, const std::string& workload) {
  std::set<int> found;
  for (const access_study_run& run : results.runs)
    if (run.experiment == "change" && run.workload == workload) found.insert(run.change_every);
  std::vector<int> all(found.begin(), found.end());
  if (!all.empty() && all.front() == 0) std::ranges::rotate(all, all.begin() + 1); // never: last
  return all;
}

std::string change_table(const access_study_results& results, const std::string& workload) {
  const std::vector<int> changes = changes_of(results, workload);
  if (changes.empty()) return "";
  table::cells heads{"speed relative to none if lists change every"};
  for (const int each : changes) heads.push_back(each == 0 ? "never" : std::to_string(each));
  table made(heads);
  std::vector<std::string> layouts;
  for (const access_study_run& run : results.runs)
    if (run.experiment == "change" && run.workload == workload && run.layout != "none" &&
        std::ranges::count(layouts, run.layout) == 0)
      layouts.push_back(run.layout);
  for (const std::string& layout : layouts) {
    table::cells row{layout};
    for (const int each : changes) {
      const access_study_run* const none = results.find_run("change", workload, "none", each);
      const access_study_run* const run = results.find_run("change", workload, layout, each);
      const bool both = none != nullptr && run != nullptr && none->is_timed() && run->is_timed();
      row.push_back(both ? factor(none->loop_ms / run->loop_ms) : "-");
    }
    made.row(std::move(row));
  }
  return made.text();
}

report::table table_1(const access_study_results& results, headings heads) {
  const table::cells keys{"benchmark",   "description",     "text on M1",   "text on M2",
                          "figure 6",    "by threads",      "chosen by us", "best of the text's",
                          "best of all", "chosen over best"};
  const table::cells words{
      "benchmark",         "description", "paper: C1060",      "paper: GTX 480", "rule: T = references",
      "rule: T = threads", "chosen",      "best of the paper", "best",           "chosen / best"};
  table made(heads == headings::keys ? keys : words);
  for (const access_view& view : views_of(results)) {
    const paper_row* const text = paper_row_of(view.workload.name);
    const access_study_run* const best = view.best();
    const access_study_run* const rival = view.rival();
    const bool chose = view.selected != nullptr && rival != nullptr;
    made.row({view.workload.name, text == nullptr ? view.workload.workload : text->description,
              text == nullptr ? "-" : text->on_m1, text == nullptr ? "-" : text->on_m2,
              name_of(view.workload.figure_6()), name_of(view.workload.figure_6(true)),
              view.selected == nullptr ? "-" : view.selected->chosen, or_dash(view.best_of_paper()),
              or_dash(best), chose ? factor(view.selected->loop_ms / rival->loop_ms) : "-"});
  }
  return made;
}

report::table table_2(const access_study_results& results, headings heads) {
  const table::cells keys{"benchmark",  "Dup. C1060", "GTX480", "here",        "Sharing C1060",
                          "GTX480 too", "here too",   "by",     "Padding here"};
  const table::cells words{"benchmark", "duplicate: C1060", "GTX 480",  "here", "share: C1060", "GTX 480",
                           "here",      "by layout",        "pad: here"};
  table made(heads == headings::keys ? keys : words);
  for (const access_view& view : views_of(results)) {
    const paper_row* const text = paper_row_of(view.workload.name);
    const auto of_text = [&](const auto paper_row::* shares, std::size_t i) {
      return text == nullptr ? std::string("-") : ratio_of_text((text->*shares)[i]);
    };
    const access_study_run* const shared = view.best("share");
    made.row({view.workload.name, of_text(&paper_row::duplicated, 0), of_text(&paper_row::duplicated, 1),
              share_in_words(view, view.layout("duplicate")), of_text(&paper_row::shared, 0),
              of_text(&paper_row::shared, 1), share_in_words(view, shared), or_dash(shared),
              share_in_words(view, view.best("pad"))});
  }
  return made;
}

std::string paper_tables(const access_study_results& results) {
  return "Table 1: which layout\n" + table_1(results).without(1).text() + // descriptions make lines long
         "\nTable 2: share of threads that can be transformed during a run\n" + table_2(results).text() +
         "  (For MERGE the paper lists 0.6 under Sharing, although padding was selected.)\n";
}

std::string agreement(const access_study_results& results) {
  const auto findings = examine_access(results);
  return paper_tables(results) + "\nWhere this agrees with Wu et al. (2013):\n" + as_text(findings) +
         fmt::format("\n  {} statements: {}\n", findings.size(), counted(findings));
}

json::value head_of(const access_study_results& results) {
  json::value all = to_json(results);
  auto figures = json::array(), agreeing = json::array();
  for (const access_view& view : views_of(results)) {
    json::value made{{"workload", view.workload.name}};
    for (const auto& [name, run] :
         {std::pair("selected", view.selected), std::pair("best", view.best()),
          std::pair("duplicate", view.best("duplicate")), std::pair("pad", view.best("pad")),
          std::pair("share", view.best("share"))}) {
      if (run == nullptr) continue;
      made[name] = {{"layout", run == view.selected ? run->chosen : run->layout},
                    {"arm", run == view.selected ? run->chosen : run->layout},
                    {"speedup", view.speedup(*run)},
                    {"potential", view.potential(*run)},
                    {"efficiency", view.load_efficiency(*run)}};
      if (const auto space = view.space(*run)) made[name]["space"] = *space;
      if (const auto share = view.share_of(*run)) made[name]["share"] = *share;
    }
    made["efficiency_of_none"] = view.load_efficiency(*view.none);
    figures.push_back(std::move(made));
  }
  add_json(agreeing, examine_access(results));
  all["table_1"] = table_1(results, headings::keys).json();
  all["table_2"] = table_2(results, headings::keys).json();
  all["figures"] = std::move(figures);
  all["agreement"] = std::move(agreeing);
  return all;
}

} // namespace evenly::study
