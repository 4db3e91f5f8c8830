// SPDX-License-Identifier: Apache-2.0
// What arms do on the cores of this machine, whatever is done with their elements.
#include "evenly/execution/cpu.hpp"
#include "evenly/reorganize/pipeline.hpp"
#include "reorganize/held_arms_on.hpp"

namespace evenly::cli {

template struct arms_of<cpu>;

} // namespace evenly::cli

namespace evenly {

template class access_pipeline<cpu, cli::listed_arm<cpu>, int>;
template class access_pipeline<cpu, cli::shared_arm<cpu>, int>;

} // namespace evenly
