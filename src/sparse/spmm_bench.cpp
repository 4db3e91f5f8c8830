// SPDX-License-Identifier: Apache-2.0
#include "sparse/spmm_bench.hpp"

#include <utility>

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/work/csr.hpp"
#include "runtime/choose_of_all.hpp"
#include "runtime/schedule_lists.hpp"
#include "runtime/settings.hpp"

namespace evenly::sparse {

using measure::with_executor;

template <class Value>
bench make_dense_bench(executor_kind kind, const dense_problem<Value>& p, const product_checker<Value>* right,
                       const bench_options& options) {
  return with_executor(kind, [&]<class Executor>() { return dense_bench_on<Executor>(p, right, options); });
}

template bench make_dense_bench(executor_kind, const dense_problem<float>&, const product_checker<float>*,
                                const bench_options&);
template bench make_dense_bench(executor_kind, const dense_problem<double>&, const product_checker<double>*,
                                const bench_options&);

chosen_schedule choose_if_automatic(const any_schedule& requested, bool on_cores,
                                    std::span<const int> offsets) {
  if (!requested.is_automatic()) return {requested};
  evenly::detail::automatic_choice made = evenly::detail::choose_of_all(
      on_cores ? cpu().threads() : 0, summarize_tiles(cpu(), csr_tiles(offsets)), work_kind::wide_sums,
      evenly::detail::expected_runs_of(requested), evenly::detail::names_of(evenly::detail::few_schedules()));
  return {evenly::detail::with_settings_of(requested, made.name), std::move(made.why)};
}

} // namespace evenly::sparse
