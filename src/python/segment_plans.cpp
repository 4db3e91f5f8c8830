// SPDX-License-Identifier: Apache-2.0
#include "python/segment_plans.hpp"

#include <concepts>
#include <mutex>

#include "evenly/core/monoid.hpp"
#include "evenly/sparse/segment_plan.hpp"
#include "python/kept_plan.hpp"
#include "python/matrix_views.hpp"

namespace evenly::python {

namespace {

segment_plan<cpu> planned_rows(const input& of, std::int64_t size, bool is_index) {
  if (of.type == element::int32)
    return is_index ? segments_by_index(executor(), of.as<int>(), size)
                    : segments_by_offsets(executor(), of.as<int>(), size);
  return is_index ? segments_by_index(executor(), of.as<std::int64_t>(), size)
                  : segments_by_offsets(executor(), of.as<std::int64_t>(), size);
}

} // namespace

struct row_segments::body {
  std::mutex mutex;
  segment_plan<cpu> plan;
};

row_segments::row_segments(const input& of, std::int64_t size, bool is_index)
    : body_(new body{{}, planned_rows(of, size, is_index)}) {}
row_segments::~row_segments() = default;

std::int64_t row_segments::segments() const { return body_->plan.segments(); }
std::int64_t row_segments::elements() const { return body_->plan.elements(); }

void row_segments::reduce(const input& values, segment_op op, const output& out) {
  const std::scoped_lock lock(body_->mutex);
  with_element<float, double, std::int64_t>("values", values.type, [&]<class Value>(Value) {
    const auto from = dense_of<const Value>(values);
    const auto combined = [&](const auto& monoid) { body_->plan.reduce(monoid, from, dense_of<Value>(out)); };
    switch (op) {
    case segment_op::sum:
      return combined(plus<Value>{});
    case segment_op::min:
      return combined(minimum<Value>{});
    case segment_op::max:
      return combined(maximum<Value>{});
    case segment_op::prod:
      return combined(multiplies<Value>{});
    case segment_op::argmin:
      return body_->plan.reduce(segment_argmin{}, from, dense_of<std::int64_t>(out));
    case segment_op::argmax:
      return body_->plan.reduce(segment_argmax{}, from, dense_of<std::int64_t>(out));
    case segment_op::mean:
      if constexpr (std::floating_point<Value>) return combined(segment_mean{});
      break;
    case segment_op::logsumexp:
      if constexpr (std::floating_point<Value>) return combined(segment_logsumexp{});
      break;
    }
    throw invalid_argument("means and logarithms are of floating-point numbers");
  });
}

void row_segments::softmax(const input& values, const output& out) {
  const std::scoped_lock lock(body_->mutex);
  with_element<float, double>("values", values.type, [&]<class Value>(Value) {
    body_->plan.softmax(dense_of<const Value>(values), dense_of<Value>(out));
  });
}

} // namespace evenly::python
