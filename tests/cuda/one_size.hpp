// SPDX-License-Identifier: Apache-2.0
// Executors that compile each kernel once, where cuda does it twice, for the tuned block size and for any: half the
// compile time, for tests that run only one of the two.
#pragma once

#include <string>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/executor.hpp"

namespace evenly {

/// Kernels are compiled for blocks of any size, and run so also where they are tuned for the one that is asked for.
class cuda_of_any_size : public cuda {};

template <class Kernel>
void launch(const cuda_of_any_size& exec, const launch_shape& shape, const Kernel& kernel) {
  check(shape);
  if (shape.blocks > 0)
    detail::launch_function(exec, detail::function_of<0, Kernel>(), shape,
                            storage_bytes(kernel, cuda::shape_of(shape.block_size)), &kernel,
                            detail::launches_overlap);
}

namespace detail {

/// Of a function that is compiled already.
template <class Kernel>
int resident_blocks_of(const cuda& exec, const void* function, const Kernel& kernel, int block_size) {
  const std::size_t bytes = storage_bytes(kernel, cuda::shape_of(block_size));
  allow_storage(exec, function, block_size, bytes);
  return blocks_of_multiprocessor(exec.device(), function, block_size, bytes) * exec.multiprocessors();
}

template <class Kernel>
inline constexpr int tuned_size = [] {
  if constexpr (requires { Kernel::tuned_block_size; })
    return Kernel::tuned_block_size;
  else
    return 0;
}();

} // namespace detail

template <class Kernel>
int resident_blocks(const cuda_of_any_size& exec, const Kernel& kernel, int block_size) {
  return detail::resident_blocks_of(exec, detail::function_of<0, Kernel>(), kernel, block_size);
}

/// Kernels that are tuned for a block size are compiled for that one only: no other may be asked for.
class cuda_of_tuned_size : public cuda {};

template <class Kernel>
void launch(const cuda_of_tuned_size& exec, const launch_shape& shape, const Kernel& kernel) {
  constexpr int size = detail::tuned_size<Kernel>;
  check(shape);
  if (shape.blocks == 0) return;
  require(size == 0 || shape.block_size == size, [&] {
    return "a kernel tuned for blocks of " + std::to_string(size) + " threads is launched with " +
           std::to_string(shape.block_size) + ": take evenly::cuda";
  });
  detail::launch_function(exec, detail::function_of<size, Kernel>(), shape,
                          storage_bytes(kernel, cuda::shape_of(shape.block_size)), &kernel,
                          detail::launches_overlap);
}

template <class Kernel>
int resident_blocks(const cuda_of_tuned_size& exec, const Kernel& kernel, int block_size) {
  constexpr int size = detail::tuned_size<Kernel>;
  return detail::resident_blocks_of(exec, detail::function_of<size, Kernel>(), kernel, block_size);
}

} // namespace evenly
