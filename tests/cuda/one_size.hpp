// SPDX-License-Identifier: Apache-2.0
// Executors that compile each kernel once, where cuda does it twice, for the tuned block size and for any: half the
// compile time, for tests that run only one of the two.
#pragma once

#include <string>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/shape.hpp"

namespace evenly {

/// Kernels are compiled for blocks of any size, and run so also where they are tuned for the one that is asked for.
class cuda_of_any_size : public cuda {};

template <class Kernel>
void launch(const cuda_of_any_size& exec, const launch_shape& shape, const Kernel& kernel) {
  check(shape);
  if (shape.blocks > 0)
    detail::launch_function(exec, detail::function_of<0, Kernel>(), shape,
                            storage_bytes(kernel, cuda::shape_of(shape.block_size)), &kernel);
}

/// Kernels that are tuned for a block size are compiled for that one only: no other may be asked for.
class cuda_of_tuned_size : public cuda {};

template <class Kernel>
void launch(const cuda_of_tuned_size& exec, const launch_shape& shape, const Kernel& kernel) {
  constexpr int size = [] {
    if constexpr (requires { Kernel::tuned_block_size; })
      return Kernel::tuned_block_size;
    else
      return 0;
  }();
  check(shape);
  if (shape.blocks == 0) return;
  require(size == 0 || shape.block_size == size, [&] {
    return "a kernel tuned for blocks of " + std::to_string(size) + " threads is launched with " +
           std::to_string(shape.block_size) + ": take evenly::cuda";
  });
  detail::launch_function(exec, detail::function_of<size, Kernel>(), shape,
                          storage_bytes(kernel, cuda::shape_of(shape.block_size)), &kernel);
}

} // namespace evenly
