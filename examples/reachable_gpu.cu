// SPDX-License-Identifier: Apache-2.0
// The program of reachable.cpp on a GPU.
#include "evenly/execution/cuda.hpp"

#include "reachable.cpp"
