// SPDX-License-Identifier: Apache-2.0
// Owned memory that an executor can use (executor.hpp). It comes from the executor's resource, which the user may
// supply.
//
// A buffer may be freed while work that uses it still runs: on cuda a resource's deallocate waits, as cudaFree does, or
// is ordered with the stream. Kernels and function objects take a view of a buffer, view(exec, buffer) (view.hpp); simt
// checks the accesses of views. A resource for cuda gives device memory: the host passes its addresses on and never
// reads through them.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/execution/view.hpp"

namespace evenly {

/// `size()` uninitialised elements of T from a memory resource. Move-only.
template <class T> class buffer {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  buffer() = default;
  buffer(std::pmr::memory_resource* resource, std::size_t size) : resource_(resource), size_(size) {
    if (size == 0) return;
    require(resource != nullptr,
            [&] { return detail::concat(size, " elements are requested, but there is no memory resource"); });
    data_ = static_cast<T*>(resource->allocate(size * sizeof(T), alignment));
  }
  buffer(buffer&& other) noexcept
      : resource_(other.resource_), data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  buffer& operator=(buffer&& other) noexcept {
    std::swap(resource_, other.resource_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~buffer() {
    if (data_) resource_->deallocate(data_, size_ * sizeof(T), alignment);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<T> span() const { return {data_, size_}; }

 private:
  /// In bytes. At least a cache line of a GPU, so that counts on simt repeat.
  static constexpr std::size_t alignment = alignof(T) < 128 ? 128 : alignof(T);

  std::pmr::memory_resource* resource_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The number that stands for host memory in place of a device.
inline constexpr int host_memory = -1;
/// Returns the memory of an executor: the number of its device, or host_memory.
template <class Executor> int memory_of(const Executor& exec) {
  if constexpr (Executor::on_host)
    return host_memory;
  else
    return exec.device();
}
/// Returns the name of a result of memory_of, for messages.
inline std::string memory_name(int where) {
  return where == host_memory ? "the host" : detail::concat("device ", where);
}

/// Returns `resource`. Throws invalid_argument if it is null. For the constructors of executors.
inline std::pmr::memory_resource* require_resource(std::pmr::memory_resource* resource) {
  require(resource != nullptr,
          [] { return "resource is null: an executor needs a std::pmr::memory_resource"; });
  return resource;
}

/// Allocates `size` uninitialised elements that `exec` can use. May synchronise. On cuda the executor's device is
/// current while the resource is called.
template <class T, class Executor> buffer<T> make_buffer(const Executor& exec, std::size_t size) {
  if constexpr (requires { exec.on_device(); }) {
    const auto here = exec.on_device();
    return buffer<T>(exec.resource(), size);
  }
  return buffer<T>(exec.resource(), size);
}

/// Copies `values` to memory that `exec` can use. Synchronises.
template <class Executor, class T> buffer<T> to_executor(const Executor& exec, std::span<const T> values) {
  auto copy = make_buffer<T>(exec, values.size());
  if (!values.empty()) exec.copy_from_host(copy.data(), values.data(), values.size_bytes());
  return copy;
}
template <class Executor, class T> buffer<T> to_executor(const Executor& exec, const std::vector<T>& values) {
  return to_executor(exec, std::span<const T>(values));
}

/// Copies `values`, which are in memory of `exec`, to the host. Synchronises.
template <class Executor, class T> std::vector<T> to_host(const Executor& exec, std::span<const T> values) {
  std::vector<T> copy(values.size());
  if (!values.empty()) exec.copy_to_host(copy.data(), values.data(), values.size_bytes());
  return copy;
}
template <class Executor, class T> std::vector<T> to_host(const Executor& exec, const buffer<T>& values) {
  return to_host(exec, std::span<const T>(values.data(), values.size()));
}

} // namespace evenly
