// SPDX-License-Identifier: Apache-2.0
// Segmented reduction and segmented scan under every schedule, as candidates of the benches.
#pragma once

#include <memory>
#include <string>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/algorithms/values_of.hpp"
#include "evenly/runtime/any_plan.hpp"
#include "measure/compiled_run.hpp"
#include "measure/work_on.hpp"
#include "runtime/settings.hpp"

namespace evenly::measure {

struct store_result {
  float* results;
  EVENLY_FN void operator()(int i, float value) const { results[i] = value; }
};

template <class Executor>
candidate schedule_candidate(std::shared_ptr<work_on<Executor, segments_problem>> work,
                             const any_schedule& chosen) {
  candidate made{.name = chosen.name(), .title = chosen.name(), .is_schedule = true};
  made.parameters = chosen.parameters();
  made.prepare = [work, chosen]() -> prepared_run {
    const auto& data = work->data();
    any_schedule runs = chosen;
    std::string why;
    if (chosen.is_automatic()) {
      const any_plan<> plan(any_executor(work->exec()), chosen, data.tiles(),
                            data.scans ? work_kind::prefixes : work_kind::sums);
      runs = evenly::detail::with_settings_of(chosen, plan.schedule_name());
      why = plan.explain();
    }
    prepared_run made = compiled_run<evenly::detail::among::all>(
        work, runs, data.tiles(), [&exec = work->exec(), &data](auto& plan) {
          const values_of values{data.values().data()};
          const store_result store{data.out().data()};
          if (data.scans)
            scan_tiles(exec, plan, values, plus<float>{}, store);
          else
            reduce_tiles(exec, plan, values, plus<float>{}, store);
        });
    if (chosen.is_automatic()) {
      made.chosen = runs.name();
      made.why = why;
    }
    return made;
  };
  return made;
}

} // namespace evenly::measure
