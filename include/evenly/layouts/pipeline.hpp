// SPDX-License-Identifier: Apache-2.0
// A loop with changing lists, whose plans are made concurrently with its runs: G-Streamline of Wu et al. (PPoPP 2013,
// section 4), after Zhang et al. (ASPLOS 2011).
//
//   access_pipeline pipeline(exec, builder, shape, objective, layout);   // builder: a side stream of exec
//   for (each step) {
//     if (P is to change) {
//       pipeline.release(P);                       // P is no longer read, and no plans of it are made
//       ...                                        // make a new P
//       pipeline.begin_epoch(index_list(P, ++epoch));
//     }
//     pipeline.run(a, body);                       // for_each_job, under the plan if there is one
//   }
//
// A host thread makes plans on the builder's executor; events order this work with the runs. The plan in use and the
// plan being made are separate. So a list that is known before its epoch (announce) can have its plan when the epoch
// begins. Otherwise the first runs of an epoch use references as they are, or the first run is split: a part of its
// jobs hides the time to make a plan for the others (choice/pipeline_ways.hpp). Times measured during the loop
// decide between these, and set the size of that part.
//
// Other data that the layout reads, such as positions for an order, must also stay unchanged until release(). Plans are
// indices in the executor's memory. Each run calls the body once per job, with the references of P, so results have the
// same bits under every choice. If a plan fails, is late, or makes runs much slower, runs continue with references as
// they are; why() reports the reason.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/execution/side_stream.hpp"
#include "evenly/execution/timing_event.hpp"
#include "evenly/layouts/choice/pipeline_ways.hpp"
#include "evenly/layouts/commit.hpp"
#include "evenly/layouts/plan.hpp"
#include "evenly/primitives/tabulate.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// Makes access plans on a host thread and an executor of its own, concurrently with runs on another executor.
//
// One mutex guards all state that both threads use. A plan and its memory belong to the builder's executor. The user of
// a plan returns it with an event after its last use; the builder's thread frees it when the event has occurred. So
// only the builder's thread allocates and frees memory of the builder's executor, while that thread exists.

namespace evenly::detail {

/// Whether two lists are the same P in the same epoch.
template <class I> bool is_same_list(const layouts::index_list<I>& a, const layouts::index_list<I>& b) {
  return a.at == b.at && a.count == b.count && a.epoch == b.epoch;
}

/// The references of jobs from `first` on, contiguous.
template <class I> struct later_references {
  const I* p;
  std::int64_t threads, first;
  EVENLY_FN I operator()(std::int64_t i) const {
    const std::int64_t later = threads - first, r = i / later;
    return load_streaming(p + r * threads + first + (i - r * later));
  }
};

/// A body for jobs numbered from `first` on.
template <class Body> struct later_jobs {
  Body body;
  std::int64_t first;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block& block, std::int64_t job, const Load& load) const {
    body(block, first + job, load);
  }
};

template <class Executor, class Layout, class I> class plan_builder {
 public:
  using event = decltype(std::declval<const Executor&>().record());

  /// A plan for jobs from `first` on.
  struct built {
    layouts::index_list<I> p; ///< of all jobs
    std::int64_t first;
    buffer<I> later;             ///< P of these jobs; empty if they are all jobs
    layouts::index_list<I> list; ///< the list of the plan
    layouts::access_plan<Executor, Layout, I> plan;
    buffer<std::byte> copy; ///< elements
    event made;             ///< on the builder's executor
  };
  struct answer {
    layouts::index_list<I> p;
    std::int64_t first = 0;
    double ms = 0;               ///< the time it took, if it was made
    std::unique_ptr<built> plan; ///< null: `why` has the reason
    std::string why;
  };

  /// Throws std::system_error if no thread can be started.
  plan_builder(const Executor& exec, const layouts::access_shape& shape,
               const layouts::access_objective& objective, const Layout& layout)
      : exec_(exec), shape_(shape), objective_(objective), layout_(layout), thread_([this] { work(); }) {}
  plan_builder(const plan_builder&) = delete;
  plan_builder& operator=(const plan_builder&) = delete;
  /// Waits for the plan being made.
  ~plan_builder() {
    {
      const std::lock_guard lock(guard_);
      stops_ = true;
    }
    changed_.notify_all();
    thread_.join();
    free(returned_);
  }

  /// Requests a plan for jobs [first, T), to be begun after the event `after`. Plans are made in the order of requests.
  void ask(const layouts::index_list<I>& p, std::int64_t first, const event& after) {
    {
      const std::lock_guard lock(guard_);
      asked_.push_back({p, first, after});
      is_busy_ = true;
    }
    changed_.notify_all();
  }
  /// Cancels requests for other lists that have not been begun.
  void forget_others(const layouts::index_list<I>& p) {
    const std::lock_guard lock(guard_);
    std::erase_if(asked_, [&](const request& each) { return !is_same_list(each.p, p); });
    is_busy_ = is_building_ || !asked_.empty();
  }
  /// Whether a plan is being made, or is waiting to be made.
  bool is_busy() const {
    const std::lock_guard lock(guard_);
    return is_busy_;
  }
  /// The oldest answer, if there is one.
  std::optional<answer> take() {
    const std::lock_guard lock(guard_);
    return pop();
  }
  /// The same, but waits for an answer until the plan requested last has been in progress for `enough`.
  std::optional<answer> take_within(std::chrono::steady_clock::duration enough) {
    std::unique_lock lock(guard_);
    const auto is_there = [this] { return !answers_.empty(); };
    changed_.wait(lock, [&] { return is_there() || (asked_.empty() && begun_); });
    if (!is_there()) changed_.wait_until(lock, *begun_ + enough, is_there);
    return pop();
  }
  /// Ends all reads of P before it returns: cancels requests for P, or waits for them.
  void release(const layouts::index_list<I>& p) {
    std::unique_lock lock(guard_);
    std::erase_if(asked_, [&](const request& each) { return each.p.at == p.at; });
    is_busy_ = is_building_ || !asked_.empty();
    changed_.wait(lock, [&] { return !is_building_ || reading_ != p.at; });
  }
  /// Returns a plan that is not used after `last_use`.
  void give_back(std::unique_ptr<built> plan, const event& last_use) {
    {
      const std::lock_guard lock(guard_);
      returned_.push_back({std::move(plan), last_use});
    }
    changed_.notify_all();
  }

 private:
  struct request {
    layouts::index_list<I> p;
    std::int64_t first;
    event after;
  };
  struct used {
    std::unique_ptr<built> plan;
    event last_use;
  };

  std::optional<answer> pop() {
    if (answers_.empty()) return {};
    std::optional<answer> oldest(std::move(answers_.front()));
    answers_.pop_front();
    return oldest;
  }
  void work() {
    std::unique_lock lock(guard_);
    for (;;) {
      changed_.wait(lock, [this] { return stops_ || !asked_.empty() || !returned_.empty(); });
      if (stops_) return;
      std::vector<used> old = std::exchange(returned_, {});
      std::optional<request> next;
      if (!asked_.empty()) {
        next.emplace(std::move(asked_.front()));
        asked_.pop_front();
        reading_ = next->p.at;
        is_building_ = true;
        begun_.reset();
      }
      lock.unlock();
      free(old);
      std::optional<answer> made;
      if (next) made.emplace(build(*next));
      lock.lock();
      is_building_ = false;
      is_busy_ = !asked_.empty();
      if (made) answers_.push_back(std::move(*made));
      changed_.notify_all();
    }
  }
  void free(std::vector<used>& old) const {
    for (used& each : old) try_to([&] { exec_.wait(each.last_use); });
    old.clear();
  }
  /// Ignores the error of a failed device: later calls on it report the error.
  template <class What> static void try_to(const What& what) {
    try {
      what();
    } catch (const device_error&) {
    }
  }

  answer build(const request& of) {
    answer found{of.p, of.first, 0, nullptr, {}};
    try {
      of.after.synchronize(); // by this thread, so that it is known when the plan is begun
      {
        const std::lock_guard lock(guard_);
        begun_ = std::chrono::steady_clock::now();
      }
      changed_.notify_all();
      const auto from = timing_event(exec_);
      found.plan = made(of);
      const auto to = timing_event(exec_);
      exec_.synchronize();
      found.ms = elapsed_ms(from, to).value_or(0);
    } catch (const std::bad_alloc&) {
      found.why = "out of memory";
    } catch (const std::exception& e) {
      found.why = e.what();
    }
    if (!found.why.empty()) {
      found.plan.reset();
      try_to([this] { exec_.synchronize(); }); // work that was started no longer reads P
    }
    return found;
  }
  /// Makes the plan. All indices of P have been checked.
  std::unique_ptr<built> made(const request& of) const {
    layouts::access_shape shape = shape_;
    buffer<I> later;
    layouts::index_list<I> list = of.p.assume_valid();
    if (of.first > 0) {
      shape.threads -= of.first;
      later = make_buffer<I>(exec_, static_cast<std::size_t>(shape.total_references()));
      tabulate(exec_, shape.total_references(), later_references<I>{of.p.at, shape_.threads, of.first},
               later.data());
      list = layouts::index_list<I>(later, of.p.epoch).assume_valid();
    }
    auto plan = layouts::make_access_plan(exec_, list, shape, objective_, layout_);
    auto copy = make_buffer<std::byte>(exec_, plan.copy_bytes());
    return std::unique_ptr<built>(
        new built{of.p, of.first, std::move(later), list, std::move(plan), std::move(copy), exec_.record()});
  }

  Executor exec_;
  layouts::access_shape shape_;
  layouts::access_objective objective_;
  Layout layout_;
  mutable std::mutex guard_;
  std::condition_variable changed_;
  std::deque<request> asked_;
  std::deque<answer> answers_;
  std::vector<used> returned_;
  const I* reading_ = nullptr; ///< P of the last plan that was begun
  bool is_building_ = false, is_busy_ = false;
  std::optional<std::chrono::steady_clock::time_point> begun_; ///< the time when the last plan was begun
  bool stops_ = false;
  std::thread thread_; ///< the last member: it uses all others
};

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// pipeline: see the head of this file.

namespace evenly::layouts {

/// For layouts that leave the caller's arrays in their order; bodies write by job. One host thread uses the pipeline at
/// a time. The builder's executor has the same memory and outlives it. Two threads use memory resources of the host.
template <class Executor, class Layout, signed_of_32_or_64_bits I> class access_pipeline {
  static_assert(!commits<Layout>,
                "a pipeline needs a layout that keeps arrays in their order, because it may switch to none");
  using builder_type = detail::plan_builder<Executor, Layout, I>;
  using built = typename builder_type::built;
  using answer = typename builder_type::answer;
  using timing_event_type = decltype(timing_event(std::declval<const Executor&>()));

 public:
  /// Starts a thread. Throws invalid_argument for invalid sizes, and std::system_error if no thread can be started.
  access_pipeline(const Executor& exec, const Executor& builder, const access_shape& shape,
                  const access_objective& objective, const Layout& layout)
      : exec_(exec), name_(layout.name), shape_(checked(shape, objective)),
        builder_(builder, shape, objective, layout) {}
  access_pipeline(const access_pipeline&) = delete;
  access_pipeline& operator=(const access_pipeline&) = delete;
  /// Waits for the plan being made, but not for work started on the executor.
  ~access_pipeline() {
    try {
      give_back(plan_);
      give_back(next_);
    } catch (const device_error&) { // then there is nothing to wait for
    }
  }

  /// Starts an epoch with the references `p`. Its indices must stay unchanged until release(p). Waits for the executor,
  /// unless `p` is assumed valid. Throws invalid_argument for wrong sizes, for an index out of range, and for the
  /// current P and epoch.
  void begin_epoch(const index_list<I>& p) {
    require(!has_epoch_ || !detail::is_same_list(p, now_), [&] {
      return "P is in epoch " + std::to_string(p.epoch) + " already: a new epoch needs another number";
    });
    detail::check_indices(exec_, p, shape_);
    give_back(plan_);
    if (counts_.runs > 0) runs_before_ = runs_;
    now_ = p;
    has_epoch_ = true;
    runs_ = 0;
    timed_ = {};
    is_asked_ = announced_ && detail::is_same_list(*announced_, p);
    const double ahead_ms = is_asked_ ? ahead_runs_ * times_.planned : 0;
    announced_.reset();
    builder_.forget_others(p);
    collect();
    if (next_ && detail::is_same_list(next_->p, p))
      use(std::move(next_));
    else
      give_back(next_);
    choose(ahead_ms);
  }
  /// Announces the list of the next epoch, which must already exist. If plans pay, its plan is begun. Throws as
  /// begin_epoch().
  void announce(const index_list<I>& p) {
    detail::check_indices(exec_, p, shape_);
    if (choice_.way == pipeline_way::plain) return;
    announced_ = p;
    ahead_runs_ = std::max<double>(static_cast<double>(runs_before_ - runs_), 0);
    builder_.ask(p, 0, exec_.record());
  }
  /// Must be called before the indices of `p` are overwritten or freed, by the host or on the executor. Waits for a
  /// plan of it that is being made, and for the work that plan waits for; it does not wait for other plans. If `p` is
  /// the current list, no run may follow before begin_epoch().
  void release(const index_list<I>& p) {
    if (p.count == 0) return;
    if (has_epoch_ && now_.at == p.at) has_epoch_ = false;
    if (announced_ && announced_->at == p.at) announced_.reset();
    if (plan_ && plan_->p.at == p.at) give_back(plan_);
    if (next_ && next_->p.at == p.at) give_back(next_);
    const host_timing_event from;
    builder_.release(p);
    waited_ms_ += *elapsed_ms(from, host_timing_event());
    collect();
  }

  /// Calls body(block, job, load) for every job in [0, T); load(r) is A[P[r * T + job]]. As for_each_job(), except that
  /// load.position may be any.
  /// - Synchronisation: asynchronous on cuda, with two exceptions. It waits for the first two runs under a plan, of all
  ///   epochs. If a run is split, it waits for the plan, for at most twice the expected time from its begin; meanwhile
  ///   the executor runs the other jobs.
  /// - Throws invalid_argument without an epoch, and if elements have another size.
  template <class T, class Body> void run(const T* a, const Body& body) {
    require(has_epoch_, [] { return std::string("P is missing: begin an epoch first"); });
    look_at_times();
    collect();
    if (plan_) {
      run_planned(a, body, false);
      judge();
    } else if (choice_.way == pipeline_way::split && !is_asked_ && !builder_.is_busy())
      run_split(a, body);
    else
      run_plain(a, body);
    ++runs_;
    ++counts_.runs;
  }

  const pipeline_counts& counts() const { return counts_; }
  /// The times measured so far, of runs that are done; 0 if not measured.
  const pipeline_times& times() {
    look_at_times();
    return times_;
  }
  const pipeline_choice& choice() const { return choice_; }
  /// The current choice and its reason, with figures; one sentence.
  std::string why() const {
    if (!failure_.empty())
      return "none: a plan of " + name_ + " failed: " + failure_ + "; runs continue without a plan";
    std::string text = choice_.way == pipeline_way::plain ? "none" : name_;
    if (times_.plain == 0) return text + ", not yet compared with another layout";
    if (times_.build == 0) return text + ": no plan has been made yet";
    const std::string under = times_.planned > 0 ? to_string(times_.planned) + " ms" : "an unknown time";
    const std::string sizes = "a plan takes " + to_string(times_.build) + " ms, a run under it " + under +
                              ", one without " + to_string(times_.plain) + " ms; an epoch has " +
                              std::to_string(runs_before_) + " runs";
    if (choice_.way == pipeline_way::plain)
      text += ": " + sizes;
    else if (choice_.way == pipeline_way::late)
      text += ", planned during the runs: " + sizes;
    else
      text +=
          ", planned for " + to_string(choice_.share) + " of the jobs during the run of the others: " + sizes;
    if (!cannot_split_.empty()) text += "; runs are not split: " + cannot_split_;
    return text;
  }

 private:
  enum kind { plain, overlapped, planned, kinds };
  struct timing {
    kind of;
    double share; ///< fraction of the jobs
    timing_event_type from, to;
  };

  static access_shape checked(const access_shape& shape, const access_objective& objective) {
    detail::check_access(shape, objective);
    return shape;
  }
  static std::string to_string(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
  }
  double share_from(std::int64_t first) const {
    return shape_.threads > 0
               ? static_cast<double>(shape_.threads - first) / static_cast<double>(shape_.threads)
               : 1;
  }

  // ---- runs ----

  template <class T, class Body> void run_plain(const T* a, const Body& body) {
    const bool asks = choice_.way == pipeline_way::late && !is_asked_;
    if (asks && times_.plain > 0) ask_for(0); // the first run of all is timed alone
    timed(builder_.is_busy() ? overlapped : plain, 1, [&] { for_each_job(exec_, now_, shape_, a, body); });
    if (asks && !is_asked_) ask_for(0);
  }
  /// Runs the jobs of the plan and, unless they have run already, the jobs before them.
  template <class T, class Body> void run_planned(const T* a, const Body& body, bool others_have_run) {
    const built& with = *plan_;
    if (with.first > 0 && !others_have_run) for_some_jobs(exec_, now_, shape_, {0, with.first}, a, body);
    timed(planned, share_from(with.first), [&] {
      T* const copy = reinterpret_cast<T*>(with.copy.data());
      with.plan.refresh(exec_, a, copy);
      for_each_job(exec_, with.plan, with.list, a, static_cast<const T*>(copy),
                   detail::later_jobs<Body>{body, with.first});
    });
    ++(with.first > 0 ? counts_.split : counts_.planned);
  }
  /// Runs a part of the jobs while a plan is made for the others; then runs these under the plan, or without it if it
  /// is late.
  template <class T, class Body> void run_split(const T* a, const Body& body) {
    constexpr double patience = 2, min_ms = 1;
    const auto later =
        static_cast<std::int64_t>(static_cast<double>(shape_.threads) * choice_.share / shape_.block);
    const std::int64_t first = shape_.threads - later * shape_.block;
    if (later == 0) { // no whole block of them
      choice_ = {.way = pipeline_way::late, .share = 1};
      return run_plain(a, body);
    }
    const double share = share_from(first);
    const std::chrono::duration<double, std::milli> enough(std::max(patience * times_.build * share, min_ms));
    ask_for(first);
    timed(overlapped, 1 - share, [&] { for_some_jobs(exec_, now_, shape_, {0, first}, a, body); });
    while (!plan_ && choice_.way == pipeline_way::split) {
      std::optional<answer> found =
          builder_.take_within(std::chrono::duration_cast<std::chrono::steady_clock::duration>(enough));
      if (!found) break;
      store(std::move(*found));
    }
    if (plan_ && plan_->first == first)
      return run_planned(a, body, true); // not a plan that was requested before
    ++counts_.late;
    for_some_jobs(exec_, now_, shape_, {first, shape_.threads}, a, body);
  }
  void ask_for(std::int64_t first) {
    is_asked_ = true;
    builder_.ask(now_, first, exec_.record());
  }

  /// Waits for a run on trial, but at most as long as the work started before it should take.
  void judge() {
    constexpr double patience = 1.5, min_ms = 2;
    if (trial_.is_over() || times_.plain == 0) return;
    const double enough = patience * static_cast<double>(runs_ + 1) * times_.plain + min_ms;
    times_.planned = 0;
    const host_timing_event from;
    for (look_at_times(); times_.planned == 0; look_at_times()) {
      if (*elapsed_ms(from, host_timing_event()) > enough)
        return trial_.end(); // others use the executor, too
      std::this_thread::yield();
    }
    trial_.note(times_.planned);
    times_.planned = trial_.fastest_ms();
    timed_[planned] = trial_.is_over();
    if (!trial_.is_lost(times_.plain)) return;
    give_back(plan_);
    be_quiet();
  }

  // ---- times ----

  /// Times one run of each kind per epoch, in addition to runs on trial.
  template <class What> void timed(kind of, double share, const What& what) {
    if (timed_[of]) return what();
    timed_[of] = true;
    const auto from = timing_event(exec_);
    what();
    under_way_.push_back({of, share, from, timing_event(exec_)});
  }
  void look_at_times() {
    std::erase_if(under_way_, [&](const timing& each) {
      const std::optional<double> ms = elapsed_ms(each.from, each.to);
      if (!ms) return false;
      (each.of == plain        ? times_.plain
       : each.of == overlapped ? times_.overlapped
                               : times_.planned) = *ms / each.share;
      return true;
    });
  }

  // ---- plans ----

  void give_back(std::unique_ptr<built>& plan) {
    if (plan) builder_.give_back(std::move(plan), exec_.record());
  }
  void use(std::unique_ptr<built> plan) {
    give_back(plan_);
    plan_ = std::move(plan);
    exec_.wait(plan_->made);
    unused_ = 0;
    ++counts_.plans;
  }
  void collect() {
    while (std::optional<answer> found = builder_.take()) store(std::move(*found));
  }
  void store(answer found) {
    const bool is_of_now = has_epoch_ && detail::is_same_list(found.p, now_);
    if (!found.plan && found.first > 0) { // the layout may still accept all jobs
      cannot_split_ = found.why;
      choose(0);
      if (is_of_now && choice_.way == pipeline_way::late) ask_for(0);
      return;
    }
    if (!found.plan) {
      ++counts_.failed;
      failure_ = found.why;
      return be_quiet();
    }
    failure_.clear();
    const bool was_expected = !is_open_ && choice_.way == pipeline_way::late;
    is_open_ = false;
    times_.build = found.ms / share_from(found.first);
    if (is_of_now) return use(std::move(found.plan));
    if (announced_ && detail::is_same_list(found.p, *announced_)) {
      give_back(next_);
      next_ = std::move(found.plan);
      return;
    }
    ++counts_.dropped;
    constexpr int twice = 2; // in a row: the host starts all runs of an epoch long before they are done
    if (was_expected && ++unused_ >= twice) be_quiet();
    const auto made = found.plan->made; // it was never used
    builder_.give_back(std::move(found.plan), made);
  }

  // ---- what to do ----

  /// Makes no plans for some epochs, twice as many each time.
  void be_quiet() {
    choice_ = {};
    is_quiet_ = true;
    quiet_epochs_ = quiet_next_;
    quiet_next_ = std::min(2 * quiet_next_, max_quiet);
  }
  void choose(double ahead_ms) {
    if (quiet_epochs_ > 0) {
      choice_ = {};
      --quiet_epochs_;
      return;
    }
    if (is_quiet_) { // try again if waits for plans take little of the total time
      is_quiet_ = waited_ms_ + times_.build > affordable * *elapsed_ms(start_, host_timing_event());
      is_open_ = !is_quiet_;
    }
    if (is_quiet_) return;
    if (is_open_ || times_.plain == 0) {
      choice_ = {.way = pipeline_way::late, .share = 1};
      return;
    }
    constexpr double hoped = 0.5; // of none's time: expected for a run under an untested plan
    pipeline_times known = times_;
    if (known.planned == 0) known.planned = hoped * known.plain;
    if (known.overlapped == 0) known.overlapped = known.plain;
    choice_ = choose_way(known, std::max<std::int64_t>(runs_before_, 1), cannot_split_.empty(), ahead_ms);
    if (choice_.way == pipeline_way::plain)
      be_quiet();
    else if (times_.planned > 0)
      quiet_next_ = 1;
  }

  static constexpr int max_quiet = 64;       ///< in epochs
  static constexpr double affordable = 0.02; ///< of all time: for waits for plans of released lists

  Executor exec_;
  std::string name_; ///< of the layout
  access_shape shape_;
  index_list<I> now_;
  bool has_epoch_ = false, is_asked_ = false;
  bool is_open_ = true; ///< a plan is made to measure its time
  bool is_quiet_ = false;
  host_timing_event start_;
  double waited_ms_ = 0;
  std::optional<index_list<I>> announced_;
  double ahead_runs_ = 0; ///< of this epoch, after the next list was announced
  std::int64_t runs_ = 0, runs_before_ = 0;
  pipeline_counts counts_;
  pipeline_times times_;
  pipeline_choice choice_;
  std::array<bool, kinds> timed_ = {};
  planned_trial trial_;
  std::vector<timing> under_way_;
  std::string failure_, cannot_split_;
  int unused_ = 0; ///< plans that should have paid, since one was last used
  int quiet_epochs_ = 0, quiet_next_ = 1;
  builder_type builder_;
  std::unique_ptr<built> plan_, next_; ///< returned before the builder ends
};

} // namespace evenly::layouts
