// SPDX-License-Identifier: Apache-2.0
// A product of sparse matrices where it runs: the seam between the command, which knows no executor, and executors,
// which have translation units of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "evenly/sparse/csr_matrix.hpp"
#include "measure/bench.hpp"

namespace evenly::sparse {

using measure::bench_options, measure::executor_kind, measure::timer;

/// Rows of C that lie one after the other, on the host.
template <class Value> struct found_rows {
  int first_row;
  int rows;
  std::span<const std::int64_t> offsets; ///< rows + 1 values; the first is that of columns[0] and values[0]
  std::span<const int> columns;
  std::span<const Value> values;
};

template <class Value> class device_product {
 public:
  using row_user = std::function<void(const found_rows<Value>&)>;

  virtual ~device_product() = default;
  virtual timer& time() = 0;
  /// Counts the entries of C. Everything below comes after it.
  virtual void plan() = 0;
  virtual std::int64_t entries() const = 0;
  /// The whole of C = A B, made, and freed.
  virtual void multiply() = 0;
  /// C's columns and values, in memory that stays until multiply().
  virtual void fill() = 0;
  /// What fill() has left.
  virtual void use_filled(const row_user& use) = 0;
  /// C in chunks of rows of at most so many bytes; `use` may be empty, and then nothing is copied to the host.
  virtual void fill_in_chunks(std::int64_t bytes, const row_user& use) = 0;
};

template <class Value> struct factors {
  const csr_matrix<Value>& a;
  const csr_matrix<Value>& b; ///< may be a
};

/// What a plan takes beside A, B and C, and what A and B take beside the host's memory.
struct product_memory {
  std::int64_t plan;
  std::int64_t factors;
};
template <class Value>
product_memory memory_of_product(executor_kind kind, const factors<Value>& of, const bench_options& options);

/// The factors outlive it. Throws device_error where there is no such executor.
template <class Value>
std::unique_ptr<device_product<Value>> place_product(executor_kind kind, const factors<Value>& of,
                                                     const bench_options& options);

/// The same on a known executor. Instantiated in units of their own (spgemm_place_on.hpp).
template <class Executor, class Value>
std::unique_ptr<device_product<Value>> place_product_on(const factors<Value>& of,
                                                        const bench_options& options);

} // namespace evenly::sparse
