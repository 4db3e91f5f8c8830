// SPDX-License-Identifier: Apache-2.0
// Shared by a checked and an unchecked unit of the tests: a plan, a workspace, and calls that are the same in both.
#pragma once

#include "evenly/core/annotations.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"

namespace evenly {

using shared_plan = plan<cpu, merge_path<>, csr_tile_set<int>>;

struct count_visits {
  int* visits; ///< of each atom
  EVENLY_FN void operator()(int, int atom) const { ++visits[atom]; }
};

void visit_unchecked(const cpu& exec, shared_plan& plan, count_visits visit);
int sum_unchecked(const cpu& exec, const int* from, int count, workspace& memory);

} // namespace evenly
