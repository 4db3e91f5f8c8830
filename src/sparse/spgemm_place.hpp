// SPDX-License-Identifier: Apache-2.0
// A product of sparse matrices on an executor. The interface separates the command, which knows no executor, from
// executors, which have their own translation units.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "evenly/sparse/csr_matrix.hpp"
#include "measure/bench.hpp"
#include "peers/peer.hpp"

namespace evenly::sparse {

using measure::bench, measure::bench_options, measure::executor_kind;

/// Consecutive rows of C, on the host.
template <class Value> struct found_rows {
  int first_row;
  int rows;
  std::span<const std::int64_t> offsets; ///< rows + 1 values; the first belongs to columns[0] and values[0]
  std::span<const int> columns;
  std::span<const Value> values;
};

template <class Value> class device_product {
 public:
  using row_user = std::function<void(const found_rows<Value>&)>;

  virtual ~device_product() = default;
  /// Times runs, which check themselves.
  virtual bench& on() = 0;
  /// Counts the entries of C. Must be called first.
  virtual void plan() = 0;
  virtual std::int64_t entries() const = 0;
  /// Computes C = A B and frees it.
  virtual void multiply() = 0;
  /// Allocates the result of fill(), if it is not there.
  virtual void allocate() = 0;
  /// Computes the columns and values of C, which stay in memory until multiply().
  virtual void fill() = 0;
  /// Uses the result of fill().
  virtual void use_filled(const row_user& use) = 0;
  /// Computes C in chunks of rows with at most `bytes` bytes. `use` may be empty; then nothing is copied to the host.
  virtual void fill_in_chunks(std::int64_t bytes, const row_user& use) = 0;
  /// The product for peers, which write `c`.
  virtual peers::sparse_product<Value> for_peers(peers::sparse_result<Value>& c) const = 0;
};

template <class Value> struct factors {
  const csr_matrix<Value>& a;
  const csr_matrix<Value>& b; ///< may be the same object as a
};

/// Memory of a plan in addition to A, B and C, and memory of A and B in addition to the host's.
struct product_memory {
  std::int64_t plan;
  std::int64_t factors;
};
template <class Value>
product_memory memory_of_product(executor_kind kind, const factors<Value>& of, const bench_options& options);

/// The factors must outlive the result. Throws device_error if the executor is not available.
template <class Value>
std::unique_ptr<device_product<Value>> place_product(executor_kind kind, const factors<Value>& of,
                                                     const bench_options& options);

/// The same for a known executor. Instantiated in separate translation units (spgemm_place_on.hpp).
template <class Executor, class Value>
std::unique_ptr<device_product<Value>> place_product_on(const factors<Value>& of,
                                                        const bench_options& options);

} // namespace evenly::sparse
