// SPDX-License-Identifier: Apache-2.0
// The implementation behind any_executor.
#pragma once

#include <memory>
#include <string>

#include "evenly/runtime/any_executor.hpp"

namespace evenly {
class cpu;
class simt;
class cuda;
} // namespace evenly

namespace evenly::detail {

/// The spelling of the command line. Defined next to the instantiations of make_executor_erased.
template <class Executor> const char* executor_name();
template <> const char* executor_name<cpu>();
template <> const char* executor_name<simt>();
template <> const char* executor_name<cuda>();

template <class Executor> struct executor_interface_of final : executor_interface {
  explicit executor_interface_of(const Executor& which) : exec(which) {}

  std::string name() const override { return executor_name<Executor>(); }
  std::pmr::memory_resource* resource() const override { return exec.resource(); }
  void copy_to_host(void* to, const void* from, std::size_t bytes) const override {
    exec.copy_to_host(to, from, bytes);
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) const override {
    exec.copy_from_host(to, from, bytes);
  }
  void fill_zero(void* to, std::size_t bytes) const override { exec.fill_zero(to, bytes); }
  void synchronize() const override { exec.synchronize(); }

  Executor exec;
};

template <class Executor>
std::shared_ptr<const executor_interface> make_executor_erased(const Executor& exec) {
  return std::make_shared<executor_interface_of<Executor>>(exec);
}

/// cuda() on the default stream. Throws device_error if the library was compiled without CUDA.
any_executor make_cuda_executor();

} // namespace evenly::detail
