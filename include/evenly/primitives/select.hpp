// SPDX-License-Identifier: Apache-2.0
// select: the numbers that a predicate holds for, in order. A call of oneTBB on cpu, of CUB on cuda; simt selects by one
// thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail.hpp"
#include "evenly/primitives/tabulate.hpp"

#if defined(__CUDACC__)
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#endif

namespace evenly {

/// Writes every i in [0, count) for which predicate(i) holds to `out`, ascending; returns how many they are. `out` has
/// room for them. predicate: a trivially copyable function object that runs on `exec`. Synchronises. On cuda `count`
/// bytes of memory meanwhile.
template <class Executor, class Predicate, class Index>
std::int64_t select(const Executor& exec, std::int64_t count, const Predicate& predicate, Index* out) {
  return detail::scan_on_host(exec, count, [&](std::int64_t i, std::int64_t found, bool final) {
    if (!predicate(i)) return found;
    if (final) out[found] = static_cast<Index>(i);
    return found + 1;
  });
}

#if defined(__CUDACC__)
template <class Predicate, class Index>
std::int64_t select(const cuda& exec, std::int64_t count, const Predicate& predicate, Index* out) {
  if (count == 0) return 0;
  const auto flags = make_buffer<unsigned char>(exec, static_cast<std::size_t>(count));
  const auto found = make_buffer<std::int64_t>(exec, 1);
  tabulate(exec, count, predicate, flags.data());
  detail::with_temporary_memory(exec, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(memory, bytes, thrust::counting_iterator<Index>(0), flags.data(), out,
                                      found.data(), count, exec.stream());
  });
  std::int64_t result = 0;
  exec.copy_to_host(&result, found.data(), sizeof(result));
  return result;
}
#endif

} // namespace evenly
