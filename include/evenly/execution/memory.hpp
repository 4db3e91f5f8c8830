// SPDX-License-Identifier: Apache-2.0
// Memory: views of it, buffers that own it, and workspaces that calls share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// Views of memory for kernels and function objects. On cpu and cuda a view is a pointer and a size and costs nothing.
// On simt its accesses are checked for races among all threads of a launch and for elements outside the view.
//
//   const auto in = view(exec, x);    // x: a buffer, a std::vector, a std::span; const elements give a read-only view
//   const auto out = view(exec, y);
//   const auto store = [=] EVENLY_FN(int row, float sum) { out[row] = sum; };
//
// A kernel that is a struct names the view types by its executor:
//
//   template <class Executor> struct scale {
//     template <class T> using span = evenly::span_on<Executor, T>;
//     span<const float> x;
//     span<float> y;
//   };
//   launch(exec, shape, scale<evenly::simt>{view(exec, x), view(exec, y)});
//
// Writable elements are read and assigned as a whole, into a variable of their type: `float v = y[i]` and `y[i] += v`
// compile on simt, `auto v = y[i]` and `y[i].member` do not. If several threads change an element, they use
// atomic_ref(y[i]) (execution/atomic.hpp).

namespace evenly {

/// A view on cpu and cuda. T may be const.
template <class T> class plain_span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using index_type = std::ptrdiff_t;

  plain_span() = default;
  EVENLY_FN constexpr plain_span(T* data, std::size_t size) : data_(data), size_(size) {}
  template <class U>
  requires(!std::is_same_v<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
  EVENLY_FN constexpr plain_span(const plain_span<U>& other) : data_(other.data()), size_(other.size()) {}

  EVENLY_FN constexpr T* data() const { return data_; }
  EVENLY_FN constexpr std::size_t size() const { return size_; }
  EVENLY_FN constexpr bool empty() const { return size_ == 0; }
  /// Requires 0 <= i < size().
  template <class Index> EVENLY_INLINE_FN constexpr T& operator[](Index i) const { return data_[i]; }
  EVENLY_FN constexpr T* begin() const { return data_; }
  EVENLY_FN constexpr T* end() const { return data_ + size_; }
  /// Returns a view of the elements [first, first + count). Requires first + count <= size().
  EVENLY_FN constexpr plain_span subspan(std::size_t first, std::size_t count) const {
    return {data_ + first, count};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};
static_assert(std::is_trivially_copyable_v<plain_span<int>> &&
              sizeof(plain_span<int>) == sizeof(int*) + sizeof(std::size_t));

namespace detail {

template <class Executor, class T> struct span_of_executor {
  using type = plain_span<T>;
};
template <class Executor, class T>
requires requires { typename Executor::template memory_span<T>; }
struct span_of_executor<Executor, T> {
  using type = typename Executor::template memory_span<T>;
};

/// Registers with simt a part of the library that users' kernels may hold. Pointers in it are not counted as theirs.
template <class Executor, class Part> void know_part([[maybe_unused]] const Part& part) {
  if constexpr (requires { Executor::know_part(part); }) Executor::know_part(part);
}
/// Registers with simt a user's function objects that it will run, so that it reports raw pointers in them.
/// `known`: a part of the library that they may hold.
template <class Executor, class Known, class... Parts>
void note_parts([[maybe_unused]] const Executor& exec, [[maybe_unused]] const Known& known,
                [[maybe_unused]] const Parts&... parts) {
  if constexpr (requires { exec.note_parts(known, parts...); }) exec.note_parts(known, parts...);
}

} // namespace detail

/// The type of a view of T, which may be const, in kernels that run on `Executor`.
template <class Executor, class T> using span_on = typename detail::span_of_executor<Executor, T>::type;

/// Returns a view of the elements of `array` for code that runs on `exec`. A buffer gives a writable view.
///
/// Requirements: `exec` can read the elements, and they outlive the view. A temporary is accepted only if it is itself
/// a view, as std::span is.
template <class Executor, detail::array_like Array> auto view(const Executor&, Array&& array) {
  static_assert(detail::outlives_call<Array>, "view does not own its elements, and a temporary array ends "
                                              "with this statement: store it in a variable");
  return span_on<Executor, std::remove_pointer_t<decltype(array.data())>>(array.data(), array.size());
}

// ---------------------------------------------------------------------------------------------------------------------
// Owned memory that an executor can use (executor.hpp). It comes from the executor's resource, which the user may
// supply.
//
// A buffer may be freed while work that uses it still runs: on cuda a resource's deallocate waits, as cudaFree does, or
// is ordered with the stream. Kernels and function objects take a view of a buffer, view(exec, buffer); simt
// checks the accesses of views. A resource for cuda gives device memory: the host passes its addresses on and never
// reads through them.

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

// ---------------------------------------------------------------------------------------------------------------------
// Detects overlapping calls of an object that supports one call at a time, such as a plan or a workspace.
//
// Only checked builds test the flag. A build is checked if EVENLY_CHECKED is 1, or if neither EVENLY_CHECKED nor NDEBUG
// is defined. In other builds in_use compiles to nothing. Checked and unchecked translation units may be linked into
// one program: the flag is a member in both, and in_use<true> and in_use<false> are different types.

#if !defined(EVENLY_CHECKED)
#if defined(NDEBUG)
#define EVENLY_CHECKED 0
#else
#define EVENLY_CHECKED 1
#endif
#endif

namespace evenly {

/// A member of the object: set while a call uses the object. A moved-to object has a clear flag.
class in_use_flag {
 public:
  in_use_flag() = default;
  in_use_flag(in_use_flag&&) noexcept {}
  in_use_flag& operator=(in_use_flag&&) noexcept { return *this; }

  /// Sets the flag. Returns whether it was clear before. The access is relaxed: threads that pass an object to each
  /// other synchronise by other means.
  bool try_acquire() { return !is_set_.exchange(true, std::memory_order_relaxed); }
  /// Clears the flag.
  void release() { is_set_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_set_{false};
};

/// Sets a flag in its constructor and clears it in its destructor. The flag must outlive it.
template <bool Checked> class in_use {
 public:
  /// Throws invalid_argument if the flag is already set. `what`: the name of the object in the message.
  in_use(in_use_flag& flag, const char* what) : flag_(flag) {
    if constexpr (Checked)
      require(flag_.try_acquire(), [&] {
        return detail::concat(
            "the ", what, " is in use by another call: it supports one call at a time, and no nested calls");
      });
  }
  in_use(const in_use&) = delete;
  in_use& operator=(const in_use&) = delete;
  ~in_use() {
    if constexpr (Checked) flag_.release();
  }

 private:
  in_use_flag& flag_;
};

} // namespace evenly

// --- details ---------------------------------------------------------------------------------------------------------
// kept_blocks: a memory resource that keeps freed memory, so that calls that request the same sizes again allocate
// nothing. A workspace has one for temporaries of any number.

namespace evenly::detail {

/// Blocks of memory of `upstream`, which it outlives. One thread uses it at a time. On a device a block that comes back
/// may be allocated again while earlier work that uses it still runs: both are on one stream.
class kept_blocks : public std::pmr::memory_resource {
 public:
  explicit kept_blocks(std::pmr::memory_resource* upstream) : upstream_(upstream) {}
  kept_blocks(const kept_blocks&) = delete;
  kept_blocks& operator=(const kept_blocks&) = delete;
  ~kept_blocks() override {
    for (const block& each : blocks_) upstream_->deallocate(each.memory, each.bytes, each.alignment);
  }

 private:
  struct block {
    void* memory;
    std::size_t bytes, alignment;
    bool is_free;
  };

  /// The smallest free block that is large enough.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    block* best = nullptr;
    for (block& each : blocks_)
      if (each.is_free && each.bytes >= bytes && each.alignment >= alignment &&
          (best == nullptr || each.bytes < best->bytes))
        best = &each;
    if (best == nullptr) {
      blocks_.reserve(blocks_.size() + 1); // so that nothing is lost if it throws
      blocks_.push_back({upstream_->allocate(bytes, alignment), bytes, alignment, true});
      best = &blocks_.back();
    }
    best->is_free = false;
    return best->memory;
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override {
    for (block& each : blocks_)
      if (each.memory == memory) each.is_free = true;
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* upstream_;
  std::vector<block> blocks_;
};

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// A workspace: device scratch memory that is kept between calls, so that calls neither allocate nor synchronise.
//
// A call leases the workspace. A lease has four parts, which never overlap, even if later calls request other sizes:
//   counters   a few integers that are 0 when a call begins; the call resets them to 0
//   kept       the data of earlier calls, or 0 if the memory is new; never cleared between calls
//   scratch    undefined contents
//   barrier    the barrier of a co-resident launch (block/grid_sync.hpp), valid after any earlier use
//
// A call marks its data in `kept` with the number of the call, to distinguish them from old data
// (primitives/look_back.hpp). A call that needs several temporaries uses `temporaries` instead: an executor that
// allocates from memory of the workspace. The destructor of a lease ends it. If an exception ends a lease, the next
// lease starts with zeros.

namespace evenly {

/// The grid barrier of a co-resident launch: a part of a workspace, as a kernel sees it. Only one launch may use it at
/// a time.
struct grid_barrier {
  static constexpr std::size_t line = 128; ///< bytes that a GPU moves together
  static constexpr std::size_t bytes = 3 * line;

  std::byte* memory;

  EVENLY_FN std::uint64_t* syncs() const { return reinterpret_cast<std::uint64_t*>(memory); }
  EVENLY_FN std::uint64_t* sums() const { return reinterpret_cast<std::uint64_t*>(memory + line); }
  /// The sum of one use of the barrier. `use`: its number.
  EVENLY_FN std::uint64_t& sum(std::uint32_t use) const {
    return reinterpret_cast<std::uint64_t*>(memory + 2 * line)[use % 4];
  }
};

/// Scratch memory for calls that take one. Calls of any kind and size may use it one after the other, on one stream and
/// from one host thread at a time. The memory belongs to the first executor that it is used with: to the host or to one
/// device. Move-only.
class workspace {
 public:
  static constexpr int counters = 16;

  /// The parts of a lease.
  struct memory {
    int* counters;             ///< an array of workspace::counters elements
    std::span<std::byte> kept; ///< at least the requested size: the largest that any call requested
    std::byte* scratch;        ///< aligned to 64 bytes, as the other parts are
    grid_barrier barrier;
  };

  /// The bytes of each part that a call will request.
  struct sizes {
    std::size_t kept = 0;
    std::size_t scratch = 0;

    constexpr sizes or_more(const sizes& other) const {
      return {larger(kept, other.kept), larger(scratch, other.scratch)};
    }
  };
  using room [[deprecated("use sizes")]] = sizes;

  /// The use of a workspace by one call. It begins before the call takes memory and ends when the call's work is
  /// started. The constructor throws invalid_argument if another call uses the workspace. `what`: the name of the owner
  /// in the message.
  template <bool Checked> class lease_of {
   public:
    explicit lease_of(workspace& from, const char* what = "workspace") : of_(from), held_(from.flag_, what) {}
    lease_of(const lease_of&) = delete;
    lease_of& operator=(const lease_of&) = delete;
    ~lease_of() {
      if (taken_ && std::uncaught_exceptions() == exceptions_) of_.clean_ = true;
    }

    /// Returns memory of at least the given sizes on `exec`. Call it once per lease. If a size exceeds all earlier
    /// ones, it allocates and may synchronise. Throws invalid_argument if the workspace has memory of another device or
    /// of the host.
    template <class Executor> memory take(const Executor& exec, std::size_t kept, std::size_t scratch = 0) {
      reserve(exec, {kept, scratch});
      of_.clean_ = false;
      taken_ = true;
      std::byte* const barrier = of_.memory_.data()->bytes;
      std::byte* const at = barrier + grid_barrier::bytes;
      const memory taken{reinterpret_cast<int*>(at),
                         {at + counter_bytes, of_.kept_},
                         at + counter_bytes + of_.kept_,
                         {barrier}};
      detail::know_part<Executor>(taken);
      return taken;
    }

    /// Prepares the workspace for calls that take `wanted`, without taking it. The next call then neither grows it nor
    /// fills it with zeros.
    template <class Executor> void reserve(const Executor& exec, const sizes& wanted) {
      of_.settle(memory_of(exec));
      if (of_.memory_.size() == 0 || wanted.kept > of_.kept_ || wanted.scratch > of_.scratch_)
        of_.grow(exec, wanted.kept, wanted.scratch);
      if (!of_.clean_) exec.fill_zero(of_.memory_.data(), grid_barrier::bytes + counter_bytes + of_.kept_);
      of_.clean_ = true;
    }

    /// Returns `exec` with a memory resource of the workspace. Its buffers must be freed before the lease ends.
    template <class Executor> Executor temporaries(const Executor& exec) {
      of_.settle(memory_of(exec));
      if (of_.blocks_ == nullptr) of_.blocks_ = std::make_unique<detail::kept_blocks>(exec.resource());
      return exec.with_resource(of_.blocks_.get());
    }

   private:
    workspace& of_;
    in_use<Checked> held_;
    int exceptions_ = std::uncaught_exceptions();
    bool taken_ = false;
  };
  using lease = lease_of<EVENLY_CHECKED != 0>;

 private:
  static constexpr std::size_t line = 64; ///< bytes: alignment of the parts
  static constexpr std::size_t counter_bytes = counters * sizeof(int);
  static_assert(counter_bytes % line == 0);
  struct alignas(grid_barrier::line) aligned_line {
    std::byte bytes[grid_barrier::line];
  };

  /// Throws invalid_argument if there is already memory elsewhere than `where`.
  void settle(int where) {
    require((memory_.size() == 0 && blocks_ == nullptr) || where_ == where, [&] {
      return detail::concat("the workspace has memory of ", memory_name(where_),
                            ", but the executor uses that of ", memory_name(where),
                            ": use one workspace per memory");
    });
    where_ = where;
  }

  template <class Executor> void grow(const Executor& exec, std::size_t kept, std::size_t scratch) {
    if (memory_.size() == 0) kept_ = scratch_ = 0; // never used, or moved from
    kept = larger(ceil_div(kept, line) * line, kept_);
    scratch = larger(ceil_div(scratch, line) * line, scratch_);
    memory_ = make_buffer<aligned_line>(
        exec, ceil_div(grid_barrier::bytes + counter_bytes + kept + scratch, sizeof(aligned_line)));
    kept_ = kept;
    scratch_ = scratch;
    clean_ = false;
  }

  buffer<aligned_line> memory_; ///< barrier, counters, kept, scratch
  std::unique_ptr<detail::kept_blocks> blocks_;
  std::size_t kept_ = 0;
  std::size_t scratch_ = 0;
  int where_ = host_memory;
  bool clean_ = false;
  in_use_flag flag_;
};

} // namespace evenly
