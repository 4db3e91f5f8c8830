// SPDX-License-Identifier: Apache-2.0
#include "measure/baselines_openmp.hpp"

#include <chrono>
#include <cstdint>
#include <thread>

namespace evenly::measure {
namespace {

template <class Body> void for_rows(int rows, row_distribution distribution, int threads, const Body& body) {
  if (distribution == row_distribution::one_thread) {
    for (int row = 0; row < rows; ++row) body(row);
  } else if (distribution == row_distribution::even) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int row = 0; row < rows; ++row) body(row);
  } else {
#pragma omp parallel for schedule(dynamic, dynamic_rows) num_threads(threads)
    for (int row = 0; row < rows; ++row) body(row);
  }
}

} // namespace

void let_threads_sleep() {
  using namespace std::chrono_literals;
  constexpr double hardly_any = 0.1;
  for (int ms = 0; ms < 50; ++ms) {
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(1ms);
    const double used = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    if (used < hardly_any * 1e-3) return;
  }
}

template <class Value>
void multiply_rows(const csr_view<Value>& a, const Value* x, Value* y, row_distribution distribution,
                   int threads) {
  for_rows(a.rows, distribution, threads, [=](int row) {
    Value sum = 0;
    for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
    y[row] = sum;
  });
}
template void multiply_rows(const csr_view<float>&, const float*, float*, row_distribution, int);
template void multiply_rows(const csr_view<double>&, const double*, double*, row_distribution, int);

template <class Value>
void multiply_rows(const csr_view<Value>& a, const Value* b, Value* c, int width,
                   row_distribution distribution, int threads) {
  for_rows(a.rows, distribution, threads, [=](int row) {
    Value* const to = c + std::int64_t{row} * width;
    for (int j = 0; j < width; ++j) to[j] = 0;
    for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      const Value value = a.values[k];
      const Value* const from = b + std::int64_t{a.columns[k]} * width;
      for (int j = 0; j < width; ++j) to[j] += value * from[j];
    }
  });
}
template void multiply_rows(const csr_view<float>&, const float*, float*, int, row_distribution, int);
template void multiply_rows(const csr_view<double>&, const double*, double*, int, row_distribution, int);

void write_rows(std::span<const int> offsets, int* tile_of, row_distribution distribution, int threads) {
  for_rows(static_cast<int>(offsets.size()) - 1, distribution, threads, [=, begin = offsets.data()](int row) {
    for (int k = begin[row]; k < begin[row + 1]; ++k) tile_of[k] = row;
  });
}

void sum_rows(std::span<const int> offsets, const float* values, float* sums, row_distribution distribution,
              int threads) {
  for_rows(static_cast<int>(offsets.size()) - 1, distribution, threads, [=, begin = offsets.data()](int row) {
    int k = begin[row];
    const int end = begin[row + 1];
    float part[8] = {};
    for (; end - k >= 8; k += 8)
      for (int i = 0; i < 8; ++i) part[i] += values[k + i];
    float sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    for (; k < end; ++k) sum += values[k];
    sums[row] = sum;
  });
}

void scan_rows(std::span<const int> offsets, const float* values, float* sums, row_distribution distribution,
               int threads) {
  for_rows(static_cast<int>(offsets.size()) - 1, distribution, threads, [=, begin = offsets.data()](int row) {
    float sum = 0;
    for (int k = begin[row]; k < begin[row + 1]; ++k) sums[k] = sum += values[k];
  });
}

void update_rows(std::span<const int> offsets, int* numbers, row_distribution distribution, int threads) {
  for_rows(static_cast<int>(offsets.size()) - 1, distribution, threads, [=, begin = offsets.data()](int row) {
    for (int k = begin[row]; k < begin[row + 1]; ++k)
      numbers[k] = static_cast<int>(static_cast<unsigned>(numbers[k]) + static_cast<unsigned>(row) + 1U);
  });
}

} // namespace evenly::measure
