// SPDX-License-Identifier: Apache-2.0
// The plans that are declared in schedules/detail/compiled_plans.hpp.
#define EVENLY_LINKS_RUNTIME // other functions of the library are in its other objects
#include "evenly/schedules/detail/compiled_plans.hpp"

namespace evenly {

EVENLY_COMPILED_PLANS(template, int)
EVENLY_COMPILED_PLANS(template, std::int64_t)

} // namespace evenly
