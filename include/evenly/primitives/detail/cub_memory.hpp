// SPDX-License-Identifier: Apache-2.0
// The memory that CUB works in. Empty unless nvcc compiles.
#pragma once

#if defined(__CUDACC__)

#include <cstddef>

#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly::detail {

/// Calls call(memory, bytes) twice, as CUB's functions want it: to learn how many bytes they need, and with them. The
/// memory is the executor's.
template <class Call> void with_temporary_memory(const cuda& exec, const Call& call) {
  const auto here = exec.on_device();
  std::size_t bytes = 0;
  EVENLY_CUDA_CHECK(call(nullptr, bytes));
  const auto memory = make_buffer<std::byte>(exec, bytes);
  EVENLY_CUDA_CHECK(call(memory.data(), bytes));
}

} // namespace evenly::detail

#endif
