// SPDX-License-Identifier: Apache-2.0
// The one implementation of spmm_place.hpp, for each executor.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/spmm.hpp"
#include "sparse/few_schedules.hpp"
#include "sparse/spmm_place.hpp"

namespace evenly::cli {

template <class Executor, class Value> class dense_product_on final : public placed_dense_product<Value> {
 public:
  dense_product_on(const Executor& exec, std::unique_ptr<timer> time, const dense_factors<Value>& of)
      : exec_(exec), time_(std::move(time)), a_(to_executor(exec, of.a)), b_(to_executor(exec, of.b)),
        c_(make_buffer<Value>(exec,
                              static_cast<std::size_t>(of.a.rows) * static_cast<std::size_t>(of.width))),
        in_(dense(of.a.cols, of.width, b_.data(), of.layout)),
        out_(dense(of.a.rows, of.width, c_.data(), of.layout)) {}

  timer& time() override { return *time_; }
  void plan(const any_schedule& schedule) override {
    multiply_ = {};
    with_one_of_few(schedule, [&](const auto& chosen) {
      using plan_type = decltype(make_plan(exec_, chosen, rows_of(a_.view())));
      const auto plan = std::make_shared<plan_type>(make_plan(exec_, chosen, rows_of(a_.view())));
      multiply_ = [this, plan] { spmm(exec_, *plan, a_.view(), in_, out_); };
    });
    exec_.synchronize();
  }
  void multiply() override { multiply_(); }
  void spoil() override {
    const std::vector<Value> nothing(c_.size(), std::numeric_limits<Value>::quiet_NaN());
    if (!nothing.empty()) exec_.copy_from_host(c_.data(), nothing.data(), nothing.size() * sizeof(Value));
  }
  std::vector<Value> result() override { return to_host(exec_, c_); }

 private:
  static dense_view<Value> dense(int rows, int cols, Value* data, dense_layout layout) {
    return layout == dense_layout::rows ? dense_rows(rows, cols, data) : dense_columns(rows, cols, data);
  }

  Executor exec_;
  std::unique_ptr<timer> time_;
  csr_buffers<Value, int> a_;
  buffer<Value> b_, c_;
  dense_view<Value> in_, out_;
  std::function<void()> multiply_;
};

} // namespace evenly::cli
