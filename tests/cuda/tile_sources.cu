// SPDX-License-Identifier: Apache-2.0
// Tile sets made of sources on a GPU: work/tile_sources_laws.hpp.

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "work/tile_sources_laws.hpp"

namespace evenly::laws {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(ReducedOnCuda, TileSources, cuda_of_tuned_size);

} // namespace
} // namespace evenly::laws
