// SPDX-License-Identifier: Apache-2.0
#include "evenly/runtime/any_executor.hpp"

#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "runtime/executor_interface.hpp"
#include "runtime/quoted.hpp"

namespace evenly {
namespace detail {

template <> const char* executor_name<cpu>() { return "cpu"; }
template <> const char* executor_name<simt>() { return "simt"; }
template std::shared_ptr<const executor_interface> make_executor_erased(const cpu&);
template std::shared_ptr<const executor_interface> make_executor_erased(const simt&);

#if !defined(EVENLY_WITH_CUDA)
any_executor make_cuda_executor() {
  throw device_error("the executor cuda cannot be used: " EVENLY_NO_CUDA_REASON);
}
#endif

} // namespace detail

any_executor make_executor(std::string_view name, const executor_options& options) {
  if (name == "cpu") return any_executor(cpu(options.threads));
  if (name == "simt") return any_executor(simt({.seed = options.seed, .threads = options.threads}));
  if (name == "cuda") return detail::make_cuda_executor();
  throw invalid_argument(detail::quoted(name) + " is not an executor; choose one of cpu, simt, cuda");
}

} // namespace evenly
