// SPDX-License-Identifier: Apache-2.0
// The one implementation of an any_plan: the plan of the schedule that was chosen.
//
// Its members are defined in three headers, each of which is instantiated for all schedules in a file of its own:
// make_plan.hpp, spmv.hpp, visits.hpp. Another operation is a virtual function, or a function of with_plan.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "evenly/runtime/any_plan.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/trace/counted_tiles.hpp"
#include "runtime/compiled_schedules.hpp"

namespace evenly::detail {

template <class Executor, class Offset> class plan_on final : public plan_interface<Offset> {
 public:
  using tiles_type = csr_tiles_on<Executor, Offset>; ///< so that simt can count what is read of them

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

  /// Calls body(plan) if Among has the schedule. Returns whether it has.
  template <class Among = among::all, class Body> bool with_plan(const Body& body) const {
    return with_compiled<Executor, Among>(index_, [&]<class Schedule>(const Schedule&) {
      body(*static_cast<plan<Executor, Schedule, tiles_type>*>(plan_.get()));
    });
  }
  const Executor& exec() const { return exec_; }

 private:
  Executor exec_;
  int index_;                  ///< of the schedule
  std::string why_;            ///< the reason for an automatic choice
  std::shared_ptr<void> plan_; ///< plan<Executor, schedule as it is compiled for Executor, tiles_type>
  /// Of an automatic choice: makes the plan for complex values where plan_ has another schedule.
  std::function<std::unique_ptr<plan_interface<Offset>>()> make_complex_plan_;
  std::unique_ptr<plan_interface<Offset>> complex_plan_; ///< made on first use
};

} // namespace evenly::detail
