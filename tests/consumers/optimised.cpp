// SPDX-License-Identifier: Apache-2.0
// Products, searches and readers of a stranger's program, which is compiled with optimisation and every warning on
// (_check.py, optimised): some warnings are given only where functions have been inlined into each other.
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "evenly/evenly.hpp"
#include "evenly/io/file_error.hpp"

#if defined(__x86_64__)
#include <immintrin.h> // after evenly's headers, which hide it from oneTBB (execution/detail/cpu_bodies.hpp)
#endif

namespace strangers {

#if defined(__x86_64__)
std::uint64_t ticks() { return __rdtsc(); }
#endif

template <class Value, class Schedule>
void product(const evenly::csr_view<Value>& a, std::span<const Value> x, std::span<Value> y,
             const Schedule& schedule) {
  evenly::spmv(evenly::simt(), schedule, a, x, y);
}
template <class Value>
void products(const evenly::csr_view<Value>& a, std::span<const Value> x, std::span<Value> y) {
  evenly::spmv(evenly::cpu(), evenly::merge_path{}, a, x, y);
  product(a, x, y, evenly::thread_mapped{});
  product(a, x, y, evenly::group_per_tile<8>{});
  product(a, x, y, evenly::dynamic_group_per_tile{});
}
template void products(const evenly::csr_view<float>&, std::span<const float>, std::span<float>);
template void products(const evenly::csr_view<double>&, std::span<const double>, std::span<double>);

void sums(const evenly::simt& exec, evenly::csr_tile_set<int> tiles, evenly::span_on<evenly::simt, float> y) {
  evenly::reduce_tiles(
      exec, evenly::merge_path{}, tiles, [](int k) { return static_cast<float>(k); }, evenly::plus<float>{},
      [=](int row, float sum) { y[row] = sum; });
}

[[noreturn]] void refuse(std::string file) {
  throw evenly::io::file_error(std::move(file), 0, "cannot be read");
}

} // namespace strangers
