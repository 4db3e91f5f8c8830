// SPDX-License-Identifier: Apache-2.0
// What all benches have in common: a problem placed on an executor, and every schedule of the registry on it.
//
// Each operation is said once, in its `placed`; schedules come from the registry alone.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/bench.hpp"
#include "cli/problem.hpp"
#include "evenly/algorithms/expand.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/registry.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/csr.hpp"

namespace evenly::cli {

/// A problem's arrays where an executor can use them:
///   tiles()          the tile set
///   out()            what run() overwrites; nothing that is right has an element `poison`
///   run(exec, plan)  the operation
template <class Executor, class Problem> class placed;

template <class Executor, class Value> class placed<Executor, spmv_problem<Value>> {
 public:
  using element = Value;
  static constexpr Value poison = std::numeric_limits<Value>::quiet_NaN();

  placed(const Executor& exec, const spmv_problem<Value>& p)
      : offsets_(to_executor(exec, std::span(p.a.offsets, static_cast<std::size_t>(p.a.rows) + 1))),
        columns_(to_executor(exec, std::span(p.a.columns, static_cast<std::size_t>(p.a.offsets[p.a.rows])))),
        values_(to_executor(exec, std::span(p.a.values, columns_.size()))), x_(to_executor(exec, p.x)),
        y_(make_buffer<Value>(exec, static_cast<std::size_t>(p.a.rows))), a_{p.a.rows, p.a.cols,
                                                                             offsets_.data(), columns_.data(),
                                                                             values_.data()} {}

  auto tiles() const { return rows_of(a_); }
  std::span<Value> out() const { return y_.span(); }
  template <class Plan> void run(const Executor& exec, Plan& plan) const {
    spmv(exec, plan, a_, x_.span(), y_.span());
  }

  const csr_view<Value>& a() const { return a_; }
  std::span<const Value> x() const { return x_.span(); }

 private:
  buffer<int> offsets_;
  buffer<int> columns_;
  buffer<Value> values_;
  buffer<Value> x_;
  buffer<Value> y_;
  csr_view<Value> a_;
};

template <class Executor> class placed<Executor, expand_problem> {
 public:
  using element = int;
  static constexpr int poison = -1;

  placed(const Executor& exec, const expand_problem& p)
      : offsets_(to_executor(exec, p.offsets)),
        tile_of_(make_buffer<int>(exec, static_cast<std::size_t>(p.offsets.back()))) {}

  csr_tile_set<int> tiles() const { return {offsets_.data(), static_cast<int>(offsets_.size()) - 1}; }
  std::span<int> out() const { return tile_of_.span(); }
  std::span<const int> offsets() const { return offsets_.span(); }
  template <class Plan> void run(const Executor& exec, Plan& plan) const {
    expand(exec, plan, tile_of_.span());
  }

 private:
  buffer<int> offsets_;
  buffer<int> tile_of_;
};

/// Whether one of a plan's launches cuts tiles.
template <class Launches> inline constexpr bool cuts_tiles = false;
template <class... Mappings>
inline constexpr bool
    cuts_tiles<std::tuple<launch_of<Mappings>...>> = (any_run<typename Mappings::sharings> || ...);

template <class Executor, class Problem> class executor_bench : public bench {
 public:
  executor_bench(const Executor& exec, const Problem& p, const bench_options& options)
      : exec_(exec), data_(exec, p), options_(options) {}

  std::vector<candidate> candidates() override {
    std::vector<candidate> all;
    for_each_schedule([&](const char* name, auto schedule) {
      if (options_.block_size > 0) schedule.block_size = options_.block_size;
      all.push_back(make_candidate(name, schedule));
    });
    return all;
  }

  void poison() override {
    const std::vector<element> bad(data_.out().size(), placed_problem::poison);
    if (!bad.empty()) exec_.copy_from_host(data_.out().data(), bad.data(), data_.out().size_bytes());
  }
  output result() override { return to_host(exec_, std::span<const element>(data_.out())); }

 protected:
  using placed_problem = placed<Executor, Problem>;
  using element = typename placed_problem::element;

  const Executor& exec() const { return exec_; }
  const placed_problem& data() const { return data_; }
  const bench_options& options() const { return options_; }

 private:
  template <class Schedule> candidate make_candidate(const char* name, const Schedule& schedule) {
    using plan_type = decltype(make_plan(exec_, schedule, data_.tiles()));
    candidate made{.name = name, .title = name, .is_schedule = true};
    made.splits_tiles =
        cuts_tiles<std::remove_cvref_t<decltype(std::declval<const plan_type&>().launches())>>;
    schedule.parameters([&](const char* key, int value) { made.parameters.emplace_back(key, value); });
    made.prepare = [this, schedule]() -> std::function<void()> {
      auto plan = std::make_shared<plan_type>(make_plan(exec_, schedule, data_.tiles()));
      return [this, plan] { data_.run(exec_, *plan); };
    };
    return made;
  }

  Executor exec_;
  placed_problem data_;
  bench_options options_;
};

} // namespace evenly::cli
