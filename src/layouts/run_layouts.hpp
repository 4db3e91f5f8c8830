// SPDX-License-Identifier: Apache-2.0
// Every layout on one executor. Include it in the translation unit of the executor only.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "layouts/automatic.hpp"
#include "layouts/erased_layouts.hpp"
#include "layouts/layout_bench.hpp"
#include "layouts/pipelined.hpp"
#include "layouts/use_interface.hpp"
#include "measure/measure.hpp"

namespace evenly::layouts {

using measure::bench, measure::repetition, measure::time_runs, measure::timer, measure::unchecked_output;

template <class Executor> class layout_runs {
  using layouts = layouts_of<Executor>;

 public:
  /// `counting`: `exec` with the trace `counts`; p: the references of `of` on the executor. References outlive this.
  layout_runs(const Executor& exec, const Executor& counting, trace* counts, std::unique_ptr<timer> time,
              const access_workload& of, const buffer<int>& p, use_interface<Executor>& use,
              const layouts_options& options)
      : exec_(exec), counting_(counting), counts_(counts), of_(of), options_(options), p_(p), use_(use),
        bench_{std::move(time), std::make_shared<unchecked_output>(), {}} {}

  std::string place() const { return bench_.time->place(); }

  void run_all(const take_result& take) {
    for (const named_layout<Executor>& each : layouts::all(of_, use_.positions())) {
      const bool is_first = each.name == none::name; // the reference of the others
      if (!is_first && !options_.wants(each.name)) continue;
      layout_result found;
      found.layout = each.name;
      found.refusal = refusal_of([&] { run_one(each.layout, found); });
      if (options_.wants(each.name)) take(found);
    }
  }

 private:
  void run_one(const any_layout<Executor>& layout, layout_result& found) {
    if (const auto* const absent = std::get_if<absent_layout>(&layout))
      throw invalid_argument(absent->why);
    else if (const auto* const sums = std::get_if<share_accumulate>(&layout))
      run_accumulate(*sums, found);
    else if (std::holds_alternative<automatic>(layout))
      run_automatic(found);
    else if (std::holds_alternative<pipelined>(layout))
      run_pipeline(found);
    else if (const auto plan = use_.plan_of(layout))
      run_planned(*plan, found);
  }

  void run_planned(plan_interface<Executor>& plan, layout_result& found) {
    const index_list<int> list(p_, 1);
    plan.prepare(list);
    plan.refresh();
    use_.clear_results();
    plan.run(exec_, list);
    found.error = plan.first_error();
    if (!found.error && !options_.count && options_.check_calls) found.error = plan.error_of_calls(list);
    plan.note(found);
    if (options_.count) count(found, [&] { plan.run(counting_, list); });
    if (found.error || options_.count) return;
    const bool has_copy = plan.has_copy();
    found.refresh_ms = has_copy ? median([&] { plan.refresh(); }) : 0;
    found.run_ms = median([&] { plan.run(exec_, list); });
    plan.drop();
    const index_list<int> assumed_valid = list.assume_valid();
    found.build_ms = median([&] {
      plan.prepare(assumed_valid);
      plan.drop();
    });
    const auto loop = [&](bool a_changes) {
      return time_loop([&](const index_list<int>& now, int iterations) {
        plan.prepare(now);
        for (int i = 0; i < iterations; ++i) {
          if (i == 0 || a_changes) plan.refresh();
          plan.run(exec_, now);
        }
        plan.drop();
      });
    };
    found.loop_ms = loop(true);
    found.kept_loop_ms = found.refresh_ms > 0 ? loop(false) : found.loop_ms;
  }

  void run_automatic(layout_result& found) {
    if (options_.count) throw invalid_argument("it chooses by measured times, but --count measures none");
    const access_rates& rates = bench_.time->threads() > 0 ? rates_of_two_cores : rates_of_h200;
    automatic_loop<Executor> loop(exec_, use_, of_, rates, options_.change_every);
    const index_list<int> list = index_list<int>(p_, 1).assume_valid();
    found.error = loop.first_error(list);
    if (found.error) return;
    const auto epoch = [&](const index_list<int>& now, int iterations) { loop.run_epoch(now, iterations); };
    found.kept_loop_ms = found.loop_ms = time_loop(std::cref(epoch));
    loop.note(list, found);
  }

  void run_pipeline(layout_result& found) {
    if (options_.count) throw invalid_argument("it depends on measured times, but --count measures none");
    const auto run = [&]<class Layout>(const Layout& layout) {
      using loop_type = pipelined_loop<Executor, Layout>;
      found.error = loop_type(exec_, use_, of_, layout).first_error(index_list<int>(p_, 1).assume_valid());
      if (found.error) return;
      loop_type loop(exec_, use_, of_, layout);
      const auto epoch = [&](const index_list<int>& now, int iterations) { loop.run_epoch(now, iterations); };
      found.kept_loop_ms = found.loop_ms = time_loop(std::cref(epoch));
      loop.note(found);
    };
    std::visit(run, layouts::for_pipeline(of_, use_.positions()));
  }

  /// A plan of share_accumulate, and memory for the updates of blocks.
  struct prepared_sums {
    typename layouts::sums_plan plan;
    buffer<int> updates;
  };
  prepared_sums prepare_sums(const index_list<int>& list, const share_accumulate& layout) const {
    access_shape shape = of_.shape;
    shape.element_bytes = sizeof(int);
    prepared_sums made{layouts::make_sums(exec_, list, shape, layout), {}};
    made.updates = make_buffer<int>(exec_, static_cast<std::size_t>(made.plan.arrays().updates));
    return made;
  }
  void add(const Executor& exec, const index_list<int>& list, const prepared_sums& made, workspace& memory) {
    layouts::add_small(exec, made.plan, list, sums_.data(), made.updates.data(), memory);
  }

  void run_accumulate(const share_accumulate& layout, layout_result& found) {
    const index_list<int> list(p_, 1);
    sums_ = make_buffer<int>(exec_, static_cast<std::size_t>(of_.shape.elements));
    std::optional<prepared_sums> made(prepare_sums(list, layout));
    found.plan_bytes = made->plan.bytes();
    found.copy_bytes = made->updates.size() * sizeof(int);
    found.footprint_bytes = found.plan_bytes + found.copy_bytes + use_.touched() * sizeof(int);
    exec_.fill_zero(sums_.data(), sums_.size() * sizeof(int));
    add(exec_, list, *made, memory_);
    found.error = first_error_of_sums(to_host(exec_, sums_));
    if (options_.count) {
      workspace counted;
      count(found, [&] { add(counting_, list, *made, counted); });
    }
    if (found.error || options_.count) return;
    const auto add_all = [&] { add(exec_, list, *made, memory_); };
    const auto build = [&] { prepare_sums(list, layout); };
    const auto epoch = [&](const index_list<int>& now, int iterations) {
      const prepared_sums then = prepare_sums(now, layout);
      for (int i = 0; i < iterations; ++i) add(exec_, now, then, memory_);
    };
    found.run_ms =
        median(std::cref(add_all)); // by reference, because nvcc considers these lambdas uncopyable
    made.reset();
    found.build_ms = median(std::cref(build));
    found.kept_loop_ms = found.loop_ms = time_loop(std::cref(epoch));
  }
  std::optional<std::string> first_error_of_sums(const std::vector<int>& found) const {
    std::vector<unsigned> right(found.size());
    for (std::size_t i = 0; i < of_.p.size(); ++i) {
      const auto t = static_cast<std::int64_t>(i) % of_.shape.threads,
                 r = static_cast<std::int64_t>(i) / of_.shape.threads;
      right[static_cast<std::size_t>(of_.p[i])] += static_cast<unsigned>((t + r) % 3) + 1;
    }
    for (std::size_t e = 0; e < found.size(); ++e)
      if (static_cast<unsigned>(found[e]) != right[e])
        return wrong_value("the sum at element", static_cast<std::int64_t>(e),
                           static_cast<unsigned>(found[e]), right[e]);
    return {};
  }

  template <class Run> void count(layout_result& found, const Run& run) const {
    const trace_counts before = counts_->totals();
    counts_->take_profiles();
    run();
    found.seen = counts_->totals() - before;
    found.launches = counts_->take_profiles();
  }

  double median(const std::function<void()>& what) {
    const repetition times{
        .exactly = options_.repeat, .min_rounds = 1, .max_rounds = 5, .time_budget_ms = 200};
    return time_runs(bench_, what, times).median;
  }

  /// All iterations, in epochs of change_every: epoch(P, iterations) is timed, changes of P are not. Lists of sums and
  /// products get renumbered elements; others keep their contents, like lists rebuilt for nodes that have hardly moved.
  double time_loop(const std::function<void(const index_list<int>&, int)>& epoch) {
    double all = 0;
    buffer<int> changed;
    for (int done = 0, number = 1; done < options_.iterations; ++number) {
      const int now = std::min(options_.change_every, options_.iterations - done);
      if (number > 1 && (of_.use == access_use::sums || of_.use == access_use::products))
        changed = changed_references(number);
      const auto list = index_list<int>(changed.size() > 0 ? changed : p_, static_cast<std::uint64_t>(number))
                            .assume_valid();
      all += bench_.time->time_once([&] { epoch(list, now); });
      done += now;
    }
    return all;
  }
  buffer<int> changed_references(int epoch) const {
    return layouts::with_other_numbers(exec_, p_, of_.shape,
                                       options_.bench.seed + static_cast<std::uint64_t>(epoch));
  }

  const Executor& exec_;
  const Executor& counting_;
  trace* counts_;
  const access_workload& of_;
  const layouts_options& options_;
  const buffer<int>& p_;
  use_interface<Executor>& use_;
  buffer<int> sums_; ///< for share_accumulate
  workspace memory_; ///< likewise
  bench bench_;
};

/// Runs the layouts of a workload. make_use(p) makes the work of threads for references on the executor. Returns the
/// name of the hardware.
template <class Executor, class MakeUse>
std::string run_layouts(const Executor& exec, const Executor& counting, trace* counts,
                        std::unique_ptr<timer> time, const access_workload& of,
                        const layouts_options& options, const take_result& take, const MakeUse& make_use) {
  const buffer<int> p = to_executor(exec, of.p);
  const std::unique_ptr<use_interface<Executor>> use = make_use(p);
  layout_runs<Executor> runs(exec, counting, counts, std::move(time), of, p, *use, options);
  runs.run_all(take);
  return runs.place();
}

} // namespace evenly::layouts
