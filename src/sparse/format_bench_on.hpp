// SPDX-License-Identifier: Apache-2.0
// The bench of an executor: a matrix brought into a format there, and each schedule's run of it.
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
#include "measure/work_on.hpp"
#include "sparse/few_schedules.hpp"
#include "sparse/format_bench.hpp"
#include "sparse/packed_bench_on.hpp"

namespace evenly::cli {

/// Makes(exec, a, most_bytes) an owner whose view() spmv takes.
struct coo_maker {
  template <class Executor, class Value>
  static auto make(const Executor& exec, const csr_view<Value>& a, std::int64_t) {
    return to_coo(exec, a);
  }
};
template <class Value> struct csc_and_rows {
  csc_buffers<Value> columns;
  rows_of_csc<int> rows;
  auto view() const { return rows.view(columns.view()); }
};
struct csc_maker {
  template <class Executor, class Value>
  static csc_and_rows<Value> make(const Executor& exec, const csr_view<Value>& a, std::int64_t) {
    auto columns = to_csc(exec, a);
    rows_of_csc<int> rows(exec, columns);
    return {std::move(columns), std::move(rows)};
  }
};
struct ell_maker {
  template <class Executor, class Value>
  static auto make(const Executor& exec, const csr_view<Value>& a, std::int64_t most_bytes) {
    return to_ell(exec, a, most_bytes);
  }
};
struct bcsr_maker {
  template <class Executor, class Value>
  static auto make(const Executor& exec, const csr_view<Value>& a, std::int64_t most_bytes) {
    return to_bcsr<bcsr_block_side, bcsr_block_side>(exec, a, most_bytes);
  }
};
struct dia_maker {
  template <class Executor, class Value>
  static auto make(const Executor& exec, const csr_view<Value>& a, std::int64_t most_bytes) {
    return to_dia(exec, a, most_bytes);
  }
};

/// y = A x, with A in the format of Maker.
template <class Value, class Maker> struct format_problem {
  const spmv_problem<Value>* of;
};

template <class Executor, class Value, class Maker> class placed<Executor, format_problem<Value, Maker>> {
 public:
  using element = Value;
  static constexpr Value poison = std::numeric_limits<Value>::quiet_NaN();

  placed(const Executor& exec, const format_problem<Value, Maker>& p)
      : a_(made(exec, *p.of)), x_(to_executor(exec, p.of->x)),
        y_(make_buffer<Value>(exec, static_cast<std::size_t>(p.of->a.rows))) {}

  auto view() const { return a_.view(); }
  std::span<const Value> x() const { return x_.span(); }
  std::span<Value> out() const { return y_.span(); }

 private:
  static auto made(const Executor& exec, const spmv_problem<Value>& p) {
    constexpr std::int64_t times = 16, besides = 1 << 20;
    const auto rows = static_cast<std::size_t>(p.a.rows),
               entries = static_cast<std::size_t>(p.a.offsets[p.a.rows]);
    const csr_buffers<Value, int> a{p.a.rows, p.a.cols, to_executor(exec, std::span(p.a.offsets, rows + 1)),
                                    to_executor(exec, std::span(p.a.columns, entries)),
                                    to_executor(exec, std::span(p.a.values, entries))};
    const std::size_t bytes = entries * (sizeof(int) + sizeof(Value)) + rows * sizeof(int);
    return Maker::make(exec, a.view(), times * static_cast<std::int64_t>(bytes) + besides);
  }

  using owner =
      decltype(Maker::make(std::declval<const Executor&>(), std::declval<const csr_view<Value>&>(), 0));
  owner a_;
  buffer<Value> x_;
  buffer<Value> y_;
};

template <class Executor, class Problem>
candidate format_candidate(const std::shared_ptr<work_on<Executor, Problem>>& work,
                           const any_schedule& chosen) {
  candidate made{.name = chosen.name(), .title = chosen.name(), .is_schedule = true};
  made.parameters = chosen.parameters();
  made.prepare = [work, chosen]() -> prepared_run {
    prepared_run run;
    with_one_of_few(chosen, [&]<class Schedule>(const Schedule& schedule) {
      const auto view = work->data().view();
      using plan_type = decltype(make_plan(work->exec(), schedule, view.tiles()));
      const auto plan = std::make_shared<plan_type>(make_plan(work->exec(), schedule, view.tiles()));
      run.run = [work, plan, view] { spmv(work->exec(), *plan, view, work->data().x(), work->data().out()); };
    });
    if (!run.run)
      throw error(chosen.text() + " is not among the schedules under which this format is compared");
    return run;
  };
  return made;
}

template <class Executor, class Value, class Maker>
bench format_bench_of(const Executor& exec, std::unique_ptr<timer> time, const spmv_problem<Value>& p) {
  using problem_type = format_problem<Value, Maker>;
  const auto work = std::make_shared<work_on<Executor, problem_type>>(exec, problem_type{&p});
  const auto of = [work](const any_schedule& chosen) { return format_candidate(work, chosen); };
  return {std::move(time), work,
          [of](int block_size) {
            std::vector<candidate> all;
            for (any_schedule each : few_schedules()) {
              if (block_size > 0) each.set("block_size", block_size);
              all.push_back(of(each));
            }
            return all;
          },
          of};
}

template <class Executor, class Value>
bench format_bench(const Executor& exec, std::unique_ptr<timer> time, matrix_format format,
                   const spmv_problem<Value>& p) {
  switch (format) {
  case matrix_format::csc:
    return format_bench_of<Executor, Value, csc_maker>(exec, std::move(time), p);
  case matrix_format::coo:
    return format_bench_of<Executor, Value, coo_maker>(exec, std::move(time), p);
  case matrix_format::ell:
    return format_bench_of<Executor, Value, ell_maker>(exec, std::move(time), p);
  case matrix_format::bcsr:
    return format_bench_of<Executor, Value, bcsr_maker>(exec, std::move(time), p);
  case matrix_format::dia:
    return format_bench_of<Executor, Value, dia_maker>(exec, std::move(time), p);
  case matrix_format::packed:
    return packed_bench(exec, std::move(time), p);
  case matrix_format::csr:
    break;
  }
  throw error("compressed rows have a bench of their own");
}

} // namespace evenly::cli
