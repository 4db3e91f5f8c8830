// SPDX-License-Identifier: Apache-2.0
// any_plan: the plan of an any_schedule on an any_executor, with the operations that the library evenly::runtime has
// compiled for it.
//
//   const evenly::any_executor exec = evenly::make_executor("cpu");
//   evenly::any_plan plan(exec, evenly::any_schedule(name), evenly::rows_of(a));
//   plan.spmv(a, x, y);
//
// If the schedule is known at compile time, use evenly::make_plan: it supports every skeleton, and your own functions.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/runtime/any_executor.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/work/csr.hpp"

namespace evenly {

/// The kernel launch of a plan.
struct planned_launch {
  int blocks = 0;
  int block_size = 0;      ///< 1 on cpu
  int cutting_blocks = 0;  ///< blocks that may share a tile with others
  std::size_t storage = 0; ///< bytes for each block, when atoms are visited
};

namespace detail {

/// The interface of a plan in an any_plan; src/runtime implements it for each type of executor.
template <class Offset> class plan_interface {
 public:
  virtual ~plan_interface() = default;
  virtual std::int64_t atoms() const = 0;
  virtual planned_launch launch() const = 0;
  virtual const std::string& schedule_name() const = 0;
  virtual const std::string& explain() const = 0;
  virtual void spmv(const csr_view<float, Offset>& a, std::span<const float> x, std::span<float> y,
                    float alpha, float beta) = 0;
  virtual void spmv(const csr_view<double, Offset>& a, std::span<const double> x, std::span<double> y,
                    double alpha, double beta) = 0;
  virtual void spmv(const csr_view<std::complex<double>, Offset>& a, std::span<const std::complex<double>> x,
                    std::span<std::complex<double>> y, std::complex<double> alpha,
                    std::complex<double> beta) = 0;
  virtual void expand(std::span<int> tile_of) = 0;
  virtual void update(std::span<int> numbers) = 0;
};

/// Defined for offsets of int and std::int64_t.
template <class Offset>
std::unique_ptr<plan_interface<Offset>> make_plan_erased(const any_executor& exec,
                                                         const any_schedule& schedule,
                                                         const csr_tile_set<Offset>& tiles, work_kind work);

} // namespace detail

/// A schedule prepared for one tile set on one executor, like evenly::plan.
///
/// * Offset: int or std::int64_t.
/// * Keeps a copy of the executor and a view of the tile set, whose data must outlive it unchanged.
/// * All arrays are in memory of the executor. Operations are asynchronous on cuda.
/// * Move-only. For one stream and one host thread at a time.
template <class Offset = int> class any_plan {
 public:
  /// Checks the tiles and prepares the schedule. `automatic` becomes the schedule that should be fastest for `work`, of
  /// all schedules. Synchronises. Throws the exceptions of make_plan.
  any_plan(const any_executor& exec, const any_schedule& schedule, const csr_tile_set<Offset>& tiles,
           work_kind work = work_kind::gathered_sums)
      : erased_(detail::make_plan_erased(exec, schedule, tiles, work)) {}

  /// Return the name of the schedule, and one sentence with the reason if the schedule was `automatic`; else an empty
  /// string.
  const std::string& schedule_name() const { return erased_->schedule_name(); }
  const std::string& explain() const { return erased_->explain(); }

  std::int64_t atoms() const { return erased_->atoms(); }
  planned_launch launch() const { return erased_->launch(); }

  /// y = alpha A x + beta y, with the contract of evenly::spmv.
  ///
  /// * The plan must have been made for rows_of(a).
  /// * Value: float, double or std::complex<double>.
  /// * Complex values support some of the schedules. With another schedule it throws invalid_argument, with the names
  ///   of these. If the plan is `automatic`, the first call chooses among them.
  template <class Value>
  void spmv(const csr_view<Value, Offset>& a, std::type_identity_t<std::span<const Value>> x,
            std::type_identity_t<std::span<Value>> y, std::type_identity_t<Value> alpha = 1,
            std::type_identity_t<Value> beta = 0) {
    erased_->spmv(a, x, y, alpha, beta);
  }
  /// tile_of[i] = the tile of atom i, counted from the first atom, with the contract of evenly::expand.
  void expand(std::span<int> tile_of) { erased_->expand(tile_of); }
  /// Adds to numbers[i], for atom i counted from the first atom, the number of its tile plus one. Sums wrap around. The
  /// papers on mappings call this updating a workload. Throws invalid_argument unless numbers has one element per atom.
  void update(std::span<int> numbers) { erased_->update(numbers); }

 private:
  std::unique_ptr<detail::plan_interface<Offset>> erased_;
};

template <class Offset>
any_plan(const any_executor&, const any_schedule&, const csr_tile_set<Offset>&) -> any_plan<Offset>;
template <class Offset>
any_plan(const any_executor&, const any_schedule&, const csr_tile_set<Offset>&, work_kind)
    -> any_plan<Offset>;

} // namespace evenly
