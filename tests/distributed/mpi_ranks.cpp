// SPDX-License-Identifier: Apache-2.0
// A rank under mpirun, for _mpi.py:
//   evenly_mpi_ranks products   products of hard matrices; rank 0 prints the number of ranks and a hash of the bits
//   evenly_mpi_ranks large      rank 0 sends more than 2^31 bytes to rank 1
//   evenly_mpi_ranks throw|late|exit|other|elsewhere|die|short|long   rank 1 does something wrong
#include <bit>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "distributed/matrices.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/distributed/array.hpp"
#include "evenly/distributed/bfs.hpp"
#include "evenly/distributed/entries.hpp"
#include "evenly/distributed/local_devices.hpp"
#include "evenly/distributed/matrix.hpp"
#include "evenly/distributed/mpi.hpp"
#include "evenly/distributed/triangles.hpp"
#include "evenly/execution/cpu.hpp"

namespace {

using namespace evenly;
using distributed::communicator;

/// The bits of products and sums, as text.
template <class World> std::string results_on(const World& world) {
  std::string text;
  for (const auto& [name, a] : hard_matrices()) {
    auto A = world.distribute(
        a, distributed::matrix_options{.split = {.block_size = 8, .blocks_per_group = 2}, .columns = {}});
    const auto x = world.distribute(uneven_vector(a.cols), A.columns());
    auto y = A * x;
    A.multiply(x, y);
    std::uint64_t hash = 1;
    for (const double each : y.gather()) hash = std::rotl(hash ^ std::bit_cast<std::uint64_t>(each), 7) * 31;
    text += name + ": " + std::to_string(hash) + ", " +
            std::to_string(std::bit_cast<std::uint64_t>(reduce(y, plus{}))) + "\n";
  }
  return text;
}

/// A transposed product, a search and triangles of a graph that is generated on the ranks, as text.
template <class World> std::string graph_results_on(const World& world) {
  const distributed::matrix_options how{.split = {.block_size = 4, .blocks_per_group = 2}, .columns = {}};
  auto A = distributed::generate<double>(
      world, 500, 500,
      [](int row, const auto& add) {
        for (int k = 1; k < 500; k = 2 * k + 1) {
          add((row + k) % 500, 1.0 / (row + k));
          add((row + 500 - k) % 500, 1.0 / (row + 500 - k));
        }
        for (int column = 0; row == 77 && column < 500; column += 3) add(column, 1.0);
        if (row % 3 == 0) add(77, 2.0);
      },
      how);
  auto turned = transpose(A, how.split);
  const auto y = turned * world.distribute(uneven_vector(500), turned.columns());
  const auto found = bfs(A, 3);
  std::uint64_t hash = 1;
  for (const double each : y.gather()) hash = std::rotl(hash ^ std::bit_cast<std::uint64_t>(each), 7) * 31;
  for (const int each : found.levels.gather()) hash = hash * 31 + static_cast<std::uint64_t>(each);
  for (const int each : found.parents.gather()) hash = hash * 31 + static_cast<std::uint64_t>(each);
  return "graph: " + std::to_string(hash) + ", " + std::to_string(count_triangles(A)) + "\n";
}

/// Every rank sends every other a list of its own length, in pieces of 5 bytes.
void send_lists(communicator& here) {
  std::vector<int> mine(static_cast<std::size_t>(7 * here.rank() + 3), here.rank());
  const std::vector<int> all = here.all_gather_lists("lists", std::span<const int>(mine));
  std::size_t at = 0;
  for (int r = 0; r < here.size(); ++r)
    for (int i = 0; i < 7 * r + 3; ++i)
      if (all.at(at++) != r) throw std::runtime_error("a list arrived in another order");
}

/// A number for each place of a large message.
std::uint64_t number_at(std::size_t i) { return i * 0x9e3779b97f4a7c15U; }

/// Rank 0 sends 2^31 + 40 bytes to rank 1, in pieces of 2^30.
void send_large(communicator& here) {
  std::vector<std::uint64_t> numbers((std::size_t{1} << 28) + 5);
  const std::size_t bytes = numbers.size() * sizeof(std::uint64_t);
  if (here.rank() == 0) {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number_at(i);
    const distributed::outgoing to{1, numbers.data(), bytes};
    here.exchange("a large message", {&to, 1}, {});
  } else {
    const distributed::incoming from{0, numbers.data(), bytes};
    here.exchange("a large message", {}, {&from, 1});
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] != number_at(i)) throw std::runtime_error("a large message arrived otherwise");
  }
}

/// Rank 1 sends another number of bytes than rank 0 expects.
void send_wrong_size(communicator& here, std::size_t bytes) {
  long long value[2] = {};
  const distributed::outgoing to{0, value, bytes};
  const distributed::incoming from{1, value, 8};
  if (here.rank() == 1)
    here.exchange("a value", {&to, 1}, {});
  else
    here.exchange("a value", {}, {&from, 1});
}

int run(const std::string& mode) {
  distributed::mpi_options options;
  if (mode == "late" || mode == "elsewhere") options.wait_seconds = 1;
  const auto world = distributed::from_mpi(options);
  if (mode == "products") {
    const std::string found = results_on(world);
    distributed::from_mpi({.max_message = 5}).run(send_lists);
    const std::string graph = graph_results_on(world);
    if (found != results_on(distributed::alone(cpu(1))) ||
        graph != graph_results_on(distributed::alone(cpu(1))))
      throw std::runtime_error("the bits are not those of one rank");
    if (world.has_root()) std::printf("%d ranks\n%s%s", world.size(), found.c_str(), graph.c_str());
    return 0;
  }
  if (mode == "other") {
    try {
      world.distribute(matrix_of({3, world.first() == 1 ? 5 : 4, 2}, 9, 1));
    } catch (const distributed::different_inputs& e) {
      if (world.has_root()) std::fprintf(stderr, "%s\n", e.what());
      return 3;
    }
  }
  if (mode == "large") {
    world.run(send_large);
    if (world.has_root()) std::printf("sent\n");
    return 0;
  }
  world.run([&](communicator& here) {
    if (mode == "short" || mode == "long") send_wrong_size(here, mode == "short" ? 4 : 16);
    if (here.rank() == 1) {
      if (mode == "throw") throw std::runtime_error("no more memory");
      if (mode == "late") std::this_thread::sleep_for(std::chrono::seconds(60));
      if (mode == "exit") std::exit(3);
      if (mode == "elsewhere") here.exchange("somewhere else", {}, {});
    }
    if (mode == "die" && here.rank() == 1) std::raise(SIGKILL);
    if (mode == "elsewhere" && here.rank() == 0) {
      int value = 0;
      const distributed::incoming from{1, &value, sizeof value};
      here.exchange("a value", {}, {&from, 1});
    }
    here.barrier("start");
  });
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "products");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
