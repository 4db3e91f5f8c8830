// SPDX-License-Identifier: Apache-2.0
// A kept_plan as the plan of a schedule's type. Only units with kernels read this header.
#pragma once

#include <span>
#include <type_traits>

#include "evenly/core/errors.hpp"
#include "python/kept_plan.hpp"
#include "runtime/plan_on.hpp"

namespace evenly::python {

/// Calls body(offsets, plan) with the plan of the chosen schedule. Throws invalid_argument if it is for simt, or for
/// offsets of another type than Offsets.
template <class... Offsets, class Body> void on_cpu(kept_plan& plan, const Body& body) {
  plan.visit([&]<class Executor, class Offset>(detail::plan_on<Executor, Offset>& erased) {
    if constexpr (Executor::serial_blocks && (std::is_same_v<Offset, Offsets> || ...)) {
      const std::span offsets = plan.offsets().as<Offset>();
      erased.with_plan([&](auto& each) { body(offsets, each); });
    } else {
      throw invalid_argument("the plan is for simt, or for offsets of another type");
    }
  });
}

} // namespace evenly::python
