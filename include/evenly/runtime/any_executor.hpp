// SPDX-License-Identifier: Apache-2.0
// any_executor: an executor that is chosen at run time, by name or from an existing executor. It is part of the
// compiled library evenly::runtime, so programs that are compiled without nvcc can run on a GPU.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>

#include "evenly/core/annotations.hpp"

namespace evenly {

namespace detail {

/// The interface of an executor in an any_executor; src/runtime implements it for each type of executor.
struct executor_interface {
  virtual ~executor_interface() = default;
  virtual std::string name() const = 0;
  virtual std::pmr::memory_resource* resource() const = 0;
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes) const = 0;
  virtual void copy_from_host(void* to, const void* from, std::size_t bytes) const = 0;
  virtual void fill_zero(void* to, std::size_t bytes) const = 0;
  virtual void synchronize() const = 0;
};

/// Defined for cpu, simt and, if the library was compiled with CUDA, cuda.
template <class Executor>
std::shared_ptr<const executor_interface> make_executor_erased(const Executor& exec);

} // namespace detail

/// A copy of a cpu, simt or cuda executor. It allocates and copies memory as these do, so make_buffer, to_executor and
/// to_host (execution/memory.hpp) accept it. Copies share their state.
class any_executor {
 public:
  template <class Executor>
  requires(!std::same_as<Executor, any_executor>)
  explicit any_executor(const Executor& exec) : erased_(detail::make_executor_erased(exec)) {}

  /// Returns `cpu`, `simt` or `cuda`.
  std::string name() const { return erased_->name(); }
  std::pmr::memory_resource* resource() const { return erased_->resource(); }
  /// Synchronises.
  void copy_to_host(void* to, const void* from, std::size_t bytes) const {
    erased_->copy_to_host(to, from, bytes);
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) const {
    erased_->copy_from_host(to, from, bytes);
  }
  void fill_zero(void* to, std::size_t bytes) const { erased_->fill_zero(to, bytes); }
  /// Waits for all started work. Throws device_error if some of it failed.
  void synchronize() const { erased_->synchronize(); }

  const detail::executor_interface& erased() const { return *erased_; }

 private:
  std::shared_ptr<const detail::executor_interface> erased_;
};

/// The options of make_executor. Each executor uses only its own.
struct executor_options {
  int threads = 0;        ///< of cpu and simt: the number of threads; 0: all cores
  std::uint64_t seed = 0; ///< of simt: the interleaving of its threads; 0: in order
};

/// Returns the executor with the name `cpu`, `simt` or `cuda` (on the current device and the default stream). Throws
/// invalid_argument for other names, and device_error if there is no usable GPU, or the library was compiled without
/// CUDA.
any_executor make_executor(std::string_view name, const executor_options& options = {});

} // namespace evenly
