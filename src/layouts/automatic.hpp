// SPDX-License-Identifier: Apache-2.0
// The layout automatic: a loop that chooses its layout during the run, from a sample of its references and by trials
// (evenly/layouts/choice/trials.hpp). The time of the loop includes the choice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/layouts/choice/estimates.hpp"
#include "layouts/erased_layouts.hpp"
#include "layouts/layout_bench.hpp"
#include "layouts/use_interface.hpp"
#include "measure/host_timer.hpp"

namespace evenly::layouts {

using measure::time_on_host;

template <class Executor> class automatic_loop {
  using layouts = layouts_of<Executor>;

 public:
  /// `rates`: constants of the cost model.
  automatic_loop(const Executor& exec, use_interface<Executor>& use, const access_workload& of,
                 const access_rates& rates, int runs_of_plan)
      : exec_(exec), own_bytes_(use.own_bytes()), of_(of), rates_(rates), runs_of_plan_(runs_of_plan) {
    const auto wanted = estimates({of.shape, {}, access_sample{}, 1, 1, rates});
    for (const named_layout<Executor>& each : layouts::all(of, use.positions())) {
      if (std::ranges::find(wanted, each.name, &layout_estimate::name) == wanted.end()) continue;
      auto plan = each.name == none::name ? use.without_plan(std::get<listed_layout<Executor>>(each.layout))
                                          : use.plan_of(each.layout);
      if (plan) layouts_.push_back({each.name, std::move(plan)});
    }
  }

  /// Runs each layout once. Skips unavailable layouts. Returns the first error.
  std::optional<std::string> first_error(const index_list<int>& list) {
    for (auto& each : layouts_) {
      std::optional<std::string> wrong;
      each.refusal = refusal_of([&] {
        each.plan->prepare(list);
        run(*each.plan, list);
        wrong = each.plan->first_error();
      });
      each.plan->drop();
      if (wrong) return each.name + ": " + *wrong;
    }
    return {};
  }

  /// Runs `iterations` iterations with a new P.
  void run_epoch(const index_list<int>& list, int iterations) {
    for (auto& each : layouts_) forget(each);
    if (trials_)
      trials_->begin_epoch(runs_of_plan_);
    else
      begin();
    for (int done = 0; done < iterations;) done += run_some(list, iterations - done);
  }

  /// Stores the choice and its plan, which is made again.
  void note(const index_list<int>& list, layout_result& found) {
    candidate& chosen = now();
    if (!chosen.is_planned) chosen.plan->prepare(list);
    chosen.plan->note(found);
    found.chosen = chosen.name;
    found.why = trials_->why();
    found.run_ms = trials_->chosen_run_ms();
    found.build_ms = trials_->chosen_build_ms();
  }

 private:
  struct candidate {
    std::string name;
    std::unique_ptr<plan_interface<Executor>> plan;
    std::optional<std::string> refusal = {};
    bool is_planned = false;
  };

  /// With a new copy.
  void run(const plan_interface<Executor>& plan, const index_list<int>& list) const {
    plan.refresh();
    plan.run(exec_, list);
  }

  /// Estimates of the candidate layouts; the first is none.
  std::vector<layout_estimate> estimates(const access_case& of) const {
    const layout_model model(of);
    std::vector<layout_estimate> all{model.none(), model.duplicate()};
    const auto add = [&](const std::optional<layout_estimate>& each) {
      if (each) all.push_back(*each);
    };
    add(model.share());
    if (of.shape.references == 1) add(model.sort_threads());
    if (!of_.is_graph()) return all;
    add(model.sort_threads_by("sort_threads_by_neighbours", model.by_neighbours()));
    add(model.reorder_by("reorder_by_neighbours", model.by_neighbours()));
    add(model.share_by("share_by_neighbours", model.by_neighbours()));
    add(model.commit_by("commit_by_neighbours", model.by_neighbours()));
    if (!has_places(of_.use)) return all;
    add(model.reorder_by("reorder_hilbert", model.by_keys()));
    add(model.share_by("share_hilbert", model.by_keys()));
    add(model.made_in_order("hilbert_lists", model.by_keys()));
    add(model.made_in_order_shared("hilbert_lists_share", model.by_keys()));
    return all;
  }

  access_case known() const {
    return {.shape = of_.shape,
            .as_is = {},
            .clusters = {},
            .own_bytes = own_bytes_,
            .index_bytes = sizeof(int),
            .rates = rates_};
  }
  void begin() {
    const candidate& plain = layouts_.front();
    require(!plain.refusal, [&] { return *plain.refusal; });
    candidates_ = {0};
    trials_.emplace(estimate_unsampled(known(), of_.is_graph() ? 2 : 1), runs_of_plan_);
  }
  void look(const index_list<int>& list) {
    std::vector<layout_estimate> estimate;
    exec_.synchronize();
    const double ms = time_on_host([&] {
      access_case seen = known();
      seen.as_is = layouts::sample_of_blocks(exec_, list, of_.shape);
      if (of_.is_graph()) seen.clusters = layouts::sample_of_clusters(exec_, list, of_.shape);
      estimate = estimates(seen);
    });
    std::erase_if(estimate, [&](const layout_estimate& each) {
      const auto found = std::ranges::find(layouts_, each.name, &candidate::name);
      return found == layouts_.end() || found->refusal;
    });
    candidates_.clear();
    for (const layout_estimate& each : estimate)
      candidates_.push_back(static_cast<std::size_t>(
          std::ranges::find(layouts_, each.name, &candidate::name) - layouts_.begin()));
    trials_->note_sample(ms, std::move(estimate));
  }
  candidate& now() { return layouts_[candidates_[trials_->next()]]; }
  static void forget(candidate& of) {
    of.plan->drop();
    of.is_planned = false;
  }

  /// Makes a plan for the next layout unless it is none. The best plan so far is kept until the trials are over.
  void make_plan(const index_list<int>& list) {
    while (!now().is_planned && trials_->next() != 0) {
      candidate& mine = now();
      exec_.synchronize();
      std::optional<std::string> refusal;
      const double ms = time_on_host([&] {
        refusal = refusal_of([&] {
          mine.plan->prepare(list);
          exec_.synchronize();
        });
      });
      mine.is_planned = !refusal;
      if (refusal)
        trials_->refuse(*refusal, ms);
      else
        trials_->note_build(ms);
    }
    if (!trials_->is_settled()) return;
    for (auto& each : layouts_)
      if (&each != &now() && each.is_planned) forget(each);
  }
  /// Runs as many iterations, at most `max`, as trials time together, or one untimed iteration. Returns the number.
  int run_some(const index_list<int>& list, int max) {
    if (trials_->wants_sample()) look(list);
    make_plan(list);
    const plan_interface<Executor>& plan = *now().plan;
    const int timed = std::min(trials_->runs_to_time(), max);
    if (timed == 0) {
      run(plan, list);
      trials_->skip_run();
      return 1;
    }
    exec_.synchronize();
    trials_->note_runs(timed, time_on_host([&] {
                         for (int i = 0; i < timed; ++i) run(plan, list);
                         exec_.synchronize();
                       }));
    return timed;
  }

  const Executor& exec_;
  double own_bytes_;
  const access_workload& of_;
  access_rates rates_;
  int runs_of_plan_;
  std::vector<candidate> layouts_;
  std::vector<std::size_t> candidates_; ///< indices into layouts_, in the order of trials_
  std::optional<layout_trials> trials_;
};

} // namespace evenly::layouts
