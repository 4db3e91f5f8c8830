// SPDX-License-Identifier: Apache-2.0
// The cuda executor: a block is a CUDA thread block. The header is empty unless nvcc compiles it.
//
// launch() wraps a kernel object in a __global__ function. A __global__ function of your own makes its block by
//   auto block = evenly::this_block<256>();
// and then calls everything that takes a block.
#pragma once

#if defined(__CUDACC__)

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory_resource>
#include <mutex>
#include <string>
#include <tuple>

#include <cuda_runtime.h>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/detail/cuda_check.hpp"
#include "evenly/execution/detail/cuda_device.hpp"
#include "evenly/execution/detail/cuda_pool.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly {

namespace detail {

/// The block's dynamic shared memory.
extern __shared__ __align__(16) std::byte cuda_storage[];

} // namespace detail

/// A one-dimensional CUDA thread block of N threads; N = 0 means blockDim.x threads.
template <int N> class cuda_block {
 public:
  static constexpr bool is_serial = false;
  static_assert(N >= 0 && N <= max_block_size);

#if defined(__CUDA_ARCH__)
  __device__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ static constexpr int size() {
    if constexpr (N > 0)
      return N;
    else
      return static_cast<int>(blockDim.x);
  }
  __device__ int index() const { return static_cast<int>(blockIdx.x); }
  __device__ int count() const { return static_cast<int>(gridDim.x); }
  __device__ static constexpr block_shape shape() { return {size(), 32}; }

  __device__ void sync() const { __syncthreads(); }
  __device__ void warp_sync(lane_mask mask) const { __syncwarp(static_cast<unsigned>(mask)); }
  template <class T> __device__ T warp_shuffle(lane_mask mask, const T& value, int lane) const {
    constexpr int words = (sizeof(T) + 3) / 4;
    unsigned parts[words] = {};
    memcpy(parts, &value, sizeof(T));
#pragma unroll
    for (int w = 0; w < words; ++w) parts[w] = __shfl_sync(static_cast<unsigned>(mask), parts[w], lane);
    T result;
    memcpy(&result, parts, sizeof(T));
    return result;
  }
  __device__ lane_mask warp_ballot(lane_mask mask, bool predicate) const {
    return __ballot_sync(static_cast<unsigned>(mask), predicate);
  }
  template <class T> __device__ plain_storage<T> storage(slot<T> place) const {
    return {reinterpret_cast<T*>(detail::cuda_storage + place.offset), static_cast<int>(place.count)};
  }
  __device__ void fence() const { __threadfence(); }
  __device__ bool co_resident() const { // from the workspace for grid synchronisation
    unsigned low = 0, high = 0;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    return (low | high) != 0;
  }
  __device__ void backoff(std::uint32_t nanoseconds = 64) const { __nanosleep(nanoseconds); }
#else // declarations for the host compiler; only devices use the type
  int rank() const;
  static constexpr int size() { return N; }
  int index() const;
  int count() const;
  static constexpr block_shape shape() { return {N, 32}; }
  void sync() const;
  void warp_sync(lane_mask) const;
  template <class T> T warp_shuffle(lane_mask, const T&, int) const;
  lane_mask warp_ballot(lane_mask, bool) const;
  template <class T> plain_storage<T> storage(slot<T>) const;
  void fence() const;
  bool co_resident() const;
  void backoff(std::uint32_t = 64) const;
#endif
};

/// Returns the calling thread's block, in a __global__ function launched with N threads in x. Storage slots lie in the
/// kernel's dynamic shared memory, so launch it with storage_layout::bytes() bytes.
template <int N> __device__ cuda_block<N> this_block() { return {}; }

namespace detail {

/// How many threads a multiprocessor holds, for the device that code is compiled for ("Technical Specifications per
/// Compute Capability" in the CUDA C++ Programming Guide). The value is 2048 in host code.
constexpr int threads_of_multiprocessor = [] {
#if defined(__CUDA_ARCH__)
  if (__CUDA_ARCH__ < 800) return 1024;
  if (__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) return 1536;
  if (__CUDA_ARCH__ >= 1100) return 1536;
#endif
  return 2048;
}();

/// The minimum number of resident blocks per multiprocessor for __launch_bounds__, capped at what a multiprocessor
/// holds. 0 lets the compiler decide.
template <int N, class Kernel>
inline constexpr int min_blocks = [] {
  if constexpr (requires { Kernel::min_blocks; })
    return N > 0 ? smaller(Kernel::min_blocks, threads_of_multiprocessor / N) : 0;
  else
    return 0;
}();

/// Whether all code is for devices that can begin a launch while the launch before it ends. run_kernel then waits for
/// that end.
constexpr bool launches_overlap = [] {
#if defined(__CUDA_ARCH_LIST__)
  for (const int architecture : {__CUDA_ARCH_LIST__})
    if (architecture < 900) return false;
  return true;
#else
  return false;
#endif
}();

/// Waits until the launch before on the stream has ended and its writes are visible.
__device__ inline void wait_for_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

template <int N, class Kernel>
__global__ void __launch_bounds__(N > 0 ? N : max_block_size, min_blocks<N, Kernel>)
    run_kernel(const __grid_constant__ Kernel kernel) {
  if constexpr (launches_overlap) wait_for_launch_before();
  cuda_block<N> block;
  kernel(block);
}

} // namespace detail

/// Runs kernels on one stream of one device. Copies are the same executor.
///
/// - Launches are asynchronous.
/// - The current device has no effect and is left unchanged.
/// - Memory comes from a pool of the device, in stream order (detail/cuda_pool.hpp), or from the given resource.
/// - Constructors throw device_error if there is no GPU.
class cuda {
 public:
  static constexpr bool serial_blocks = false;
  static constexpr bool on_host = false;

  /// Uses the device of the stream; for the default stream, the current device.
  explicit cuda(cudaStream_t stream = nullptr) : cuda(detail::device_of(stream), stream) {}
  cuda(cudaStream_t stream, std::pmr::memory_resource* resource)
      : cuda(detail::device_of(stream), stream, resource) {}
  /// Requires that `stream` belongs to `device`. Throws invalid_argument if there is no such device.
  explicit cuda(int device, cudaStream_t stream = nullptr)
      : device_(detail::require_device(device)), stream_(stream),
        resource_(detail::stream_memory_of(device, stream)), properties_(&detail::properties_of(device)) {}
  cuda(int device, cudaStream_t stream, std::pmr::memory_resource* resource)
      : device_(detail::require_device(device)), stream_(stream), resource_(require_resource(resource)),
        properties_(&detail::properties_of(device)) {}

  cudaStream_t stream() const { return stream_; }
  std::pmr::memory_resource* resource() const { return resource_; }
  /// The same with memory of the device from elsewhere.
  cuda with_resource(std::pmr::memory_resource* resource) const { return {device_, stream_, resource}; }
  int device() const { return device_; }
  int multiprocessors() const { return properties_->multiprocessors; }
  /// Returns how many threads fit on the device at the same time.
  std::int64_t resident_threads() const {
    return std::int64_t{properties_->multiprocessors} * properties_->threads_of_multiprocessor;
  }
  /// Returns the maximum storage of a block, in bytes.
  std::size_t max_storage() const { return properties_->max_storage; }
  /// Returns the shape of a block of `block_size` threads.
  static constexpr block_shape shape_of(int block_size) { return {block_size, 32}; }
  void copy_to_host(void* to, const void* from, std::size_t bytes) const {
    const auto here = on_device();
    EVENLY_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
    synchronize();
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) const {
    const auto here = on_device();
    EVENLY_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
    synchronize();
  }
  void fill_zero(void* to, std::size_t bytes) const;
  /// Waits for all work on the stream. Throws device_error if some of it failed.
  void synchronize() const {
    const auto here = on_device();
    EVENLY_CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

  /// Returns an event after all work that has been started on the stream, and before later work (executor.hpp).
  /// Asynchronous.
  cuda_event record() const {
    const auto here = on_device();
    return cuda_event(stream_);
  }
  void wait(const cuda_event& event) const {
    const auto here = on_device();
    EVENLY_CUDA_CHECK(cudaStreamWaitEvent(stream_, event.get(), 0));
  }
  void wait(const host_event&) const {}

  /// Makes the device the calling thread's current one for as long as the returned object lives.
  [[nodiscard]] detail::on_cuda_device on_device() const { return detail::on_cuda_device(device_); }

 private:
  int device_;
  cudaStream_t stream_;
  std::pmr::memory_resource* resource_;
  const detail::cuda_properties* properties_;
};

namespace detail {

/// Allows a function `bytes` bytes of storage. CUDA requires this for more than 48 KiB.
inline void allow_storage(const cuda& exec, const void* function, int block_size, std::size_t bytes) {
  if (bytes <= 48 * 1024) return;
  require_storage(bytes, block_size, exec.max_storage());
  EVENLY_CUDA_CHECK(
      cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

/// Starts `function`, an instance of run_kernel. This is no template, so that kernels share its code.
/// - `kernel`: the argument of `function`
/// - `overlaps`: the value of launches_overlap where `function` was compiled
inline void launch_function(const cuda& exec, const void* function, const launch_shape& shape,
                            std::size_t bytes, const void* kernel, bool overlaps) {
  const auto here = exec.on_device();
  allow_storage(exec, function, shape.block_size, bytes);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
  config.blockDim = dim3(static_cast<unsigned>(shape.block_size));
  config.dynamicSmemBytes = bytes;
  config.stream = exec.stream();
  // The device may load the blocks of this launch while the launch before ends. This saves a microsecond between
  // launches.
  cudaLaunchAttribute how{};
  if (shape.co_resident) {
    how.id = cudaLaunchAttributeCooperative;
    how.val.cooperative = 1;
  } else {
    how.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    how.val.programmaticStreamSerializationAllowed = 1;
  }
  config.attrs = &how;
  config.numAttrs = shape.co_resident || overlaps ? 1 : 0;
  void* arguments[] = {const_cast<void*>(kernel)};
  EVENLY_CUDA_CHECK(cudaLaunchKernelExC(&config, function, arguments));
}

/// Returns how many blocks of a function with `bytes` bytes of storage fit on a multiprocessor of `device`, which is
/// the current device. The first call queries CUDA; later calls return the stored value.
inline int blocks_of_multiprocessor(int device, const void* function, int block_size, std::size_t bytes) {
  static std::mutex guard;
  static std::map<std::tuple<int, const void*, int, std::size_t>, int> known;
  const std::lock_guard lock(guard);
  const auto [entry, is_new] = known.try_emplace({device, function, block_size, bytes}, 0);
  if (is_new) {
    int blocks = 0;
    const cudaError_t status =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, block_size, bytes);
    if (status != cudaSuccess) known.erase(entry);
    EVENLY_CUDA_CHECK(status);
    entry->second = blocks;
  }
  return entry->second;
}

/// Returns the function that runs `Kernel` with N threads; N = 0 means any number.
template <int N, class Kernel> const void* function_of() {
  return reinterpret_cast<const void*>(&run_kernel<N, Kernel>);
}

/// Returns the function that a launch of `Kernel` with `block_size` threads per block runs. Throws invalid_argument if
/// `Kernel` is not compiled for this block size.
template <class Kernel> const void* function_for(int block_size) {
  constexpr bool is_tuned = requires { Kernel::tuned_block_size; };
  if constexpr (is_tuned)
    if (block_size == Kernel::tuned_block_size) return function_of<Kernel::tuned_block_size, Kernel>();
  if constexpr (requires { requires Kernel::only_tuned_size; } || (is_tuned && only_compiles_kernels))
    throw invalid_argument("the launch has " + std::to_string(block_size) +
                           " threads per block, for which the kernel is not compiled");
  else
    return function_of<0, Kernel>();
}

} // namespace detail

/// Returns how many blocks of `block_size` threads of the kernel fit on the device at the same time, by their registers
/// and storage. The result is stored, so later calls do not query CUDA. Throws invalid_argument if not even one
/// fits.
template <class Kernel> int resident_blocks(const cuda& exec, const Kernel& kernel, int block_size) {
  check(launch_shape{.blocks = 0, .block_size = block_size});
  const std::size_t bytes = storage_bytes(kernel, cuda::shape_of(block_size));
  const void* const function = detail::function_for<Kernel>(block_size);
  const auto here = exec.on_device();
  detail::allow_storage(exec, function, block_size, bytes);
  const int of_one = detail::blocks_of_multiprocessor(exec.device(), function, block_size, bytes);
  require(of_one > 0, [&] {
    return "a block of " + std::to_string(block_size) + " threads with " + std::to_string(bytes) +
           " bytes of storage does not fit on the device: use smaller blocks";
  });
  const std::int64_t tuned = tuned_threads<Kernel>(exec.resident_threads()) / block_size;
  const std::int64_t room = std::int64_t{of_one} * exec.multiprocessors();
  return static_cast<int>(larger<std::int64_t>(smaller(room, tuned), 1));
}

/// Starts `kernel` on all blocks of `shape`. Asynchronous.
///
/// A kernel is compiled for the block size that it names as `tuned_block_size` and, unless it defines
/// `only_tuned_size`, for any other size. A kernel may state in `min_blocks` how many such blocks should fit on a
/// multiprocessor.
///
/// Throws device_error if CUDA refuses the launch, for example if co-resident blocks do not all fit on the device.
template <class Kernel> void launch(const cuda& exec, const launch_shape& shape, const Kernel& kernel) {
  static_assert(is_kernel<Kernel>, "a kernel must be trivially copyable, because it is copied to the device");
  static_assert(sizeof(Kernel) <= 4096, "the arguments of a CUDA kernel must have at most 4,096 bytes");
  check(shape);
  if (shape.blocks == 0) return;
  const std::size_t bytes = storage_bytes(kernel, cuda::shape_of(shape.block_size));
  detail::launch_function(exec, detail::function_for<Kernel>(shape.block_size), shape, bytes, &kernel,
                          detail::launches_overlap);
}

namespace detail {

/// Writes zeros to a few words, by one block.
struct fill_words {
  static constexpr int tuned_block_size = 256;
  static constexpr bool only_tuned_size = true;

  unsigned* to;
  int words;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    for (int i = block.rank(); i < words; i += block.size()) to[i] = 0;
  }
};

} // namespace detail

/// Zeros up to 8192 bytes by a kernel. A kernel's launch overlaps with its neighbours in the stream, a memset's does
/// not, and for a few words that costs more than the rest.
inline void cuda::fill_zero(void* to, std::size_t bytes) const {
  constexpr std::size_t max_by_kernel = 8192;
  const bool words =
      bytes % sizeof(unsigned) == 0 && reinterpret_cast<std::uintptr_t>(to) % sizeof(unsigned) == 0;
  if (detail::launches_overlap && words && bytes <= max_by_kernel) {
    if (bytes > 0)
      launch(*this, {1, detail::fill_words::tuned_block_size},
             detail::fill_words{static_cast<unsigned*>(to), static_cast<int>(bytes / sizeof(unsigned))});
    return;
  }
  const auto here = on_device();
  EVENLY_CUDA_CHECK(cudaMemsetAsync(to, 0, bytes, stream_));
}

static_assert(executor<cuda>);

} // namespace evenly

#endif
