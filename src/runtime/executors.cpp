// SPDX-License-Identifier: Apache-2.0
// What starts threads, and the simulated GPU: compiled once for all who link evenly::runtime (core/annotations.hpp).
#define EVENLY_COMPILES_RUNTIME
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
