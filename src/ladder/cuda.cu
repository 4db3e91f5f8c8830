// SPDX-License-Identifier: Apache-2.0
// The ladders on a GPU, and CUB's device-wide algorithms beside them, called with a count of 32 bits, as most callers
// do, and left out where that does not suffice.
#include <limits>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "ladder/bench.hpp"
#include "measure/bench_cuda.hpp"

namespace evenly::cli {
namespace {

/// `call(temporary, bytes)` is a call of CUB: once to learn how much it needs, then to be run.
template <class Call> std::function<void()> prepare_cub(const cuda& exec, const Call& call) {
  std::size_t bytes = 0;
  EVENLY_CUDA_CHECK(call(nullptr, bytes));
  const auto temporary = std::make_shared<buffer<std::byte>>(make_buffer<std::byte>(exec, bytes));
  return [=]() mutable { EVENLY_CUDA_CHECK(call(temporary->data(), bytes)); };
}

template <class T> class cuda_ladder : public ladder_bench<timed_on_cuda<ladder_problem<T>>, T> {
 public:
  using base = ladder_bench<timed_on_cuda<ladder_problem<T>>, T>;
  using base::base;

  std::vector<candidate> candidates(int block_size) override {
    auto all = base::candidates(block_size);
    if (this->problem().n() > std::numeric_limits<int>::max()) return all;
    if (this->problem().kind == ladder_kind::reduce)
      all.push_back(this->other("cub::DeviceReduce", [this] { return reduction(); }));
    if (this->problem().kind == ladder_kind::scan)
      all.push_back(this->other("cub::DeviceScan", [this] { return scan(); }));
    return all;
  }

 private:
  std::function<void()> reduction() {
    return prepare_cub(this->exec(), [in = in(), out = out(), n = n()](void* room, std::size_t& bytes) {
      return cub::DeviceReduce::Sum(room, bytes, in, out, n);
    });
  }
  std::function<void()> scan() {
    const bool inclusive = this->problem().prefix == ladder::prefixes::inclusive;
    return prepare_cub(this->exec(),
                       [in = in(), out = out(), n = n(), inclusive](void* room, std::size_t& bytes) {
                         return inclusive ? cub::DeviceScan::InclusiveSum(room, bytes, in, out, n)
                                          : cub::DeviceScan::ExclusiveSum(room, bytes, in, out, n);
                       });
  }
  int n() const { return static_cast<int>(this->problem().n()); }
  const T* in() const { return this->data().in(); }
  T* out() const { return this->data().out().data(); }
};

} // namespace

std::unique_ptr<bench> make_cuda_ladder(const any_ladder_problem& any, const bench_options& options) {
  if (const auto* p = std::get_if<ladder_problem<int>>(&any))
    return std::make_unique<cuda_ladder<int>>(cuda(), *p, options);
  return std::make_unique<cuda_ladder<float>>(cuda(), std::get<ladder_problem<float>>(any), options);
}

} // namespace evenly::cli
