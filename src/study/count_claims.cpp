// SPDX-License-Identifier: Apache-2.0
// Table 2 of the paper, judged by counts of the simulated GPU: work, parallel complexity, threads and coalescing of
// each technique. A complexity holds if the counts divided by its formula are alike on all tile sets.
//
// The operation is update: it loads and stores the number of each atom. So the loads in excess of the stores are those
// of the prefix sum.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "evenly/core/index.hpp"
#include "measure/text.hpp"
#include "report/table.hpp"
#include "study/counted_inputs.hpp"
#include "study/families.hpp"
#include "study/study_report.hpp"

namespace evenly::study {

using measure::grouped;

std::vector<counted_input> counted_inputs() {
  constexpr int atoms = 1 << 17;
  std::vector<counted_input> all;
  for (const int tiles : {64, 512, 4096})
    all.push_back({fmt::format("{} tiles of {}", tiles, atoms / tiles), tiles, atoms / tiles, 0});
  for (const int longest : {1 << 14, 1 << 17})
    all.push_back({fmt::format("1,024 tiles of 8, one of {}", grouped(longest)), 1024, 8, longest});
  all.push_back({"8,192 tiles of 12", 8192, 12, 0});
  return all;
}

namespace {

constexpr int virtual_warp = 8; ///< threads of the counted virtual warps
// Accesses are coalesced if requests move about as few sectors as their different bytes need.
constexpr double coalesced = 0.75;       ///< at least this part of the moved sectors is needed
constexpr double not_coalesced = 1. / 3; ///< at most this part

struct needed_parts {
  double prefix_sum;
  double atoms;
};
needed_parts needed_by(const trace_counts& c) {
  const auto part = [](std::int64_t needed, std::int64_t moved) {
    return moved == 0 ? 1. : static_cast<double>(needed) / static_cast<double>(moved);
  };
  return {part(c.global_load_min_sectors - c.global_store_min_sectors,
               c.global_load_sectors - c.global_store_sectors),
          part(c.global_store_min_sectors, c.global_store_sectors)};
}

class count_view {
 public:
  explicit count_view(const study_results& results) : results_(&results) {}

  const study_results& all() const { return *results_; }
  std::vector<const counted_run*> runs_of(std::string_view schedule) const {
    std::vector<const counted_run*> found;
    for (const counted_run& run : results_->counted)
      if (run.schedule == schedule && !run.error) found.push_back(&run);
    return found;
  }

 private:
  const study_results* results_;
};

using formula = std::function<double(const counted_run&)>;
using wanted_run = std::function<bool(const counted_run&)>;

bool any(const counted_run&) { return true; }
bool is_long(const counted_run& run) { return run.longest >= 4 * virtual_warp; }
bool is_uniform(const counted_run& run) { return run.longest * run.tiles == run.atoms; }
double tiles_of(const counted_run& run) { return static_cast<double>(run.tiles); }
double atoms_of(const counted_run& run) { return static_cast<double>(run.atoms); }
double longest_of(const counted_run& run) { return static_cast<double>(run.longest); }
/// Accesses of threads to memory and shared memory.
double work_of(const counted_run& run) { return static_cast<double>(run.counts.request_lanes); }
/// The threads of a warp access memory together, so the longest warp is the critical path.
double steps_of(const counted_run& run) { return static_cast<double>(run.longest_warp); }
double threads_of(const counted_run& run) { return static_cast<double>(run.blocks) * run.block_size; }
/// Offsets that a chunk of `atoms` atoms spans, on average.
double offsets_in(const counted_run& run, double atoms) { return 1 + atoms * tiles_of(run) / atoms_of(run); }

/// Whether count(run) is the formula times a constant: the largest ratio is at most `within` times the smallest.
outcome follows(const std::vector<const counted_run*>& runs, const wanted_run& wanted, const formula& count,
                const formula& expected, double within, std::string_view unit) {
  std::vector<double> ratios;
  std::string words;
  for (const counted_run* run : runs) {
    if (!wanted(*run)) continue;
    ratios.push_back(count(*run) / std::max(expected(*run), 1.));
    words += fmt::format("{}{}: {:.3g}", words.empty() ? fmt::format("{} over the formula; ", unit) : ", ",
                         run->tiles_name, ratios.back());
  }
  if (ratios.size() < 2) return missing("fewer than two tile sets were counted");
  const auto [min, max] = std::ranges::minmax(ratios);
  return judge(max / min <= within, words);
}

enum class coalescing { yes, partly, no };
constexpr std::array<std::string_view, 3> words_of_coalescing{"are coalesced", "are partly coalesced",
                                                              "are not coalesced"};

outcome coalesces(const std::vector<const counted_run*>& runs, coalescing as, bool prefix_sum) {
  for (const counted_run* run : runs) {
    if (run->tiles_name != counted_inputs().back().name) continue;
    const needed_parts both = needed_by(run->counts);
    const double needed = prefix_sum ? both.prefix_sum : both.atoms;
    const coalescing is = needed >= coalesced       ? coalescing::yes
                          : needed <= not_coalesced ? coalescing::no
                                                    : coalescing::partly;
    return judge(is == as,
                 fmt::format("{}: {:.0f}% of the moved sectors are needed", run->tiles_name, 100 * needed));
  }
  return missing("the tile set of this statement was not counted");
}

/// A row of table 2.
struct technique_row {
  std::string title;
  std::string schedule; ///< the counted form
  std::string work_words;
  formula work;
  std::string steps_words;
  formula steps;
  std::string threads_words;
  formula threads;
  coalescing prefix_sum;
  coalescing atoms;
  wanted_run wanted = any;        ///< the tile sets of work and threads
  std::string_view no_steps = ""; ///< why the parallel complexity is not judged
};

constexpr double two_phase_items = 4, multi_phase_items = 12, stored_offsets = 12288;

double log2_of(double x) { return std::log2(std::max(x, 2.)); }
/// Work and steps of the techniques with chunks of `items` atoms per thread, apart from the partition.
double work_in_chunks(const counted_run& run, double items) {
  return atoms_of(run) * (1 + log2_of(offsets_in(run, run.block_size * items)) / items);
}
double steps_in_chunks(const counted_run& run, double items) {
  return log2_of(tiles_of(run)) + log2_of(offsets_in(run, run.block_size * items)) + items;
}

const std::vector<technique_row>& table_2() {
  static const std::vector<technique_row> all{
      {"work-items to threads", "thread_mapped", "O(W)", atoms_of, "O(Wmax)", longest_of, "N", tiles_of,
       coalescing::yes, coalescing::no},
      {"virtual warps", fmt::format("group_per_tile<{}>", virtual_warp), "O(W)", atoms_of,
       "O(Wmax / |VirtualWarp|)", [](const auto& run) { return longest_of(run) / virtual_warp; },
       "N |VirtualWarp|", [](const auto& run) { return tiles_of(run) * virtual_warp; }, coalescing::yes,
       coalescing::partly, [](const auto& run) { return is_uniform(run) && is_long(run); }},
      {"dynamic virtual warps + dynamic parallelism",
       "dynamic_group_per_tile",
       "O(W)",
       atoms_of,
       "",
       {},
       "N |VirtualWarp| if no item is above DynTH",
       [](const auto& run) {
         return tiles_of(run) * (run.atoms / run.tiles >= 128
                                     ? 32.
                                     : floor_power_of_two(static_cast<int>(
                                           std::max<std::int64_t>(2, run.atoms / run.tiles / 4))));
       },
       coalescing::yes,
       coalescing::partly,
       [](const auto& run) { return is_uniform(run) && run.longest <= 1024; },
       "the simulated GPU starts no kernels from kernels"},
      {"CTA+warp+scan", "paper_cta_warp_scan", "O(W)", atoms_of,
       "O(max over items: Wi / |CTA|, Wi / |Warp| or Wi)",
       [](const auto& run) {
         const double w = longest_of(run);
         return w >= run.block_size ? w / run.block_size : w >= 32 ? w / 32 : w;
       },
       "N", tiles_of, coalescing::yes, coalescing::yes},
      {"direct search", "paper_direct_search", "O(W log N)",
       [](const auto& run) { return atoms_of(run) * log2_of(tiles_of(run)); }, "O(log N)",
       [](const auto& run) { return log2_of(tiles_of(run)); }, "W", atoms_of, coalescing::no,
       coalescing::yes},
      {"local warp search", "local_warp_search<storage>", "O(W log |Warp|)", atoms_of,
       "O(sum of Wi in a warp / |Warp| log |Warp|)",
       [](const auto& run) {
         const double others = (atoms_of(run) - longest_of(run)) / std::max(tiles_of(run) - 1, 1.);
         return (longest_of(run) + 31 * others) / 32;
       },
       "N", tiles_of, coalescing::yes, coalescing::yes},
      {"block search", "paper_block_search", "O(N |Block| log SMem / SMem + W)",
       [](const auto& run) {
         return atoms_of(run) +
                std::ceil(tiles_of(run) / stored_offsets) * run.block_size * log2_of(tiles_of(run));
       },
       "O(log SMem + sum of Wi in a block / |Block|)",
       [](const auto& run) { return log2_of(tiles_of(run)) + atoms_of(run) / run.block_size; }, "N", tiles_of,
       coalescing::yes, coalescing::no},
      {"two-phase search", "two_phase", "O(W / SMem (log N + |Block| log SMem) + W)",
       [](const auto& run) { return work_in_chunks(run, two_phase_items); },
       "O(log N + log SMem + SMem / |Block|)",
       [](const auto& run) { return steps_in_chunks(run, two_phase_items); }, "a block for each chunk",
       [](const auto& run) { return atoms_of(run) / two_phase_items; }, coalescing::yes, coalescing::no},
      {"multi-phase mapping", "multi_phase", "O(W / (SMem IS) (log N + |Block| log SMem) + W)",
       [](const auto& run) { return work_in_chunks(run, multi_phase_items); },
       "O(log N + log SMem + SMem / |Block|)",
       [](const auto& run) { return steps_in_chunks(run, multi_phase_items); }, "a block for each IS chunks",
       [](const auto& run) { return atoms_of(run) / multi_phase_items; }, coalescing::yes, coalescing::yes},
  };
  return all;
}

} // namespace

std::vector<std::string> counted_schedules() {
  std::vector<std::string> names;
  for (const technique_row& row : table_2()) names.push_back(row.schedule);
  return names;
}

namespace {

constexpr double threads_noise = 1.2; ///< for rounding to whole blocks

std::vector<statement<count_view>> statements() {
  std::vector<statement<count_view>> all;
  for (const technique_row& row : table_2()) {
    const auto add = [&](std::string claim, std::function<outcome(const count_view&)> examine) {
      all.push_back({"table 2", fmt::format("{}: {}.", row.title, claim), about_what::counts,
                     [examine = std::move(examine), schedule = row.schedule](const count_view& view) {
                       return view.runs_of(schedule).empty() ? missing("no counts of " + schedule)
                                                             : examine(view);
                     }});
    };
    add("the work is " + row.work_words, [&row](const count_view& view) {
      return follows(
          view.runs_of(row.schedule),
          [&](const counted_run& run) { return is_uniform(run) && row.wanted(run); }, work_of, row.work,
          about, "accesses");
    });
    add(row.steps_words.empty() ? std::string("the parallel complexity does not grow with items above DynTH")
                                : "the parallel complexity is " + row.steps_words,
        [&row](const count_view& view) {
          if (!row.no_steps.empty()) return missing(std::string(row.no_steps));
          return follows(view.runs_of(row.schedule), is_long, steps_of, row.steps, about,
                         "accesses of the longest warp");
        });
    add("it takes " + row.threads_words + (row.threads_words.starts_with("a ") ? "" : " threads"),
        [&row](const count_view& view) {
          return follows(
              view.runs_of(row.schedule),
              [&](const counted_run& run) { return run.tiles >= 512 && row.wanted(run); }, threads_of,
              row.threads, threads_noise, "threads");
        });
    add(fmt::format("accesses to the prefix sum {}",
                    words_of_coalescing.at(static_cast<std::size_t>(row.prefix_sum))),
        [&row](const count_view& view) {
          return coalesces(view.runs_of(row.schedule), row.prefix_sum, true);
        });
    add(fmt::format("accesses to the work-units {}",
                    words_of_coalescing.at(static_cast<std::size_t>(row.atoms))),
        [&row](const count_view& view) { return coalesces(view.runs_of(row.schedule), row.atoms, false); });
  }
  return all;
}

} // namespace

std::vector<finding> examine_counts(const study_results& results) {
  static const std::vector<statement<count_view>> all = statements();
  return examine_all(all, count_view(results), results.executor);
}

std::string count_table(const study_results& results) {
  if (results.counted.empty()) return "";
  report::table made({"counts on simt", "tiles", "threads", "accesses an atom", "longest warp", "barriers",
                      "sectors a load", "a store", "lanes"},
                     {-27, -34, 9, 17, 13, 9, 15, 8, 6});
  const auto per = [](std::int64_t a, std::int64_t b) {
    return b == 0 ? std::string("-") : fmt::format("{:.1f}", static_cast<double>(a) / static_cast<double>(b));
  };
  for (const counted_run& run : results.counted) {
    const trace_counts& c = run.counts;
    if (run.error)
      made.row({run.schedule, run.tiles_name, "FAILED"});
    else
      made.row({run.schedule, run.tiles_name, grouped(std::int64_t{run.blocks} * run.block_size),
                per(c.request_lanes, run.atoms), grouped(run.longest_warp), grouped(c.barriers),
                per(c.global_load_sectors, c.global_load_requests),
                per(c.global_store_sectors, c.global_store_requests),
                c.requests() == 0 ? "-"
                                  : fmt::format("{:.0f}%", 100. * static_cast<double>(c.request_lanes) /
                                                               static_cast<double>(32 * c.requests()))});
  }
  return made.text();
}

} // namespace evenly::study
