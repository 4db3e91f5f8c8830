// SPDX-License-Identifier: Apache-2.0
// Layouts on the simulated GPU, which counts their memory accesses.
#include "evenly/execution/simt.hpp"
#include "layouts/run_layouts.hpp"
#include "layouts/used_elements.hpp"
#include "measure/host_timer.hpp"

namespace evenly::layouts {

extern template class access_pipeline<simt, listed_layout<simt>, int>; // erased_layouts_simt
extern template class access_pipeline<simt, shared_layout<simt>, int>;

using measure::host_timer;

std::string run_layouts_on_simt(const access_workload& of, const layouts_options& options,
                                const take_result& take) {
  trace counts = options.profiles ? trace{keep_profiles{}} : trace{};
  simt_options how{.seed = options.bench.seed, .threads = options.bench.threads};
  const simt exec(how);
  how.trace = &counts;
  return run_layouts(exec, simt(how), &counts, std::make_unique<host_timer>(exec.threads(), true), of,
                     options, take, used_elements_of(exec, of));
}

} // namespace evenly::layouts
