// SPDX-License-Identifier: Apache-2.0
// The implementation of spgemm_place.hpp for each executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/spgemm.hpp"
#include "measure/executor_timer.hpp"
#include "sparse/spgemm_place.hpp"

namespace evenly::sparse {

using measure::make_executor, measure::make_timer;

template <class Executor, class Value> class product_on final : public device_product<Value> {
 public:
  using typename device_product<Value>::row_user;

  product_on(const Executor& exec, std::unique_ptr<measure::timer> time, const factors<Value>& of)
      : exec_(exec), bench_{std::move(time), std::make_shared<measure::unchecked_output>(), {}},
        a_(of.a.view()), b_(of.b.view()) {
    if constexpr (!Executor::on_host) {
      owned_.push_back(to_executor(exec, of.a));
      if (&of.a != &of.b) owned_.push_back(to_executor(exec, of.b));
      a_ = owned_.front().view();
      b_ = owned_.back().view();
    }
  }

  bench& on() override { return bench_; }
  void plan() override { plan_.emplace(exec_, a_, b_); }
  std::int64_t entries() const override { return plan_->entries(); }
  void multiply() override {
    columns_ = {};
    values_ = {};
    const auto c = spgemm(exec_, a_, b_);
    exec_.synchronize();
  }
  void allocate() override {
    const auto entries = static_cast<std::size_t>(plan_->entries());
    if (columns_.size() == entries) return;
    columns_ = make_buffer<int>(exec_, entries);
    values_ = make_buffer<Value>(exec_, entries);
  }
  void fill() override {
    allocate();
    plan_->fill(exec_, a_, b_, columns_.span(), values_.span());
    exec_.synchronize();
  }
  void use_filled(const row_user& use) override {
    this->use({0, plan_->rows(), 0, columns_.span(), values_.span()}, to_host(exec_, plan_->offsets()), use);
  }
  void fill_in_chunks(std::int64_t bytes, const row_user& use) override {
    const std::vector<std::int64_t> offsets = to_host(exec_, plan_->offsets());
    plan_->fill_in_chunks(exec_, a_, b_, bytes, [&](const product_chunk<Value>& chunk) {
      if (use) this->use(chunk, offsets, use);
    });
  }

  peers::sparse_product<Value> for_peers(peers::sparse_result<Value>& c) const override {
    return {a_, b_, &c};
  }

 private:
  void use(const product_chunk<Value>& chunk, const std::vector<std::int64_t>& offsets,
           const row_user& use) const {
    const auto rows = std::span(offsets).subspan(static_cast<std::size_t>(chunk.first_row),
                                                 static_cast<std::size_t>(chunk.rows) + 1);
    if constexpr (Executor::on_host) {
      use({chunk.first_row, chunk.rows, rows, chunk.columns, chunk.values});
    } else {
      const auto columns = to_host(exec_, chunk.columns);
      const auto values = to_host(exec_, chunk.values);
      use({chunk.first_row, chunk.rows, rows, columns, values});
    }
  }

  Executor exec_;
  bench bench_;
  std::vector<csr_buffers<Value, int>> owned_; ///< A, and B if it differs
  csr_view<Value> a_, b_;
  std::optional<spgemm_plan<Executor, Value, int, int>> plan_;
  buffer<int> columns_;
  buffer<Value> values_;
};

template <class Executor, class Value>
std::unique_ptr<device_product<Value>> place_product_on(const factors<Value>& of,
                                                        const bench_options& options) {
  const auto exec = make_executor<Executor>(options);
  return std::make_unique<product_on<Executor, Value>>(exec, make_timer(exec, options), of);
}

} // namespace evenly::sparse
