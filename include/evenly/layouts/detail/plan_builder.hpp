// SPDX-License-Identifier: Apache-2.0
// Makes access plans on a host thread and an executor of its own, concurrently with runs on another executor. For
// pipeline.hpp.
//
// One mutex guards all state that both threads use. A plan and its memory belong to the builder's executor. The user of
// a plan returns it with an event after its last use; the builder's thread frees it when the event has occurred. So
// only the builder's thread allocates and frees memory of the builder's executor, while that thread exists.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
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

#include "evenly/execution/timing_event.hpp"
#include "evenly/layouts/plan.hpp"
#include "evenly/primitives/tabulate.hpp"

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
      later = make_buffer<I>(exec_, static_cast<std::size_t>(shape.positions()));
      tabulate(exec_, shape.positions(), later_references<I>{of.p.at, shape_.threads, of.first},
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
