// SPDX-License-Identifier: Apache-2.0
// Another library that runs an operation of evenly on the same arrays: a peer. Each peer is a shared object of its own
// (peers/modules), which a command loads if --beside names it. This header is all that both sides share.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"

namespace evenly::peers {

/// y = A x. All arrays are in the memory of the peer's executor, here and below.
template <class Value> struct vector_product {
  csr_view<Value> a;
  const Value* x;
  Value* y;
};

/// C = A B; B and C are dense, in the same layout, without gaps.
template <class Value> struct dense_product {
  csr_view<Value> a;
  dense_view<const Value> b;
  dense_view<Value> c;
};

/// C = A B of sparse matrices. The columns of each row of C ascend. C is on the host.
template <class Value> struct sparse_result {
  std::vector<std::int64_t> offsets;
  std::vector<int> columns;
  std::vector<Value> values;
};
template <class Value> struct sparse_product {
  csr_view<Value> a, b;
  sparse_result<Value>* c;
};

/// Breadth-first search, or shortest paths if there are weights, from a source that changes between runs.
struct graph_search {
  csr_view<int> edges; ///< values: the weights; null for a breadth-first search
  const int* source;
  std::vector<std::int64_t>* values; ///< of each vertex its level or distance, -1 if it is not reached
};

using problem =
    std::variant<vector_product<float>, vector_product<double>, dense_product<float>, dense_product<double>,
                 sparse_product<float>, sparse_product<double>, graph_search>;

/// An operation that is ready to run.
struct prepared_peer {
  std::function<void()> run; ///< returns when the result exists; timed
  std::function<void()> store =
      {}; ///< copies the result of the last run to the outputs of the problem; untimed
};

class peer {
 public:
  virtual ~peer() = default;
  virtual std::string version() const = 0; ///< may be empty
  /// Why the peer cannot run the operation; empty if it can.
  virtual std::string refusal(const problem& of) const = 0;
  /// The arrays must outlive the result. Throws std::exception.
  virtual prepared_peer prepare(const problem& of, int threads) const = 0;
};

} // namespace evenly::peers

/// The function that each shared object defines. It returns a pointer, because C has no references.
extern "C" const evenly::peers::peer* evenly_peer();
