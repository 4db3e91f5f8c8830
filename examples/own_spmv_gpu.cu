// SPDX-License-Identifier: Apache-2.0
// The program of own_spmv.cpp on a GPU.
#include "evenly/execution/cuda.hpp"

#include "own_spmv.cpp"
