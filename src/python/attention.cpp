// SPDX-License-Identifier: Apache-2.0
#include "python/attention.hpp"

#include <cstdint>
#include <mutex>

#include "evenly/sparse/attention.hpp"
#include "python/matrix_views.hpp"
#include "python/on_cpu.hpp"

namespace evenly::python {

struct pattern_attention::body {
  wide_matrix matrix;
  std::mutex mutex;
  attention_plan<cpu, std::int64_t> plan;

  explicit body(const matrix_arrays& a) : matrix(a), plan(plan_attention(executor(), matrix.pattern())) {}
};

namespace {

/// Calls body(scores of const Value, scores of Value for gradients).
template <class Value, class Body>
void with_scores(const score_operands& of, const output* grad_rows, const output* grad_columns,
                 const Body& body) {
  const auto call = [&]<template <class> class Scores>() {
    const Scores<const Value> scores{dense_of<const Value>(of.of_rows), dense_of<const Value>(of.of_columns),
                                     static_cast<Value>(of.factor)};
    Scores<Value> gradients;
    if (grad_rows != nullptr) gradients = {dense_of<Value>(*grad_rows), dense_of<Value>(*grad_columns)};
    body(scores, gradients);
  };
  if (of.are_dots)
    call.template operator()<dot_scores>();
  else
    call.template operator()<additive_scores>();
}

} // namespace

pattern_attention::pattern_attention(const matrix_arrays& a) : body_(new body(a)) {}
pattern_attention::~pattern_attention() = default;

void pattern_attention::forward(const score_operands& scores, const input& v, int heads, const output& out,
                                const output& log_sums) {
  const std::scoped_lock lock(body_->mutex);
  with_element<float, double>("values", v.type, [&]<class Value>(Value) {
    with_scores<Value>(scores, nullptr, nullptr, [&](const auto& of, const auto&) {
      body_->plan.forward(of, dense_of<const Value>(v), heads, dense_of<Value>(out),
                          dense_of<Value>(log_sums).data);
    });
  });
}

void pattern_attention::backward(const score_operands& scores, const input& v, int heads, const input& out,
                                 const input& log_sums, const input& grad, const output& grad_rows,
                                 const output& grad_columns, const output& grad_v) {
  const std::scoped_lock lock(body_->mutex);
  with_element<float, double>("values", v.type, [&]<class Value>(Value) {
    with_scores<Value>(scores, &grad_rows, &grad_columns, [&](const auto& of, const auto& gradients) {
      body_->plan.backward(of, dense_of<const Value>(v), heads, dense_of<const Value>(out),
                           dense_of<const Value>(log_sums).data, dense_of<const Value>(grad), gradients,
                           dense_of<Value>(grad_v));
    });
  });
}

} // namespace evenly::python
