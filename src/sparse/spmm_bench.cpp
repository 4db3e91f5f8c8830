// SPDX-License-Identifier: Apache-2.0
#include "sparse/spmm_bench.hpp"

#include <algorithm>
#include <utility>

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/work/csr.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "runtime/choose_of_all.hpp"
#include "runtime/schedule_lists.hpp"
#include "runtime/settings.hpp"

namespace evenly::sparse {

using measure::joined, measure::usage_error, measure::with_executor;

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

std::vector<any_schedule> spmm_schedules() { return evenly::detail::few_schedules(); }

void require_few(const std::vector<any_schedule>& chosen, const std::string& what) {
  std::vector<std::string> names;
  for (const any_schedule& each : spmm_schedules()) names.push_back(each.name());
  for (const any_schedule& each : chosen)
    if (std::ranges::count(names, each.name()) == 0)
      throw usage_error("--schedule " + each.text() + ": " + what + " supports only " + joined(names));
}

void require_few_or_automatic(std::vector<any_schedule> chosen, const std::string& what) {
  std::erase_if(chosen, [](const any_schedule& each) { return each.is_automatic(); });
  require_few(chosen, what);
}

} // namespace evenly::sparse
