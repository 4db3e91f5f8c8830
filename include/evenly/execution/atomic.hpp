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
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// How simt learns of accesses by code that has no block: atomic operations and counted accesses. A variable of the
// operating-system thread names the observer. It is read only while some launch observes.

namespace evenly::detail {

/// The observer of each atomic access to an object: simt, if the object is an element of storage.
struct atomic_observer {
  void (*note)(const atomic_observer&, const void* object) = nullptr;
  void* thread = nullptr;
  std::int64_t element = 0;
  std::source_location where;
  bool in_view = false; ///< the object is an element of a view (execution/memory.hpp)
};

/// The source location that made an atomic_ref or a counted access.
struct caller_place {
#if defined(__CUDA_ARCH__)
  EVENLY_FN constexpr caller_place() {}
#else
  constexpr caller_place(std::source_location from = std::source_location::current()) : at(from) {}
#endif
  std::source_location at;
};

enum class atomic_kind : std::uint8_t { load, store, change };

struct atomic_operation {
  const void* object;
  std::uint32_t bytes;
  atomic_kind kind;
  std::memory_order order;
  const atomic_observer& by;

  bool in_storage() const { return by.note != nullptr; }
  bool acquires() const {
    return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
  }
  bool releases() const {
    return order == std::memory_order_release || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
  }
};

/// A load or a store of `bytes` bytes, in pieces of `piece` bytes.
struct counted_access {
  const void* object;
  std::size_t bytes;
  std::uint32_t piece;
  bool writes;
  std::source_location where;
  bool in_view = false;     ///< of an element of a view (execution/memory.hpp); also checked for races
  std::int64_t element = 0; ///< the index of that element
};

/// The callbacks for operations of the simulated threads that run on this operating-system thread.
struct atomic_watch {
  void (*before)(void* engine, const atomic_operation& what) = nullptr; ///< may let other threads run
  void (*after)(void* engine, const atomic_operation& what, bool changed) = nullptr;
  void (*access)(void* engine, const counted_access& what) = nullptr;
  /// Throws: a view of `count` elements has no such element.
  void (*outside)(void* engine, std::int64_t element, std::size_t count,
                  std::source_location where) = nullptr;
  void* engine = nullptr;
};

/// How many launches observe atomic operations, and how many observe counted accesses.
inline std::atomic<int> launches_that_watch{0};
inline std::atomic<int> launches_that_count{0};
inline bool atomics_are_watched() { return launches_that_watch.load(std::memory_order_relaxed) > 0; }
inline bool accesses_are_counted() { return launches_that_count.load(std::memory_order_relaxed) > 0; }

/// A fibre may resume on another operating-system thread, so the address of this variable must not be cached. Only the
/// functions below use it, and they are never inlined.
inline thread_local atomic_watch running_watch;

[[gnu::noinline]] inline void watch_atomics_by(const atomic_watch& watch) { running_watch = watch; }
[[gnu::noinline]] inline void before_atomic(const atomic_operation& what) {
  const atomic_watch watch = running_watch;
  if (watch.before) watch.before(watch.engine, what);
}
[[gnu::noinline]] inline void after_atomic(const atomic_operation& what, bool changed) {
  const atomic_watch watch = running_watch;
  if (watch.after) watch.after(watch.engine, what, changed);
}

[[gnu::noinline]] inline void note_access(const counted_access& what) {
  const atomic_watch watch = running_watch;
  if (watch.access) watch.access(watch.engine, what);
}

/// Throws because a view of `count` elements has no element `element`: a simulation_error inside a launch that is
/// observed, otherwise an invalid_argument.
[[gnu::noinline]] inline void refuse_element_of_view(std::int64_t element, std::size_t count,
                                                     std::source_location where) {
  const atomic_watch watch = running_watch;
  if (watch.outside) watch.outside(watch.engine, element, count, where);
  throw invalid_argument("element " + std::to_string(element) + " of a view of " + std::to_string(count) +
                         " elements: an index must be at least 0 and less than the size");
}

/// Keeps observation on for as long as it lives.
class wants_notice {
 public:
  wants_notice(std::atomic<int>& launches, bool wants) : launches_(launches), wants_(wants) {
    if (wants_) ++launches_;
  }
  wants_notice(const wants_notice&) = delete;
  wants_notice& operator=(const wants_notice&) = delete;
  ~wants_notice() {
    if (wants_) --launches_;
  }

 private:
  std::atomic<int>& launches_;
  bool wants_;
};

// --- details ---------------------------------------------------------------------------------------------------------
// Relaxed atomic operations among all blocks of a device, on a GPU.
//
// The compiler's ordered functions take generic addresses, and generic code tests at run time which memory an address
// is in. For 64 bits such code waits for each operation to report that it was not in storage, so a thread's operations
// do not overlap. For CUDA's oldest functions compilers often know the memory.

/// The integer types that CUDA's functions take.
template <class T> inline constexpr bool has_memory_atomics = std::is_integral_v<T> && sizeof(T) >= 4;

#if defined(__CUDA_ARCH__)
template <class T>
using cuda_unsigned = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>; // NOLINT
template <class T>
using cuda_integer =
    std::conditional_t<std::is_unsigned_v<T>, cuda_unsigned<T>, std::make_signed_t<cuda_unsigned<T>>>;

template <class T> EVENLY_INLINE_FN T add_in_memory(T* at, T value) {
  using number = cuda_unsigned<T>;
  return static_cast<T>(::atomicAdd(reinterpret_cast<number*>(at), static_cast<number>(value)));
}
template <class T> EVENLY_INLINE_FN T exchange_in_memory(T* at, T value) {
  using number = cuda_unsigned<T>;
  return static_cast<T>(::atomicExch(reinterpret_cast<number*>(at), static_cast<number>(value)));
}
template <class T> EVENLY_INLINE_FN T min_in_memory(T* at, T value) {
  using number = cuda_integer<T>;
  return static_cast<T>(::atomicMin(reinterpret_cast<number*>(at), static_cast<number>(value)));
}
template <class T> EVENLY_INLINE_FN T max_in_memory(T* at, T value) {
  using number = cuda_integer<T>;
  return static_cast<T>(::atomicMax(reinterpret_cast<number*>(at), static_cast<number>(value)));
}
template <class T> EVENLY_INLINE_FN T and_in_memory(T* at, T value) {
  using number = cuda_unsigned<T>;
  return static_cast<T>(::atomicAnd(reinterpret_cast<number*>(at), static_cast<number>(value)));
}
template <class T> EVENLY_INLINE_FN T or_in_memory(T* at, T value) {
  using number = cuda_unsigned<T>;
  return static_cast<T>(::atomicOr(reinterpret_cast<number*>(at), static_cast<number>(value)));
}
#endif

} // namespace evenly::detail

// --- details ---------------------------------------------------------------------------------------------------------
// Atomic operations of a block on words of its storage, on a GPU. The compiler's own functions take generic addresses
// and test at run time which memory an address is in. These functions name shared memory instead.

#if defined(__CUDACC__)
namespace evenly::detail {

template <class T>
inline constexpr bool has_storage_atomics = std::is_integral_v<T> && sizeof(T) == sizeof(unsigned);

#if defined(__CUDA_ARCH__)
inline constexpr bool acquires(int order) {
  return order == __NV_ATOMIC_ACQUIRE || order == __NV_ATOMIC_ACQ_REL;
}
inline constexpr bool releases(int order) {
  return order == __NV_ATOMIC_RELEASE || order == __NV_ATOMIC_ACQ_REL;
}

template <int Order> EVENLY_INLINE_FN unsigned load_storage(const void* at) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(at));
  unsigned value = 0;
  if constexpr (acquires(Order))
    asm volatile("ld.acquire.cta.shared.b32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  else
    asm volatile("ld.relaxed.cta.shared.b32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}
template <int Order> EVENLY_INLINE_FN void store_storage(void* at, unsigned value) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(at));
  if constexpr (releases(Order))
    asm volatile("st.release.cta.shared.b32 [%0], %1;" : : "r"(address), "r"(value) : "memory");
  else
    asm volatile("st.relaxed.cta.shared.b32 [%0], %1;" : : "r"(address), "r"(value) : "memory");
}

/// The compiler's own fence is sequentially consistent for every order (nvcc 13.0).
EVENLY_INLINE_FN void fence_block() { asm volatile("fence.acq_rel.cta;" : : : "memory"); }

/// Runs change(), which is relaxed, in the given order, a value of __NV_ATOMIC_... . Returns the result of change().
template <int Order, class Change> EVENLY_INLINE_FN unsigned change_storage(Change change) {
  if constexpr (releases(Order)) fence_block();
  const unsigned before = change();
  if constexpr (acquires(Order)) fence_block();
  return before;
}
#endif

} // namespace evenly::detail
#endif

// ---------------------------------------------------------------------------------------------------------------------
// atomic: see the head of this file.

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

  /// Whether detail::change_storage has a function for the operation, on a word of storage.
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

// ---------------------------------------------------------------------------------------------------------------------
// Counted memory: accesses that are counted if simt traces the launch, in code that has no block. Use it for the data
// of tables, tile sets and function objects. In kernels use traced() (block/block.hpp), which finds races too.
//
//   counted_load(table + i), counted_store(table + i, value)   an access by a pointer, on any executor: on a GPU only
//                                                              the access; on the host also a test of one variable
//   pointer_on<Executor, T>                                    T* on cpu and cuda; on simt a counted_pointer<T>, whose
//                                                              accesses are all counted. It costs nothing on cpu and
//                                                              cuda

namespace detail {

/// The size of the pieces in which a T is accessed: its alignment, at most 16 bytes.
template <class T> inline constexpr std::uint32_t access_bytes = alignof(T) < 16 ? alignof(T) : 16;

template <class T> EVENLY_INLINE_FN void count_access(const T* at, bool writes, const caller_place& where) {
#if !defined(__CUDA_ARCH__)
  if (accesses_are_counted()) note_access({at, sizeof(T), access_bytes<T>, writes, where.at});
#endif
}

} // namespace detail

/// Returns *from.
template <class T> EVENLY_INLINE_FN T counted_load(const T* from, detail::caller_place where = {}) {
  detail::count_access(from, false, where);
  return *from;
}
/// Does *to = value.
template <class T>
EVENLY_INLINE_FN void counted_store(T* to, const std::type_identity_t<T>& value,
                                    detail::caller_place where = {}) {
  detail::count_access(to, true, where);
  *to = value;
}

/// A pointer on simt. Elements are read as a whole, into a variable of their type, and assigned as a whole.
template <class T> class counted_pointer {
  using value_type = std::remove_const_t<T>;

 public:
  /// An index and the place of its use.
  struct place_of_index {
    template <class Index>
    requires std::is_convertible_v<Index, std::int64_t>
    place_of_index(Index i, std::source_location from = std::source_location::current())
        : index(static_cast<std::int64_t>(i)), where(from) {}

    std::int64_t index;
    std::source_location where;
  };
  /// A proxy for an element that may be written.
  class element {
   public:
    element(T* at, std::source_location where) : at_(at), where_(where) {}
    element(const element&) = delete;
    operator value_type() && { return counted_load(at_, detail::caller_place(where_)); }
    void operator=(const value_type& value) && { counted_store(at_, value, detail::caller_place(where_)); }

   private:
    T* at_;
    std::source_location where_;
  };

  counted_pointer() = default;
  counted_pointer(T* memory) : memory_(memory) {}

  T* address() const { return memory_; }
  counted_pointer operator+(std::int64_t by) const { return memory_ + by; }
  auto operator[](place_of_index i) const {
    if constexpr (std::is_const_v<T>)
      return counted_load(memory_ + i.index, detail::caller_place(i.where));
    else
      return element(memory_ + i.index, i.where);
  }

 private:
  T* memory_ = nullptr;
};

/// As for a pointer (core/annotations.hpp).
template <class T>
std::remove_const_t<T> load_streaming(const counted_pointer<T>& from, detail::caller_place where = {}) {
  return counted_load(from.address(), where);
}
template <class T>
std::remove_const_t<T> read_only(const counted_pointer<T>& from, detail::caller_place where = {}) {
  return counted_load(from.address(), where);
}

/// Returns the address that a pointer, or a proxy for one, points to.
template <class T> EVENLY_INLINE_FN T* address_of(T* pointer) { return pointer; }
template <class T> T* address_of(const counted_pointer<T>& pointer) { return pointer.address(); }

namespace detail {

template <class Executor, class T> struct pointer_of_executor {
  using type = T*;
};
template <class Executor, class T>
requires requires { typename Executor::template memory_pointer<T>; }
struct pointer_of_executor<Executor, T> {
  using type = typename Executor::template memory_pointer<T>;
};

} // namespace detail

/// The type of pointer in function objects that run on such an executor.
template <class Executor, class T> using pointer_on = typename detail::pointer_of_executor<Executor, T>::type;

} // namespace evenly
