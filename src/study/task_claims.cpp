// SPDX-License-Identifier: Apache-2.0
// The statements of Cederman & Tsigas (2008) about their measurements, each with a predicate on ours. A statement about
// both kinds of particles holds if it holds for each.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "measure/text.hpp"
#include "study/task_report.hpp"

namespace evenly::study {

using measure::grouped, measure::milliseconds;

namespace {

constexpr const char* lock_free = "lock_free_queue";
constexpr const char* thieves = "stealing";
constexpr const char* too_few_blocks = "fewer than three numbers of blocks";
constexpr const char* list = "static_list_launches"; // as in the paper: one launch per round

/// A ratio of times, and the threads per block at which it was measured.
struct spare_cost {
  double ratio;
  int threads;

  std::string str() const { return fmt::format("{} ({} threads)", factor(ratio), threads); }
};

class task_view {
 public:
  task_view(const task_study_results& results, const tree_experiments& experiments)
      : all(results), of(experiments), grids(inputs_of(results, of.grid)) {}

  const task_study_results& all;
  const tree_experiments& of;
  const std::vector<std::string> grids;

  const task_study_run* best(const std::string& input, const std::string& pool) const {
    return best_of(all, of.grid, input, pool);
  }
  /// The lowest time for each number of blocks, or of threads per block.
  curve by_blocks(const std::string& input, const std::string& pool) const {
    return min_by(input, pool, [](const task_study_run& run) { return run.blocks; });
  }
  curve by_threads(const std::string& input, const std::string& pool) const {
    return min_by(input, pool, [](const task_study_run& run) { return run.block_size; });
  }
  /// The time with all blocks relative to the time with the best number of blocks, both with the same threads per
  /// block: the highest such ratio, by threads. Empty if no number of threads has three numbers of blocks.
  std::optional<spare_cost> cost_of_spare_blocks(const std::string& input, const std::string& pool) const {
    std::map<int, curve> by_size;
    for (const task_study_run& run : all.runs)
      if (is_of_grid(run, input) && run.pool == pool)
        by_size[run.block_size].emplace(run.blocks, run.time.median);
    std::optional<spare_cost> max;
    for (const auto& [threads, times] : by_size) {
      if (times.size() < 3) continue;
      const double ratio = times.rbegin()->second / times.at(best_of(times));
      if (!max || ratio > max->ratio) max = {ratio, threads};
    }
    return max;
  }
  bool is_of_grid(const task_study_run& run, const std::string& input) const {
    return run.experiment == of.grid && !run.error && run.input == input;
  }
  const task_study_input* of_kind(std::string_view kind) const {
    for (const std::string& input : grids)
      if (const task_study_input* const found = all.find(input); found != nullptr && found->kind == kind)
        return found;
    return nullptr;
  }

 private:
  template <class Number>
  curve min_by(const std::string& input, const std::string& pool, const Number& number) const {
    curve times;
    for (const task_study_run& run : all.runs) {
      if (!is_of_grid(run, input) || run.pool != pool) continue;
      const auto [at, is_new] = times.emplace(number(run), run.time.median);
      if (!is_new) at->second = std::min(at->second, run.time.median);
    }
    return times;
  }
};

/// The time at the point nearest to x.
double near(const curve& times, int x) {
  return std::ranges::min_element(times, {}, [x](const auto& point) { return std::abs(point.first - x); })
      ->second;
}

/// examine(input) for both kinds of particles.
outcome on_each(const task_view& view, const std::function<outcome(const std::string&)>& examine) {
  if (view.grids.empty()) return missing("no times over blocks and threads");
  std::vector<outcome> parts;
  for (const std::string& input : view.grids) {
    outcome found = examine(input);
    found.numbers = input + ": " + found.numbers;
    parts.push_back(std::move(found));
  }
  return all_of(parts);
}

/// examine(curve) for one pool.
outcome over(const task_view& view, const std::string& pool, const char* what, std::size_t min,
             const std::function<bool(const curve&)>& agrees) {
  const bool blocks = std::string_view(what) == "blocks";
  return on_each(view, [&](const std::string& input) {
    const curve times = blocks ? view.by_blocks(input, pool) : view.by_threads(input, pool);
    if (times.size() < min) return missing(fmt::format("{}: fewer than {} numbers of {}", pool, min, what));
    return judge(agrees(times), fmt::format("{}, ms by {}: {}", pool, what, in_words(times)));
  });
}

/// ratio(slower best, faster best) within [from, to].
outcome compared(const task_view& view, const char* slower, const char* faster, double from, double to) {
  return on_each(view, [&](const std::string& input) {
    const task_study_run *a = view.best(input, slower), *b = view.best(input, faster);
    if (a == nullptr || b == nullptr) return missing(fmt::format("no {} or no {}", slower, faster));
    const double ratio = a->time.median / b->time.median;
    return judge(ratio >= from && ratio <= to,
                 fmt::format("{} takes {} times as long as {}", slower, factor(ratio), faster));
  });
}

/// Among the methods of the paper.
outcome worst_of_all(const task_view& view) {
  const std::array<std::string_view, 4> methods{view.of.locked_queue, lock_free, thieves, list};
  return on_each(view, [&](const std::string& input) {
    const task_study_run* worst = nullptr;
    bool small = false;
    for (const task_study_run& run : view.all.runs) {
      if (!view.is_of_grid(run, input) || std::ranges::count(methods, run.pool) == 0) continue;
      small = small || (run.pool == view.of.locked_queue && run.block_size < 64 && run.block_size > 0);
      if (run.full || run.blocks >= 8) // with fewer blocks, most of the machine is idle
        if (worst == nullptr || run.time.median > worst->time.median) worst = &run;
    }
    if (worst == nullptr || !small) return missing("no blocking queue in small blocks");
    return judge(worst->pool == view.of.locked_queue && worst->block_size < 64,
                 fmt::format("worst is {} with {} threads and {} blocks: {} ms", worst->pool,
                             worst->block_size, worst->blocks, milliseconds(worst->time.median)));
  });
}

/// Not over queues behind a lock, which the paper itself finds best on fewer blocks than run at the same time.
outcome spare_blocks(const task_view& view) {
  return on_each(view, [&](const std::string& input) {
    bool agrees = true;
    std::string words;
    for (const std::string& pool : pools_of(view.all, view.of.grid)) {
      if (pool == by_warp.locked_queue || pool == by_block.locked_queue) continue;
      const std::optional<spare_cost> cost = view.cost_of_spare_blocks(input, pool);
      if (!cost) continue;
      agrees &= cost->ratio <= slightly;
      words += fmt::format("{}{} {}", words.empty() ? "all blocks beside the best number: " : ", ", pool,
                           cost->str());
    }
    return words.empty() ? missing(too_few_blocks) : judge(agrees, words);
  });
}

outcome lock_suffers(const task_view& view) {
  return on_each(view, [&](const std::string& input) {
    const std::optional<spare_cost> cost = view.cost_of_spare_blocks(input, view.of.locked_queue);
    if (!cost) return missing(too_few_blocks);
    return judge(cost->ratio >= about,
                 fmt::format("all blocks beside the best number: {} {}", view.of.locked_queue, cost->str()));
  });
}

/// Counts depend on the number of particles.
constexpr std::int64_t of_the_paper = 500'000;

/// examine(tube) for half a million particles.
template <class Examine> outcome of_the_tube(const task_view& view, const Examine& examine) {
  const task_study_input* const tube = view.of_kind("tube");
  if (tube == nullptr || tube->points != of_the_paper) return missing("no tube of half a million particles");
  return examine(*tube);
}

outcome more_tasks_in_the_tube(const task_view& view) {
  return of_the_tube(view, [&](const task_study_input& tube) {
    const task_study_input* const uniform = view.of_kind("uniform");
    if (uniform == nullptr || uniform->points != tube.points) return missing("no uniform particles, as many");
    return judge(tube.tasks() > uniform->tasks(),
                 fmt::format("tube {} tasks, uniform {}", grouped(tube.tasks()), grouped(uniform->tasks())));
  });
}

outcome seven_rounds(const task_view& view) {
  return of_the_tube(view, [](const task_study_input& tube) {
    return judge(tube.depth - 1 == 7, fmt::format("{} rounds after the first", tube.depth - 1));
  });
}

outcome is_shallow(const task_view& view) {
  return of_the_tube(view, [](const task_study_input& tube) {
    const double balanced = std::log(static_cast<double>(tube.points) / 20) / std::log(8.0);
    return judge(tube.depth <= 2 * balanced,
                 fmt::format("depth {}, where log8(n/20) is {:.2f}", tube.depth, balanced));
  });
}

outcome many_after_three(const task_view& view) {
  return of_the_tube(view, [](const task_study_input& tube) {
    constexpr int multiprocessors = 14; // of the 8800GT: 112 cores, 8 in each
    const std::int64_t tasks = tube.tasks_by_depth.size() > 4 ? tube.tasks_by_depth[4] : 0;
    return judge(static_cast<double>(tasks) >= about * multiprocessors,
                 fmt::format("{} tasks after these; the paper's larger GPU has {} multiprocessors",
                             grouped(tasks), multiprocessors));
  });
}

outcome lock_free_beats_blocking(const task_view& view) {
  const char* const locked = view.of.locked_queue;
  return all_of({compared(view, locked, lock_free, noise, 1e30), compared(view, locked, thieves, noise, 1e30),
                 compared(view, locked, list, noise, 1e30)});
}

outcome lazy_updates_pay(const task_view& view) {
  if (!view.of.by_block) return missing("measured only where a block runs a task");
  return on_each(view, [&](const std::string& input) {
    curve times; // by x
    for (const task_study_run& run : view.all.runs)
      if (run.experiment == "lazy" && !run.error && run.input == input)
        times.emplace(std::stoi(run.pool.substr(run.pool.find('=') + 1)), run.time.median);
    if (times.size() < 2 || !times.contains(1)) return missing("fewer than two values of x");
    return judge(times.at(1) > noise * times.at(best_of(times)),
                 fmt::format("{}, ms by x: {}", lock_free, in_words(times)));
  });
}

outcome two_gpus(const task_view&) { return missing("it takes two GPUs"); }

const std::vector<statement<task_view>>& statements() {
  using view = const task_view&;
  using enum about_what;
  static const std::vector<statement<task_view>> all{
      {"section 4.3", "The lock-free queue is faster if head and tail advance at every x-th position only.",
       times, lazy_updates_pay},
      {"section 6.1", "The blocking queue is best with fewer than ten blocks.", times,
       [](view v) {
         return over(v, v.of.locked_queue, "blocks", 3, [](const curve& t) { return best_of(t) < 10; });
       }},
      {"section 6.1", "The blocking queue is slower with all blocks than with its best number.", times,
       lock_suffers},
      {"figure 2a", "The blocking queue with fewer than 64 threads has the worst times of all.", times,
       worst_of_all},
      {"figures 2b, 3b", "The blocking and the lock-free queue are faster on a GPU of fewer cores.", times,
       two_gpus},
      {"figure 2b", "The lock-free queue becomes faster quickly up to about 20 blocks.", times,
       [](view v) {
         return over(v, lock_free, "blocks", 4,
                     [](const curve& t) { return t.begin()->second >= about * near(t, 20); });
       }},
      {"figure 2b", "Beyond about 20 blocks the lock-free queue gains no more.", times,
       [](view v) {
         return over(v, lock_free, "blocks", 4,
                     [](const curve& t) { return near(t, 20) <= slightly * t.at(best_of(t)); });
       }},
      {"figure 2b", "The lock-free queue is much faster than the blocking one.", times,
       [](view v) { return compared(v, v.of.locked_queue, lock_free, about, 1e30); }},
      {"figure 2c", "Stealing gains from more blocks up to about 30.", times,
       [](view v) {
         return over(v, thieves, "blocks", 4, [](const curve& t) {
           return t.begin()->second >= about * near(t, 30) && near(t, 30) <= slightly * t.at(best_of(t));
         });
       }},
      {"figure 2c", "Stealing: more threads in a block are faster up to 64, and slower beyond.", times,
       [](view v) {
         return over(v, thieves, "threads", 4, [](const curve& t) { return best_of(t) == 64; });
       }},
      {"figure 2d", "The static list becomes steadily faster from 8 to 32 threads in a block.", times,
       [](view v) {
         return over(v, list, "threads", 4, [](const curve& t) {
           return t.contains(8) && t.contains(16) && t.contains(32) && t.at(8) > noise * t.at(16) &&
                  t.at(16) > noise * t.at(32);
         });
       }},
      {"figure 2d", "The static list is best with 32 threads in a block.", times,
       [](view v) { return over(v, list, "threads", 4, [](const curve& t) { return best_of(t) == 32; }); }},
      {"figures 2c, 2d", "Times grow just beyond 32 threads, since warps are incomplete.", times,
       [](view) { return missing("blocks are whole warps here"); }},
      {"section 6.1", "The static list behaves like stealing.", times,
       [](view v) { return compared(v, list, thieves, 1 / about, about); }},
      {"section 7", "Stealing outperformed the static list.", times,
       [](view v) { return compared(v, list, thieves, noise, 1e30); }},
      {"section 6.1", "More blocks than needed are no problem: each costs a read.", times, spare_blocks},
      {"section 7", "Lock-free methods are faster than the blocking one.", times, lock_free_beats_blocking},
      {"figure 5", "The tube takes more tasks than the uniform particles.", counts, more_tasks_in_the_tube},
      {"section 6.1", "The static list needs 7 rounds for the tube, after the first by one block.", counts,
       seven_rounds},
      {"section 6.1",
       "The tree of the tube is relatively shallow: no more than twice as deep as a balanced one.", counts,
       is_shallow},
      {"section 6.1", "After 3 of these rounds there are a lot more tasks than processing units.", counts,
       many_after_three},
  };
  return all;
}

} // namespace

std::vector<finding> examine_tasks(const task_study_results& results, const tree_experiments& of) {
  return examine_all(statements(), task_view(results, of), results.executor);
}

} // namespace evenly::study
