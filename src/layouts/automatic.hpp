// SPDX-License-Identifier: Apache-2.0
// The arm automatic: a loop whose arm is chosen while it runs, from a sample of its references and by trials
// (evenly/layouts/trials.hpp). All of that is timed with the loop.
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
#include "evenly/layouts/estimates.hpp"
#include "layouts/bench.hpp"
#include "layouts/held_arms.hpp"
#include "measure/host_timer.hpp"

namespace evenly::cli {

/// An arm with its plan, whatever it is. Arms: arms_on.
template <class Arms> class held_plan {
 public:
  virtual ~held_plan() = default;
  virtual void prepare(const index_list<int>& list) = 0;
  virtual void drop() = 0;
  /// Of the plan that is there; with its copy made anew.
  virtual void run(const index_list<int>& list) const = 0;
  virtual std::vector<typename Arms::result> results() const = 0;
  virtual void note(arm_result& found) const = 0;
};

template <class Arms, class View> class held_gather final : public held_plan<Arms> {
  using arm_type = held_arm<typename Arms::executor_type, View>;

 public:
  held_gather(const Arms& on, const arm_type& arm) : on_(on), arm_(arm) {}
  void prepare(const index_list<int>& list) override { made_.emplace(on_.prepare(list, arm_)); }
  void drop() override { made_.reset(); }
  void run(const index_list<int>& list) const override {
    on_.refresh(*made_);
    on_.template run<false>(on_.executor(), list, *made_);
  }
  std::vector<typename Arms::result> results() const override {
    return on_.template results_of<false>(*made_);
  }
  void note(arm_result& found) const override { on_.note_plan(*made_, found); }

 private:
  const Arms& on_;
  arm_type arm_;
  std::optional<typename Arms::template prepared<View>> made_;
};

/// none: no plan is made, and nothing of one is asked when it runs.
template <class Arms> class held_plain final : public held_plan<Arms> {
  using arm_type = listed_arm<typename Arms::executor_type>;

 public:
  held_plain(const Arms& on, const arm_type& arm) : on_(on), arm_(arm) {}
  void prepare(const index_list<int>& list) override { list_ = list; }
  void drop() override {}
  void run(const index_list<int>& list) const override { on_.run_plain(list); }
  std::vector<typename Arms::result> results() const override { return on_.results(); }
  void note(arm_result& found) const override { on_.note_plan(on_.prepare(list_, arm_), found); }

 private:
  const Arms& on_;
  arm_type arm_;
  index_list<int> list_;
};

template <class Arms, class View> class held_in_order final : public held_plan<Arms> {
  using lists_type = typename Arms::template lists_in_order<View>;

 public:
  held_in_order(const Arms& on, const typename lists_type::arm_type& arm) : on_(on), lists_(on, arm) {}
  void prepare(const index_list<int>&) override { made_.emplace(lists_.prepare(on_)); }
  void drop() override { made_.reset(); }
  void run(const index_list<int>&) const override {
    on_.template run<false>(on_.executor(), lists_.list(), *made_);
  }
  std::vector<typename Arms::result> results() const override { return lists_.results(on_); }
  void note(arm_result& found) const override { on_.note_plan(*made_, found); }

 private:
  const Arms& on_;
  lists_type lists_;
  std::optional<typename Arms::template prepared<View>> made_;
};

template <class Arms> class automatic_loop {
  using executor_type = typename Arms::executor_type;
  using arms = arms_of<executor_type>;

 public:
  /// The constants are those of `rates`; positions as for_each_arm_of takes them.
  automatic_loop(const Arms& on, const access_workload& of, const access_rates& rates,
                 const atom_position* positions, int runs_of_plan)
      : on_(on), of_(of), rates_(rates), runs_of_plan_(runs_of_plan) {
    const auto wanted = estimates({of.shape, {}, access_sample{}, 1, 1, rates});
    for (const auto& each : arms::all(of, positions)) {
      if (std::ranges::find(wanted, each.name, &arm_estimate::name) == wanted.end()) continue;
      if (auto found = std::visit([&](const auto& arm) { return held_of(arm); }, each.arm))
        arms_.push_back({each.name, std::move(found)});
    }
  }

  /// Runs each arm once and gives its results to `check`, which says what is wrong with them. Arms that cannot be had
  /// are left out. Returns the first error.
  template <class Check>
  std::optional<std::string> first_error(const index_list<int>& list, const Check& check) {
    for (auto& each : arms_) {
      std::optional<std::string> wrong;
      each.refusal = on_.refusal_of([&] {
        each.plan->prepare(list);
        each.plan->run(list);
        wrong = check(each.plan->results());
      });
      each.plan->drop();
      if (wrong) return each.name + ": " + *wrong;
    }
    return {};
  }

  /// `iterations` with a P that is new.
  void run_epoch(const index_list<int>& list, int iterations) {
    for (auto& each : arms_) forget(each);
    if (trials_)
      trials_->begin_epoch(runs_of_plan_);
    else
      begin();
    for (int done = 0; done < iterations;) done += run_some(list, iterations - done);
  }

  /// What was chosen, and its plan, which is made once more.
  void note(const index_list<int>& list, arm_result& found) {
    held& chosen = now();
    if (!chosen.is_planned) chosen.plan->prepare(list);
    chosen.plan->note(found);
    found.chosen = chosen.name;
    found.why = trials_->why();
    found.run_ms = trials_->chosen_run_ms();
    found.build_ms = trials_->chosen_build_ms();
  }

 private:
  struct held {
    std::string name;
    std::unique_ptr<held_plan<Arms>> plan;
    std::optional<std::string> refusal = {};
    bool is_planned = false;
  };

  template <class Other> std::unique_ptr<held_plan<Arms>> held_of(const Other&) const { return nullptr; }
  template <class View>
  std::unique_ptr<held_plan<Arms>> held_of(const held_arm<executor_type, View>& arm) const {
    if constexpr (std::is_same_v<View, indexed_view<int>>)
      if (arm.name == none::name) return std::make_unique<held_plain<Arms>>(on_, arm);
    return std::make_unique<held_gather<Arms, View>>(on_, arm);
  }
  template <class View>
  std::unique_ptr<held_plan<Arms>>
  held_of(const made_in_order<held_order<executor_type>, held_arm<executor_type, View>>& arm) const {
    if constexpr (Arms::has_positions)
      return std::make_unique<held_in_order<Arms, View>>(on_, arm);
    else
      return nullptr;
  }

  /// Of the arms that are chosen from; the first is none.
  std::vector<arm_estimate> estimates(const access_case& of) const {
    const arm_model model(of);
    std::vector<arm_estimate> all{model.none(), model.duplicate()};
    const auto add = [&](const std::optional<arm_estimate>& each) {
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
            .own_bytes = Arms::own_bytes,
            .index_bytes = sizeof(int),
            .rates = rates_};
  }
  void begin() {
    const held& plain = arms_.front();
    require(!plain.refusal, [&] { return *plain.refusal; });
    candidates_ = {0};
    trials_.emplace(estimate_unsampled(known(), of_.is_graph() ? 2 : 1), runs_of_plan_);
  }
  void look(const index_list<int>& list) {
    std::vector<arm_estimate> said;
    on_.executor().synchronize();
    const double ms = time_on_host([&] {
      access_case seen = known();
      seen.as_is = arms::sample_of_blocks(on_.executor(), list, of_.shape);
      if (of_.is_graph()) seen.clusters = arms::sample_of_clusters(on_.executor(), list, of_.shape);
      said = estimates(seen);
    });
    std::erase_if(said, [&](const arm_estimate& each) {
      const auto found = std::ranges::find(arms_, each.name, &held::name);
      return found == arms_.end() || found->refusal;
    });
    candidates_.clear();
    for (const arm_estimate& each : said)
      candidates_.push_back(
          static_cast<std::size_t>(std::ranges::find(arms_, each.name, &held::name) - arms_.begin()));
    trials_->note_sample(ms, std::move(said));
  }
  held& now() { return arms_[candidates_[trials_->next()]]; }
  static void forget(held& of) {
    of.plan->drop();
    of.is_planned = false;
  }

  /// A plan is made for the arm that is next, unless that is none; one that was better so far is kept until trials are
  /// over.
  void make_plan(const index_list<int>& list) {
    while (!now().is_planned && trials_->next() != 0) {
      held& mine = now();
      on_.executor().synchronize();
      std::optional<std::string> refusal;
      const double ms = time_on_host([&] {
        refusal = on_.refusal_of([&] {
          mine.plan->prepare(list);
          on_.executor().synchronize();
        });
      });
      mine.is_planned = !refusal;
      if (refusal)
        trials_->refuse(*refusal, ms);
      else
        trials_->note_build(ms);
    }
    if (!trials_->is_settled()) return;
    for (auto& each : arms_)
      if (&each != &now() && each.is_planned) forget(each);
  }
  /// As many runs, up to `most`, as trials time together, or one that they do not time. Returns how many.
  int run_some(const index_list<int>& list, int most) {
    if (trials_->wants_sample()) look(list);
    make_plan(list);
    const held_plan<Arms>& plan = *now().plan;
    const int timed = std::min(trials_->runs_to_time(), most);
    if (timed == 0) {
      plan.run(list);
      trials_->skip_run();
      return 1;
    }
    on_.executor().synchronize();
    trials_->note_runs(timed, time_on_host([&] {
                         for (int i = 0; i < timed; ++i) plan.run(list);
                         on_.executor().synchronize();
                       }));
    return timed;
  }

  const Arms& on_;
  const access_workload& of_;
  access_rates rates_;
  int runs_of_plan_;
  std::vector<held> arms_;
  std::vector<std::size_t> candidates_; ///< of arms_, as trials_ numbers them
  std::optional<arm_trials> trials_;
};

} // namespace evenly::cli
