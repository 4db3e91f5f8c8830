// SPDX-License-Identifier: Apache-2.0
// The simt executor: a simulated GPU, for testing GPU code without a GPU.
//
// A block has a fibre per thread, in warps. Fibres switch only at collectives and, on request, at atomic operations, so
// results repeat. A seed changes the order in which threads and blocks run. Where a GPU's behaviour is undefined, the
// executor throws a simulation_error of one line that names block, threads and places. It reports:
//
// - a collective that some threads of the block or mask never reach, or reach at another place, with another mask,
//   operation or value size
// - a race on storage, or on memory accessed through views (execution/memory.hpp) or traced() (block/block.hpp)
// - an element of storage that is read, or atomically accessed, before a thread has written it
// - an element outside its slot or view, or a slot outside the kernel's lay_out()
// - a launch in which no thread can continue, or all threads only call backoff() for 10,000 rounds
// - a stack overflow (64 KiB per thread; 256 KiB under the sanitizers; simt_options::stack_bytes)
//
// The same executor, seed and launch give the same report, except for blocks that communicate while they run on several
// operating-system threads.
//
// The memory order of an atomic operation counts when races on memory are detected. Every thread nevertheless sees the
// writes of other threads in the order in which they happened, for all memory orders.
//
// Accesses through raw pointers are not checked. One line on standard error reports how many pointers a kernel, or a
// function object that a skeleton runs, holds.
//
// Limits inside a kernel:
// - Start no launch and no oneTBB work.
// - Call no collective inside a catch block or a destructor; with switch_at_atomics, no atomic operation either.
#pragma once

#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <source_location>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/simulator/detail/calls.hpp"
#include "evenly/trace/trace.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// The views through which simulated threads access shared memory and global memory. Every access to storage is checked.
// Accesses to memory are checked for races. Both are counted if the launch is traced.
//
// Element i of a view is a proxy for `T&` that knows its place in the source. Read it as a T or assign it at once: `T x
// = s[i]` works; after `auto x = s[i]`, uses of x do not compile.

namespace evenly {

/// An index and the place of its use. operator[] takes it as its one parameter, for its reports.
template <class Integer> struct placed_index {
  template <class Index>
  requires std::is_convertible_v<Index, Integer>
  EVENLY_FN placed_index(Index&& i, std::source_location place = std::source_location::current())
      : index(static_cast<Integer>(std::forward<Index>(i))), where(place) {}

  Integer index;
  std::source_location where;
};
using storage_index = placed_index<int>;
using memory_index = placed_index<std::int64_t>;

/// A proxy for element `index` of a View, which has value_type, index_type and access(index, kind): the element's
/// address for one access. Assignments return the assigned value.
template <class View> class accessed_element {
 public:
  using T = typename View::value_type;

  EVENLY_FN accessed_element(const View& view, typename View::index_type index)
      : view_(view), index_(index) {}
  accessed_element(const accessed_element&) = delete;

  /// Used by atomic_ref (execution/atomic.hpp).
  EVENLY_FN T& atomic_object(detail::atomic_observer& observer) && {
    return *view_.atomic_object(index_, observer);
  }

  EVENLY_FN operator T() && { return *view_.access(index_, detail::access_kind::read); }
  EVENLY_FN T operator=(const T& value) && {
    return *view_.access(index_, detail::access_kind::write) = value;
  }
  EVENLY_FN T operator=(accessed_element&& other) && {
    return std::move(*this) = static_cast<T>(std::move(other));
  }

  template <class U> EVENLY_FN T operator+=(U&& by) && {
    return change([&](T& value) { value += std::forward<U>(by); });
  }
  template <class U> EVENLY_FN T operator-=(U&& by) && {
    return change([&](T& value) { value -= std::forward<U>(by); });
  }
  template <class U> EVENLY_FN T operator*=(U&& by) && {
    return change([&](T& value) { value *= std::forward<U>(by); });
  }
  template <class U> EVENLY_FN T operator/=(U&& by) && {
    return change([&](T& value) { value /= std::forward<U>(by); });
  }
  template <class U> EVENLY_FN T operator&=(U&& by) && {
    return change([&](T& value) { value &= std::forward<U>(by); });
  }
  template <class U> EVENLY_FN T operator|=(U&& by) && {
    return change([&](T& value) { value |= std::forward<U>(by); });
  }
  template <class U> EVENLY_FN T operator^=(U&& by) && {
    return change([&](T& value) { value ^= std::forward<U>(by); });
  }
  EVENLY_FN T operator++() && {
    return change([](T& value) { ++value; });
  }
  EVENLY_FN T operator--() && {
    return change([](T& value) { --value; });
  }

 private:
  template <class Change> EVENLY_FN T change(Change by) {
    T value = *view_.access(index_, detail::access_kind::read);
    by(value);
    return *view_.access(index_, detail::access_kind::write) = value;
  }

  View view_;
  typename View::index_type index_;
};

/// Storage that checks every access, with the operations of plain_storage.
template <class T> class checked_storage {
 public:
  using value_type = T;
  using index_type = storage_index;

  EVENLY_FN checked_storage(detail::simt_thread* thread, slot<T> place) : thread_(thread), place_(place) {}

  EVENLY_FN accessed_element<checked_storage> operator[](storage_index i) const { return {*this, i}; }
  EVENLY_FN int size() const { return static_cast<int>(place_.count); }

  /// Returns the element after checking the access.
  EVENLY_FN T* access(storage_index i, detail::access_kind kind) const {
#if defined(__CUDA_ARCH__)
    return nullptr;
#else
    const std::uint32_t byte = byte_of(i);
    detail::check_storage(*thread_, byte, sizeof(T), i.index, kind, i.where);
    detail::count_access_of(*thread_,
                            kind == detail::access_kind::read ? detail::traced_access::storage_load
                                                              : detail::traced_access::storage_store,
                            byte, sizeof(T), detail::access_bytes<T>, i.where);
    return element(byte);
#endif
  }
  /// Returns the element, and sets `observer`, which checks each atomic access. Does not count accesses.
  EVENLY_FN T* atomic_object(storage_index i, detail::atomic_observer& observer) const {
#if defined(__CUDA_ARCH__)
    return nullptr;
#else
    observer = {&touch_atomically, thread_, i.index, i.where};
    return element(byte_of(i));
#endif
  }

 private:
  /// Returns the offset of the element in the block's storage.
  std::uint32_t byte_of(storage_index i) const {
    if (i.index < 0 || i.index >= size()) detail::refuse_element(*thread_, i.index, size(), i.where);
    return place_.offset + static_cast<std::uint32_t>(i.index) * static_cast<std::uint32_t>(sizeof(T));
  }
  static std::byte* memory_of(const detail::simt_thread& thread) {
    return reinterpret_cast<std::byte*>(thread.seen->storage.data());
  }
  T* element(std::uint32_t byte) const { return reinterpret_cast<T*>(memory_of(*thread_) + byte); }
  static void touch_atomically(const detail::atomic_observer& observer, const void* object) {
    auto& thread = *static_cast<detail::simt_thread*>(observer.thread);
    const auto byte = static_cast<const std::byte*>(object) - memory_of(thread);
    detail::check_storage(thread, static_cast<std::uint32_t>(byte), sizeof(T),
                          static_cast<int>(observer.element), detail::access_kind::atomic, observer.where);
  }

  detail::simt_thread* thread_;
  slot<T> place_;
};

/// Memory of a launch as one thread sees it; T may be const. Accesses are checked for races.
template <class T> class traced_memory {
 public:
  using value_type = std::remove_const_t<T>;
  using index_type = memory_index;

  EVENLY_FN traced_memory(detail::simt_thread* thread, T* memory) : thread_(thread), memory_(memory) {}

  EVENLY_FN accessed_element<traced_memory> operator[](memory_index i) const { return {*this, i}; }

  /// Returns the element after counting and checking the access.
  EVENLY_FN T* access(memory_index i, [[maybe_unused]] detail::access_kind kind) const {
#if !defined(__CUDA_ARCH__)
    detail::count_access_of(*thread_,
                            kind == detail::access_kind::read ? detail::traced_access::global_load
                                                              : detail::traced_access::global_store,
                            reinterpret_cast<std::uintptr_t>(memory_ + i.index), sizeof(T),
                            detail::access_bytes<T>, i.where);
    detail::check_memory(*thread_, reinterpret_cast<std::uintptr_t>(memory_ + i.index), sizeof(T), i.index,
                         kind == detail::access_kind::write, i.where);
#endif
    return memory_ + i.index;
  }
  EVENLY_FN T* atomic_object(memory_index i, [[maybe_unused]] detail::atomic_observer& observer) const {
#if !defined(__CUDA_ARCH__)
    observer.where = i.where;
#endif
    return memory_ + i.index;
  }

 private:
  detail::simt_thread* thread_;
  T* memory_;
};

} // namespace evenly

// ---------------------------------------------------------------------------------------------------------------------
// simt: see the head of this file.

// --- details ---------------------------------------------------------------------------------------------------------
// checked_span: a view of memory on simt (execution/memory.hpp). Each access is checked for races among the threads of
// the launch, and for an index outside the view. It is counted if the launch is traced. The view has no thread: simt
// knows the running one. On the host, outside of launches, it is a pointer with checked indices.

namespace evenly {

/// A view of `size` elements with checked accesses.
template <class T> class checked_span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using index_type = memory_index;

  /// An iterator over the elements. The place of its accesses is the call of begin().
  class iterator {
   public:
    using value_type = std::remove_cv_t<T>;
    using difference_type = std::ptrdiff_t;

    iterator() = default;
    iterator(const checked_span& of, std::int64_t at, std::source_location where)
        : of_(of), at_(at), where_(where) {}
    decltype(auto) operator*() const { return of_[memory_index(at_, where_)]; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++at_;
      return before;
    }
    bool operator==(const iterator& other) const { return at_ == other.at_; }

   private:
    checked_span of_;
    std::int64_t at_ = 0;
    std::source_location where_;
  };

  checked_span() = default;
  EVENLY_FN checked_span(T* data, std::size_t size)
      : inverted_(~reinterpret_cast<std::uintptr_t>(data)), size_(size) {}
  template <class U>
  requires(!std::is_same_v<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
  EVENLY_FN checked_span(const checked_span<U>& other) : checked_span(other.data(), other.size()) {}

  /// Returns the pointer. Accesses by it are not checked.
  EVENLY_FN T* data() const { return reinterpret_cast<T*>(~inverted_); }
  EVENLY_FN std::size_t size() const { return size_; }
  EVENLY_FN bool empty() const { return size_ == 0; }
  iterator begin(std::source_location where = std::source_location::current()) const {
    return {*this, 0, where};
  }
  iterator end() const { return {*this, static_cast<std::int64_t>(size_), {}}; }
  /// Returns a view of the elements [first, first + count). Requires first + count <= size().
  EVENLY_FN checked_span subspan(std::size_t first, std::size_t count) const {
    return {data() + first, count};
  }

  /// Returns the value of a const element; otherwise a proxy of the element (accessed_element).
  EVENLY_FN auto operator[](memory_index i) const {
    if constexpr (std::is_const_v<T>)
      return value_type(*access(i, detail::access_kind::read));
    else
      return accessed_element<checked_span>(*this, i);
  }

  /// Returns the element after checking the access.
  EVENLY_FN T* access(memory_index i, [[maybe_unused]] detail::access_kind kind) const {
    T* const at = element(i);
#if !defined(__CUDA_ARCH__)
    detail::note_access(
        {at, sizeof(T), detail::access_bytes<T>, kind == detail::access_kind::write, i.where, true, i.index});
#endif
    return at;
  }
  EVENLY_FN T* atomic_object(memory_index i, [[maybe_unused]] detail::atomic_observer& observer) const {
#if !defined(__CUDA_ARCH__)
    observer = {nullptr, nullptr, i.index, i.where, true};
#endif
    return element(i);
  }

 private:
  EVENLY_FN T* element(const memory_index& i) const {
#if !defined(__CUDA_ARCH__)
    if (i.index < 0 || static_cast<std::uint64_t>(i.index) >= size_)
      detail::refuse_element_of_view(i.index, size_, i.where);
#endif
    return data() + i.index;
  }

  /// The address with all bits inverted, so that it does not count as a raw pointer of the user (call_bodies.hpp).
  std::uintptr_t inverted_ = ~std::uintptr_t{0};
  std::size_t size_ = 0;
};
static_assert(std::is_trivially_copyable_v<checked_span<int>> &&
              sizeof(checked_span<int>) == sizeof(int*) + sizeof(std::size_t));

} // namespace evenly

// --- details ---------------------------------------------------------------------------------------------------------
// The default, minimum and maximum size of the stack of a simulated thread.

namespace evenly::detail {

#if defined(EVENLY_ADDRESS_SANITIZER) || defined(EVENLY_THREAD_SANITIZER)
inline constexpr std::size_t default_stack_bytes =
    256 * 1024; // instrumented frames are several times as large
#else
inline constexpr std::size_t default_stack_bytes = 64 * 1024;
#endif
inline constexpr std::size_t min_stack_bytes = 16 * 1024;
inline constexpr std::size_t max_stack_bytes = std::size_t{1} << 30;

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// simt: see the head of this file.

namespace evenly {

/// The options of simt.
struct simt_options {
  int warp_size = 32;     ///< threads per full warp: a power of two, 1 to 64
  std::uint64_t seed = 0; ///< 0: threads and blocks run in order; else an interleaving per seed
  bool check_races =
      true; ///< whether storage, and memory accessed through views or traced(), is checked for races
  bool switch_at_atomics = false; ///< whether threads may also switch at atomic operations
  int threads = 0;      ///< operating-system threads for blocks that are not co-resident; 0: all cores
  double patience = 10; ///< seconds that a block may spin while no other block of its launch makes progress
  std::size_t stack_bytes = detail::default_stack_bytes; ///< per thread: 16 KiB to 1 GiB
  evenly::trace* trace = nullptr; ///< counts the work of launches (trace/trace.hpp); null: counts nothing
  /// Whether a line on standard error reports how many raw pointers a kernel or function object holds, once per type.
  bool report_raw_pointers = true;
};

namespace detail {

/// Looks for raw pointers in the first object of each type (call_bodies.hpp). Requires that the compiler can clear the
/// padding of the object, or that it has no padding.
template <class Part>
void note_part([[maybe_unused]] const Part& part, [[maybe_unused]] const void* known,
               [[maybe_unused]] std::size_t known_bytes) {
#if defined(__cpp_rtti)
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
  constexpr bool looked_at = std::is_trivially_copyable_v<Part>;
#else
  constexpr bool looked_at = std::has_unique_object_representations_v<Part>;
#endif
  if constexpr (std::is_class_v<Part> && alignof(Part) >= alignof(void*) && looked_at) {
    static std::atomic<bool> is_new{true};
    if (!is_new.load(std::memory_order_relaxed) || !is_new.exchange(false)) return;
    alignas(Part) std::byte copy[sizeof(Part)];
    std::memcpy(copy, &part, sizeof(Part));
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
    __builtin_clear_padding(reinterpret_cast<Part*>(copy));
#endif
    report_raw_pointers(typeid(Part).name(), copy, sizeof(Part), known, known_bytes);
  }
#endif
}

} // namespace detail

/// Runs blocks of fibres. Copies share their stacks. A launch returns when its work is done.
class simt {
 public:
  static constexpr bool serial_blocks = false;
  static constexpr bool on_host = true;
  template <class T> using memory_pointer = counted_pointer<T>; ///< required by execution/atomic.hpp
  template <class T> using memory_span = checked_span<T>;       ///< required by memory.hpp

  explicit simt(simt_options options = {},
                std::pmr::memory_resource* resource = std::pmr::new_delete_resource())
      : options_(options), cores_(options.threads, resource),
        engines_(detail::make_simt_engines(options.stack_bytes)) {
    const int size = options.warp_size;
    require(size >= 1 && size <= 64 && std::has_single_bit(static_cast<unsigned>(size)),
            [&] { return detail::concat("warp_size = ", size, ": must be a power of two from 1 to 64"); });
    require(options.patience > 0, [&] {
      return detail::concat("patience = ", std::to_string(options.patience),
                            ": must be greater than 0 seconds");
    });
    const std::size_t stack = options.stack_bytes, min = detail::min_stack_bytes,
                      max = detail::max_stack_bytes;
    require(stack >= min && stack <= max,
            [&] { return detail::concat("stack_bytes = ", stack, ": must be from ", min, " to ", max); });
  }

  const simt_options& options() const { return options_; }
  int threads() const { return cores_.threads(); }
  /// Returns how many threads are resident on the simulated GPU: only those of one multiprocessor. So even for small
  /// inputs of tests, each resident block takes several chunks.
  std::int64_t resident_threads() const { return 2048; }
  /// Returns the maximum storage of a block, in bytes: that of an NVIDIA H200.
  std::size_t max_storage() const { return 227 * 1024; }
  /// Returns the storage of all resident blocks together, in bytes: that of one multiprocessor.
  std::size_t storage_of_all() const { return 228 * 1024; }
  /// Returns the shape of a block of `block_size` threads.
  block_shape shape_of(int block_size) const { return {block_size, options_.warp_size}; }
  std::pmr::memory_resource* resource() const { return cores_.resource(); }
  /// The same with memory from elsewhere.
  simt with_resource(std::pmr::memory_resource* resource) const {
    simt other = *this;
    other.cores_ = cores_.with_resource(resource);
    return other;
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) const {
    cores_.copy_to_host(to, from, bytes);
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) const {
    cores_.copy_from_host(to, from, bytes);
  }
  void fill_zero(void* to, std::size_t bytes) const { cores_.fill_zero(to, bytes); }
  void synchronize() const {}
  host_event record() const { return {}; }
  /// Waits on the host until all work before the event is done (execution/executor.hpp).
  template <class Event> void wait(const Event& event) const { event.synchronize(); }
  detail::simt_engines& engines() const { return *engines_; }

  /// Required by memory.hpp.
  template <class Part> static void know_part(const Part& part) {
    if constexpr (alignof(Part) >= alignof(void*)) detail::know_pointers(&part, sizeof(Part));
  }
  template <class Known, class... Parts> void note_parts(const Known& known, const Parts&... parts) const {
    if (options_.report_raw_pointers) (detail::note_part(parts, &known, sizeof(Known)), ...);
  }
  /// Looks for raw pointers in a kernel. Pointers in parts of the library (know_part) do not count. Kernels of
  /// skeletons are not searched, because note_parts has already searched their function objects.
  template <class Kernel> void note_kernel([[maybe_unused]] const Kernel& kernel) const {
    if constexpr (!requires { requires Kernel::parts_are_noted; })
      if (options_.report_raw_pointers) detail::note_part(kernel, nullptr, 0);
  }

 private:
  simt_options options_;
  cpu cores_;
  std::shared_ptr<detail::simt_engines> engines_;
};

/// A block of fibres, as one of its threads sees it.
class simt_block {
 public:
  static constexpr bool is_serial = false;
  using call_place = detail::placed_call;
  class called_at;

  explicit simt_block(detail::simt_thread& thread)
      : thread_(&thread), rank_(thread.rank), index_(thread.seen->index), job_(thread.seen->job) {}

  EVENLY_FN int rank() const { return rank_; }
  EVENLY_FN int size() const { return job_->shape.size; }
  EVENLY_FN int index() const { return index_; }
  EVENLY_FN int count() const { return job_->blocks; }
  EVENLY_FN block_shape shape() const { return job_->shape; }

  EVENLY_FN void sync(std::source_location where = std::source_location::current()) const {
#if !defined(__CUDA_ARCH__)
    detail::sync_block(*thread_, where);
#endif
  }
  EVENLY_FN void warp_sync(lane_mask mask,
                           std::source_location where = std::source_location::current()) const {
#if !defined(__CUDA_ARCH__)
    detail::sync_warp(*thread_, mask, where);
#endif
  }
  template <class T>
  EVENLY_FN T warp_shuffle(lane_mask mask, T value, int lane,
                           std::source_location where = std::source_location::current()) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T result = value;
#if !defined(__CUDA_ARCH__)
    detail::shuffle_warp(*thread_, mask, &value, &result, sizeof(T), lane, where);
#endif
    return result;
  }
  EVENLY_FN lane_mask warp_ballot(lane_mask mask, bool predicate,
                                  std::source_location where = std::source_location::current()) const {
#if defined(__CUDA_ARCH__)
    return 0;
#else
    return detail::ballot_warp(*thread_, mask, predicate, where);
#endif
  }
  template <class T>
  EVENLY_FN checked_storage<T> storage(slot<T> place,
                                       std::source_location where = std::source_location::current()) const {
#if !defined(__CUDA_ARCH__)
    const std::size_t end = place.offset + std::size_t{place.count} * sizeof(T);
    if (end > job_->storage_bytes) detail::refuse_slot(*thread_, end, where);
#endif
    return {thread_, place};
  }
  /// Required by traced() (block/block.hpp).
  template <class T> EVENLY_FN traced_memory<T> traced(T* memory) const { return {thread_, memory}; }
  EVENLY_FN void fence() const {
#if !defined(__CUDA_ARCH__)
    detail::fence_thread(*thread_);
#endif
  }
  EVENLY_FN bool co_resident() const { return job_->co_resident; }
  EVENLY_FN void backoff(std::source_location where = std::source_location::current()) const {
#if !defined(__CUDA_ARCH__)
    detail::back_off(*thread_, detail::simt_step::backoff, where);
#endif
  }
  EVENLY_FN void backoff(std::uint32_t, std::source_location where = std::source_location::current()) const {
    backoff(where);
  }
  /// The backoff() of grid_sync (block/grid_sync.hpp). A report can then name the blocks that have not arrived.
  EVENLY_FN void await_grid(std::source_location where = std::source_location::current()) const {
#if !defined(__CUDA_ARCH__)
    detail::back_off(*thread_, detail::simt_step::grid_sync, where);
#endif
  }

 private:
  detail::simt_thread* thread_;
  int rank_;
  int index_;
  const detail::simt_job* job_;
};

/// Records the place of a collective; of nested collectives, the outermost place.
class simt_block::called_at {
 public:
  EVENLY_FN called_at(const simt_block& block, call_place from)
      : thread_(block.thread_->caller.line() == 0 ? block.thread_ : nullptr) {
    if (thread_) thread_->caller = from.where;
  }
  called_at(const called_at&) = delete;
  called_at& operator=(const called_at&) = delete;
  EVENLY_FN ~called_at() {
    if (thread_) thread_->caller = {};
  }

 private:
  detail::simt_thread* thread_;
};
static_assert(thread_block<simt_block>);

namespace detail {

/// Returns how many blocks of `block_size` threads and `bytes` bytes of storage are resident on the simulated GPU, with
/// at most `threads` threads in all; at least 1. Throws invalid_argument if not even one fits.
inline int resident_blocks_of(const simt& exec, std::int64_t threads, int block_size, std::size_t bytes) {
  require_storage(bytes, block_size, exec.max_storage());
  const std::int64_t by_threads = threads / block_size;
  const auto by_storage = static_cast<std::int64_t>(exec.storage_of_all() / larger(bytes, std::size_t{1}));
  return static_cast<int>(larger<std::int64_t>(smaller(by_threads, by_storage), 1));
}

/// A kernel with its type erased.
struct simt_kernel {
  const void* object;
  void (*call)(const void* object, simt_thread& thread); ///< runs one thread of a block
  std::size_t storage_bytes;
  std::int64_t resident_threads; ///< on the simulated GPU
};

/// The part of a launch that does not depend on the kernel's type.
inline void launch_erased(const simt& exec, const launch_shape& shape, const simt_kernel& kernel) {
  const simt_options& options = exec.options();
  simt_job job;
  job.blocks = shape.blocks;
  job.shape = exec.shape_of(shape.block_size);
  job.co_resident = shape.co_resident;
  job.check_races = options.check_races;
  job.switch_at_atomics = options.switch_at_atomics;
  job.patience = std::chrono::duration<double>(options.patience);
  job.storage_bytes = kernel.storage_bytes;
  job.seed = options.seed;
  job.kernel = kernel.object;
  job.call = kernel.call;
  const int slots = resident_blocks_of(exec, kernel.resident_threads, shape.block_size, job.storage_bytes);
  run_simt_job(exec.engines(), exec.threads(), options.trace, job, shape.co_resident || shape.two_at_once,
               slots);
}

} // namespace detail

/// Runs `kernel` once for each thread of each block of `shape`. Returns when all are done.
///
/// - Blocks that are not co-resident run one after the other on each operating-system thread.
/// - Co-resident blocks all run on one operating-system thread.
/// - Rethrows an exception of the kernel. Throws simulation_error for the errors that the head of this file lists.
template <class Kernel> void launch(const simt& exec, const launch_shape& shape, const Kernel& kernel) {
  static_assert(is_kernel<Kernel>, "a kernel must be trivially copyable, because it is copied to the device");
  check(shape);
  if (shape.blocks > 0) exec.note_kernel(kernel);
  const auto call = [](const void* object, detail::simt_thread& thread) {
    simt_block block(thread);
    (*static_cast<const Kernel*>(object))(block);
  };
  detail::launch_erased(exec, shape,
                        {&kernel, call, storage_bytes(kernel, exec.shape_of(shape.block_size)),
                         tuned_threads<Kernel>(exec.resident_threads())});
}

/// Returns how many blocks of `block_size` threads of the kernel are resident on the simulated GPU. Throws
/// invalid_argument if not even one fits.
template <class Kernel> int resident_blocks(const simt& exec, const Kernel& kernel, int block_size) {
  check(launch_shape{.blocks = 0, .block_size = block_size});
  return detail::resident_blocks_of(exec, tuned_threads<Kernel>(exec.resident_threads()), block_size,
                                    storage_bytes(kernel, exec.shape_of(block_size)));
}

static_assert(executor<simt>);

} // namespace evenly

#if defined(EVENLY_RUNTIME_BODIES)
#include "evenly/simulator/detail/call_bodies.hpp"
#endif
