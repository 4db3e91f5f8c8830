// SPDX-License-Identifier: Apache-2.0
// The GPU part of the Python package: a shared object without Python, which is loaded when it is first needed. Its only
// symbol, evenly_cuda_part, returns a table of functions.
//
// - Functions return a status; last_error() has the text.
// - Arrays lie on the device of the place, and work starts on its stream. A function waits only if it says so.
// - Values are float32 or float64; offsets, columns, levels and parents are int32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "python/arrays.hpp"

namespace evenly::python {

/// A device, and a stream of it: CUDA's handle.
struct cuda_place {
  int device = 0;
  void* stream = nullptr;
};

enum class cuda_status : int { ok, invalid_argument, device_error };

/// The rows of a matrix, or segments: their plans, one for each kind of work.
class cuda_rows;

/// What belongs to each row of a cuda_rows. values.data may be null where only the pattern counts.
struct cuda_entries {
  int cols = 0;
  input columns;
  input values;
};

struct cuda_functions {
  /// The text of the calling thread's last error.
  const char* (*last_error)();
  /// The number of GPUs, at least 1. Fails without a driver or a GPU.
  cuda_status (*count_devices)(int* devices);

  /// The device of memory at this address, 0 of no memory; waits for the stream at which the memory is ready, if any.
  cuda_status (*device_of)(const void* memory, void* stream, int* device);

  /// Device memory for arrays of the host. release, upload and download wait.
  cuda_status (*allocate)(const cuda_place*, std::size_t bytes, void** memory);
  void (*release)(const cuda_place*, void* memory);
  cuda_status (*upload)(const cuda_place*, void* to, const void* from, std::size_t bytes);
  cuda_status (*download)(const cuda_place*, void* to, const void* from, std::size_t bytes);

  /// Checks offsets, which outlive the rows unchanged. Waits. atoms: from the first offset to the last.
  cuda_status (*make_rows)(const cuda_place*, const input* offsets, cuda_rows** rows, std::int64_t* first,
                           std::int64_t* atoms);
  void (*release_rows)(cuda_rows*);
  /// Checks that columns are in [0, cols). Waits.
  cuda_status (*check_columns)(const cuda_place*, const cuda_entries*);

  // The first call of a kind plans and allocates: it waits. Later calls do not.
  cuda_status (*spmv)(cuda_rows*, const cuda_place*, const cuda_entries*, const input* x, const output* y);
  cuda_status (*spmm)(cuda_rows*, const cuda_place*, const cuda_entries*, const input* b, const output* c);
  cuda_status (*segment_reduce)(cuda_rows*, const cuda_place*, const input* values, combine,
                                const output* out);
  /// Sums. out may be the values.
  cuda_status (*segment_scan)(cuda_rows*, const cuda_place*, const input* values, bool is_inclusive,
                              const output* out);
  /// The entries are checked edges. is_undirected: each has one in the other direction.
  cuda_status (*bfs)(cuda_rows*, const cuda_place*, const cuda_entries*, bool is_undirected, int source,
                     const output* levels, const output* parents);

  /// out: one element. Scratch memory belongs to the device, and grows with the first calls.
  cuda_status (*reduce)(const cuda_place*, const input* values, combine, const output* out);
  cuda_status (*scan)(const cuda_place*, const input* values, combine, bool is_inclusive, const output* out);
};

} // namespace evenly::python

extern "C" const evenly::python::cuda_functions* evenly_cuda_part();
