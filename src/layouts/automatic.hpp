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
#include "measure/host_timer.hpp"

namespace evenly::layouts {

using measure::time_on_host;

/// A layout of any type with its plan. Layouts: layouts_on.
template <class Layouts> class plan_interface {
 public:
  virtual ~plan_interface() = default;
  virtual void prepare(const index_list<int>& list) = 0;
  virtual void drop() = 0;
  /// Runs under the current plan, with a new copy.
  virtual void run(const index_list<int>& list) const = 0;
  virtual std::vector<typename Layouts::result> results() const = 0;
  virtual void note(layout_result& found) const = 0;
};

template <class Layouts, class View> class erased_gather final : public plan_interface<Layouts> {
  using layout_type = erased_layout<typename Layouts::executor_type, View>;

 public:
  erased_gather(const Layouts& on, const layout_type& layout) : on_(on), layout_(layout) {}
  void prepare(const index_list<int>& list) override { made_.emplace(on_.prepare(list, layout_)); }
  void drop() override { made_.reset(); }
  void run(const index_list<int>& list) const override {
    on_.refresh(*made_);
    on_.template run<false>(on_.executor(), list, *made_);
  }
  std::vector<typename Layouts::result> results() const override {
    return on_.template results_of<false>(*made_);
  }
  void note(layout_result& found) const override { on_.note_plan(*made_, found); }

 private:
  const Layouts& on_;
  layout_type layout_;
  std::optional<typename Layouts::template prepared<View>> made_;
};

/// none: no plan.
template <class Layouts> class erased_plain final : public plan_interface<Layouts> {
  using layout_type = listed_layout<typename Layouts::executor_type>;

 public:
  erased_plain(const Layouts& on, const layout_type& layout) : on_(on), layout_(layout) {}
  void prepare(const index_list<int>& list) override { list_ = list; }
  void drop() override {}
  void run(const index_list<int>& list) const override { on_.run_plain(list); }
  std::vector<typename Layouts::result> results() const override { return on_.results(); }
  void note(layout_result& found) const override { on_.note_plan(on_.prepare(list_, layout_), found); }

 private:
  const Layouts& on_;
  layout_type layout_;
  index_list<int> list_;
};

template <class Layouts, class View> class erased_in_order final : public plan_interface<Layouts> {
  using lists_type = typename Layouts::template lists_in_order<View>;

 public:
  erased_in_order(const Layouts& on, const typename lists_type::layout_type& layout)
      : on_(on), lists_(on, layout) {}
  void prepare(const index_list<int>&) override { made_.emplace(lists_.prepare(on_)); }
  void drop() override { made_.reset(); }
  void run(const index_list<int>&) const override {
    on_.template run<false>(on_.executor(), lists_.list(), *made_);
  }
  std::vector<typename Layouts::result> results() const override { return lists_.results(on_); }
  void note(layout_result& found) const override { on_.note_plan(*made_, found); }

 private:
  const Layouts& on_;
  lists_type lists_;
  std::optional<typename Layouts::template prepared<View>> made_;
};

template <class Layouts> class automatic_loop {
  using executor_type = typename Layouts::executor_type;
  using layouts = layouts_of<executor_type>;

 public:
  /// `rates`: constants of the cost model; positions as in for_each_layout_of.
  automatic_loop(const Layouts& on, const access_workload& of, const access_rates& rates,
                 const atom_position* positions, int runs_of_plan)
      : on_(on), of_(of), rates_(rates), runs_of_plan_(runs_of_plan) {
    const auto wanted = estimates({of.shape, {}, access_sample{}, 1, 1, rates});
    for (const auto& each : layouts::all(of, positions)) {
      if (std::ranges::find(wanted, each.name, &layout_estimate::name) == wanted.end()) continue;
      if (auto found = std::visit([&](const auto& layout) { return erased_of(layout); }, each.layout))
        layouts_.push_back({each.name, std::move(found)});
    }
  }

  /// Runs each layout once and passes its results to `check`, which returns an error. Skips unavailable layouts.
  /// Returns the first error.
  template <class Check>
  std::optional<std::string> first_error(const index_list<int>& list, const Check& check) {
    for (auto& each : layouts_) {
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
    std::unique_ptr<plan_interface<Layouts>> plan;
    std::optional<std::string> refusal = {};
    bool is_planned = false;
  };

  template <class Other> std::unique_ptr<plan_interface<Layouts>> erased_of(const Other&) const {
    return nullptr;
  }
  template <class View>
  std::unique_ptr<plan_interface<Layouts>> erased_of(const erased_layout<executor_type, View>& layout) const {
    if constexpr (std::is_same_v<View, indexed_view<int>>)
      if (layout.name == none::name) return std::make_unique<erased_plain<Layouts>>(on_, layout);
    return std::make_unique<erased_gather<Layouts, View>>(on_, layout);
  }
  template <class View>
  std::unique_ptr<plan_interface<Layouts>> erased_of(
      const made_in_order<erased_order<executor_type>, erased_layout<executor_type, View>>& layout) const {
    if constexpr (Layouts::has_positions)
      return std::make_unique<erased_in_order<Layouts, View>>(on_, layout);
    else
      return nullptr;
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
            .own_bytes = Layouts::own_bytes,
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
    on_.executor().synchronize();
    const double ms = time_on_host([&] {
      access_case seen = known();
      seen.as_is = layouts::sample_of_blocks(on_.executor(), list, of_.shape);
      if (of_.is_graph()) seen.clusters = layouts::sample_of_clusters(on_.executor(), list, of_.shape);
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
    for (auto& each : layouts_)
      if (&each != &now() && each.is_planned) forget(each);
  }
  /// Runs as many iterations, at most `max`, as trials time together, or one untimed iteration. Returns the number.
  int run_some(const index_list<int>& list, int max) {
    if (trials_->wants_sample()) look(list);
    make_plan(list);
    const plan_interface<Layouts>& plan = *now().plan;
    const int timed = std::min(trials_->runs_to_time(), max);
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

  const Layouts& on_;
  const access_workload& of_;
  access_rates rates_;
  int runs_of_plan_;
  std::vector<candidate> layouts_;
  std::vector<std::size_t> candidates_; ///< indices into layouts_, in the order of trials_
  std::optional<layout_trials> trials_;
};

} // namespace evenly::layouts
