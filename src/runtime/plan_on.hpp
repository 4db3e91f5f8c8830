// SPDX-License-Identifier: Apache-2.0
// The implementation of any_plan: the plan of the chosen schedule.
//
// Its members are defined in make_plan.hpp, spmv.hpp and visits.hpp. A separate file instantiates each of these headers
// for all schedules. A further operation needs another virtual function, or a function that uses with_plan.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "evenly/runtime/any_plan.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"
#include "runtime/compiled_schedules.hpp"

namespace evenly::detail {

template <class Executor, class Offset> class plan_on final : public plan_interface<Offset> {
 public:
  using tiles_type = csr_tiles_on<Executor, Offset>; ///< lets simt count accesses to the tiles

  plan_on(const Executor& exec, const any_schedule& schedule, const csr_tile_set<Offset>& tiles,
          work_kind work);

  const std::string& schedule_name() const override {
    return schedule_names()[static_cast<std::size_t>(index_)];
  }
  const std::string& explain() const override { return why_; }
  std::int64_t atoms() const override;
  planned_launch launch() const override;
  void spmv(const csr_view<float, Offset>& a, std::span<const float> x, std::span<float> y, float alpha,
            float beta) override;
  void spmv(const csr_view<double, Offset>& a, std::span<const double> x, std::span<double> y, double alpha,
            double beta) override;
  void spmv(const csr_view<std::complex<double>, Offset>& a, std::span<const std::complex<double>> x,
            std::span<std::complex<double>> y, std::complex<double> alpha,
            std::complex<double> beta) override;
  void expand(std::span<int> tile_of) override;
  void update(std::span<int> numbers) override;

  /// Calls body(plan) and returns true if Among contains the schedule; else returns false.
  template <class Among = among::all, class Body> bool with_plan(const Body& body) const {
    return with_compiled<Executor, Among>(index_, [&]<class Schedule>(const Schedule&) {
      body(*static_cast<plan<Executor, Schedule, tiles_type>*>(plan_.get()));
    });
  }
  const Executor& exec() const { return exec_; }

 private:
  Executor exec_;
  int index_;                  ///< of the schedule in the registry
  std::string why_;            ///< the reason for an automatic choice
  std::shared_ptr<void> plan_; ///< plan<Executor, compiled schedule, tiles_type>
  /// For automatic: makes the plan for complex values if plan_ has another schedule.
  std::function<std::unique_ptr<plan_interface<Offset>>()> make_complex_plan_;
  std::unique_ptr<plan_interface<Offset>> complex_plan_; ///< made on first use
};

} // namespace evenly::detail
