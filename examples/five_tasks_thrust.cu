// SPDX-License-Identifier: Apache-2.0
// The tasks of five_tasks.cpp by Thrust and CUB, without this library, for comparison. docs/five-tasks.md shows the
// lines between `begin` and `end`.
//
//   nvcc -std=c++20 --extended-lambda -arch=native examples/five_tasks_thrust.cu -o five_tasks_thrust
#include <cstddef>
#include <cstdio>
#include <vector>

#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sort.h>
#include <thrust/zip_function.h>

template <class T> using array = thrust::device_vector<T>;

array<float> spmv(int rows, const array<int>& offsets, const array<int>& columns, const array<float>& values,
                  const array<float>& x) {
  // begin spmv
  array<float> y(rows);
  const auto gathered = thrust::make_permutation_iterator(x.begin(), columns.begin());
  const auto pairs = thrust::make_zip_iterator(values.begin(), gathered);
  const auto times = thrust::make_zip_function(thrust::multiplies<float>());
  const auto terms = thrust::make_transform_iterator(pairs, times);
  const auto begins = offsets.begin(), ends = begins + 1;
  std::size_t bytes = 0;
  cub::DeviceSegmentedReduce::Sum(nullptr, bytes, terms, y.begin(), rows, begins, ends);
  array<char> scratch(bytes);
  cub::DeviceSegmentedReduce::Sum(scratch.data().get(), bytes, terms, y.begin(), rows, begins, ends);
  // end
  return y;
}

array<float> reduce(int segments, const array<int>& offsets, const array<float>& values) {
  // begin segmented reduce
  array<float> sums(segments);
  const auto begins = offsets.begin(), ends = begins + 1;
  std::size_t bytes = 0;
  cub::DeviceSegmentedReduce::Sum(nullptr, bytes, values.begin(), sums.begin(), segments, begins, ends);
  array<char> scratch(bytes);
  cub::DeviceSegmentedReduce::Sum(scratch.data().get(), bytes, values.begin(), sums.begin(), segments, begins,
                                  ends);
  // end
  return sums;
}

array<int> search(int vertices, const int* offsets, const int* targets, int source) {
  // begin bfs
  array<int> levels(vertices, -1), found(1, 1);
  levels[source] = 0;
  int *level = levels.data().get(), *any = found.data().get();
  for (int now = 0; found[0] != 0; ++now) {
    found[0] = 0;
    thrust::for_each_n(thrust::counting_iterator<int>(0), vertices, [=] __device__(int v) {
      if (level[v] != now) return;
      for (int e = offsets[v]; e < offsets[v + 1]; ++e)
        if (atomicCAS(&level[targets[e]], -1, now + 1) == -1) *any = 1;
    });
  }
  // end
  return levels;
}

void sort(array<int>& keys, array<float>& values) {
  // begin sort by key
  thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
  // end
}

array<float> kernel(int rows, const int* offsets, const int* columns, const float* values, const float* x) {
  // begin kernel
  array<float> results(rows);
  float* y = results.data().get();
  thrust::for_each_n(thrust::counting_iterator<int>(0), rows, [=] __device__(int row) {
    float sum = 0;
    for (int k = offsets[row]; k < offsets[row + 1]; ++k) sum += fabsf(values[k] * x[columns[k]]);
    y[row] = sum;
  });
  // end
  return results;
}

int main() {
  if (int devices = 0; cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77; // no GPU

  const array<int> offsets(std::vector<int>{0, 2, 2, 3, 7}), columns(std::vector<int>{0, 3, 1, 0, 1, 2, 3});
  const array<float> values(std::vector<float>{1, -2, 3, 4, 5, -6, 7});
  const array<float> x(std::vector<float>{1, 10, 100, 1000});
  array<int> keys(std::vector<int>{3, 1, 2});
  array<float> sorted(std::vector<float>{30, 10, 20});
  sort(keys, sorted);
  const int *begins = offsets.data().get(), *ends = columns.data().get();
  const bool right[] = {spmv(4, offsets, columns, values, x) == std::vector<float>{-1999, 0, 30, 6454},
                        reduce(4, offsets, values) == std::vector<float>{-1, 0, 3, 10},
                        search(4, begins, ends, 0) == std::vector<int>{0, 2, 2, 1},
                        keys == std::vector<int>{1, 2, 3} && sorted == std::vector<float>{10, 20, 30},
                        kernel(4, begins, ends, values.data().get(), x.data().get()) ==
                            std::vector<float>{2001, 0, 30, 7654}};
  int wrong = 0;
  for (const bool each : right) wrong += each ? 0 : 1;
  std::printf("%d of 5 are wrong\n", wrong);
  return wrong;
}
