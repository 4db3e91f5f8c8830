// SPDX-License-Identifier: Apache-2.0
// The program of fused.cpp on a GPU.
#include "evenly/execution/cuda.hpp"

#include "fused.cpp"
