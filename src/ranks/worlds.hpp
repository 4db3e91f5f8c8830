// SPDX-License-Identifier: Apache-2.0
// Worlds by what a user asks for at run time: threads of this process, or the processes of MPI.
#pragma once

#include <cstddef>
#include <string>

#include "ranks/ranked_matrix.hpp"

namespace evenly::ranks {

/// Ranks that are threads of this process. `threads`: of each rank; 0: an equal part of the cores.
world threads_as_ranks(int ranks, int threads);

/// The processes of MPI.
/// - `comm`: an MPI_Comm of `bytes` bytes; null: all processes.
/// - `library`: libevenly_mpi.so; empty: searched for (distributed/mpi.hpp).
world processes_as_ranks(const void* comm, std::size_t bytes, int threads, const std::string& library = {});

/// A word of --ranks, or a number from 1 on.
inline constexpr int without_ranks = 0, under_mpi = -1, max_ranks = 1024;
/// The world that --ranks names, which is not without_ranks.
inline world named_world(int ranks, int threads) {
  return ranks == under_mpi ? processes_as_ranks(nullptr, 0, threads) : threads_as_ranks(ranks, threads);
}

} // namespace evenly::ranks
