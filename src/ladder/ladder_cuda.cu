// SPDX-License-Identifier: Apache-2.0
// The ladders on a GPU, with CUB's device-wide algorithms as baselines. They are called with 32-bit sizes, as most
// callers do, and omitted for larger inputs.
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "ladder/ladder_bench.hpp"
#include "measure/device_timer.hpp"

namespace evenly::ladder {

using measure::device_timer;

namespace {

/// `call(temporary, bytes)` calls CUB: once for the size of the temporary memory, then for each run.
template <class Call> std::function<void()> prepare_cub(const cuda& exec, const Call& call) {
  std::size_t bytes = 0;
  EVENLY_CUDA_CHECK(call(nullptr, bytes));
  const auto temporary = std::make_shared<buffer<std::byte>>(make_buffer<std::byte>(exec, bytes));
  return [=]() mutable { EVENLY_CUDA_CHECK(call(temporary->data(), bytes)); };
}

template <class T>
std::vector<candidate> others(const std::shared_ptr<ladder_work<cuda, T>>& work, const ladder_problem<T>& p) {
  if (p.n() > std::numeric_limits<int>::max()) return {};
  const T* const in = work->data().in();
  T* const out = work->data().out().data();
  const int n = static_cast<int>(p.n());
  const bool inclusive = p.prefix == ladder::prefixes::inclusive;
  const auto on_cub = [&](const char* name, auto call) {
    return ladder_candidate(work, p, name,
                            [work, call] { return prepared_run{prepare_cub(work->exec(), call)}; });
  };
  if (p.kind == ladder_kind::reduce)
    return {on_cub("cub::DeviceReduce", [=](void* room, std::size_t& bytes) {
      return cub::DeviceReduce::Sum(room, bytes, in, out, n);
    })};
  if (p.kind == ladder_kind::scan)
    return {on_cub("cub::DeviceScan", [=](void* room, std::size_t& bytes) {
      return inclusive ? cub::DeviceScan::InclusiveSum(room, bytes, in, out, n)
                       : cub::DeviceScan::ExclusiveSum(room, bytes, in, out, n);
    })};
  return {};
}

template <class T> bench ladder_of(const ladder_problem<T>& p, const bench_options& options) {
  const auto work = std::make_shared<ladder_work<cuda, T>>(cuda(), p);
  return version_bench(std::make_unique<device_timer>(options.warm), work, p, others(work, p));
}

} // namespace

bench make_cuda_ladder(const any_ladder_problem& any, const bench_options& options) {
  return std::visit([&](const auto& p) { return ladder_of(p, options); }, any);
}

} // namespace evenly::ladder
