// SPDX-License-Identifier: Apache-2.0
// make_executor and make_timer of the executors in this translation unit: cuda in .cu files, else cpu and simt.
#pragma once

#if defined(__CUDACC__)
#include "measure/device_timer.hpp"
#else
#include "measure/host_timer.hpp"
#endif
