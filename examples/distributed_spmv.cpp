// SPDX-License-Identifier: Apache-2.0
// Power iteration on ranks: the same bits on one rank and on four. With mpirun -np P, on the processes of MPI.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "evenly/core/monoid.hpp"
#include "evenly/distributed/array.hpp"
#include "evenly/distributed/local_devices.hpp"
#include "evenly/distributed/matrix.hpp"
#include "evenly/distributed/mpi.hpp"
#include "evenly/sparse/csr_matrix.hpp"

/// A vertex 0 that has an edge to each other vertex, and a chain of all of them.
evenly::csr_matrix<double> wheel(int vertices) {
  evenly::csr_matrix<double> a;
  a.rows = a.cols = vertices;
  const auto add = [&](int u) {
    a.columns.push_back(u);
    a.values.push_back(1);
  };
  for (int v = 0; v < vertices; ++v) {
    if (v == 0) {
      for (int u = 1; u < vertices; ++u) add(u);
    } else {
      add(0);
      if (v > 1) add(v - 1);
      if (v + 1 < vertices) add(v + 1);
    }
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  return a;
}

/// The sum of the vector after 20 products, of a vector of length 1.
template <class World> double iterate(const World& world, const evenly::csr_matrix<double>& csr) {
  auto A = world.distribute(csr);
  auto x = world.distribute(std::vector<double>(static_cast<std::size_t>(csr.cols), 1 / std::sqrt(csr.cols)),
                            A.columns());
  for (int round = 0; round < 20; ++round) x = A * x;
  return reduce(x, evenly::plus{});
}

int main() {
  namespace distributed = evenly::distributed;
  const auto csr = wheel(200000);
  const double one = iterate(distributed::alone(), csr);
  const bool under_mpi = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr;
  const auto world = under_mpi ? distributed::from_mpi() : distributed::local_devices(4);
  const double many = iterate(world, csr);
  if (world.has_root()) std::printf("%a on one rank, %a on %d\n", one, many, world.size());
  return one == many ? 0 : 1;
}
