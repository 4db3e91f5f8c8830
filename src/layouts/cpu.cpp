// SPDX-License-Identifier: Apache-2.0
// Arms on the cores of this machine.
#include "evenly/execution/cpu.hpp"
#include "layouts/arms.hpp"
#include "measure/host_timer.hpp"

namespace evenly {

extern template class access_pipeline<cpu, cli::listed_arm<cpu>, int>; // held_arms_cpu
extern template class access_pipeline<cpu, cli::shared_arm<cpu>, int>;

} // namespace evenly

namespace evenly::cli {

std::string run_arms_on_cpu(const access_workload& of, const arms_options& options, const take_result& take) {
  const cpu exec(options.bench.threads);
  return run_arms(exec, exec, nullptr, std::make_unique<host_timer>(exec.threads()), of, options, take);
}

} // namespace evenly::cli
