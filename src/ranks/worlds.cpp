// SPDX-License-Identifier: Apache-2.0
#include "ranks/worlds.hpp"

#include "evenly/distributed/local_devices.hpp"
#include "evenly/distributed/mpi.hpp"

namespace evenly::ranks {

world threads_as_ranks(int ranks, int threads) {
  return threads > 0 ? distributed::local_devices(ranks, cpu(threads)) : distributed::local_devices(ranks);
}
world processes_as_ranks(const void* comm, std::size_t bytes, int threads, const std::string& library) {
  const cpu given(threads);
  return distributed::detail::mpi_world<cpu>(comm, bytes, threads > 0 ? &given : nullptr,
                                             {.library = library});
}

} // namespace evenly::ranks
