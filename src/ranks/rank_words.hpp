// SPDX-License-Identifier: Apache-2.0
// The words of --ranks: a number of threads, or the processes of MPI.
#pragma once

namespace evenly::ranks {

inline constexpr int without_ranks = 0, under_mpi = -1, max_ranks = 1024;

} // namespace evenly::ranks
