// SPDX-License-Identifier: Apache-2.0
// A cuda executor that compiles each kernel once, for blocks of any size, also where it names a tuned one: half the
// compile time, for tests of what does not depend on the block size.
#pragma once

#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/kernel_part.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/shape.hpp"

namespace evenly {

class cuda_of_any_size : public cuda {};

namespace detail {

/// What `Kernel` does, without saying for which block size.
template <class Kernel> struct of_any_size {
  static constexpr bool parts_checked = is_kernel_part<Kernel>;
  Kernel kernel;

  EVENLY_FN auto lay_out(storage_layout& layout, block_shape shape) const
  requires requires(const Kernel& k) { k.lay_out(layout, shape); }
  {
    return kernel.lay_out(layout, shape);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const { kernel(block); }
};

} // namespace detail

template <class Kernel>
void launch(const cuda_of_any_size& exec, const launch_shape& shape, const Kernel& kernel) {
  launch(static_cast<const cuda&>(exec), shape, detail::of_any_size<Kernel>{kernel});
}

} // namespace evenly
