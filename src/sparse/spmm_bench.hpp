// SPDX-License-Identifier: Apache-2.0
// C = A B with a dense B, under few schedules (runtime/schedule_lists.hpp) or the one that automatic chooses, as a
// bench for `evenly spmm` and `evenly compare`. Candidates check themselves.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "evenly/runtime/any_schedule.hpp"
#include "measure/bench.hpp"
#include "sparse/dense_problem.hpp"

namespace evenly::sparse {

using measure::bench, measure::bench_options, measure::executor_kind;

/// `p` and the checker must outlive the bench; `right` may be null to check nothing. Throws device_error if the
/// executor is not available.
template <class Value>
bench make_dense_bench(executor_kind kind, const dense_problem<Value>& p, const product_checker<Value>* right,
                       const bench_options& options);

/// The same for a known executor. Instantiated in separate translation units (dense_bench_on.hpp).
template <class Executor, class Value>
bench dense_bench_on(const dense_problem<Value>& p, const product_checker<Value>* right,
                     const bench_options& options);

/// A schedule, and the reason if automatic chose it.
struct chosen_schedule {
  any_schedule schedule;
  std::string why = {};
};

/// `requested`, or for automatic, the schedule among the few that should be fastest.
chosen_schedule choose_if_automatic(const any_schedule& requested, bool on_cores,
                                    std::span<const int> offsets);

// The schedules of `evenly spmm`, and of `evenly compare` with spmm or with formats other than csr.

std::vector<any_schedule> spmm_schedules();

/// Throws usage_error for any other schedule. `what` needs one of these.
void require_few(const std::vector<any_schedule>& chosen, const std::string& what);
/// The same, but also allows automatic, which chooses one of these.
void require_few_or_automatic(std::vector<any_schedule> chosen, const std::string& what);

} // namespace evenly::sparse
