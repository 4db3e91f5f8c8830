// SPDX-License-Identifier: Apache-2.0
// world: a group of ranks and their executors. Distributed arrays and matrices are made by a world.
//
//   auto world = evenly::distributed::local_devices(4);       // or alone(), or from_mpi(comm)
//   auto A = world.distribute(csr);                           // csr: the whole matrix, the same on every rank
//   auto x = world.distribute(values, A.columns());           // values: the whole array
//   auto y = A * x;
//   std::vector<double> all = y.gather();                     // the whole array, on every process
//
// Under MPI each process runs this program, and the calls on a world and its objects are collective: all processes make
// them in the same order. In a process with several ranks a call runs all of them.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/execution/executor.hpp"

namespace evenly::distributed {

/// A group of ranks, each with an executor. Copies are the same group.
template <executor Executor> class world {
 public:
  using executor_type = Executor;

  /// - `executors`: one for each rank of this process.
  world(std::shared_ptr<rank_group> ranks, std::vector<Executor> executors)
      : ranks_(std::move(ranks)), executors_(std::move(executors)) {
    require(static_cast<int>(executors_.size()) == ranks_->count(), [&] {
      return evenly::detail::concat(executors_.size(), " executors are given, but this process has ",
                                    ranks_->count(), " ranks: each rank needs one");
    });
  }

  /// The number of ranks.
  int size() const { return ranks_->size(); }
  /// The first rank of this process, and how many it has.
  int first() const { return ranks_->first(); }
  int count() const { return ranks_->count(); }
  /// Whether this process has rank 0, which should print results.
  bool has_root() const { return first() == 0; }
  /// The place of a rank of this process: 0 for the first.
  std::size_t place(const communicator& here) const {
    return static_cast<std::size_t>(here.rank() - first());
  }
  const Executor& executor(const communicator& here) const { return executors_[place(here)]; }

  /// Calls body(here) for each rank of this process (rank_group::run).
  void run(const std::function<void(communicator&)>& body) const { ranks_->run(body); }
  /// Whether both are the same group.
  bool operator==(const world& other) const { return ranks_ == other.ranks_; }

  /// Distributes a matrix (matrix.hpp) or an array (vector.hpp), which every process has whole.
  template <class Whole, class... How> auto distribute(const Whole& whole, const How&... how) const {
    return distribute_over(*this, whole, how...);
  }

 private:
  std::shared_ptr<rank_group> ranks_;
  std::vector<Executor> executors_;
};

} // namespace evenly::distributed
