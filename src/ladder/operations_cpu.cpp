// SPDX-License-Identifier: Apache-2.0
#include "evenly/execution/cpu.hpp"
#include "ladder/ladder_operations.hpp"

namespace evenly::ladder {

EVENLY_LADDER_OPERATIONS_ON(cpu);

} // namespace evenly::ladder
