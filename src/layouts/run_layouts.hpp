// SPDX-License-Identifier: Apache-2.0
// Every layout on one executor. Include it in the translation unit of the executor only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "layouts/automatic.hpp"
#include "layouts/conjugate_gradient.hpp"
#include "layouts/erased_layouts.hpp"
#include "layouts/image_uses.hpp"
#include "layouts/layout_bench.hpp"
#include "layouts/mesh_uses.hpp"
#include "layouts/pipelined.hpp"
#include "layouts/uses.hpp"
#include "measure/measure.hpp"

namespace evenly::layouts {

using measure::bench, measure::repetition, measure::time_runs, measure::timer, measure::unchecked_output;

template <class Executor, access_use Use> class layouts_on {
  using use = device_use<Executor, Use>;
  using layouts = layouts_of<Executor>;
  using element = typename use::element;

 public:
  using executor_type = Executor;
  using result = typename use::result;
  static constexpr bool has_positions = has_places(Use);
  /// Bytes that a thread reads and writes in addition to references: the result, and its own element or value.
  static constexpr double own_bytes = use::own_bytes;

  /// `counting`: `exec` with the trace `counts`.
  layouts_on(const Executor& exec, const Executor& counting, trace* counts, std::unique_ptr<timer> time,
             const access_workload& of, const layouts_options& options)
      : exec_(exec), counting_(counting), counts_(counts), of_(of), options_(options), use_(exec, of),
        p_(to_executor(exec, of.p)),
        out_(make_buffer<result>(exec, static_cast<std::size_t>(of.shape.threads))),
        bench_{std::move(time), std::make_shared<unchecked_output>(), {}} {
    touched_ = layouts::touched(exec, index_list<int>(p_), of.shape);
  }

  std::string place() const { return bench_.time->place(); }

  void run_all(const take_result& take) {
    const atom_position* positions = nullptr;
    if constexpr (has_positions) positions = use_.a.data();
    for (const named_layout<Executor>& each : layouts::all(of_, positions)) {
      const bool is_first = right_.empty() && each.name == none::name;
      if (!is_first && !options_.wants(each.name)) continue;
      layout_result found;
      found.layout = each.name;
      found.refusal =
          refusal_of([&] { std::visit([&](const auto& layout) { run_one(layout, found); }, each.layout); });
      if (options_.wants(each.name)) take(found);
    }
  }

  const Executor& executor() const { return exec_; }

  /// Calls run(). Returns why a layout is not available, or nothing.
  template <class Run> std::optional<std::string> refusal_of(const Run& run) const {
    try {
      run();
    } catch (const invalid_argument& e) {
      return e.what();
    } catch (const std::bad_alloc&) {
      return "out of memory";
    } catch (const device_error& e) {
      if (std::string(e.what()).find("memory") == std::string::npos) throw;
      return e.what();
    }
    return {};
  }

  /// A plan with its copy, for the references of one epoch.
  template <class View> struct prepared {
    typename layouts::template plan<View> plan;
    buffer<element> copy;
    buffer<element> moved;       ///< A, committed to the plan's order
    buffer<atom_position> faces; ///< likewise, for the faces of fluxes

    const buffer<int>* order() const { return plan.arrays().order; }
  };

  template <class View>
  prepared<View> prepare(const index_list<int>& list, const erased_layout<Executor, View>& layout) const {
    prepared<View> made{layouts::make(exec_, list, of_.shape, layout), {}, {}, {}};
    made.copy = make_buffer<element>(exec_, static_cast<std::size_t>(made.plan.slots()));
    if (made.order() != nullptr) {
      made.moved = moved_by(*made.order());
      if constexpr (Use == access_use::fluxes) made.faces = faces_moved_by(*made.order());
    }
    return made;
  }

  template <class View> const element* data_of(const prepared<View>& made) const {
    return made.moved.size() > 0 ? made.moved.data() : use_.a.data();
  }
  template <class View> void refresh(const prepared<View>& made) const {
    made.plan.refresh(exec_, data_of(made), made.copy.data());
  }
  buffer<element> moved_by(const buffer<int>& order) const {
    auto moved = make_buffer<element>(exec_, use_.a.size());
    permute(exec_, order, use_.a.data(), moved.data());
    return moved;
  }
  buffer<atom_position> faces_moved_by(const buffer<int>& order) const {
    auto moved = make_buffer<atom_position>(exec_, use_.faces.size());
    for (std::size_t first = 0; first < moved.size(); first += order.size())
      permute(exec_, order, use_.faces.data() + first, moved.data() + first);
    return moved;
  }
  template <bool Left, class View>
  void run(const Executor& exec, const index_list<int>& list, const prepared<View>& made) const {
    const auto on = [&](const auto& body) {
      for_each_job(exec, made.plan, list, data_of(made), static_cast<const element*>(made.copy.data()), body);
    };
    if constexpr (Left)
      on(use_.template body<true>(of_, data_of(made), out_.data()));
    else if constexpr (Use == access_use::fluxes)
      on(use_.body(of_, data_of(made), made.faces, out_.data()));
    else
      on(use_.body(of_, data_of(made), out_.data()));
  }

  /// The body for A in its original order.
  auto plain_body() const {
    if constexpr (Use == access_use::fluxes)
      return use_.body(of_, use_.a.data(), buffer<atom_position>{}, out_.data());
    else
      return use_.body(of_, use_.a.data(), out_.data());
  }
  /// Runs the references without a plan.
  void run_plain(const index_list<int>& list) const {
    for_each_job(exec_, list, of_.shape, use_.a.data(), plain_body());
  }

  template <class Pipeline> void run_through(Pipeline& pipeline) const {
    pipeline.run(use_.a.data(), plain_body());
  }
  std::vector<result> results() const { return to_host(exec_, out_); }

  /// Results in the original order of threads.
  template <bool Left, class View> std::vector<result> results_of(const prepared<View>& made) const {
    std::vector<result> found = to_host(exec_, out_);
    if (made.order() != nullptr && of_.is_graph()) return by_old_numbers(std::move(found), *made.order());
    if constexpr (Left) return by_old_numbers(std::move(found), *made.plan.arrays().jobs);
    return found;
  }
  std::vector<result> by_old_numbers(std::vector<result> found, const buffer<int>& numbers) const {
    const std::vector<int> order = to_host(exec_, numbers);
    std::vector<result> by_thread(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) by_thread[static_cast<std::size_t>(order[i])] = found[i];
    return by_thread;
  }
  /// Positions, velocities and numbers of atoms, reordered in each epoch. The lists built afterwards are those of P
  /// with other numbers; building them is not timed, as for all layouts.
  template <class View> class lists_in_order {
   public:
    using layout_type = made_in_order<erased_order<Executor>, erased_layout<Executor, View>>;

    lists_in_order(const layouts_on& on, const layout_type& layout)
        : layout_(layout), old_list_(index_list<int>(on.p_, 1).assume_valid()),
          made_(layouts::in_order(on.exec_, old_list_, on.of_.shape, layout.order)),
          velocities_(make_buffer<element>(on.exec_, on.use_.a.size())),
          moved_velocities_(make_buffer<element>(on.exec_, on.use_.a.size())),
          numbers_(layouts::numbers(on.exec_, on.of_.shape.elements)),
          moved_numbers_(make_buffer<int>(on.exec_, on.use_.a.size())) {
      on.exec_.fill_zero(velocities_.data(), velocities_.size() * sizeof(element));
    }

    index_list<int> list() const { return index_list<int>(made_.index, 1).assume_valid(); }
    prepared<View> prepare(const layouts_on& on) const {
      const buffer<int> order = layout_.order(on.exec_, old_list_, on.of_.shape);
      buffer<element> moved = on.moved_by(order);
      permute(on.exec_, order, velocities_.data(), moved_velocities_.data());
      permute(on.exec_, order, numbers_.data(), moved_numbers_.data());
      return {layouts::make(on.exec_, list(), on.of_.shape, layout_.on), {}, std::move(moved), {}};
    }
    std::vector<result> results(const layouts_on& on) const {
      return on.by_old_numbers(to_host(on.exec_, on.out_), made_.order);
    }

   private:
    layout_type layout_;
    index_list<int> old_list_;
    detail::reordered_references<int> made_;
    buffer<element> velocities_, moved_velocities_;
    buffer<int> numbers_, moved_numbers_;
  };

  template <class View> void note_plan(const prepared<View>& made, layout_result& found) const {
    note_sizes(made, found);
    found.estimate = forecast(exec_, made.plan, data_of(made), static_cast<const element*>(made.copy.data()));
  }

 private:
  void run_one(const absent_layout& layout, layout_result&) { throw invalid_argument(layout.why); }
  void run_one(const automatic&, layout_result& found) { run_automatic(found); }
  void run_one(const pipelined&, layout_result& found) { run_pipeline(found); }
  void run_one(const share_accumulate& layout, layout_result& found) { run_accumulate(layout, found); }
  template <class View>
  void run_one(const made_in_order<erased_order<Executor>, erased_layout<Executor, View>>& layout,
               layout_result& found) {
    if constexpr (has_positions) run_made_in_order(lists_in_order<View>(*this, layout), found);
  }
  void run_one(const left_in_order<listed_layout<Executor>>& layout, layout_result& found) {
    if constexpr (Use == access_use::sums) run_gather<true>(layout.layout, found);
  }
  template <class View> void run_one(const erased_layout<Executor, View>& layout, layout_result& found) {
    run_gather<false>(layout, found);
  }

  /// Left: results stay in the order of positions.
  template <bool Left, class View>
  void run_gather(const erased_layout<Executor, View>& layout, layout_result& found) {
    const index_list<int> list(p_, 1);
    std::optional<prepared<View>> made(prepare(list, layout));
    refresh(*made);
    exec_.fill_zero(out_.data(), out_.size() * sizeof(result));
    run<Left>(exec_, list, *made);
    found.error = first_error(results_of<Left>(*made));
    if (!found.error && !options_.count && options_.check_calls) found.error = error_of_calls(list, *made);
    note_plan(*made, found);
    if (options_.count) count(found, [&] { run<Left>(counting_, list, *made); });
    if (found.error || options_.count) return;
    found.refresh_ms = made->plan.slots() > 0 ? median([&] { refresh(*made); }) : 0;
    found.run_ms = median([&] { run<Left>(exec_, list, *made); });
    made.reset();
    const index_list<int> assumed_valid = list.assume_valid();
    found.build_ms = median([&] { prepare(assumed_valid, layout); });
    const auto loop = [&](bool a_changes) {
      return time_loop([&](const index_list<int>& now, int iterations) {
        const prepared<View> then = prepare(now, layout);
        for (int i = 0; i < iterations; ++i) {
          if (i == 0 || a_changes) refresh(then);
          run<Left>(exec_, now, then);
        }
      });
    };
    found.loop_ms = loop(true);
    found.kept_loop_ms = found.refresh_ms > 0 ? loop(false) : found.loop_ms;
  }

  template <class View> void run_made_in_order(const lists_in_order<View>& lists, layout_result& found) {
    const index_list<int> list = lists.list();
    {
      const prepared<View> made = lists.prepare(*this);
      run<false>(exec_, list, made);
      found.error = first_error(lists.results(*this));
      note_plan(made, found);
      if (options_.count) count(found, [&] { run<false>(counting_, list, made); });
      if (found.error || options_.count) return;
      found.run_ms = median([&] { run<false>(exec_, list, made); });
    }
    found.build_ms = median([&] { lists.prepare(*this); });
    found.kept_loop_ms = found.loop_ms = time_loop([&](const index_list<int>&, int iterations) {
      const prepared<View> made = lists.prepare(*this);
      for (int i = 0; i < iterations; ++i) run<false>(exec_, list, made);
    });
  }

  void run_automatic(layout_result& found) {
    if (options_.count) throw invalid_argument("it chooses by measured times, but --count measures none");
    const atom_position* positions = nullptr;
    if constexpr (has_positions) positions = use_.a.data();
    const access_rates& rates = bench_.time->threads() > 0 ? rates_of_two_cores : rates_of_h200;
    automatic_loop<layouts_on> loop(*this, of_, rates, positions, options_.change_every);
    const index_list<int> list = index_list<int>(p_, 1).assume_valid();
    const auto check = [&](std::vector<result> results) { return first_error(std::move(results)); };
    found.error = loop.first_error(list, std::cref(check));
    if (found.error) return;
    const auto epoch = [&](const index_list<int>& now, int iterations) { loop.run_epoch(now, iterations); };
    found.kept_loop_ms = found.loop_ms = time_loop(std::cref(epoch));
    loop.note(list, found);
  }

  void run_pipeline(layout_result& found) {
    if (options_.count) throw invalid_argument("it depends on measured times, but --count measures none");
    const atom_position* positions = nullptr;
    if constexpr (Use == access_use::forces) positions = use_.a.data();
    const auto run = [&](const auto& layout) {
      using loop_type = pipelined_loop<layouts_on, std::remove_cvref_t<decltype(layout)>>;
      const auto check = [&](std::vector<result> results) { return first_error(std::move(results)); };
      found.error =
          loop_type(*this, of_, layout).first_error(index_list<int>(p_, 1).assume_valid(), std::cref(check));
      if (found.error) return;
      loop_type loop(*this, of_, layout);
      const auto epoch = [&](const index_list<int>& now, int iterations) { loop.run_epoch(now, iterations); };
      found.kept_loop_ms = found.loop_ms = time_loop(std::cref(epoch));
      loop.note(found);
    };
    std::visit(run, layouts::for_pipeline(of_, positions));
  }

  /// The results of none are compared with those of the host; all others must have the same bits.
  std::optional<std::string> first_error(std::vector<result> found) {
    if (!has_right_) {
      auto error = use::first_error(of_, found);
      right_ = std::move(found);
      has_right_ = !error;
      return error;
    }
    for (std::size_t t = 0; t < found.size(); ++t)
      if (std::memcmp(&found[t], &right_[t], sizeof(result)) != 0)
        return "the result of thread " + std::to_string(t) + " differs in bits from the layout none";
    return {};
  }

  /// The error of calls with different elements.
  template <class View>
  std::optional<std::string> error_of_calls(const index_list<int>& list, const prepared<View>& made) const {
    if constexpr (about_elements(Use)) {
      return {};
    } else {
      const auto call = [&](const element* x) {
        made.plan.refresh(exec_, x, made.copy.data());
        for_each_job(exec_, made.plan, list, x, static_cast<const element*>(made.copy.data()),
                     use_.body(of_, x, out_.data()));
      };
      if constexpr (Use == access_use::products) {
        return of_.solves ? solver_error(call) : std::nullopt;
      } else {
        return use::error_of_calls(of_, [&](const std::vector<element>& elements) {
          const auto x = to_executor(exec_, elements);
          call(x.data());
          return to_host(exec_, out_);
        });
      }
    }
  }
  template <class Call> std::optional<std::string> solver_error(const Call& call) const {
    const auto side = static_cast<int>(std::llround(std::sqrt(static_cast<double>(of_.shape.elements))));
    const int right = unpermuted_iterations(side);
    const cg_outcome found = solve_by_cg(exec_, of_, out_.data(), call);
    if (found.iterations != right)
      return "takes " + std::to_string(found.iterations) + " iterations, but " + std::to_string(right) +
             " without permutation";
    if (!(found.residual <= 10 * cg_tolerance))
      return "leaves a residual of " + std::to_string(found.residual / cg_tolerance) + " times the tolerance";
    return {};
  }

  template <class View> void note_sizes(const prepared<View>& made, layout_result& found) const {
    found.plan_bytes = made.plan.bytes();
    found.copy_bytes = made.plan.copy_bytes();
    const auto uncopied =
        static_cast<std::size_t>(std::max<std::int64_t>(of_.shape.total_references() - made.plan.slots(), 0));
    const bool reads_a = found.copy_bytes == 0 || (found.plan_bytes == 0 && uncopied > 0);
    found.footprint_bytes = (found.plan_bytes > 0 ? found.plan_bytes : uncopied * sizeof(int)) +
                            found.copy_bytes + (reads_a ? touched_ * sizeof(element) : 0);
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
    found.footprint_bytes = found.plan_bytes + found.copy_bytes + touched_ * sizeof(int);
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
      if constexpr (Use == access_use::sums || Use == access_use::products)
        if (number > 1) changed = changed_references(number);
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

  Executor exec_;
  Executor counting_;
  trace* counts_;
  const access_workload& of_;
  const layouts_options& options_;
  use use_;
  buffer<int> p_;
  buffer<result> out_;
  buffer<int> sums_; ///< for share_accumulate
  workspace memory_; ///< likewise
  bench bench_;
  std::size_t touched_ = 0; ///< number of referenced elements
  bool has_right_ = false;
  std::vector<result> right_;
};

/// Runs the layouts of a workload with the use `Use`.
template <access_use Use, class Executor>
std::string run_layouts_of(const Executor& exec, const Executor& counting, trace* counts,
                           std::unique_ptr<timer> time, const access_workload& of,
                           const layouts_options& options, const take_result& take) {
  layouts_on<Executor, Use> layouts(exec, counting, counts, std::move(time), of, options);
  layouts.run_all(take);
  return layouts.place();
}

/// Runs the layouts of a workload, by its use.
template <class Executor>
std::string run_layouts(const Executor& exec, const Executor& counting, trace* counts,
                        std::unique_ptr<timer> time, const access_workload& of,
                        const layouts_options& options, const take_result& take) {
  return with_use(of.use, [&]<access_use Use>() {
    return run_layouts_of<Use>(exec, counting, counts, std::move(time), of, options, take);
  });
}

} // namespace evenly::layouts
