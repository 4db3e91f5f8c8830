// SPDX-License-Identifier: Apache-2.0
// plan_on: sums of tiles.
#pragma once

#include <string>

#include "evenly/core/errors.hpp"
#include "evenly/sparse/spmv.hpp"
#include "runtime/plan_on.hpp"
#include "runtime/schedule_lists.hpp"

namespace evenly::detail {

template <class Executor, class Offset>
void plan_on<Executor, Offset>::spmv(const csr_view<float, Offset>& a, std::span<const float> x,
                                     std::span<float> y, float alpha, float beta) {
  with_plan([&](auto& plan) { evenly::spmv(exec_, plan, a, x, y, alpha, beta); });
}

template <class Executor, class Offset>
void plan_on<Executor, Offset>::spmv(const csr_view<double, Offset>& a, std::span<const double> x,
                                     std::span<double> y, double alpha, double beta) {
  with_plan([&](auto& plan) { evenly::spmv(exec_, plan, a, x, y, alpha, beta); });
}

template <class Executor, class Offset>
void plan_on<Executor, Offset>::spmv(const csr_view<std::complex<double>, Offset>& a,
                                     std::span<const std::complex<double>> x,
                                     std::span<std::complex<double>> y, std::complex<double> alpha,
                                     std::complex<double> beta) {
  const auto multiply = [&](auto& plan) { evenly::spmv(exec_, plan, a, x, y, alpha, beta); };
  if (with_plan<among::of_complex_values>(multiply)) return;
  require(make_complex_plan_ != nullptr, [&] {
    std::string message = schedule_name() + ": complex values need one of automatic";
    for (const std::string& each : names_of(complex_schedules())) message += ", " + each;
    return message;
  });
  if (!complex_plan_) complex_plan_ = make_complex_plan_();
  complex_plan_->spmv(a, x, y, alpha, beta);
}

} // namespace evenly::detail
