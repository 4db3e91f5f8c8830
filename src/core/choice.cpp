// SPDX-License-Identifier: Apache-2.0
// The bodies of the functions that choose a schedule (core/annotations.hpp).
#define EVENLY_COMPILES_RUNTIME
#include "evenly/schedules/automatic.hpp"
