// SPDX-License-Identifier: Apache-2.0
// A kept_plan as the plan of a schedule's type. Only units with kernels read this header.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "evenly/core/errors.hpp"
#include "python/kept_plan.hpp"
#include "runtime/plan_on.hpp"

namespace evenly::python {

/// Calls body(offsets, plan) with the plan of the schedule that was chosen. Throws invalid_argument if the plan is for
/// simt: `operation` is compiled for cpu.
template <class Body> void on_cpu(kept_plan& plan, const char* operation, const Body& body) {
  plan.visit([&]<class Executor, class Offset>(detail::plan_on<Executor, Offset>& erased) {
    if constexpr (Executor::serial_blocks) {
      const std::span offsets = plan.offsets().as<Offset>();
      erased.with_plan([&](auto& each) { body(offsets, each); });
    } else {
      throw invalid_argument(std::string(operation) + " runs on cpu: on='simt' is for M @ x and expand");
    }
  });
}

} // namespace evenly::python
