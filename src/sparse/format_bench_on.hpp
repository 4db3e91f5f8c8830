// SPDX-License-Identifier: Apache-2.0
// The bench of an executor: a matrix converted to a format, the run of each schedule, and the baselines.
#pragma once

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
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/bcsr_matrix.hpp"
#include "evenly/sparse/coo_matrix.hpp"
#include "evenly/sparse/csc_matrix.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/dia_matrix.hpp"
#include "evenly/sparse/ell_matrix.hpp"
#include "measure/compiled_run.hpp"
#include "measure/executor_timer.hpp"
#include "measure/work_on.hpp"
#include "sparse/few_candidates.hpp"
#include "sparse/format_bench.hpp"
#include "sparse/packed_bench_on.hpp"

namespace evenly::sparse {

template <class Value> struct coo_and_rows {
  coo_buffers<Value, int> entries;
  rows_of_coo<int> rows;
  auto view() const { return rows.view(entries.view()); }
};
/// make(exec, a, max_bytes): returns an owner with view() for spmv, made from compressed rows that it may keep.
struct coo_maker {
  template <class Executor, class Value>
  static coo_and_rows<Value> make(const Executor& exec, const csr_buffers<Value, int>& a, std::int64_t) {
    auto entries = to_coo(exec, a.view());
    rows_of_coo<int> rows(exec, entries);
    return {std::move(entries), std::move(rows)};
  }
};
template <class Value> struct csc_and_rows {
  csc_buffers<Value> columns;
  rows_of_csc<int> rows;
  auto view() const { return rows.view(columns.view()); }
};
struct csc_maker {
  template <class Executor, class Value>
  static csc_and_rows<Value> make(const Executor& exec, const csr_buffers<Value, int>& a, std::int64_t) {
    auto columns = to_csc(exec, a.view());
    rows_of_csc<int> rows(exec, columns);
    return {std::move(columns), std::move(rows)};
  }
};
struct ell_maker {
  template <class Executor, class Value>
  static auto make(const Executor& exec, const csr_buffers<Value, int>& a, std::int64_t max_bytes) {
    return to_ell(exec, a.view(), max_bytes);
  }
};
struct bcsr_maker {
  template <class Executor, class Value>
  static auto make(const Executor& exec, const csr_buffers<Value, int>& a, std::int64_t max_bytes) {
    return to_bcsr<bcsr_block_side, bcsr_block_side>(exec, a.view(), max_bytes);
  }
};
struct dia_maker {
  template <class Executor, class Value>
  static auto make(const Executor& exec, const csr_buffers<Value, int>& a, std::int64_t max_bytes) {
    return to_dia(exec, a.view(), max_bytes);
  }
};

/// The baselines of an executor.
template <class Executor> struct format_baselines {
  template <class Value, class Work>
  static std::vector<candidate> of(const spmv_problem<Value>&, const std::shared_ptr<Work>&) {
    return {};
  }
};

/// y = A x, with A in the format of Maker.
template <class Value, class Maker> struct format_problem {
  const spmv_problem<Value>* of;
};

} // namespace evenly::sparse

namespace evenly {

template <class Executor, class Value, class Maker>
class measure::on_device<Executor, sparse::format_problem<Value, Maker>> {
 public:
  using element = Value;
  static constexpr Value poison = std::numeric_limits<Value>::quiet_NaN();

  on_device(const Executor& exec, const sparse::format_problem<Value, Maker>& p)
      : a_(made(exec, *p.of)), x_(to_executor(exec, p.of->x)),
        y_(make_buffer<Value>(exec, static_cast<std::size_t>(p.of->a.rows))) {}

  const auto& matrix() const { return a_; }
  auto view() const { return a_.view(); }
  std::span<const Value> x() const { return x_.span(); }
  std::span<Value> out() const { return y_.span(); }

 private:
  static auto made(const Executor& exec, const spmv_problem<Value>& p) {
    constexpr std::int64_t times = 16, besides = 1 << 20;
    const auto rows = static_cast<std::size_t>(p.a.rows),
               entries = static_cast<std::size_t>(p.a.offsets[p.a.rows]);
    const std::size_t bytes = entries * (sizeof(int) + sizeof(Value)) + rows * sizeof(int);
    return Maker::make(exec, sparse::rows_on(exec, p), times * static_cast<std::int64_t>(bytes) + besides);
  }

  using owner =
      decltype(Maker::make(std::declval<const Executor&>(), std::declval<csr_buffers<Value, int>>(), 0));
  owner a_;
  buffer<Value> x_;
  buffer<Value> y_;
};

} // namespace evenly

namespace evenly::sparse {

template <class View> auto tiles_of(const View& a) { return a.tiles(); }
template <class Value> auto tiles_of(const csr_view<Value>& a) { return rows_of(a); }

template <class Executor, class Problem>
candidate format_candidate(const std::shared_ptr<work_on<Executor, Problem>>& work,
                           const any_schedule& chosen) {
  candidate made{.name = chosen.name(), .title = chosen.name(), .is_schedule = true};
  made.parameters = chosen.parameters();
  made.prepare = [work, chosen]() -> prepared_run {
    const auto& data = work->data();
    return compiled_run<evenly::detail::among::few>(
        work, chosen, tiles_of(data.view()), [&exec = work->exec(), &data, view = data.view()](auto& plan) {
          spmv(exec, plan, view, data.x(), data.out());
        });
  };
  return made;
}

template <class Maker, class Executor, class Value>
bench format_bench_of(const spmv_problem<Value>& p, const bench_options& options) {
  using problem_type = format_problem<Value, Maker>;
  const auto exec = make_executor<Executor>(options);
  const auto work = std::make_shared<work_on<Executor, problem_type>>(exec, problem_type{&p});
  const auto of = [work](const any_schedule& chosen) { return format_candidate(work, chosen); };
  return {make_timer(exec, options), work, few_candidates(of, format_baselines<Executor>::of(p, work)), of};
}

template <class Executor, class Value>
bench format_bench_on(matrix_format format, const spmv_problem<Value>& p, const bench_options& options) {
  switch (format) {
  case matrix_format::csc:
    return format_bench_of<csc_maker, Executor>(p, options);
  case matrix_format::coo:
    return format_bench_of<coo_maker, Executor>(p, options);
  case matrix_format::ell:
    return format_bench_of<ell_maker, Executor>(p, options);
  case matrix_format::bcsr:
    return format_bench_of<bcsr_maker, Executor>(p, options);
  case matrix_format::dia:
    return format_bench_of<dia_maker, Executor>(p, options);
  case matrix_format::packed:
    return packed_bench<Executor>(p, options, format_baselines<Executor>{});
  case matrix_format::csr:
  case matrix_format::half:
  case matrix_format::bfloat16:
  case matrix_format::pattern:
    break;
  }
  throw error("this format needs its own benchmark");
}

} // namespace evenly::sparse
