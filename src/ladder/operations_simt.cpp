// SPDX-License-Identifier: Apache-2.0
#include "evenly/execution/simt.hpp"
#include "ladder/ladder_operations.hpp"

namespace evenly::ladder {

EVENLY_LADDER_OPERATIONS_ON(simt);

} // namespace evenly::ladder
