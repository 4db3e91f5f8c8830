// SPDX-License-Identifier: Apache-2.0
// make_executor and make_timer of the executors that a unit is compiled for: cuda in .cu files, cpu and simt elsewhere.
#pragma once

#if defined(__CUDACC__)
#include "measure/device_timer.hpp"
#else
#include "measure/host_timer.hpp"
#endif
