// SPDX-License-Identifier: Apache-2.0
// Predicates that several tests select by.
#pragma once

#include "evenly/core/annotations.hpp"

namespace evenly {

struct is_odd {
  EVENLY_FN bool operator()(int value) const { return value % 2 != 0; }
};

} // namespace evenly
