// SPDX-License-Identifier: Apache-2.0
// Layouts on the cores of this machine.
#include "evenly/execution/cpu.hpp"
#include "layouts/run_layouts.hpp"
#include "layouts/used_elements.hpp"
#include "measure/host_timer.hpp"

namespace evenly::layouts {

extern template class access_pipeline<cpu, listed_layout<cpu>, int>; // erased_layouts_cpu
extern template class access_pipeline<cpu, shared_layout<cpu>, int>;

using measure::host_timer;

std::string run_layouts_on_cpu(const access_workload& of, const layouts_options& options,
                               const take_result& take) {
  const cpu exec(options.bench.threads);
  return run_layouts(exec, exec, nullptr, std::make_unique<host_timer>(exec.threads()), of, options, take,
                     used_elements_of(exec, of));
}

} // namespace evenly::layouts
