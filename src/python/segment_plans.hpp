// SPDX-License-Identifier: Apache-2.0
// Segments of rows of features on cpu, planned once.
#pragma once

#include <cstdint>
#include <memory>

#include "python/arrays.hpp"

namespace evenly::python {

enum class segment_op { sum, mean, min, max, prod, argmin, argmax, logsumexp };

/// Segments by offsets or by an index (sparse/segment_plan.hpp). Calls of several threads wait for each other.
class row_segments {
 public:
  /// of: int32 or int64. `size`: of an index the number of segments, of offsets the number of rows.
  row_segments(const input& of, std::int64_t size, bool is_index);
  ~row_segments();

  std::int64_t segments() const;
  std::int64_t elements() const;
  /// values: float32, float64; int64 without mean and logsumexp. out: of their type, int64 for argmin and argmax.
  void reduce(const input& values, segment_op op, const output& out);
  /// float32, float64.
  void softmax(const input& values, const output& out);

 private:
  struct body;
  std::unique_ptr<body> body_;
};

} // namespace evenly::python
