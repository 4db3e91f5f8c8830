// SPDX-License-Identifier: Apache-2.0
// The page of the study of data reorganization: the tables and figures of the paper, and the agreement.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "measure/text.hpp"
#include "report/charts.hpp"
#include "report/page.hpp"
#include "report/svg.hpp"
#include "report/table.hpp"
#include "study/access_report.hpp"

namespace evenly::study {

namespace colours = evenly::report::colours;
using evenly::report::bar, evenly::report::bar_chart, evenly::report::html_details,
    evenly::report::html_figure, evenly::report::html_page, evenly::report::table, evenly::report::line_chart,
    evenly::report::series, evenly::report::svg;
using measure::grouped, measure::milliseconds, measure::xml_escaped;

namespace {

std::uint32_t colour_of_layout(std::string_view layout) {
  const std::string_view family = algorithm_of(layout);
  if (family == "duplicate") return colours::orange;
  if (family == "pad") return colours::violet;
  if (family == "share") return colours::green;
  return layout == "automatic" ? colours::red : layout == "none" ? colours::grey : colours::blue;
}

/// One bar per workload, for the run that `of` picks; value(view, run).
template <class Pick, class Value>
std::string bars_of(const std::vector<access_view>& views, const Pick& pick, const Value& value) {
  std::vector<bar> bars;
  for (const access_view& view : views)
    for (const access_study_run* run : pick(view)) {
      if (run == nullptr) continue;
      const double x = value(view, *run);
      const std::string layout = run->chosen.empty() ? run->layout : run->layout + ": " + run->chosen;
      bars.push_back({view.workload.name + ", " + layout, x, factor(x), colour_of_layout(run->layout)});
    }
  return bar_chart(bars);
}

/// Figures 8 and 10: all layouts of one workload.
template <class Value> std::string layouts_chart(const access_view& view, const Value& value) {
  std::vector<bar> bars;
  for (const access_study_run* run : view.runs)
    if (run->is_timed() && run->layout != "share_accumulate") {
      const double x = value(*run);
      bars.push_back({run->layout, x, factor(x), colour_of_layout(run->layout)});
    }
  return bar_chart(bars);
}

/// Figure 2: the space of a layout (plan and copy) per byte of elements, its sectors relative to none, and the time of
/// its plan as the area of the circle.
std::string plane(const access_view& view) {
  constexpr double width = 640, height = 400, left = 60, right = 500, top = 20, bottom = 350;
  struct point {
    std::string layout;
    double space, sectors, build;
  };
  std::vector<point> points;
  const auto elements = static_cast<double>(view.workload.elements * view.workload.element_bytes);
  for (const char* const layout :
       {"none", "reorder_first_access", "reorder_by_neighbours", "duplicate", "duplicate_half", "pad_simple",
        "pad", "share", "share_packed", "share_by_neighbours", "share_working_sets"})
    if (const access_study_run* const run = view.layout(layout); run != nullptr && view.none->sectors > 0)
      points.push_back({layout, static_cast<double>(run->plan_bytes + run->copy_bytes) / elements,
                        static_cast<double>(run->sectors) / static_cast<double>(view.none->sectors),
                        run->build_ms / view.none->run_ms});
  double max_space = 0, max_sectors = 0;
  for (const point& each : points) {
    max_space = std::max(max_space, each.space);
    max_sectors = std::max(max_sectors, each.sectors);
  }
  if (points.empty() || max_space <= 0) return "";
  const auto x = [&](double space) {
    return left + (right - left) * std::log1p(space) / std::log1p(max_space);
  };
  const auto y = [&](double sectors) { return bottom - (bottom - top) * sectors / max_sectors; };
  svg picture(width, height);
  picture.line(left, bottom, width - 10, bottom, "#888888");
  picture.line(left, bottom, left, top, "#888888");
  picture.text(left, height - 12, "space: bytes of plan and copy per byte of elements (logarithmic)");
  picture.text(8, 14, "sectors, none 1");
  for (const double space : {0.0, max_space / 10, max_space})
    picture.text(x(space), bottom + 16, fmt::format("{:.3g}", space), 11, "middle");
  for (const double sectors : {0.0, max_sectors})
    picture.text(left - 6, y(sectors) + 4, fmt::format("{:.2g}", sectors), 11, "end");
  std::ranges::sort(points, {}, &point::sectors);
  for (const point& each : points) {
    picture.begin_group(
        fmt::format("{}: a plan takes as long as {} runs of none", each.layout, factor(each.build)));
    picture.circle(x(each.space), y(each.sectors), 3 + 4 * std::sqrt(std::min(each.build, 20.0)),
                   fmt::format("#{:06x}", colour_of_layout(each.layout)));
    picture.end_group();
  }
  // The names are in a column at the right, in the order of their points.
  const double row = (bottom - top) / static_cast<double>(points.size());
  double name_y = bottom;
  for (const point& each : points) {
    picture.line(x(each.space), y(each.sectors), right + 14, name_y, "#cccccc", 0.5);
    picture.text(right + 18, name_y + 4, fmt::format("{} ({})", each.layout, factor(each.build)), 11);
    name_y -= row;
  }
  return picture.str();
}

std::string change_chart(const access_study_results& results, const access_view& view) {
  std::vector<series> all;
  const std::string& name = view.workload.name;
  for (const access_study_run& run : results.runs) {
    if (run.experiment != "change" || run.workload != name || !run.is_timed() || run.layout == "none")
      continue;
    const access_study_run* const none = results.find_run("change", name, "none", run.change_every);
    if (none == nullptr || !none->is_timed()) continue;
    auto line = std::ranges::find(all, run.layout, &series::label);
    if (line == all.end())
      line = all.insert(all.end(), series{run.layout, colours::of_series(all.size()), {}});
    line->points.emplace_back(run.runs_of_plan(), none->loop_ms / run.loop_ms);
  }
  for (series& line : all) std::ranges::sort(line.points);
  return line_chart(all, "runs of a plan", "speed relative to none");
}

std::string all_runs(const access_study_results& results) {
  table made({"experiment", "workload", "layout", "lists change every", "run ms", "refresh", "plan", "loop",
              "plan bytes", "copy bytes", "sectors", "why"});
  for (const access_study_run& run : results.runs) {
    const std::string every = run.change_every == 0 ? "never" : std::to_string(run.change_every);
    if (!run.is_timed())
      made.row({run.experiment, run.workload, run.layout, every,
                run.error ? "FAILED: " + *run.error : *run.refusal});
    else
      made.row({run.experiment, run.workload, run.layout, every, milliseconds(run.run_ms),
                milliseconds(run.refresh_ms), milliseconds(run.build_ms), milliseconds(run.loop_ms),
                grouped(run.plan_bytes), grouped(run.copy_bytes), grouped(run.sectors), run.why});
  }
  return made.html();
}

} // namespace

std::string page_of(const access_study_results& results) {
  const std::vector<access_view> views = views_of(results);
  std::string text = fmt::format(
      "<p>Sections 4 and 5 of Wu, Zhao, Zhang, Jiang &amp; Shen, <i>Complexity analysis and algorithm design "
      "for reorganizing data to minimize non-coalesced memory accesses on GPU</i> (PPoPP 2013), repeated on "
      "{} ({}), {}, commit {}{}. The results of all layouts are correct and have the same bits.</p>\n",
      xml_escaped(results.executor), xml_escaped(results.place), xml_escaped(results.date),
      xml_escaped(results.commit), results.quick ? "; quick: small workloads, few runs" : "");
  if (results.executor != "cuda")
    text += fmt::format("<p>On {} times say nothing about a GPU; bytes and sectors do.</p>\n",
                        xml_escaped(results.executor));
  text += "<h2 id=\"tables\">Which layout (table 1)</h2>\n" + table_1(results).html();
  text += "<h2 id=\"shares\">Shares that can be transformed during a run (table 2)</h2>\n" +
          table_2(results).html();
  text += "<h2 id=\"selected\">Selected layouts (figures 7 and 9)</h2>\n";
  const auto selected = [](const access_view& of) { return std::array{of.selected}; };
  text +=
      html_figure("Speed relative to none, with all overhead (figure 7)",
                  bars_of(views, selected, [](const auto& of, const auto& run) { return of.speedup(run); }));
  text += html_figure("Requested bytes per loaded byte (figure 9)",
                      bars_of(
                          views, [](const access_view& of) { return std::array{of.none, of.selected}; },
                          [](const auto& of, const auto& run) { return of.load_efficiency(run); }));
  text += html_figure("Bytes of copies relative to duplicate (figure 11)",
                      bars_of(
                          views,
                          [](const access_view& of) {
                            return std::array{of.layout("duplicate"), of.smallest_copy("pad"),
                                              of.smallest_copy("share")};
                          },
                          [](const auto& of, const auto& run) { return of.space(run).value_or(0); }));
  text += "<h2 id=\"layouts\">All layouts (figures 8, 10 and 2)</h2>\n";
  for (const access_view& view : views) {
    text += fmt::format("<h3>{}: {}</h3>\n", xml_escaped(view.workload.name),
                        xml_escaped(view.workload.workload));
    text += html_figure("Speed relative to none, with all overhead (figure 8)",
                        layouts_chart(view, [&](const auto& run) { return view.speedup(run); }));
    text += html_figure("Without overhead (figure 10)",
                        layouts_chart(view, [&](const auto& run) { return view.potential(run); }));
    text += html_figure("Space, sectors, and the time of a plan in runs of none (figure 2)", plane(view));
  }
  text += "<h2 id=\"change\">How often lists change</h2>\n";
  for (const access_view& view : views) text += html_figure(view.workload.name, change_chart(results, view));
  text += html_details("All runs", all_runs(results));
  text += "<h2 id=\"agreement\">Where this agrees with the paper</h2>\n" +
          verdict_table({"measured here"}, {examine_access(results)});
  return html_page("Reorganizing data", text, colours_of_verdicts);
}

} // namespace evenly::study
