// SPDX-License-Identifier: Apache-2.0
// Table 3 of the paper: its workloads compared with those of the study, with the known causes of differences.
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "measure/text.hpp"
#include "study/study_report.hpp"

namespace evenly::study {

using measure::grouped;

namespace {

struct row_of_table {
  std::string_view name;
  std::int64_t items;
  std::int64_t units;
  double average;
  double deviation;
  std::int64_t longest;
  std::string_view why = ""; ///< the likeness differs
};
constexpr std::array<row_of_table, 7> table_3{{
    {"great-britain_osm", 7'733'822, 16'313'034, 2.1, 0.5, 8},
    {"cit-Patents", 3'774'768, 16'518'948, 4.38, 7.5, 770},
    {"web-NotreDame", 325'729, 1'497'134, 5.2, 21.4, 3'445},
    {"regular8", 1'000'000, 8'000'000, 8, 0, 8},
    {"circuit5M", 5'558'326, 59'524'291, 10.7, 1356.6, 1'290'501},
    {"as-Skitter", 1'696'415, 22'190'596, 13.1, 136.9, 35'455},
    {"kron_g500-logn20", 1'048'576, 89'239'674, 96.2, 1033.1, 413'378,
     "ours has the edges of another random sequence, without duplicates"},
}};

/// Numbers within this factor are the same.
constexpr double same_within = 1.02;
bool is_same(double a, double b) { return std::abs(a - b) <= (same_within - 1) * std::max(a, b); }

outcome examine(const study_results& results, const row_of_table& of) {
  const study_workload* const w = find_in(results.workloads, of.name);
  if (w == nullptr) return missing(fmt::format("no {}", of.name));
  if (w->tiles != of.items && w->input.find("scale=") != std::string::npos)
    return missing(fmt::format("{} is scaled down", of.name));
  const double average = static_cast<double>(of.units) / static_cast<double>(of.items);
  std::string words =
      fmt::format("here {} items, {} units, average {:.3g}, deviation {:.4g}, longest {}", grouped(w->tiles),
                  grouped(w->atoms), w->average, w->deviation, grouped(w->longest));
  if (!is_same(of.average, average))
    words += fmt::format("; the paper's own units and items give an average of {:.3g}", average);
  const bool agrees = w->tiles == of.items &&
                      is_same(static_cast<double>(w->atoms), static_cast<double>(of.units)) &&
                      is_same(w->average, of.average) && is_same(w->deviation, of.deviation) &&
                      is_same(static_cast<double>(w->longest), static_cast<double>(of.longest));
  if (!agrees && !of.why.empty()) words += fmt::format("; {}", of.why);
  return judge(agrees, words);
}

} // namespace

std::vector<finding> examine_workloads(const study_results& results) {
  std::vector<finding> findings;
  for (const row_of_table& each : table_3) {
    outcome found = examine(results, each);
    findings.push_back({"table 3",
                        fmt::format("{} has {} items, {} units, average {}, deviation {}, longest {}.",
                                    each.name, grouped(each.items), grouped(each.units), each.average,
                                    each.deviation, grouped(each.longest)),
                        found.verdict, std::move(found.numbers)});
  }
  return findings;
}

} // namespace evenly::study
