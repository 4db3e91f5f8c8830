// SPDX-License-Identifier: Apache-2.0
// The bench of the cuda executor: the schedules, and cuSPARSE beside them, timed by events on the device.
//
// A run that is to find a cold L2 cache comes after a fill of twice the cache's size; the fill also keeps the device
// busy while the host starts the run, so that the host's time is not measured. Warm runs come after a short wait on
// the device for the latter.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cli/baselines_cuda.hpp"
#include "cli/executor_bench.hpp"
#include "evenly/execution/cuda.hpp"

namespace evenly::cli {
namespace {

__global__ void wait_on_device() {
  for (int i = 0; i < 50; ++i) __nanosleep(1000);
}

std::size_t l2_bytes() {
  int device = 0;
  int bytes = 0;
  EVENLY_CUDA_CHECK(cudaGetDevice(&device));
  EVENLY_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device));
  return static_cast<std::size_t>(bytes);
}

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

template <class Problem> class cuda_bench : public executor_bench<cuda, Problem> {
 public:
  cuda_bench(const cuda& exec, const Problem& p, const bench_options& options)
      : executor_bench<cuda, Problem>(exec, p, options),
        evictor_(make_buffer<std::byte>(exec, options.warm ? 0 : 2 * l2_bytes())) {}

  std::string place() const override { return find_cuda().text; }
  int threads() const override { return 0; }

  std::vector<candidate> candidates() override {
    auto all = executor_bench<cuda, Problem>::candidates();
    if constexpr (!std::is_same_v<Problem, expand_problem>) {
      all.push_back(library("cusparse_alg1", "cuSPARSE CSR ALG1, preprocessed", cusparse_algorithm::alg1));
      all.push_back(library("cusparse_alg2", "cuSPARSE CSR ALG2", cusparse_algorithm::alg2));
    }
    return all;
  }

  double time_once(const std::function<void()>& run) override {
    if (evictor_.size() > 0)
      this->exec().fill_zero(evictor_.data(), evictor_.size());
    else
      wait_on_device<<<1, 1>>>();
    EVENLY_CUDA_CHECK(cudaGetLastError());
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

 private:
  candidate library(const char* name, const char* title, cusparse_algorithm which) {
    candidate made{.name = name, .title = title};
    made.prepare = [this, which] {
      return prepare_cusparse(this->data().a(), this->data().x().data(), this->data().out().data(), which);
    };
    return made;
  }

  buffer<std::byte> evictor_;
  event_timer timer_;
};

} // namespace

cuda_status find_cuda() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return {false, std::string("no CUDA device: ") + cudaGetErrorString(status)};
  cudaDeviceProp device{};
  if (count == 0 || cudaGetDeviceProperties(&device, 0) != cudaSuccess) return {false, "no CUDA device"};
  return {true, device.name};
}

std::unique_ptr<bench> make_cuda_bench(const problem& p, const bench_options& options) {
  return std::visit(
      [&]<class Problem>(const Problem& each) -> std::unique_ptr<bench> {
        return std::make_unique<cuda_bench<Problem>>(cuda(), each, options);
      },
      p);
}

} // namespace evenly::cli
