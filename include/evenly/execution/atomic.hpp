// SPDX-License-Identifier: Apache-2.0
// Atomic operations on plain objects, the same on every executor (std::atomic_ref does not compile for
// devices).
#pragma once

#include <atomic>
#include <concepts>
#include <source_location>
#include <utility>

#include "evenly/core/annotations.hpp"

#if defined(__CUDACC__)
#include <cuda/atomic>
#endif

namespace evenly {

namespace detail {

/// Somebody who is told of each atomic access to an object: simt, if it is an element of storage.
struct atomic_observer {
  void (*note)(const atomic_observer&, const void* object) = nullptr;
  void* thread = nullptr;
  int element = 0;
  std::source_location where;
};

/// What stands for an object, as `storage[i]` does on simt.
template <class Element>
concept object_stand_in =
    requires(Element&& element, atomic_observer& observer) { std::move(element).atomic_object(observer); };

} // namespace detail

/// Atomic access to `object`, visible to all blocks of the device. All operations are acquire-release but
/// `load` (acquire) and `store` (release). Requires T of 4 or 8 bytes, naturally aligned; while an atomic_ref
/// to an object exists, every access to the object is through one. The object may be an element of storage, which has
/// been assigned before: atomic_ref(values[i]).
template <class T> class atomic_ref {
 public:
  EVENLY_FN explicit atomic_ref(T& object) : object_(&object) {}
  template <detail::object_stand_in Element>
  EVENLY_FN explicit atomic_ref(Element&& element) : object_(&std::move(element).atomic_object(observer_)) {}

  EVENLY_FN T load() const {
#if defined(__CUDA_ARCH__)
    return device().load(::cuda::memory_order_acquire);
#else
    return host().load(std::memory_order_acquire);
#endif
  }
  EVENLY_FN void store(T value) const {
#if defined(__CUDA_ARCH__)
    device().store(value, ::cuda::memory_order_release);
#else
    host().store(value, std::memory_order_release);
#endif
  }
  /// load and store of an object whose value is all that is handed over: on a GPU they order no other accesses, and so
  /// cost less; on the host they are load and store.
  EVENLY_FN T load_alone() const {
#if defined(__CUDA_ARCH__)
    return device().load(::cuda::memory_order_relaxed);
#else
    return load();
#endif
  }
  EVENLY_FN void store_alone(T value) const {
#if defined(__CUDA_ARCH__)
    device().store(value, ::cuda::memory_order_relaxed);
#else
    store(value);
#endif
  }
  /// Adds, and returns the value before.
  EVENLY_FN T fetch_add(T value) const {
#if defined(__CUDA_ARCH__)
    return device().fetch_add(value, ::cuda::memory_order_acq_rel);
#else
    return host().fetch_add(value, std::memory_order_acq_rel);
#endif
  }
  /// fetch_add that orders nothing else on a GPU.
  EVENLY_FN T fetch_add_alone(T value) const {
#if defined(__CUDA_ARCH__)
    return device().fetch_add(value, ::cuda::memory_order_relaxed);
#else
    return fetch_add(value);
#endif
  }
  /// Keeps the lesser, and returns the value before.
  EVENLY_FN T fetch_min(T value) const {
#if defined(__CUDA_ARCH__)
    return device().fetch_min(value, ::cuda::memory_order_acq_rel);
#else
    const std::atomic_ref<T> shared = host();
    T seen = shared.load(std::memory_order_acquire);
    while (value < seen && !shared.compare_exchange_weak(seen, value, std::memory_order_acq_rel)) {
    }
    return seen;
#endif
  }
  /// Stores `value` if the object equals `expected`; returns whether it did, and puts what it saw into
  /// `expected`.
  EVENLY_FN bool compare_exchange(T& expected, T value) const {
#if defined(__CUDA_ARCH__)
    return device().compare_exchange_strong(expected, value, ::cuda::memory_order_acq_rel);
#else
    return host().compare_exchange_strong(expected, value, std::memory_order_acq_rel);
#endif
  }

 private:
#if defined(__CUDA_ARCH__)
  __device__ ::cuda::atomic_ref<T, ::cuda::thread_scope_device> device() const {
    return ::cuda::atomic_ref<T, ::cuda::thread_scope_device>(*object_);
  }
#else
  std::atomic_ref<T> host() const {
    if (observer_.note) observer_.note(observer_, object_);
    return std::atomic_ref<T>(*object_);
  }
#endif
  detail::atomic_observer observer_; ///< no device uses it
  T* object_;
};

template <detail::object_stand_in Element> atomic_ref(Element&&) -> atomic_ref<typename Element::T>;

} // namespace evenly
