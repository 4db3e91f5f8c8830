// SPDX-License-Identifier: Apache-2.0
// Tile sets made of sources (tile_sources_laws.hpp), on the simulated GPU.

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "work/tile_sources_laws.hpp"

namespace evenly::laws {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(OnSimt, TileSources, simt);

} // namespace
} // namespace evenly::laws
