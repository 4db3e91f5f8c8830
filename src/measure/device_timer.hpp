// SPDX-License-Identifier: Apache-2.0
// The bench of the cuda executor: the schedules, and cuSPARSE beside them, timed by events on the device.
//
// A run that is to find a cold L2 cache comes after a fill of twice the cache's size; the fill also keeps the device
// busy while the host starts the run, so that the host's time is not measured. Warm runs come after a short wait on
// the device for the latter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <string>
#include <type_traits>
#include <vector>

#include "evenly/execution/cuda.hpp"
#include "measure/baselines_cuda.hpp"
#include "measure/executor_bench.hpp"

namespace evenly::cli {

template <> inline cuda on_memory(const cuda& exec, std::pmr::memory_resource* memory) {
  return cuda(exec.stream(), memory);
}

/// Of the current device.
std::size_t l2_bytes();
/// Starts a kernel that does nothing. Throws device_error.
void start_nothing();
/// Starts a kernel that does nothing, for longer than the host needs to start another. Throws device_error.
void wait_on_device();

/// Times what is started on the default stream between start() and stop().
class event_timer {
 public:
  event_timer() {
    EVENLY_CUDA_CHECK(cudaEventCreate(&start_));
    EVENLY_CUDA_CHECK(cudaEventCreate(&stop_));
  }
  event_timer(const event_timer&) = delete;
  event_timer& operator=(const event_timer&) = delete;
  ~event_timer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }

  void start() const { EVENLY_CUDA_CHECK(cudaEventRecord(start_)); }
  /// Milliseconds; synchronises.
  double stop() const {
    EVENLY_CUDA_CHECK(cudaEventRecord(stop_));
    EVENLY_CUDA_CHECK(cudaEventSynchronize(stop_));
    float ms = 0;
    EVENLY_CUDA_CHECK(cudaEventElapsedTime(&ms, start_, stop_));
    return ms;
  }

 private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

/// Times runs on the device.
template <class Problem> class timed_on_cuda : public executor_bench<cuda, Problem> {
 public:
  timed_on_cuda(const cuda& exec, const Problem& p, const bench_options& options)
      : executor_bench<cuda, Problem>(exec, p, options),
        evictor_(make_buffer<std::byte>(exec, options.warm ? 0 : 2 * l2_bytes())) {}

  std::string place() const override { return find_cuda().text; }
  int threads() const override { return 0; }

  double time_once(const std::function<void()>& run) override {
    if (evictor_.size() > 0)
      this->exec().fill_zero(evictor_.data(), evictor_.size());
    else
      wait_on_device();
    timer_.start();
    run();
    return timer_.stop();
  }

  std::function<void()> copy(std::int64_t bytes) override {
    const auto half = static_cast<std::size_t>(std::max<std::int64_t>(bytes / 2, 1));
    const auto from = std::make_shared<buffer<std::byte>>(make_buffer<std::byte>(this->exec(), half));
    const auto to = std::make_shared<buffer<std::byte>>(make_buffer<std::byte>(this->exec(), half));
    this->exec().fill_zero(from->data(), half);
    return
        [=] { EVENLY_CUDA_CHECK(cudaMemcpyAsync(to->data(), from->data(), half, cudaMemcpyDeviceToDevice)); };
  }

  std::function<void()> fill(std::int64_t bytes) override {
    const auto size = static_cast<std::size_t>(bytes);
    const auto to = std::make_shared<buffer<std::byte>>(make_buffer<std::byte>(this->exec(), size));
    return [=] { EVENLY_CUDA_CHECK(cudaMemsetAsync(to->data(), 0, size)); };
  }
  std::function<void()> nothing() override { return start_nothing; }

 private:
  buffer<std::byte> evictor_;
  event_timer timer_;
};

template <class Problem> class cuda_bench : public registry_bench<timed_on_cuda<Problem>> {
 public:
  using registry_bench<timed_on_cuda<Problem>>::registry_bench;

  std::vector<candidate> candidates(int block_size) override {
    auto all = registry_bench<timed_on_cuda<Problem>>::candidates(block_size);
    if constexpr (requires { this->data().a(); }) {
      all.push_back(library("cusparse_alg1", "cuSPARSE CSR ALG1, preprocessed", cusparse_algorithm::alg1));
      all.push_back(library("cusparse_alg2", "cuSPARSE CSR ALG2", cusparse_algorithm::alg2));
    }
    return all;
  }

 private:
  candidate library(const char* name, const char* title, cusparse_algorithm which) {
    candidate made{.name = name, .title = title};
    made.prepare = [this, which]() -> prepared_run {
      return {prepare_cusparse(this->data().a(), this->data().x().data(), this->data().out().data(), which)};
    };
    return made;
  }
};

template <class Problem>
std::unique_ptr<bench> make_cuda_bench(const Problem& p, const bench_options& options) {
  return std::make_unique<cuda_bench<Problem>>(cuda(), p, options);
}

} // namespace evenly::cli
