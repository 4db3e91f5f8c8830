// SPDX-License-Identifier: Apache-2.0
// The device-wide primitives against CUB's and against a copy of as many bytes.
//
//   bench_primitives [--json FILE]
//
// Sizes are 2^20 and 2^28 elements. All candidates work on the same arrays, are checked first, and then take turns; the
// median is shown. A cold L2 cache is one that was filled with twice its size of something else before each run. Our
// primitives have a workspace and CUB's their temporary storage before time is taken. The bytes of an operation are
// those that it must read and write; the copies read half as many and write half.
//
// Checks: of a scan that each element is the one before and an input more (exactly; float scans are held against a scan
// in double, within a bound); of a reduce its value; of select and partition that what was found is in order, accepted
// or not, and as many; of reduce_by_key its sums, against atomic additions.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <cub/device/device_partition.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "arguments.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/partition.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/reduce_by_key.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/select.hpp"
#include "measure/device_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "primitive_lines.hpp"

namespace {

using evenly::bench::primitive;
using evenly::measure::candidate;
using evenly::measure::plain_candidate;

constexpr std::int64_t max_elements = std::int64_t{1} << 28;
constexpr double step =
    1024; // floating-point inputs are multiples of 1 / step, whose sums are exact in double

__host__ __device__ std::uint32_t scattered(std::int64_t i) {
  auto bits = static_cast<std::uint32_t>(i) * 2654435761u;
  bits ^= bits >> 15;
  return bits * 2246822519u >> 16;
}

template <class T> __host__ __device__ T term(std::int64_t i) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<int>(scattered(i) % 1024) - 300);
  else
    return static_cast<T>(scattered(i) % 1024) / static_cast<T>(step);
}

struct is_selected { // about one in two
  __host__ __device__ bool operator()(int i) const { return (scattered(i) & 1) != 0; }
};

/// Whether element i of a scan is wrong: it is not the one before and an input more; or, of
/// floats, too far from what is exact.
template <class T> struct wrong_in_scan {
  const T* in;
  const T* out;
  const double* exact;
  __device__ bool operator()(std::int64_t i) const {
    if constexpr (std::is_same_v<T, float>)
      return !(fabs(out[i] - exact[i]) <= 2 * sqrt(i + 256.0) * 0x1p-24 * exact[i]);
    else
      return out[i] != static_cast<T>(i == 0 ? in[0] : out[i - 1] + in[i]);
  }
};

template <class T, class F> __global__ void fill(std::int64_t n, T* out, F f) {
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    out[i] = f(i);
}

/// Counts the i in [0, n) for which wrong(i).
template <class F> __global__ void count_if(std::int64_t n, unsigned long long* found, F wrong) {
  unsigned long long mine = 0;
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    mine += wrong(i) ? 1 : 0;
  if (mine > 0) atomicAdd(found, mine);
}

__global__ void copy_kernel(std::int64_t n, const int4* from, int4* to) {
  const std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i < n) to[i] = from[i];
}

/// Device memory and what is done with all of it.
class device {
 public:
  device() : counter_(evenly::make_buffer<unsigned long long>(exec, 1)) {}

  template <class T, class F> void set(std::int64_t n, T* out, F f) const {
    fill<<<4096, 256>>>(n, out, f);
    EVENLY_CUDA_CHECK(cudaGetLastError());
  }
  /// How many i in [0, n) there are with holds(i).
  template <class F> std::int64_t count(std::int64_t n, F holds) const {
    exec.fill_zero(counter_.data(), sizeof(unsigned long long));
    count_if<<<4096, 256>>>(n, counter_.data(), holds);
    EVENLY_CUDA_CHECK(cudaGetLastError());
    return static_cast<std::int64_t>(value(counter_.data()));
  }
  template <class T> T value(const T* at) const {
    T result{};
    exec.copy_to_host(&result, at, sizeof(T));
    return result;
  }

  evenly::cuda exec;

 private:
  evenly::buffer<unsigned long long> counter_;
};

/// CUB's function with its temporary storage, which lasts as long as the result.
template <class Call> std::function<void()> with_storage(const device& gpu, Call call) {
  std::size_t bytes = 0;
  EVENLY_CUDA_CHECK(call(nullptr, bytes));
  const auto memory =
      std::make_shared<evenly::buffer<std::byte>>(evenly::make_buffer<std::byte>(gpu.exec, bytes));
  return [=]() mutable { EVENLY_CUDA_CHECK(call(memory->data(), bytes)); };
}

class bench {
 public:
  explicit bench(evenly::measure::report& to)
      : report(to), in_(evenly::make_buffer<std::byte>(gpu.exec, 8 * max_elements)),
        out_(evenly::make_buffer<std::byte>(gpu.exec, 8 * max_elements)),
        other_(evenly::make_buffer<std::byte>(gpu.exec, 8 * max_elements)),
        number_(evenly::make_buffer<std::int64_t>(gpu.exec, 1)) {}

  template <class T> void reduce(const std::string& type, std::int64_t n);
  template <class T> void scan(const std::string& type, std::int64_t n);
  void compact(std::int64_t n);
  void reduce_by_key(std::int64_t n);

  device gpu;
  evenly::measure::report& report;

 private:
  template <class T> T* in() const { return reinterpret_cast<T*>(in_.data()); }
  template <class T> T* out() const { return reinterpret_cast<T*>(out_.data()); }
  template <class T> T* other() const { return reinterpret_cast<T*>(other_.data()); }

  void measure(const primitive& p, std::vector<candidate> candidates) {
    add_copies(p.bytes / 2, candidates);
    const evenly::measure::repetition times{.exactly = p.n > 1 << 24 ? 21 : 101};
    const auto spoil = [this] {
      gpu.exec.fill_zero(out_.data(), out_.size());
      gpu.exec.fill_zero(number_.data(), sizeof(std::int64_t));
    };
    for (const bool warm : {false, true}) {
      evenly::measure::bench on{std::make_unique<evenly::measure::device_timer>(warm),
                                std::make_shared<evenly::measure::unchecked_output>(spoil),
                                {}};
      evenly::bench::add_lines(report, p, warm ? "warm" : "cold", measure_in_turns(on, candidates, times));
    }
  }

  void add_copies(std::int64_t half, std::vector<candidate>& candidates) {
    const std::int64_t parts = half / 16;
    const auto always = [] { return true; };
    candidates.push_back(plain_candidate(
        "copy: cudaMemcpyAsync",
        [=, this] {
          EVENLY_CUDA_CHECK(cudaMemcpyAsync(out<void>(), in<void>(), static_cast<std::size_t>(half),
                                            cudaMemcpyDeviceToDevice));
        },
        always));
    candidates.push_back(plain_candidate(
        "copy: a kernel",
        [=, this] {
          copy_kernel<<<static_cast<unsigned>((parts + 255) / 256), 256>>>(parts, in<int4>(), out<int4>());
          EVENLY_CUDA_CHECK(cudaGetLastError());
        },
        always));
  }

  evenly::buffer<std::byte> in_, out_, other_;
  evenly::buffer<std::int64_t> number_;
  evenly::workspace memory_;
};

template <class T> void bench::reduce(const std::string& type, std::int64_t n) {
  T* const from = in<T>();
  gpu.set(n, from, [] __device__(std::int64_t i) { return term<T>(i); });
  double sum = 0; // exact
  for (std::int64_t i = 0; i < n; ++i) sum += term<T>(i);
  const auto right = [=, this] {
    const double bound = std::is_integral_v<T> ? 0 : 2 * std::sqrt(static_cast<double>(n)) * 0x1p-24 * sum;
    const double found = gpu.value(out<T>());
    return std::abs(found - (std::is_integral_v<T>
                                 ? static_cast<double>(static_cast<T>(static_cast<std::int64_t>(sum)))
                                 : sum)) <= bound;
  };
  measure({"reduce", type, n, n * static_cast<std::int64_t>(sizeof(T))},
          {plain_candidate(
               "evenly",
               [=, this] { evenly::reduce(gpu.exec, from, n, evenly::plus<T>{}, out<T>(), memory_); }, right),
           plain_candidate("cub",
                           with_storage(gpu,
                                        [=, this](void* storage, std::size_t& bytes) {
                                          return cub::DeviceReduce::Sum(storage, bytes, from, out<T>(),
                                                                        static_cast<int>(n));
                                        }),
                           right)});
}

template <class T> void bench::scan(const std::string& type, std::int64_t n) {
  T* const from = in<T>();
  T* const to = out<T>();
  double* const exact = other<double>();
  gpu.set(n, from, [] __device__(std::int64_t i) { return term<T>(i); });
  if constexpr (std::is_same_v<T, float>) {
    double* const terms = out<double>();
    gpu.set(n, terms, [] __device__(std::int64_t i) { return term<double>(i); });
    with_storage(gpu, [=](void* storage, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSum(storage, bytes, terms, exact, static_cast<int>(n));
    })();
  }
  const auto right = [=, this] { return gpu.count(n, wrong_in_scan<T>{from, to, exact}) == 0; };
  measure(
      {"inclusive_scan", type, n, 2 * n * static_cast<std::int64_t>(sizeof(T))},
      {plain_candidate(
           "evenly", [=, this] { evenly::inclusive_scan(gpu.exec, from, n, evenly::plus<T>{}, to, memory_); },
           right),
       plain_candidate("cub",
                       with_storage(gpu,
                                    [=](void* storage, std::size_t& bytes) {
                                      return cub::DeviceScan::InclusiveSum(storage, bytes, from, to,
                                                                           static_cast<int>(n));
                                    }),
                       right)});
}

void bench::compact(std::int64_t n) {
  int* const from = in<int>();
  int* const to = out<int>();
  int* const rest = other<int>();
  std::int64_t* const found = number_.data();
  gpu.set(n, from, [] __device__(std::int64_t i) { return static_cast<int>(i); });
  std::int64_t expected = 0;
  for (std::int64_t i = 0; i < n; ++i) expected += is_selected{}(static_cast<int>(i));
  // As many as there are, each selected or each not, in order without any twice: so all of them.
  const auto in_order = [=, this](const int* part, std::int64_t size, bool selected, bool reversed) {
    return gpu.count(size, [=] __device__(std::int64_t i) {
      const std::int64_t at = reversed ? size - 1 - i : i, before = reversed ? at + 1 : at - 1;
      return is_selected{}(part[at]) != selected || (i > 0 && part[before] >= part[at]);
    }) == 0;
  };
  measure({"select", "int", n, 4 * (n + expected)},
          {plain_candidate(
               "evenly", [=, this] { evenly::select(gpu.exec, from, n, is_selected{}, to, found, memory_); },
               [=, this] { return gpu.value(found) == expected && in_order(to, expected, true, false); }),
           plain_candidate(
               "cub",
               with_storage(gpu,
                            [=](void* storage, std::size_t& bytes) {
                              return cub::DeviceSelect::If(storage, bytes, from, to, found,
                                                           static_cast<int>(n), is_selected{});
                            }),
               [=, this] { return gpu.value(found) == expected && in_order(to, expected, true, false); })});
  measure({"partition", "int", n, 8 * n},
          {plain_candidate(
               "evenly",
               [=, this] { evenly::partition(gpu.exec, from, n, is_selected{}, to, rest, found, memory_); },
               [=, this] {
                 return gpu.value(found) == expected && in_order(to, expected, true, false) &&
                        in_order(rest, n - expected, false, false);
               }),
           plain_candidate("cub",
                           with_storage(gpu,
                                        [=](void* storage, std::size_t& bytes) {
                                          return cub::DevicePartition::If(storage, bytes, from, to, found,
                                                                          static_cast<int>(n), is_selected{});
                                        }),
                           [=, this] { // what is not selected is reversed
                             return gpu.value(found) == expected && in_order(to, expected, true, false) &&
                                    in_order(to + expected, n - expected, false, true);
                           })});
}

void bench::reduce_by_key(std::int64_t n) {
  int* const keys = in<int>();
  auto* const values = reinterpret_cast<float*>(keys + n);
  int* const keys_out = out<int>();
  auto* const sums_out = reinterpret_cast<float*>(keys_out + n);
  auto* const sums = other<float>(); // exact: runs are short
  std::int64_t* const found = number_.data();
  gpu.set(n, values, [] __device__(std::int64_t i) { return term<float>(i); });
  gpu.set(n, keys_out, [] __device__(std::int64_t i) { return i > 0 && scattered(i) % 8 == 0 ? 1 : 0; });
  with_storage(gpu, [=](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(storage, bytes, keys_out, keys, static_cast<int>(n));
  })();
  const std::int64_t runs = gpu.value(keys + n - 1) + std::int64_t{1};
  gpu.exec.fill_zero(sums, static_cast<std::size_t>(runs) * sizeof(float));
  gpu.count(n, [=] __device__(std::int64_t i) {
    atomicAdd(sums + keys[i], values[i]);
    return false;
  });
  const auto right = [=, this] {
    return gpu.value(found) == runs && gpu.count(runs, [=] __device__(std::int64_t i) {
      return keys_out[i] != i || sums_out[i] != sums[i];
    }) == 0;
  };
  measure({"reduce_by_key", "float", n, 8 * (n + runs)},
          {plain_candidate(
               "evenly",
               [=, this] {
                 evenly::reduce_by_key(gpu.exec, keys, values, n, evenly::plus<float>{}, keys_out, sums_out,
                                       found, memory_);
               },
               right),
           plain_candidate("cub",
                           with_storage(gpu,
                                        [=](void* storage, std::size_t& bytes) {
                                          return cub::DeviceReduce::ReduceByKey(
                                              storage, bytes, keys, keys_out, values, sums_out, found,
                                              evenly::plus<float>{}, static_cast<int>(n));
                                        }),
                           right)});
}

void measure_all(const evenly::bench::arguments&, evenly::measure::report& report) {
  bench on(report);
  evenly::bench::print_heading();
  for (const std::int64_t n : {std::int64_t{1} << 20, max_elements}) {
    on.reduce<int>("int", n);
    on.reduce<float>("float", n);
    on.scan<int>("int", n);
    on.scan<float>("float", n);
    on.scan<std::int64_t>("int64", n);
    on.scan<double>("double", n);
    on.compact(n);
    on.reduce_by_key(n);
  }
}

evenly::json::value executor(const evenly::bench::arguments&) { return {{"executor", "cuda"}}; }

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main(
      argc, argv, {.program = "bench_primitives", .measure = measure_all, .on_gpu = true, .head = executor});
}
