// SPDX-License-Identifier: Apache-2.0
#include "evenly/execution/cuda.hpp"
#include "runtime/held_executor.hpp"

namespace evenly::detail {

template <> const char* executor_name<cuda>() { return "cuda"; }
template std::shared_ptr<const held_executor> hold_executor(const cuda&);

any_executor make_cuda_executor() { return any_executor(cuda()); }

} // namespace evenly::detail
