// SPDX-License-Identifier: Apache-2.0
// The bench of an executor: the factors, the product, and the run of each schedule.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/spmm.hpp"
#include "measure/compiled_run.hpp"
#include "measure/executor_timer.hpp"
#include "measure/work_on.hpp"
#include "sparse/few_candidates.hpp"
#include "sparse/spmm_bench.hpp"

namespace evenly::sparse {

using measure::candidate, measure::compiled_run, measure::make_executor, measure::make_timer,
    measure::on_device, measure::prepared_run, measure::work_on;

} // namespace evenly::sparse

namespace evenly {

template <class Executor, class Value> class measure::on_device<Executor, sparse::dense_problem<Value>> {
 public:
  using element = Value;
  static constexpr Value poison = std::numeric_limits<Value>::quiet_NaN();

  on_device(const Executor& exec, const sparse::dense_problem<Value>& p)
      : a_(to_executor(exec, p.a)), b_(to_executor(exec, p.b)),
        c_(make_buffer<Value>(exec, static_cast<std::size_t>(p.a.rows) * static_cast<std::size_t>(p.width))),
        factor_(dense(p.a.cols, p.width, b_.data(), p.layout)),
        product_(dense(p.a.rows, p.width, c_.data(), p.layout)) {}

  csr_view<Value> a() const { return a_.view(); }
  const dense_view<Value>& factor() const { return factor_; }
  const dense_view<Value>& product() const { return product_; }
  std::span<Value> out() const { return c_.span(); }

 private:
  static dense_view<Value> dense(int rows, int cols, Value* data, dense_layout layout) {
    return layout == dense_layout::rows ? dense_rows(rows, cols, data) : dense_columns(rows, cols, data);
  }

  csr_buffers<Value, int> a_;
  buffer<Value> b_, c_;
  dense_view<Value> factor_, product_;
};

} // namespace evenly

namespace evenly::sparse {

template <class Executor, class Value> using dense_work = work_on<Executor, dense_problem<Value>>;

template <class Among, class Executor, class Value>
candidate dense_candidate(const std::shared_ptr<dense_work<Executor, Value>>& work,
                          std::span<const int> offsets, const any_schedule& requested) {
  constexpr bool on_cores = std::is_same_v<Executor, cpu>;
  candidate made{.name = requested.name(), .title = requested.name(), .is_schedule = true};
  made.parameters = requested.parameters();
  made.prepare = [=]() -> prepared_run {
    const chosen_schedule runs = choose_if_automatic(requested, on_cores, offsets);
    const auto& data = work->data();
    prepared_run prepared = compiled_run<Among>(work, runs.schedule, rows_of(data.a()),
                                                [&exec = work->exec(), &data](auto& plan) {
                                                  spmm(exec, plan, data.a(), data.factor(), data.product());
                                                });
    if (requested.is_automatic()) {
      prepared.chosen = runs.schedule.name();
      prepared.why = runs.why;
    }
    work->exec().synchronize();
    return prepared;
  };
  return made;
}

/// The baselines of an executor.
template <class Executor> struct dense_baselines {
  template <class Value, class Work>
  static std::vector<candidate> of(const dense_problem<Value>&, const std::shared_ptr<Work>&) {
    return {};
  }
};

template <class Executor, class Value>
bench dense_bench_on(const dense_problem<Value>& p, const product_checker<Value>* right,
                     const bench_options& options) {
  const auto exec = make_executor<Executor>(options);
  const auto work = std::make_shared<dense_work<Executor, Value>>(exec, p);
  const auto of = [work, offsets = std::span<const int>(p.a.offsets)](const any_schedule& requested) {
    return dense_candidate<evenly::detail::among::few>(work, offsets, requested);
  };
  const auto& data = work->data();
  return {.time = make_timer(exec, options),
          .out = work,
          .candidates = few_candidates(of, dense_baselines<Executor>::of(p, work)),
          .candidate_of = of,
          .first_error = [work,
                          right] { return right->first_error(std::get<std::vector<Value>>(work->result())); },
          .for_peers = peers::dense_product<Value>{data.a(), data.factor(), data.product()}};
}

} // namespace evenly::sparse
