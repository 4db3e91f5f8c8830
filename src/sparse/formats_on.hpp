// SPDX-License-Identifier: Apache-2.0
// Instantiates format_bench_on and compact_bench_on (format_bench.hpp).
#pragma once

#include "sparse/compact_bench_on.hpp"
#if defined(__CUDACC__)
#include "sparse/format_baselines_cuda.hpp"
#endif
