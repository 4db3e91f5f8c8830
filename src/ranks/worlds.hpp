// SPDX-License-Identifier: Apache-2.0
// Worlds by what a user asks for at run time: threads of this process, or the processes of MPI.
#pragma once

#include <cstddef>
#include <string>

#include "ranks/rank_words.hpp"
#include "ranks/ranked_matrix.hpp"

namespace evenly::ranks {

/// Ranks that are threads of this process. `threads`: of each rank; 0: an equal part of the cores.
world threads_as_ranks(int ranks, int threads);

/// The processes of MPI.
/// - `comm`: an MPI_Comm of `bytes` bytes; null: all processes.
/// - `library`: libevenly_mpi.so; empty: searched for (distributed/mpi.hpp).
world processes_as_ranks(const void* comm, std::size_t bytes, int threads, const std::string& library = {});

/// The world that --ranks names (rank_words.hpp).
inline world named_world(int ranks, int threads) {
  return ranks == under_mpi ? processes_as_ranks(nullptr, 0, threads) : threads_as_ranks(ranks, threads);
}

} // namespace evenly::ranks
