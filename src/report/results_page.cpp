// SPDX-License-Identifier: Apache-2.0
#include "report/results_page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "json/value.hpp"
#include "measure/machine.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "report/charts.hpp"
#include "report/page.hpp"
#include "report/table.hpp"

namespace evenly::report {

using measure::command_line, measure::grouped, measure::milliseconds, measure::xml_escaped;

namespace {

constexpr std::string_view names_of_rows[] = {"schedule", "rung", "pool", "arm"};
constexpr std::string_view names_of_groups[] = {"workload", "op", "executor", "type"};

/// The text of a table cell, or empty.
std::string text_of(const json::value& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.as_string();
  if (value.is_bool()) return value.as_bool() ? "yes" : "no";
  if (value.is_integer()) return grouped(value.as_int64());
  if (value.is_number()) return fmt::format("{:.4g}", value.as_double());
  constexpr std::size_t max_listed = 8;
  if (value.is_array() && value.size() > max_listed) return fmt::format("{} values", value.size());
  std::string text;
  if (value.is_object())
    for (const auto& [key, each] : value.items())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, text_of(each));
  else
    for (const auto& each : value) text += (text.empty() ? "" : " ") + text_of(each);
  return text;
}

std::optional<double> number_in(const json::value& object, std::string_view key) {
  const json::value* const found = object.find(key);
  return found != nullptr && found->is_number() ? std::optional(found->as_double()) : std::nullopt;
}

std::string name_of(const json::value& result) {
  for (const std::string_view key : names_of_rows)
    if (const json::value* const found = result.find(key))
      return text_of(*found) + (result.contains("format") ? ", " + text_of(result["format"]) : "") +
             (number_in(result, "cut").value_or(0) > 0 ? ", cut" : "");
  return result.contains("what") ? text_of(result["what"]) : "";
}

bool is_ours(const json::value& result) {
  for (const char* key : {"is_rung", "is_pool"})
    if (result.contains(key)) return result[key].as_bool();
  return result.contains("parameters") ? !result["parameters"].empty() : true;
}

std::string group_of(const json::value& result) {
  std::string text;
  for (const std::string_view key : names_of_groups)
    if (const json::value* const found = result.find(key))
      text += (text.empty() ? "" : ", ") + text_of(*found);
  return text;
}

/// The times with this key of the JSON.
std::string time_chart(const std::vector<const json::value*>& results, std::string_view key) {
  std::vector<bar> bars;
  for (const json::value* each : results)
    if (const auto ms = number_in(*each, key))
      bars.push_back({name_of(*each), *ms, milliseconds(*ms) + " ms",
                      is_ours(*each) ? colours::blue : colours::grey, number_in(*each, "ms_min").value_or(0),
                      number_in(*each, "ms_max").value_or(0)});
  std::ranges::stable_sort(bars, {}, &bar::value);
  return bar_chart(bars);
}

/// Bandwidths, relative to that of a copy if it was measured.
std::string bandwidth_chart(const std::vector<const json::value*>& results, const json::value& all) {
  std::vector<bar> bars;
  for (const json::value* each : results) {
    const auto gbps = number_in(*each, "gbps");
    if (!gbps) continue;
    const auto copy = number_in(each->contains("copy_gbps") ? *each : all, "copy_gbps");
    bars.push_back({name_of(*each), *gbps,
                    copy && *copy > 0 ? fmt::format("{:.4g} GB/s, {:.0f}%", *gbps, 100 * *gbps / *copy)
                                      : fmt::format("{:.4g} GB/s", *gbps),
                    is_ours(*each) ? colours::green : colours::grey});
  }
  std::ranges::stable_sort(bars, std::greater<>(), &bar::value);
  return bar_chart(bars, 1e9);
}

/// Edges per frontier of a search; consecutive frontiers of a long search share a column.
std::string frontiers_chart(const json::value& frontiers) {
  constexpr std::size_t max_columns = 16;
  const std::size_t each_column = (frontiers.size() + max_columns - 1) / max_columns;
  std::vector<std::pair<std::string, double>> columns;
  for (std::size_t first = 0; first < frontiers.size(); first += each_column) {
    const std::size_t last = std::min(first + each_column, frontiers.size()) - 1;
    double edges = 0;
    for (std::size_t i = first; i <= last; ++i) edges += frontiers[i].at("edges").as_double();
    columns.emplace_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last), edges);
  }
  return column_chart(columns, "frontier", "edges");
}

/// The logarithm of the residual by iterations; long solves show some of them.
std::string residuals_chart(const json::value& residuals) {
  constexpr std::size_t max_points = 400;
  const std::size_t each_point = (residuals.size() + max_points - 1) / max_points;
  series line{.label = "log10 of |r| / |b|", .points = {}};
  for (std::size_t i = 0; i < residuals.size(); i += each_point)
    if (const double residual = residuals[i].as_double(); residual > 0)
      line.points.emplace_back(static_cast<double>(i), std::log10(residual));
  return line_chart({line}, "iteration", "log10 of the residual");
}

/// A chart of one number per result; value(result) is an optional. Empty if no number is positive.
template <class Value, class Text>
std::string number_chart(const std::vector<const json::value*>& results, const Value& value,
                         const Text& text) {
  std::vector<bar> bars;
  bool is_empty = true;
  for (const json::value* each : results)
    if (const std::optional<double> found = value(*each)) {
      bars.push_back({name_of(*each), *found, text(*found), is_ours(*each) ? colours::blue : colours::grey});
      is_empty = is_empty && *found <= 0;
    }
  return is_empty ? "" : bar_chart(bars, std::numeric_limits<double>::infinity());
}

/// Results that were counted on simt.
std::string count_charts(const std::vector<const json::value*>& results) {
  const auto sum_of = [](std::vector<std::string_view> keys) {
    return [keys = std::move(keys)](const json::value& result) -> std::optional<double> {
      const json::value* const counts = result.find("counts");
      if (counts == nullptr || !counts->is_object()) return {};
      double sum = 0;
      for (const std::string_view key : keys) sum += number_in(*counts, key).value_or(0);
      return sum;
    };
  };
  const auto whole = [](double value) { return grouped(std::llround(value)); };
  const auto sectors = sum_of({"global_load_sectors", "global_store_sectors"});
  const auto bytes = sum_of({"global_load_bytes", "global_store_bytes"});
  const auto used = [&](const json::value& result) -> std::optional<double> {
    const std::optional<double> moved = sectors(result);
    return moved && *moved > 0 ? std::optional(100 * *bytes(result) / (32 * *moved)) : std::nullopt;
  };
  return html_figure("Parallel steps", number_chart(results, sum_of({"steps"}), whole)) +
         html_figure("Sectors of 32 bytes that loads and stores move",
                     number_chart(results, sectors, whole)) +
         html_figure("Requested bytes, as a share of moved bytes",
                     number_chart(results, used, [](double part) { return fmt::format("{:.0f}%", part); })) +
         html_figure("Active lanes of the 32 of a warp",
                     number_chart(results, sum_of({"active_lanes"}),
                                  [](double lanes) { return fmt::format("{:.1f}", lanes); })) +
         html_figure(
             "Bank conflicts in shared memory",
             number_chart(results, sum_of({"storage_load_conflicts", "storage_store_conflicts"}), whole));
}

/// The median time from each source, for a page with one search.
std::string sources_chart(const json::value& result) {
  const json::value *const sources = result.find("sources"), *const times = result.find("ms_of_sources");
  if (sources == nullptr || times == nullptr) return "";
  std::vector<bar> bars;
  for (std::size_t i = 0; i < std::min(sources->size(), times->size()); ++i) {
    const double ms = (*times)[i].as_double();
    bars.push_back({"from " + json::dump_line((*sources)[i]), ms, milliseconds(ms) + " ms"});
  }
  return bar_chart(bars);
}

/// A chart for each result with a timeline.
std::string timeline_charts(const std::vector<const json::value*>& results) {
  std::string text;
  for (const json::value* each : results) {
    const json::value* const timeline = each->find("timeline");
    if (timeline == nullptr) continue;
    std::vector<std::vector<int>> busy;
    for (const json::value& row : timeline->at("busy")) {
      busy.emplace_back();
      for (const json::value& percent : row) busy.back().push_back(static_cast<int>(percent.as_int64()));
    }
    text += html_figure(name_of(*each) + ": " + std::string(caption_of_timelines),
                        timeline_chart(busy, number_in(*timeline, "ms_of_part").value_or(0)));
  }
  return text;
}

bool is_heading_key(const std::string& key) {
  return std::ranges::count(names_of_groups, key) > 0 || key == "is_rung" || key == "is_pool" ||
         key == "timeline";
}

/// In the order of the results.
std::vector<std::string> keys_of(const std::vector<const json::value*>& results) {
  std::vector<std::string> keys;
  for (const json::value* each : results)
    for (const auto& [key, value] : each->items())
      if (!is_heading_key(key) && std::ranges::count(keys, key) == 0) keys.push_back(key);
  return keys;
}

std::string cell_of(const json::value& result, const std::string& key) {
  const json::value* const found = result.find(key);
  return found == nullptr ? "" : text_of(*found);
}

/// Whether an object member has its own table. Short objects, such as parameters, are words in a cell.
bool has_own_table(const std::vector<const json::value*>& results, const std::string& key) {
  return key != "parameters" && std::ranges::any_of(results, [&](const json::value* each) {
           return each->contains(key) && (*each)[key].is_object();
         });
}

std::string in_words(std::string key) {
  std::ranges::replace(key, '_', ' ');
  return key;
}

/// One row per result, without columns of zeros; collapsed until a reader opens it.
std::string table_of_member(const std::vector<const json::value*>& results, const std::string& key) {
  std::vector<std::pair<std::string, const json::value*>> rows;
  std::vector<const json::value*> members;
  for (const json::value* each : results)
    if (each->contains(key) && (*each)[key].is_object()) {
      rows.emplace_back(name_of(*each), &(*each)[key]);
      members.push_back(&(*each)[key]);
    }
  std::vector<std::string> keys = keys_of(members);
  std::erase_if(keys, [&](const std::string& column) {
    return std::ranges::all_of(members, [&](const json::value* each) {
      const std::string cell = cell_of(*each, column);
      return cell.empty() || cell == "0";
    });
  });
  std::vector<std::string> heads{""};
  for (const std::string& column : keys) heads.push_back(in_words(column));
  table made(heads);
  for (const auto& [name, member] : rows) {
    std::vector<std::string> cells{name};
    for (const std::string& column : keys) cells.push_back(cell_of(*member, column));
    made.row(cells);
  }
  return html_details(in_words(key), made.html());
}

/// All members, one line per result; members with equal values, except ok, are listed above it.
std::string all_found(const std::vector<const json::value*>& results) {
  std::vector<std::string> keys = keys_of(results);
  std::string same, more;
  std::erase_if(keys, [&](const std::string& key) {
    if (!has_own_table(results, key)) return false;
    more += table_of_member(results, key);
    return true;
  });
  if (results.size() > 1)
    std::erase_if(keys, [&](const std::string& key) {
      const std::string first = cell_of(*results.front(), key);
      if (key == "ok" || key == "ms" ||
          std::ranges::any_of(results, [&](const json::value* each) { return cell_of(*each, key) != first; }))
        return false;
      same += fmt::format("{}{}: {}", same.empty() ? "" : "; ", key, first);
      return true;
    });
  constexpr std::size_t max_one_line = 24;
  std::vector<bool> sentences;
  for (const std::string& key : keys)
    sentences.push_back(std::ranges::any_of(
        results, [&](const json::value* each) { return cell_of(*each, key).size() > max_one_line; }));
  table made(keys);
  for (const json::value* each : results) {
    std::vector<std::string> cells;
    for (const std::string& key : keys) cells.push_back(cell_of(*each, key));
    made.row(cells);
  }
  return (same.empty() ? "" : "<p>" + xml_escaped(same) + "</p>\n") + made.html(sentences) + more;
}

std::string sizes_of(const json::value& sizes) {
  std::vector<std::pair<std::string, double>> columns;
  for (const json::value& each : sizes.at("tiles")) {
    const std::int64_t from = each.at("from").as_int64(), to = each.at("to").as_int64();
    columns.emplace_back(from == to ? fmt::format("{}", from) : fmt::format("{}-{}", from, to),
                         each.at("tiles").as_double());
  }
  return html_figure(sizes.at("input").as_string() + ": tiles by size",
                     column_chart(columns, "atoms of a tile", "tiles"));
}

/// The noise of the group's run, and the fastest rows.
std::string verdict_on(const std::string& group, const json::value& all) {
  if (!all.contains("verdicts")) return "";
  for (const auto& each : all["verdicts"]) {
    if (!group.starts_with(group_of(each) + ", ")) continue; // results have a type as well
    std::string fastest;
    for (const auto& name : each.at("fastest")) fastest += (fastest.empty() ? "" : ", ") + text_of(name);
    const double noise = number_in(each, "noise").value_or(0);
    if (!fastest.empty()) fastest = " Fastest within the noise: " + fastest + ".";
    return fmt::format("<p>Noise of this run: {:.{}f}%. Smaller differences mean nothing.{}</p>\n",
                       100 * noise, noise < 0.1 ? 1 : 0, xml_escaped(fastest));
  }
  return "";
}

std::string section(const std::string& group, const std::vector<const json::value*>& results,
                    const json::value& all) {
  std::string text = group.empty() ? "" : "<h2>" + xml_escaped(group) + "</h2>\n";
  const std::string sources = results.size() == 1 ? sources_chart(*results.front()) : "";
  if (!sources.empty())
    text += html_figure("Time from each source: median", sources);
  else if (results.size() > 1 || !all.contains("frontiers")) // one bar adds nothing to its number
    text += html_figure("Time: median; line: from the fastest run to the slowest; gray: baselines",
                        time_chart(results, "ms"));
  text += verdict_on(group, all);
  text += html_figure("Time of all runs, plans and copies included", time_chart(results, "loop_ms"));
  text += html_figure("Bandwidth: bytes over time, and the share of a copy's bandwidth",
                      bandwidth_chart(results, all));
  return text + timeline_charts(results) + count_charts(results) + all_found(results);
}

} // namespace

std::string results_page(const json::value& all) {
  std::vector<std::pair<std::string, std::string>> facts;
  if (const std::string words = command_line(); !words.empty()) facts.emplace_back("command", words);
  for (const auto& [key, value] : all.items()) {
    if (key == "results" || key == "counted" || key == "failed" || key == "sizes" || key == "frontiers" ||
        key == "residuals" || key == "verdicts")
      continue;
    if (key == "machine" && value.is_object())
      for (const auto& [name, each] : value.items()) facts.emplace_back(name, text_of(each));
    else
      facts.emplace_back(key, text_of(value));
  }
  std::string body = html_facts(facts);
  if (all.contains("sizes"))
    for (const json::value& each : all["sizes"]) body += sizes_of(each);
  if (all.contains("frontiers"))
    body += html_figure("Frontiers: outgoing edges of each, in the last search",
                        frontiers_chart(all["frontiers"]));
  if (all.contains("residuals"))
    body += html_figure("Residual after each iteration, relative to b", residuals_chart(all["residuals"]));
  std::vector<std::pair<std::string, std::vector<const json::value*>>> groups;
  for (const char* list : {"results", "counted"}) {
    if (!all.contains(list)) continue;
    for (const json::value& each : all[list]) {
      const std::string name = group_of(each);
      auto found = std::ranges::find(groups, name, [](const auto& group) { return group.first; });
      if (found == groups.end()) found = groups.insert(groups.end(), {name, {}});
      found->second.push_back(&each);
    }
  }
  for (const auto& [name, results] : groups) body += section(name, results, all);
  if (all.contains("failed") && !all["failed"].empty()) {
    table made({"not measured", "why"});
    for (const json::value& each : all["failed"])
      made.row({text_of(each.at("input")), text_of(each.at("error"))});
    body += "<h2>Failed</h2>\n" + made.html();
  }
  return html_page("evenly: results", body);
}

void report_results(result_file& file, const std::string& path, const result_file::object_maker& more) {
  if (path.empty()) return;
  require_plotter();
  file.accompany_with_results(path, [more](const json::value& results) {
    json::value all = results;
    if (more) all.update(more());
    return results_page(all);
  });
}

} // namespace evenly::report
