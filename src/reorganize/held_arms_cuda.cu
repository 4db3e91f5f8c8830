// SPDX-License-Identifier: Apache-2.0
// What arms do on a GPU, whatever is done with their elements.
#include "evenly/execution/cuda.hpp"
#include "evenly/reorganize/pipeline.hpp"
#include "reorganize/held_arms_on.hpp"

namespace evenly::cli {

template struct arms_of<cuda>;

} // namespace evenly::cli

namespace evenly {

template class access_pipeline<cuda, cli::listed_arm<cuda>, int>;
template class access_pipeline<cuda, cli::shared_arm<cuda>, int>;

} // namespace evenly
