// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cuda.hpp"
#include "runtime/executor_interface.hpp"

namespace evenly::detail {

template <> const char* executor_name<cuda>() { return "cuda"; }
template std::shared_ptr<const executor_interface> make_executor_erased(const cuda&);

any_executor make_cuda_executor() {
  try {
    return any_executor(cuda());
  } catch (const device_error& why) {
    throw device_error(std::string("the executor cuda cannot be used: ") + why.what());
  }
}

} // namespace evenly::detail
