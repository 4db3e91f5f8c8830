// SPDX-License-Identifier: Apache-2.0
// The program of mandelbrot.cpp on a GPU, which checks its picture and leaves the drawing to the other.
#include "evenly/execution/cuda.hpp"

#include "mandelbrot.cpp"
