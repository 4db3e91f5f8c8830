// SPDX-License-Identifier: Apache-2.0
// The bodies of the functions that run the simulated GPU (core/annotations.hpp).
#define EVENLY_COMPILES_RUNTIME
#include "evenly/execution/simt.hpp"
