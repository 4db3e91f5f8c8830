// SPDX-License-Identifier: Apache-2.0
// Instantiates dense_bench_on (spmm_bench.hpp).
#pragma once

#if defined(__CUDACC__)
#include "sparse/dense_baselines_cuda.hpp"
#else
#include "sparse/dense_baselines_cpu.hpp"
#endif
