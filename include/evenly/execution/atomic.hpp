// SPDX-License-Identifier: Apache-2.0
// Atomic operations on plain objects, the same on every executor. (std::atomic_ref does not compile for devices.)
//
//   atomic_ref(count[i]).fetch_add(1);                                    // among all blocks of the device, acq_rel
//   atomic_ref(flag).store(1, order::release{});                          // publishes this thread's earlier writes
//   atomic_ref(staged[i], scope::block{}).fetch_max(x, order::relaxed{}); // within the block, orders nothing else
//
// The order determines how the operation orders other accesses of its thread, as in C++. A release orders the accesses
// before it, an acquire those after it, a relaxed operation none. The scope is the set of threads that may take part:
// those of a block, of the device, or of the system (the host and other devices too). On a GPU weaker orders and
// smaller scopes wait less; on the host the scope has no effect.
#pragma once

#include <atomic>
#include <concepts>
#include <cstring>
#include <source_location>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/detail/atomic_watch.hpp"
#include "evenly/execution/detail/memory_atomic.hpp"
#include "evenly/execution/detail/storage_atomic.hpp"

namespace evenly {

namespace order {
/// The memory orders of C++, as types.
struct relaxed {};
struct acquire {};
struct release {};
struct acq_rel {};
struct seq_cst {};
} // namespace order

namespace scope {
/// The threads that may take part in an atomic operation.
struct block {};
struct device {};
struct system {};
} // namespace scope

namespace detail {

template <class T, class... Those> inline constexpr bool is_one_of = (std::is_same_v<T, Those> || ...);

template <class Order>
inline constexpr bool is_order =
    is_one_of<Order, order::relaxed, order::acquire, order::release, order::acq_rel, order::seq_cst>;

template <class Order> constexpr std::memory_order host_order() {
  if constexpr (std::is_same_v<Order, order::relaxed>)
    return std::memory_order_relaxed;
  else if constexpr (std::is_same_v<Order, order::acquire>)
    return std::memory_order_acquire;
  else if constexpr (std::is_same_v<Order, order::release>)
    return std::memory_order_release;
  else if constexpr (std::is_same_v<Order, order::acq_rel>)
    return std::memory_order_acq_rel;
  else
    return std::memory_order_seq_cst;
}

#if defined(__CUDA_ARCH__)
template <class Order> constexpr int device_order() {
  if constexpr (std::is_same_v<Order, order::relaxed>)
    return __NV_ATOMIC_RELAXED;
  else if constexpr (std::is_same_v<Order, order::acquire>)
    return __NV_ATOMIC_ACQUIRE;
  else if constexpr (std::is_same_v<Order, order::release>)
    return __NV_ATOMIC_RELEASE;
  else if constexpr (std::is_same_v<Order, order::acq_rel>)
    return __NV_ATOMIC_ACQ_REL;
  else
    return __NV_ATOMIC_SEQ_CST;
}
template <class Scope> constexpr int device_scope() {
  if constexpr (std::is_same_v<Scope, scope::block>)
    return __NV_THREAD_SCOPE_BLOCK;
  else if constexpr (std::is_same_v<Scope, scope::device>)
    return __NV_THREAD_SCOPE_DEVICE;
  else
    return __NV_THREAD_SCOPE_SYSTEM;
}
/// The part of an order that applies to a load, such as a compare_exchange that fails.
template <class Order> constexpr int device_load_order() {
  if constexpr (std::is_same_v<Order, order::acq_rel>)
    return __NV_ATOMIC_ACQUIRE;
  else if constexpr (std::is_same_v<Order, order::release>)
    return __NV_ATOMIC_RELAXED;
  else
    return device_order<Order>();
}
#endif

/// A proxy for an object, such as `storage[i]` on simt.
template <class Element>
concept object_stand_in =
    requires(Element&& element, atomic_observer& observer) { std::move(element).atomic_object(observer); };

} // namespace detail

/// Atomic access to `object`. The object may be an element of storage: atomic_ref(values[i]).
///
/// Requirements:
/// - T is trivially copyable, has 4 or 8 bytes, and is aligned to its size.
/// - While an atomic_ref to an object exists, every access to the object goes through an atomic_ref.
/// - An element of storage has been assigned before.
/// - fetch_add, fetch_sub, fetch_min and fetch_max take integers and floating-point numbers; fetch_and and fetch_or
///   take integers.
///
/// All operations except load, store and compare_exchange return the value before. fetch_min and fetch_max compare with
/// `<`, so the object keeps its value if one value is NaN. If they do not store, they release nothing.
template <class T, class Scope = scope::device> class atomic_ref {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "atomic operations need a trivially copyable type of 4 or 8 bytes");
  static_assert(detail::is_one_of<Scope, scope::block, scope::device, scope::system>,
                "the scope must be scope::block, scope::device or scope::system");

 public:
  EVENLY_FN explicit atomic_ref(T& object, Scope = {}, detail::caller_place where = {}) : object_(&object) {
#if !defined(__CUDA_ARCH__)
    observer_.where = where.at;
#endif
  }
  template <detail::object_stand_in Element>
  EVENLY_FN explicit atomic_ref(Element&& element, Scope = {})
      : object_(&std::move(element).atomic_object(observer_)) {}

  template <class Order = order::acquire> EVENLY_FN T load(Order = {}) const {
    static_assert(detail::is_one_of<Order, order::relaxed, order::acquire, order::seq_cst>,
                  "the order of a load must be relaxed, acquire or seq_cst");
#if defined(__CUDA_ARCH__)
    if constexpr (has_own<Order>)
      if (__isShared(object_))
        return static_cast<T>(detail::load_storage<detail::device_order<Order>()>(object_));
    return load_device<detail::device_order<Order>()>();
#else
    return run<Order>(
        detail::atomic_kind::load, [&] { return host().load(detail::host_order<Order>()); },
        [](T) { return false; });
#endif
  }
  template <class Order = order::release> EVENLY_FN void store(T value, Order = {}) const {
    static_assert(detail::is_one_of<Order, order::relaxed, order::release, order::seq_cst>,
                  "the order of a store must be relaxed, release or seq_cst");
#if defined(__CUDA_ARCH__)
    if constexpr (has_own<Order>)
      if (__isShared(object_))
        return detail::store_storage<detail::device_order<Order>()>(object_, static_cast<unsigned>(value));
    __nv_atomic_store_n(bits(), bits_of(value), detail::device_order<Order>(), device_scope());
#else
    if (!detail::atomics_are_watched()) return host().store(value, detail::host_order<Order>());
    run<Order>(
        detail::atomic_kind::store,
        [&] {
          const T before = host().load(std::memory_order_relaxed);
          host().store(value, detail::host_order<Order>());
          return before;
        },
        [&](T before) { return differ(before, value); });
#endif
  }
  template <class Order = order::acq_rel> EVENLY_FN T exchange(T value, Order = {}) const {
    static_assert(detail::is_order<Order>);
#if defined(__CUDA_ARCH__)
    if constexpr (has_own<Order>)
      if (__isShared(object_))
        return change_storage<Order>(
            [&] { return ::atomicExch_block(words(), static_cast<unsigned>(value)); });
    if constexpr (is_plain<Order>) return detail::exchange_in_memory(object_, value);
    return of_bits(
        __nv_atomic_exchange_n(bits(), bits_of(value), detail::device_order<Order>(), device_scope()));
#else
    return change<Order>([&] { return host().exchange(value, detail::host_order<Order>()); },
                         [&](T before) { return differ(before, value); });
#endif
  }
  /// Stores `value` if the object equals `expected`, bit for bit. Returns whether it stored, and writes the value that
  /// it saw into `expected`.
  template <class Order = order::acq_rel>
  EVENLY_FN bool compare_exchange(T& expected, T value, Order = {}) const {
    static_assert(detail::is_order<Order>);
#if defined(__CUDA_ARCH__)
    return exchange_device<Order, false>(expected, value);
#else
    return change<Order>(
        [&] { return host().compare_exchange_strong(expected, value, detail::host_order<Order>()); },
        [&, wanted = expected](bool done) { return done && differ(wanted, value); });
#endif
  }
  template <class Order = order::acq_rel> EVENLY_FN T fetch_add(T value, Order = {}) const {
    static_assert(detail::is_order<Order> && std::is_arithmetic_v<T>);
#if defined(__CUDA_ARCH__)
    if constexpr (has_own<Order>)
      if (__isShared(object_))
        return change_storage<Order>(
            [&] { return ::atomicAdd_block(words(), static_cast<unsigned>(value)); });
    if constexpr (is_plain<Order>) return detail::add_in_memory(object_, value);
    if constexpr (std::is_integral_v<T>) // the compiler has no fetch_add for signed integers of 64 bits
      return of_bits(
          __nv_atomic_fetch_add(bits(), bits_of(value), detail::device_order<Order>(), device_scope()));
    else
      return __nv_atomic_fetch_add(object_, value, detail::device_order<Order>(), device_scope());
#else
    return change<Order>([&] { return host().fetch_add(value, detail::host_order<Order>()); },
                         [&](T before) { return adds(before, value, 1); });
#endif
  }
  template <class Order = order::acq_rel> EVENLY_FN T fetch_sub(T value, Order = {}) const {
    static_assert(detail::is_order<Order> && std::is_arithmetic_v<T>);
#if defined(__CUDA_ARCH__)
    if constexpr (has_own<Order>)
      if (__isShared(object_))
        return change_storage<Order>(
            [&] { return ::atomicSub_block(words(), static_cast<unsigned>(value)); });
    if constexpr (is_plain<Order>) return detail::add_in_memory(object_, static_cast<T>(T{} - value));
    if constexpr (std::is_integral_v<T>) // the compiler has no fetch_sub for signed integers of 64 bits
      return of_bits(
          __nv_atomic_fetch_sub(bits(), bits_of(value), detail::device_order<Order>(), device_scope()));
    else
      return __nv_atomic_fetch_sub(object_, value, detail::device_order<Order>(), device_scope());
#else
    return change<Order>([&] { return host().fetch_sub(value, detail::host_order<Order>()); },
                         [&](T before) { return adds(before, value, -1); });
#endif
  }
  template <class Order = order::acq_rel> EVENLY_FN T fetch_min(T value, Order o = {}) const {
#if defined(__CUDA_ARCH__)
    if constexpr (is_plain<Order>) return detail::min_in_memory(object_, value);
    if constexpr (std::is_integral_v<T>)
      return __nv_atomic_fetch_min(object_, value, detail::device_order<Order>(), device_scope());
#endif
    return replace(value, o, [](T now, T by) { return by < now; });
  }
  template <class Order = order::acq_rel> EVENLY_FN T fetch_max(T value, Order o = {}) const {
#if defined(__CUDA_ARCH__)
    if constexpr (is_plain<Order>) return detail::max_in_memory(object_, value);
    if constexpr (std::is_integral_v<T>)
      return __nv_atomic_fetch_max(object_, value, detail::device_order<Order>(), device_scope());
#endif
    return replace(value, o, [](T now, T by) { return now < by; });
  }
  template <class Order = order::acq_rel> EVENLY_FN T fetch_and(T value, Order = {}) const {
    static_assert(detail::is_order<Order> && std::is_integral_v<T>);
#if defined(__CUDA_ARCH__)
    if constexpr (has_own<Order>)
      if (__isShared(object_))
        return change_storage<Order>(
            [&] { return ::atomicAnd_block(words(), static_cast<unsigned>(value)); });
    if constexpr (is_plain<Order>) return detail::and_in_memory(object_, value);
    return of_bits(
        __nv_atomic_fetch_and(bits(), bits_of(value), detail::device_order<Order>(), device_scope()));
#else
    return change<Order>([&] { return host().fetch_and(value, detail::host_order<Order>()); },
                         [&](T before) { return (before & value) != before; });
#endif
  }
  template <class Order = order::acq_rel> EVENLY_FN T fetch_or(T value, Order = {}) const {
    static_assert(detail::is_order<Order> && std::is_integral_v<T>);
#if defined(__CUDA_ARCH__)
    if constexpr (has_own<Order>)
      if (__isShared(object_))
        return change_storage<Order>([&] { return ::atomicOr_block(words(), static_cast<unsigned>(value)); });
    if constexpr (is_plain<Order>) return detail::or_in_memory(object_, value);
    return of_bits(
        __nv_atomic_fetch_or(bits(), bits_of(value), detail::device_order<Order>(), device_scope()));
#else
    return change<Order>([&] { return host().fetch_or(value, detail::host_order<Order>()); },
                         [&](T before) { return (before | value) != before; });
#endif
  }

 private:
  /// Stores `value` if wins(current value, value) holds. Returns the value before.
  template <class Order, class Wins> EVENLY_FN T replace(T value, Order, Wins wins) const {
    static_assert(detail::is_order<Order> && std::is_arithmetic_v<T>);
    using first = std::conditional_t<detail::is_one_of<Order, order::relaxed, order::release>, order::relaxed,
                                     order::acquire>;
#if defined(__CUDA_ARCH__)
    T seen = load_device<detail::device_order<first>()>();
    while (wins(seen, value) && !exchange_device<Order, true>(seen, value)) {
    }
    return seen;
#else
    return change<Order>(
        [&] {
          T seen = host().load(detail::host_order<first>());
          while (wins(seen, value) &&
                 !host().compare_exchange_weak(seen, value, detail::host_order<Order>())) {
          }
          return seen;
        },
        [&](T before) { return wins(before, value); });
#endif
  }

#if defined(__CUDA_ARCH__)
  static constexpr int device_scope() { return detail::device_scope<Scope>(); }
  using word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  __device__ word* bits() const { return reinterpret_cast<word*>(object_); }
  static __device__ word bits_of(T value) {
    word bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
  }
  static __device__ T of_bits(word bits) {
    T value;
    memcpy(&value, &bits, sizeof(value));
    return value;
  }
  template <int Order> __device__ T load_device() const {
    return of_bits(__nv_atomic_load_n(bits(), Order, device_scope()));
  }
  template <class Order, bool Weak> __device__ bool exchange_device(T& expected, T value) const {
    word seen = bits_of(expected);
    const bool done =
        __nv_atomic_compare_exchange_n(bits(), &seen, bits_of(value), Weak, detail::device_order<Order>(),
                                       detail::device_load_order<Order>(), device_scope());
    expected = of_bits(seen);
    return done;
  }

  /// Whether CUDA's own functions (atomicAdd and others) have the same effect.
  template <class Order>
  static constexpr bool is_plain = std::is_same_v<Scope, scope::device> &&
                                   std::is_same_v<Order, order::relaxed> && detail::has_memory_atomics<T>;

  /// Whether detail/storage_atomic.hpp has functions for the operations on words of storage.
  template <class Order>
  static constexpr bool has_own = std::is_same_v<Scope, scope::block> && detail::has_storage_atomics<T> &&
                                  !std::is_same_v<Order, order::seq_cst>;
  __device__ unsigned* words() const { return reinterpret_cast<unsigned*>(object_); }
  template <class Order, class Change> __device__ T change_storage(Change change) const {
    return static_cast<T>(detail::change_storage<detail::device_order<Order>()>(change));
  }
#else
  std::atomic_ref<T> host() const { return std::atomic_ref<T>(*object_); }

  template <class Order, class Do, class Changes>
  auto change(const Do& operation, const Changes& changes) const {
    return run<Order>(detail::atomic_kind::change, operation, changes);
  }
  /// Runs the operation and notifies the observer before and after it. The second notice says whether the
  /// object changed, by changes(result of the operation). The object must not be read again: a thread that acquired
  /// the released value may own the object now and write it plainly.
  template <class Order, class Do, class Changes>
  auto run(detail::atomic_kind kind, const Do& operation, const Changes& changes) const {
    if (!detail::atomics_are_watched()) return operation();
    const detail::atomic_operation what{object_, sizeof(T), kind, detail::host_order<Order>(), observer_};
    detail::before_atomic(what);
    if (observer_.note) observer_.note(observer_, object_);
    const auto result = operation();
    detail::after_atomic(what, changes(result));
    return result;
  }
  static bool differ(const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) != 0; }
  /// Whether adding `value` `sign` times changes `before`. Integers wrap, so every `value` but 0 changes them.
  static bool adds(T before, T value, int sign) {
    if constexpr (std::is_integral_v<T>)
      return value != 0;
    else
      return differ(before, before + static_cast<T>(sign) * value);
  }
#endif

  detail::atomic_observer observer_; ///< unused on devices
  T* object_;
};

template <class T> atomic_ref(T&) -> atomic_ref<T>;
template <class T, class Scope> atomic_ref(T&, Scope) -> atomic_ref<T, Scope>;
template <detail::object_stand_in Element> atomic_ref(Element&&) -> atomic_ref<typename Element::T>;
template <detail::object_stand_in Element, class Scope>
atomic_ref(Element&&, Scope) -> atomic_ref<typename Element::T, Scope>;

} // namespace evenly
