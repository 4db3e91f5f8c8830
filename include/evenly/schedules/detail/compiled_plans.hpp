// SPDX-License-Identifier: Apache-2.0
// The plans that evenly::evenly contains: those of `automatic` on cpu for rows with offsets of 32 or 64 bits. They plan
// integers only, so the user's compiler flags have no effect on results. Other plans are compiled where they are used.
#pragma once

#include <cstdint>

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"

/// Declares the plans after `extern template`, instantiates them after `template`.
#define EVENLY_COMPILED_PLAN(specifier, Chooser, Offset)                                                     \
  specifier void chosen_plan<cpu, Chooser, csr_tile_set<Offset>>::check_and_choose(                          \
      const cpu&, const Chooser&, const csr_tile_set<Offset>&, const capacity&);                             \
  specifier void chosen_plan<cpu, Chooser, csr_tile_set<Offset>>::trust_and_choose(                          \
      const cpu&, const Chooser&, const assumed_valid_tiles<csr_tile_set<Offset>>&, const capacity&);        \
  specifier chosen_plan<cpu, Chooser, csr_tile_set<Offset>>::~chosen_plan();
#define EVENLY_COMPILED_PLANS(specifier, Offset)                                                             \
  specifier class detail::plan_base<cpu, csr_tile_set<Offset>>;                                              \
  EVENLY_COMPILED_PLAN(specifier, automatic, Offset)                                                         \
  EVENLY_COMPILED_PLAN(specifier, once_chosen<automatic>, Offset)

namespace evenly {

EVENLY_COMPILED_PLANS(extern template, int)
EVENLY_COMPILED_PLANS(extern template, std::int64_t)

} // namespace evenly
