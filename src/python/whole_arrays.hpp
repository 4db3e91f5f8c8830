// SPDX-License-Identifier: Apache-2.0
// Operations on whole arrays, on cpu.
#pragma once

#include <cstdint>
#include <optional>

#include "python/arrays.hpp"
#include "python/segments.hpp"

namespace evenly::python {

/// out[i] = the values before i, and value i where `is_inclusive`, combined. float32, float64, int32, int64.
void scan(const input& values, combine op, bool is_inclusive, const output& out);
/// out[0] = all values combined. Types as scan; minima and maxima of uint8.
void reduce(const input& values, combine op, const output& out);
/// The values at which mask is not 0, in order, in out[0], out[1], ...; returns how many. Values of 1, 4, 8 or 16
/// bytes (uint8, uint32, uint64, complex128); mask: uint8, one for each value; out: as long as values.
std::int64_t select(const input& values, const input& mask, const output& out);
/// Sorts keys in place, and moves values with them unless there are none. Keys: float32, float64, int32, int64,
/// uint32, uint64; values: uint32 or uint64.
void sort(const output& keys, const std::optional<output>& values);
/// The runs of equal neighbours among keys: each run's key, and its values combined; returns how many runs. Keys: int32
/// or int64; values as scan. Outputs are as long as keys.
std::int64_t reduce_by_key(const input& keys, const input& values, combine op, const output& keys_out,
                           const output& values_out);
/// out[g] = the combination of the values with index g, for each g below the rows of out. Index: int32 or int64;
/// values as scan.
void reduce_by_index(const input& index, const input& values, combine op, const output& out);

} // namespace evenly::python
