// SPDX-License-Identifier: Apache-2.0
// Arms on a GPU.
#include "reorganize/bench.hpp"

namespace evenly::cli {

template <access_use Use>
std::string run_use_on_cuda(const access_workload& of, const arms_options& options,
                            const take_result& take); // cuda_USE.cu

std::string run_arms_on_cuda(const access_workload& of, const arms_options& options,
                             const take_result& take) {
  if (of.use == access_use::forces) return run_use_on_cuda<access_use::forces>(of, options, take);
  if (of.use == access_use::products) return run_use_on_cuda<access_use::products>(of, options, take);
  return run_use_on_cuda<access_use::sums>(of, options, take);
}

} // namespace evenly::cli
