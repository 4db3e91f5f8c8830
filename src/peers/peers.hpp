// SPDX-License-Identifier: Apache-2.0
// The known peers, and how a command loads and times them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "json/value.hpp"
#include "measure/bench.hpp"
#include "peers/peer.hpp"

namespace evenly::peers {

using measure::candidate, measure::executor_kind;

enum class operation { spmv, spmm, spgemm, bfs, sssp };

struct known_peer {
  std::string name;  ///< in --beside and in JSON
  std::string title; ///< in tables
  executor_kind executor;
  std::vector<operation> operations;
  std::string needs; ///< the packages of Debian that it is built from or runs; may be empty
};

/// The names of peers that have one of these operations.
std::vector<std::string> peer_names(std::span<const operation> operations);

/// Throws usage_error if a peer does not have the operation.
void require_operation(std::span<const std::string> names, operation of);

struct loaded_peer {
  const known_peer* about;
  const peer* code; ///< is never unloaded
};

/// Loads peers by name. Throws usage_error if one does not run on any of `executors`, and device_error with the
/// packages to install if one is not built or does not start.
std::vector<loaded_peer> load_peers(std::span<const std::string> names,
                                    std::span<const executor_kind> executors);

/// The peers that run on an executor, as candidates that write the outputs of `of`. Throws usage_error if one refuses
/// the operation.
std::vector<candidate> candidates_of(std::span<const loaded_peer> peers, executor_kind executor,
                                     const problem& of, int threads);

/// The member `peers` of the head of a result file: versions by title.
json::value versions_of(std::span<const loaded_peer> peers);

} // namespace evenly::peers
