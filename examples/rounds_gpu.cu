// SPDX-License-Identifier: Apache-2.0
// The program of rounds.cpp on a GPU.
#include "evenly/execution/cuda.hpp"

#include "rounds.cpp"
