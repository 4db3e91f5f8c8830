// SPDX-License-Identifier: Apache-2.0
// exclusive_scan: prefix sums of a formula's values, in 64 bits. A call of oneTBB on cpu, of CUB on cuda; simt adds up
// by one thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/execution/cuda.hpp"
#include "evenly/primitives/detail.hpp"
#include "evenly/primitives/tabulate.hpp"

#if defined(__CUDACC__)
#include <cub/device/device_scan.cuh>
#endif

namespace evenly {

/// out[i] = value(0) + ... + value(i - 1) for every i in [0, count]: `out` has count + 1 elements, the last is the sum
/// of all. value: a trivially copyable function object that runs on `exec`. Asynchronous on cuda, but for its memory.
template <class Executor, class Value>
void exclusive_scan(const Executor& exec, std::int64_t count, const Value& value, std::int64_t* out) {
  out[count] = detail::scan_on_host(exec, count, [&](std::int64_t i, std::int64_t sum, bool final) {
    if (final) out[i] = sum;
    return sum + static_cast<std::int64_t>(value(i));
  });
}

#if defined(__CUDACC__)
template <class Value>
void exclusive_scan(const cuda& exec, std::int64_t count, const Value& value, std::int64_t* out) {
  exec.fill_zero(out + count, sizeof(*out));
  tabulate(exec, count, value, out);
  detail::with_temporary_memory(exec, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, out, out, count + 1, exec.stream());
  });
}
#endif

} // namespace evenly
