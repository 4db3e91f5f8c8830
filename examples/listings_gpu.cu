// SPDX-License-Identifier: Apache-2.0
// The program of listings.cpp on a GPU.
#include "evenly/execution/cuda.hpp"

#include "listings.cpp"
