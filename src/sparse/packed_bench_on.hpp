// SPDX-License-Identifier: Apache-2.0
// The bench of packed columns on an executor: each schedule with packed and unpacked columns, to find the number of
// runs after which packing pays off.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/runtime/any_plan.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/packed_matrix.hpp"
#include "measure/compiled_run.hpp"
#include "measure/executor_timer.hpp"
#include "measure/work_on.hpp"
#include "runtime/schedule_lists.hpp"
#include "sparse/few_candidates.hpp"

namespace evenly::sparse {

using measure::bench, measure::bench_options, measure::candidate, measure::compiled_run,
    measure::make_executor, measure::make_timer, measure::on_device, measure::packing_cost,
    measure::prepared_run, measure::work_on;

/// y = A x, with packed and unpacked columns of A.
template <class Value> struct packed_problem {
  const spmv_problem<Value>* of;
};

} // namespace evenly::sparse

namespace evenly {

template <class Executor, class Value> class measure::on_device<Executor, sparse::packed_problem<Value>> {
 public:
  using element = Value;
  static constexpr Value poison = std::numeric_limits<Value>::quiet_NaN();

  on_device(const Executor& exec, const sparse::packed_problem<Value>& p)
      : a_(sparse::rows_on(exec, *p.of)), x_(to_executor(exec, p.of->x)),
        y_(make_buffer<Value>(exec, static_cast<std::size_t>(p.of->a.rows))) {
    cost_.build_ms = std::numeric_limits<double>::infinity();
    for (int time = 0; time < 2; ++time) { // the first one may load kernels and allocate memory
      const auto start = std::chrono::steady_clock::now();
      packed_ = pack_columns(exec, a_.view());
      cost_.build_ms = std::min(
          cost_.build_ms,
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    cost_.bytes = packed_.bytes();
    cost_.unpacked_bytes = packed_.unpacked_bytes();
    if (!packed_.saves_memory())
      throw error("packed columns take " + std::to_string(cost_.bytes) + " bytes, and " +
                  std::to_string(cost_.unpacked_bytes) + " unpacked: packing saves no memory");
  }

  csr_view<Value> unpacked() const { return a_.view(); }
  auto packed() const { return with_packed(a_.view(), packed_); }
  packing_cost cost() const { return cost_; }
  std::span<const Value> x() const { return x_.span(); }
  std::span<Value> out() const { return y_.span(); }

 private:
  csr_buffers<Value, int> a_;
  buffer<Value> x_;
  buffer<Value> y_;
  packed_columns<int> packed_;
  packing_cost cost_;
};

} // namespace evenly

namespace evenly::sparse {

template <class Executor, class Value>
candidate packed_candidate(const std::shared_ptr<work_on<Executor, packed_problem<Value>>>& work,
                           const any_schedule& chosen, bool unpacked) {
  candidate made{.name = chosen.name(), .title = chosen.name(), .is_schedule = true, .in_rows = unpacked};
  made.parameters = chosen.parameters();
  made.prepare = [work, chosen, unpacked]() -> prepared_run {
    const csr_view<Value> a = work->data().unpacked();
    if (unpacked) {
      const auto plan = std::make_shared<any_plan<>>(any_executor(work->exec()), chosen, rows_of(a));
      return {[work, plan, a] { plan->spmv(a, work->data().x(), work->data().out()); }};
    }
    const auto& data = work->data();
    return compiled_run<evenly::detail::among::few>(
        work, chosen, rows_of(a), [&exec = work->exec(), &data, view = data.packed()](auto& plan) {
          spmv(exec, plan, view, data.x(), data.out());
        });
  };
  return made;
}

/// Peers::of(p, work): the baselines.
template <class Executor, class Value, class Peers>
bench packed_bench(const spmv_problem<Value>& p, const bench_options& options, const Peers&) {
  using problem_type = packed_problem<Value>;
  const auto exec = make_executor<Executor>(options);
  const auto work = std::make_shared<work_on<Executor, problem_type>>(exec, problem_type{&p});
  bench made{make_timer(exec, options), work,
             [work, peers = Peers::of(p, work)](int block_size) {
               std::vector<candidate> all;
               for (const bool unpacked : {false, true})
                 for (any_schedule each : evenly::detail::few_schedules()) {
                   if (block_size > 0) each.set("block_size", block_size);
                   all.push_back(packed_candidate(work, each, unpacked));
                 }
               all.insert(all.end(), peers.begin(), peers.end());
               return all;
             },
             [work](const any_schedule& chosen) { return packed_candidate(work, chosen, false); }};
  made.unpacked_of = [work](const any_schedule& chosen) { return packed_candidate(work, chosen, true); };
  made.packing = work->data().cost();
  return made;
}

} // namespace evenly::sparse
