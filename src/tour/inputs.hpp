// SPDX-License-Identifier: Apache-2.0
// The matrices of the tour. `evenly compare` with options but without inputs also uses them.
#pragma once

namespace evenly::tour {

/// For the simulated GPU.
inline constexpr const char* counted_matrix = "powerlaw:rows=5e3,avg=8,sd=60,max=3e3";

/// Matrices of very different shapes, larger than caches, the most unequal first.
inline constexpr const char* timed_matrices[] = {
    "one-dense-row:rows=1e6,long=4e6", "powerlaw:rows=1e6,avg=8,sd=60,max=2e4",
    "rmat:scale=18,edges=16",          "mostly-empty:rows=4e6",
    "regular:rows=1e6,size=8",         "grid:x=1500,y=1500"};

} // namespace evenly::tour
