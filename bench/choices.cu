// SPDX-License-Identifier: Apache-2.0
// The GPU's side of bench_choices.
#include "choices.hpp"
#include "evenly/execution/cuda.hpp"

template evenly::study::choice_operation
evenly::bench::wide_products_on<evenly::cuda>(int, const measure::bench_options&);
