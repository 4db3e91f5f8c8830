// SPDX-License-Identifier: Apache-2.0
// What arms do on the simulated GPU, whatever is done with their elements.
#include "evenly/execution/simt.hpp"
#include "evenly/reorganize/pipeline.hpp"
#include "reorganize/held_arms_on.hpp"

namespace evenly::cli {

template struct arms_of<simt>;

} // namespace evenly::cli

namespace evenly {

template class access_pipeline<simt, cli::listed_arm<simt>, int>;
template class access_pipeline<simt, cli::shared_arm<simt>, int>;

} // namespace evenly
