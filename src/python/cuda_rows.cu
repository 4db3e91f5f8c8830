// SPDX-License-Identifier: Apache-2.0
#include "python/cuda_rows.hpp"

#include <map>

#include "evenly/core/errors.hpp"
#include "evenly/execution/detail/cuda_pool.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/launches.hpp"

namespace evenly {

template class detail::plan_base<cuda, csr_tile_set<int>>;
template class chosen_plan<cuda, automatic, csr_tile_set<int>>;

} // namespace evenly

namespace evenly::python {

namespace {

/// Memory for uses on any stream of a device.
class lasting_memory : public std::pmr::memory_resource {
 public:
  explicit lasting_memory(int device) : device_(device) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t) override {
    const detail::on_cuda_device here(device_);
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status == cudaErrorStreamCaptureUnsupported)
      throw device_error(
          "memory is requested during the capture of a graph: run the operation once before the capture");
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw device_error(detail::concat("out of device memory: requested ", bytes, " bytes"));
    }
    EVENLY_CUDA_CHECK(status);
    return memory;
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override {
    const detail::on_cuda_device here(device_);
    if (cudaFree(memory) != cudaSuccess) cudaGetLastError(); // when the process ends, CUDA may end first
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  int device_;
};

/// The result lives as long as the program.
lasting_memory* lasting_memory_of(int device) {
  static std::mutex guard;
  static auto& known = *new std::map<int, std::unique_ptr<lasting_memory>>();
  const std::lock_guard lock(guard);
  auto& memory = known[device];
  if (!memory) memory = std::make_unique<lasting_memory>(device);
  return memory.get();
}

bool captures(const cuda& exec) {
  cudaStreamCaptureStatus now = cudaStreamCaptureStatusNone;
  const auto here = exec.on_device();
  EVENLY_CUDA_CHECK(cudaStreamIsCapturing(exec.stream(), &now));
  return now != cudaStreamCaptureStatusNone;
}

} // namespace

const cuda& executor_of(const cuda_place& where) {
  static thread_local std::optional<cuda> last;
  const auto stream = static_cast<cudaStream_t>(where.stream);
  if (!last || last->device() != where.device || last->stream() != stream)
    last.emplace(where.device, stream, lasting_memory_of(where.device));
  return *last;
}
cuda with_stream_memory(const cuda& exec) {
  return exec.with_resource(detail::stream_memory_of(exec.device(), exec.stream()));
}

void stream_order::begin(const cuda& exec) {
  // Each thread has its own stream of this name.
  if (last_ == exec.stream() && exec.stream() != cudaStreamPerThread) return;
  if (last_) {
    if (captures(exec)) return;
    const auto here = exec.on_device();
    if (event_) {
      exec.wait(*event_);
    } else {
      EVENLY_CUDA_CHECK(cudaDeviceSynchronize());
      event_.emplace(exec.record());
    }
  }
  last_ = exec.stream();
}
void stream_order::end(const cuda& exec) {
  if (!event_ || captures(exec)) return;
  const auto here = exec.on_device();
  EVENLY_CUDA_CHECK(cudaEventRecord(event_->get(), exec.stream()));
}

cuda_rows::cuda_rows(const cuda& exec, const csr_tile_set<int>& tiles)
    : tiles_(tiles), all_(detail::inspect(exec, tiles)) {}

cuda_rows::plan_type& cuda_rows::plan_for(const cuda& exec, work_kind work) {
  auto& plan = plans_[static_cast<std::size_t>(work)];
  if (!plan) plan.emplace(exec, automatic{.work = work}, assume_valid(tiles_, all_.atoms, all_.first_atom));
  return *plan;
}

} // namespace evenly::python
