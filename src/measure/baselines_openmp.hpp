// SPDX-License-Identifier: Apache-2.0
// What the cpu executor is compared with: loops as anyone would write them. One thread has all rows, or rows are dealt
// to OpenMP's threads evenly (static), or in chunks of dynamic_rows to whoever is free (dynamic).
#pragma once

#include <span>

#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::measure {

enum class row_dealing { one_thread, even, dynamic };

/// Rows that a thread takes at once: enough that taking them costs little beside short rows.
inline constexpr int dynamic_rows = 256;

/// OpenMP's threads wait for their next loop by spinning, for milliseconds. Returns when they sleep: when this process
/// has used hardly any processor time for a millisecond, or after 50.
void let_threads_sleep();

/// y = A x.
template <class Value>
void multiply_rows(const csr_view<Value>& a, const Value* x, Value* y, row_dealing dealing, int threads);

/// C = A B of `width` columns, B and C by rows without gaps.
template <class Value>
void multiply_rows(const csr_view<Value>& a, const Value* b, Value* c, int width, row_dealing dealing,
                   int threads);

/// tile_of[atom] = the row between whose offsets the atom is.
void write_rows(std::span<const int> offsets, int* tile_of, row_dealing dealing, int threads);

/// Adds to numbers[atom] the number of its row, and one.
void update_rows(std::span<const int> offsets, int* numbers, row_dealing dealing, int threads);

} // namespace evenly::measure
