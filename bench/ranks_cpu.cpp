// SPDX-License-Identifier: Apache-2.0
// Products and conjugate gradients on ranks, and the exchange of a product beside its bytes over the bandwidth:
//
//   mpirun -np 2 bench_ranks_cpu [ROWS] > ranks.json      the Laplacian of a square grid with about ROWS points
//
// Rank 0 prints one JSON object. Times are medians of rounds that begin together, and the slowest rank counts. The
// bandwidth is measured in the same run: neighbours exchange as many bytes as in a product, and 64 times as many.
// Results are checked before their times are printed: the product of ones against the sums of rows, and the residual.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "evenly/distributed/array.hpp"
#include "evenly/distributed/entries.hpp"
#include "evenly/distributed/matrix.hpp"
#include "evenly/distributed/mpi.hpp"
#include "evenly/distributed/solvers.hpp"

namespace {

namespace distributed = evenly::distributed;
using distributed::communicator;

/// The median microseconds of `body` over rounds, of the slowest rank.
template <class Body> double median_us(communicator& here, int rounds, const Body& body) {
  std::vector<double> times;
  for (int round = -2; round < rounds; ++round) {
    here.barrier("round");
    const auto begin = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    double slowest = 0;
    for (const double each : here.all_gather("times", took.count())) slowest = std::max(slowest, each);
    if (round >= 0) times.push_back(slowest);
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[static_cast<std::size_t>(rounds) / 2];
}

/// Each rank sends as many bytes as in a product, times `factor`, to and from its neighbours.
template <class Exchange>
double messages_us(communicator& here, const Exchange& exchange, std::int64_t factor) {
  std::vector<std::vector<double>> sent, received;
  std::vector<distributed::outgoing> out;
  std::vector<distributed::incoming> in;
  for (const auto& to : exchange.targets()) {
    sent.emplace_back(static_cast<std::size_t>(to.count * factor), 1.0);
    out.push_back({to.rank, sent.back().data(), sent.back().size() * sizeof(double)});
  }
  for (const auto& from : exchange.sources()) {
    received.emplace_back(static_cast<std::size_t>(from.count * factor));
    in.push_back({from.rank, received.back().data(), received.back().size() * sizeof(double)});
  }
  return median_us(here, 200, [&] { here.exchange("bytes", out, in); });
}

int run(int side) {
  const auto world = distributed::from_mpi();
  const int rows = side * side;
  auto A = distributed::generate<double>(world, rows, rows, [&](int row, const auto& add) {
    const int x = row % side, y = row / side;
    if (y > 0) add(row - side, -1.0);
    if (x > 0) add(row - 1, -1.0);
    add(row, 4.0);
    if (x + 1 < side) add(row + 1, -1.0);
    if (y + 1 < side) add(row + side, -1.0);
  });
  const auto ones = world.distribute(std::vector<double>(static_cast<std::size_t>(rows), 1.0), A.rows());
  distributed::array<double, evenly::cpu> y(world, A.rows()), x(world, A.rows());
  A.multiply(ones, y);
  const std::vector<double> sums = y.gather();
  for (int row = 0; row < rows; ++row) {
    const int edges = (row % side == 0) + (row % side == side - 1) + (row < side) + (row >= rows - side);
    if (sums[static_cast<std::size_t>(row)] != edges) throw std::runtime_error("the product is wrong");
  }
  double product_us = 0, exchange_us = 0, same_us = 0, large_us = 0, bytes = 0, messages = 0;
  world.run([&](communicator& here) {
    auto& exchange = A.part(here).exchange;
    const auto& exec = world.executor(here);
    product_us = median_us(here, 50, [&] { A.multiply(here, ones.part(here), y.part(here)); });
    exchange_us = median_us(here, 200, [&] { exchange.gather(here, exec, ones.part(here).data()); });
    same_us = messages_us(here, exchange, 1);
    large_us = messages_us(here, exchange, 64);
    bytes = static_cast<double>(exchange.sent()) * sizeof(double);
    messages = static_cast<double>(exchange.targets().size());
  });
  constexpr int iterations = 100;
  const auto begin = std::chrono::steady_clock::now();
  const auto report = conjugate_gradient(A, ones, x, {.tolerance = 0, .max_iterations = iterations});
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  A.multiply(x, y);
  double squared = 0;
  for (const double each : y.gather()) squared += (1 - each) * (1 - each);
  if (std::abs(std::sqrt(squared / rows) / report.residual - 1) > 1e-6)
    throw std::runtime_error("the residual is wrong");
  if (world.has_root())
    std::printf(
        "{\"ranks\": %d, \"rows\": %d, \"entries\": %lld, \"product_us\": %.2f, \"cg_iteration_us\": %.2f, "
        "\"gather_us\": %.2f, \"messages_us\": %.2f, \"messages_64_us\": %.2f, \"bytes_sent\": %.0f, "
        "\"messages\": %.0f, \"residual\": \"%a\"}\n",
        world.size(), rows, static_cast<long long>(A.plan().atoms), product_us, took.count() / iterations,
        exchange_us, same_us, large_us, bytes, messages, report.residual);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  try {
    const int rows = argc > 1 ? std::atoi(argv[1]) : 1000000;
    if (rows < 4 || rows > 100000000) throw std::runtime_error("ROWS must be from 4 to 100000000");
    return run(static_cast<int>(std::sqrt(rows)));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
