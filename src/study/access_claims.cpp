// SPDX-License-Identifier: Apache-2.0
// The statements of Wu et al. (2013) about their measurements, each with a predicate on ours. Their selected layout is
// automatic here; each of their algorithms is represented by its best variant.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "study/access_report.hpp"

namespace evenly::study {
namespace {

class study_view {
 public:
  explicit study_view(const access_study_results& results) : all(views_of(results)), results_(results) {}
  const std::vector<access_view> all; ///< the eight of the paper, and any others that were measured

  const access_view* of(std::string_view name) const {
    for (const access_view& each : all)
      if (each.workload.name == name) return &each;
    return nullptr;
  }
  /// The workloads of table 1 of the paper.
  std::vector<const access_view*> eight() const {
    std::vector<const access_view*> found;
    for (const paper_row& row : paper_rows())
      if (const access_view* const each = of(row.name)) found.push_back(each);
    return found;
  }
  const access_study_results& results() const { return results_; }

 private:
  const access_study_results& results_;
};

/// examine(view) for a measured workload.
template <class Examine> outcome on(const study_view& view, const char* name, const Examine& examine) {
  const access_view* const of = view.of(name);
  if (of == nullptr) return missing(fmt::format("{} was not measured", name));
  outcome found = examine(*of);
  if (found.verdict != verdict_word::not_measured) found.numbers = fmt::format("{}: {}", name, found.numbers);
  return found;
}
template <class Examine>
outcome on_each(const study_view& view, std::initializer_list<const char*> names, const Examine& examine) {
  std::vector<outcome> parts;
  for (const char* const name : names) parts.push_back(on(view, name, examine));
  return all_of(parts);
}

outcome needs(std::string_view family) { return missing(fmt::format("no times of {}", family)); }

/// agrees(a, b) for two of the paper's algorithms, by speedup with or without overhead.
outcome compare(const access_view& of, const char* a, const char* b, bool overhead,
                const std::function<bool(double, double)>& agrees) {
  const access_study_run *one = overhead ? of.best(a) : of.fastest(a),
                         *other = overhead ? of.best(b) : of.fastest(b);
  if (one == nullptr) return needs(a);
  if (other == nullptr) return needs(b);
  const double x = overhead ? of.speedup(*one) : of.potential(*one);
  const double y = overhead ? of.speedup(*other) : of.potential(*other);
  return judge(agrees(x, y), fmt::format("{} {} by {}, {} {} by {}", a, factor(x), one->layout, b, factor(y),
                                         other->layout));
}
bool above(double x, double y) { return x > noise * y; }
bool similar(double x, double y) { return x < slightly * y && y < slightly * x; }

/// The potential of the fastest variant.
outcome potential(const access_view& of, const char* family, const std::function<bool(double)>& agrees) {
  const access_study_run* const run = of.fastest(family);
  if (run == nullptr) return needs(family);
  return judge(agrees(of.potential(*run)),
               fmt::format("{} times as fast by {}", factor(of.potential(*run)), run->layout));
}

outcome on_all_eight(const study_view& view, const std::function<outcome(const access_view&)>& examine) {
  if (view.eight().size() < paper_rows().size()) return missing("not all eight workloads were measured");
  std::vector<outcome> parts;
  for (const access_view* each : view.eight()) {
    outcome found = examine(*each);
    found.numbers = fmt::format("{}: {}", each->workload.name, found.numbers);
    parts.push_back(std::move(found));
  }
  return all_of(parts);
}

outcome selected_never_slower(const study_view& view) {
  return on_all_eight(view, [](const access_view& of) {
    if (of.selected == nullptr) return missing("nothing was selected");
    return judge(of.speedup(*of.selected) >= 0.97, factor(of.speedup(*of.selected)));
  });
}

outcome largest_speedup(const study_view& view) {
  const access_view* best = nullptr;
  for (const access_view* each : view.eight())
    if (each->selected != nullptr &&
        (best == nullptr || each->speedup(*each->selected) > best->speedup(*best->selected)))
      best = each;
  if (best == nullptr) return missing("nothing was selected");
  return judge(best->speedup(*best->selected) >= 1.21,
               fmt::format("{} on {}", factor(best->speedup(*best->selected)), best->workload.name));
}

outcome selection_loses_little(const study_view& view) {
  return on_all_eight(view, [](const access_view& of) {
    const access_study_run* const rival = of.rival();
    if (of.selected == nullptr || rival == nullptr) return missing("nothing was selected");
    return judge(of.selected->loop_ms <= 1.05 * rival->loop_ms,
                 fmt::format("{} takes {} times as long as {}", of.selected->chosen,
                             factor(of.selected->loop_ms / rival->loop_ms), rival->layout));
  });
}

outcome figure_6_is_right(const study_view& view) {
  return on_all_eight(view, [](const access_view& of) {
    const std::string choice = name_of(of.workload.figure_6());
    const access_study_run *mine = of.best(choice == "share_in_parts" ? "share" : choice),
                           *best = of.best_of_paper();
    if (mine == nullptr || best == nullptr) return needs(choice);
    return judge(mine->loop_ms <= 1.05 * best->loop_ms,
                 fmt::format("{} takes {} times as long as {}", choice, factor(mine->loop_ms / best->loop_ms),
                             best->layout));
  });
}

outcome new_ones_win_six(const study_view& view) {
  if (view.eight().size() < paper_rows().size()) return missing("not all eight workloads were measured");
  int won = 0;
  std::string words;
  for (const access_view* each : view.eight()) {
    const access_study_run* const best = each->best_of_paper();
    if (best == nullptr) return needs("the paper's algorithms");
    const bool is_new = algorithm_of(best->layout) != "duplicate";
    won += is_new;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", each->workload.name, best->layout);
  }
  return judge(won >= 6, fmt::format("{} of 8: {}", won, words));
}

/// The paper claims 8 to 60% here, although its own MD has 2.1 over 1.15. The predicate is at least 8%.
outcome new_ones_add_speed(const study_view& view) {
  return on_each(view, {"MD", "IRREG", "NBF", "CFD", "MERGE"}, [](const access_view& of) {
    const access_study_run *dup = of.best("duplicate"), *pad = of.best("pad"), *share = of.best("share");
    if (dup == nullptr || (pad == nullptr && share == nullptr)) return needs("duplicate, pad or share");
    const access_study_run* const best =
        share == nullptr || (pad != nullptr && pad->loop_ms < share->loop_ms) ? pad : share;
    const double more = dup->loop_ms / best->loop_ms;
    return judge(more >= 1.08,
                 fmt::format("{} {} times as fast as {}", best->layout, factor(more), dup->layout));
  });
}

outcome efficiency_rises(const study_view& view) {
  double sum = 0, before = 0;
  int count = 0;
  for (const access_view* each : view.eight()) {
    if (each->selected == nullptr) continue;
    sum += each->load_efficiency(*each->selected);
    before += each->load_efficiency(*each->none);
    ++count;
  }
  if (count < static_cast<int>(paper_rows().size()))
    return missing("not all eight workloads have a selection");
  return judge(sum >= 4.9 / about * before,
               fmt::format("on average from {} to {}: {} times", factor(before / count), factor(sum / count),
                           factor(sum / before)));
}

/// A copy is loaded once and in order: one byte per byte. (Except if elements are so large that a request loads a part
/// of each.)
outcome duplication_coalesces(const study_view& view) {
  return on_all_eight(view, [](const access_view& of) {
    const access_study_run* const all = of.layout("duplicate");
    if (all == nullptr) return needs("duplicate");
    return judge(of.load_efficiency(*all) >= 0.95, factor(of.load_efficiency(*all)));
  });
}

outcome padding_only_for_merge(const study_view& view) {
  return on_all_eight(view, [](const access_view& of) {
    const access_study_run* const pad = of.layout("pad");
    const bool is_merge = of.workload.name == std::string("MERGE");
    return judge((pad != nullptr) == is_merge,
                 pad != nullptr ? "runs, jobs moved with threads" : "does not run");
  });
}

outcome space_of(const study_view& view, const char* name, const char* family,
                 const std::function<bool(double)>& agrees) {
  return on(view, name, [&](const access_view& of) {
    const access_study_run* const run = of.smallest_copy(family);
    const std::optional<double> space = run == nullptr ? std::nullopt : of.space(*run);
    if (!space) return missing(fmt::format("no copy of {}, or none of duplicate", family));
    return judge(agrees(*space), fmt::format("{:.3f} of duplicate's, by {}", *space, run->layout));
  });
}

outcome shares_are_larger(const study_view& view) {
  return on_each(view, {"MD", "IRREG", "NBF", "CFD", "CG"}, [](const access_view& of) {
    const access_study_run *dup = of.layout("duplicate"), *share = of.best("share");
    if (dup == nullptr || share == nullptr) return needs("duplicate or share");
    const auto a = of.share_of(*share), b = of.share_of(*dup);
    return judge(a.value_or(0) > b.value_or(0),
                 fmt::format("{} {}, duplicate {}", share->layout, a ? factor(*a) : "shut off",
                             b ? factor(*b) : "shut off"));
  });
}

outcome overhead_throttles(const study_view& view) {
  return on(view, "MD", [](const access_view& of) {
    const access_study_run* const all = of.layout("duplicate");
    if (all == nullptr) return needs("duplicate");
    return judge(
        of.speedup(*all) < of.potential(*all) / about,
        fmt::format("{} without overhead, {} with it", factor(of.potential(*all)), factor(of.speedup(*all))));
  });
}

outcome seven_times_more(const study_view& view) {
  return on(view, "MD", [](const access_view& of) {
    return compare(of, "share", "duplicate", true,
                   [](double share, double dup) { return share > 1 && share - 1 >= 7 / about * (dup - 1); });
  });
}

outcome frequent_changes_cost(const study_view& view) {
  return on_each(view, {"MD", "IRREG", "NBF"}, [&](const access_view& of) {
    const std::string& name = of.workload.name;
    const std::vector<int> changes = changes_of(view.results(), name);
    if (changes.size() < 2) return missing(fmt::format("{} with one frequency of changes only", name));
    const auto best_at = [&](int every) {
      double best = 0;
      const access_study_run* const none = view.results().find_run("change", name, "none", every);
      for (const access_study_run& run : view.results().runs)
        if (none != nullptr && none->is_timed() && run.experiment == "change" && run.workload == name &&
            run.change_every == every && run.is_timed() && !algorithm_of(run.layout).empty())
          best = std::max(best, none->loop_ms / run.loop_ms);
      return best;
    };
    const double often = best_at(changes.front()), seldom = best_at(changes.back());
    return judge(seldom > noise * often,
                 fmt::format("the best of the paper's layouts: {} if lists change every {}, {} if {}",
                             factor(often), changes.front(), factor(seldom),
                             changes.back() == 0 ? "never" : "every " + std::to_string(changes.back())));
  });
}

outcome two_gpus(const study_view&) { return missing("it takes a GPU without a cache and one with it"); }

const std::vector<statement<study_view>>& statements() {
  using view = const study_view&;
  using enum about_what;
  static const std::vector<statement<study_view>> all{
      {"figure 7", "No workload is slowed down by the selected algorithm, all overhead in.", times,
       selected_never_slower},
      {"figure 7", "Selected algorithms are up to 21% (GTX480) or 109% (C1060) faster.", times,
       largest_speedup},
      {"section 5", "A GPU without a cache gains more than one with it.", times, two_gpus},
      {"table 1", "The selection is the best there is, or loses less than 5%.", times,
       selection_loses_little},
      {"figure 6",
       "The guidelines, with references for T, give the best of the three algorithms, or lose less than 5%.",
       times, figure_6_is_right},
      {"section 5", "Six of eight workloads gain the most from padding or sharing.", times, new_ones_win_six},
      {"figure 8", "Padding and sharing are at least 8% faster than duplication where they were selected.",
       times, new_ones_add_speed},
      {"table 2", "Sharing can transform a larger share than duplication.", times, shares_are_larger},
      {"figure 9",
       "Selected algorithms make load efficiency 4.9 (C1060) or 7.2 (GTX480) times as high, on average.",
       times, efficiency_rises},
      {"section 3.1", "Duplication leaves no non-coalesced access.", counts, duplication_coalesces},
      {"figure 11", "Padding is applicable to MERGE only.", counts, padding_only_for_merge},
      {"figure 11", "Sharing takes 96% less space than duplication for MD.", counts,
       [](view v) { return space_of(v, "MD", "share", [](double s) { return s <= 0.04 * about; }); }},
      {"figure 11", "Sharing takes as much space as duplication for NN.", counts,
       [](view v) { return space_of(v, "NN", "share", [](double s) { return s >= 1 / noise; }); }},
      {"section 5", "Padding takes much less space than duplication for MERGE.", counts,
       [](view v) { return space_of(v, "MERGE", "pad", [](double s) { return s <= 1 / about; }); }},
      {"figure 10", "Full duplication makes MD twice as fast without overhead.", times,
       [](view v) {
         return on(v, "MD", [](const access_view& of) {
           return potential(of, "duplicate", [](double x) { return x >= 2 / about && x <= 2 * about; });
         });
       }},
      {"section 5", "Overhead throttles what duplication gains for MD.", times, overhead_throttles},
      {"figure 10", "Sharing has more potential than duplication for MD.", times,
       [](view v) {
         return on(v, "MD",
                   [](const access_view& of) { return compare(of, "share", "duplicate", false, above); });
       }},
      {"section 5", "Sharing gains seven times what duplication does for MD, overhead in.", times,
       seven_times_more},
      {"section 5", "Sharing is the best of the three for MD, IRREG and NBF.", times,
       [](view v) {
         return on_each(v, {"MD", "IRREG", "NBF"}, [](const access_view& of) {
           return all_of(
               {compare(of, "share", "duplicate", true, above), compare(of, "share", "pad", true, above)});
         });
       }},
      {"figure 10", "Duplication makes CFD more than three times as fast without overhead.", times,
       [](view v) {
         return on(v, "CFD", [](const access_view& of) {
           return potential(of, "duplicate", [](double x) { return x > 3; });
         });
       }},
      {"section 5", "Sharing is faster than duplication for CFD, overhead in.", times,
       [](view v) {
         return on(v, "CFD",
                   [](const access_view& of) { return compare(of, "share", "duplicate", true, above); });
       }},
      {"figure 10", "Duplication and sharing have similar potential for CG.", times,
       [](view v) {
         return on(v, "CG",
                   [](const access_view& of) { return compare(of, "duplicate", "share", false, similar); });
       }},
      {"section 5", "Duplication is the better one for CG, overhead in.", times,
       [](view v) {
         return on(v, "CG",
                   [](const access_view& of) { return compare(of, "duplicate", "share", true, above); });
       }},
      {"section 5", "Duplication is faster than sharing for UNWRAP and NN.", times,
       [](view v) {
         return on_each(v, {"UNWRAP", "NN"},
                        [](const access_view& of) { return compare(of, "duplicate", "share", true, above); });
       }},
      {"table 2", "Of UNWRAP all can be transformed, since its calls are independent.", times,
       [](view v) {
         return on(v, "UNWRAP", [](const access_view& of) {
           const access_study_run* const all_of_it = of.layout("duplicate");
           if (all_of_it == nullptr) return needs("duplicate");
           const auto share = of.share_of(*all_of_it);
           return judge(share.value_or(0) >= 0.99, share ? factor(*share) : "shut off");
         });
       }},
      {"figure 10", "Duplication and padding have similar potential for MERGE, and more than sharing.", times,
       [](view v) {
         return on(v, "MERGE", [](const access_view& of) {
           return all_of(
               {compare(of, "duplicate", "pad", false, similar), compare(of, "pad", "share", false, above)});
         });
       }},
      {"table 1", "Padding is the best of the three for MERGE.", times,
       [](view v) {
         return on(v, "MERGE", [](const access_view& of) {
           return all_of(
               {compare(of, "pad", "duplicate", true, above), compare(of, "pad", "share", true, above)});
         });
       }},
      {"section 5", "The more often lists change, the less is gained (MD, IRREG, NBF).", times,
       frequent_changes_cost},
  };
  return all;
}

} // namespace

std::vector<finding> examine_access(const access_study_results& results) {
  return examine_all(statements(), study_view(results), results.executor);
}

} // namespace evenly::study
