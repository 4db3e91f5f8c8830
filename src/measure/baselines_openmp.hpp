// SPDX-License-Identifier: Apache-2.0
// Baselines of the cpu executor: plain loops over rows. They run on one thread, or OpenMP distributes the rows evenly
// (static) or in chunks of dynamic_rows (dynamic).
#pragma once

#include <span>

#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::measure {

enum class row_distribution { one_thread, even, dynamic };

/// Rows per chunk, enough to make the cost of a chunk small compared with short rows.
inline constexpr int dynamic_rows = 256;

/// Waits until OpenMP's threads sleep: until the process has used hardly any processor time for a millisecond, at most
/// 50 ms. OpenMP's threads spin for milliseconds before their next loop.
void let_threads_sleep();

/// y = A x.
template <class Value>
void multiply_rows(const csr_view<Value>& a, const Value* x, Value* y, row_distribution distribution,
                   int threads);

/// C = A B with `width` columns; B and C are stored by rows without gaps.
template <class Value>
void multiply_rows(const csr_view<Value>& a, const Value* b, Value* c, int width,
                   row_distribution distribution, int threads);

/// tile_of[atom] = the row that contains the atom.
void write_rows(std::span<const int> offsets, int* tile_of, row_distribution distribution, int threads);

/// sums[row] = the sum of the row's values, in eight parts. One part would be bound by the latency of an addition.
void sum_rows(std::span<const int> offsets, const float* values, float* sums, row_distribution distribution,
              int threads);

/// sums[atom] = the sum of the values of its row from the first to this atom.
void scan_rows(std::span<const int> offsets, const float* values, float* sums, row_distribution distribution,
               int threads);

/// numbers[atom] += the row of the atom + 1.
void update_rows(std::span<const int> offsets, int* numbers, row_distribution distribution, int threads);

} // namespace evenly::measure
