// SPDX-License-Identifier: Apache-2.0
// The bodies of the functions that start threads (core/annotations.hpp). They are in an object of their own, so that
// programs without the simulated GPU do not contain it.
#define EVENLY_COMPILES_RUNTIME
#include "evenly/execution/cpu.hpp"
