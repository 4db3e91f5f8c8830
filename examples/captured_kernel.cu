// SPDX-License-Identifier: Apache-2.0
// A CUDA graph of your own __global__ function: y = A x under merge_path, captured once and launched for several x.
//
// All memory is allocated before the capture: the arrays, the plan, and the carries of rows that blocks share. The
// capture then contains two kernels, which neither allocate nor wait: yours, and the one that combines the carries. A
// graph stores addresses, so the memory must outlive it.
#include <cstddef>
#include <cstdio>
#include <span>
#include <type_traits>
#include <vector>

#include "evenly/core/monoid.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/kernels/for_each_range.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"

constexpr int threads = 128; // of a block: the default of schedules

struct matrix {
  std::vector<int> offsets{0}, columns;
  std::vector<float> values;
};

/// Rows of up to four nonzeros, and one of 20,000, which several blocks share. All values are whole numbers, so sums
/// are exact in any order.
matrix one_long_row(int rows) {
  matrix a;
  for (int row = 0; row < rows; ++row) {
    const int size = row == rows / 2 ? 20000 : row % 5;
    for (int k = 0; k < size; ++k) {
      a.columns.push_back((row + 7 * k) % rows);
      a.values.push_back(static_cast<float>(1 + (row + k) % 3));
    }
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  return a;
}

/// Pointers to memory of the device.
struct operands {
  const int* columns;
  const float *values, *x;
};
struct store_row {
  float* y;
  EVENLY_FN void operator()(int row, float sum) const { y[row] = sum; }
};

template <class Work, class Carries>
__global__ void multiply(Work rows, Carries carries, operands in, store_row store) {
  auto block = evenly::this_block<threads>();
  const evenly::combine_with sums{carries, evenly::plus<float>{}, store};
  evenly::for_each_range(block, rows, sums, [&](const auto& range) {
    for (const auto row : range.tiles()) {
      float sum = 0;
      for (const int k : range.atoms(row)) sum += in.values[k] * in.x[in.columns[k]];
      range.combine(row, sum);
    }
  });
}

int main() {
  if (int devices = 0; cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77; // no GPU

  constexpr int rows = 1000;
  const matrix a = one_long_row(rows);
  cudaStream_t stream = nullptr;
  EVENLY_CUDA_CHECK(cudaStreamCreate(&stream));
  const evenly::cuda exec(stream);
  const auto offsets = evenly::to_executor(exec, a.offsets);
  const auto columns = evenly::to_executor(exec, a.columns);
  const auto values = evenly::to_executor(exec, a.values);
  const auto x = evenly::make_buffer<float>(exec, rows);
  const auto y = evenly::make_buffer<float>(exec, rows);

  const auto plan = evenly::make_plan(exec, evenly::merge_path{},
                                      evenly::csr_tiles(std::span<const int>(offsets.data(), rows + 1)));
  const auto work = evenly::work_of(plan);
  const auto carries = evenly::make_partials<float>(exec, work);
  const operands in{columns.data(), values.data(), x.data()};
  const store_row store{y.data()};
  using combined = evenly::combines<std::remove_const_t<decltype(work)>, float>;
  const std::size_t bytes = evenly::storage_bytes<combined>(evenly::cuda::shape_of(threads));

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  EVENLY_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  multiply<<<work.blocks, threads, bytes, stream>>>(work, carries.deferred(), in, store);
  EVENLY_CUDA_CHECK(cudaGetLastError());
  evenly::fix_up_carries(exec, work, carries, evenly::plus<float>{}, store);
  EVENLY_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  EVENLY_CUDA_CHECK(cudaGraphInstantiate(&replay, graph, 0));

  bool right = true;
  for (const int scale : {1, 2, 3}) { // the graph reads the new x
    std::vector<float> scaled;
    for (int column = 0; column < rows; ++column) scaled.push_back(static_cast<float>(scale * (column % 4)));
    exec.copy_from_host(x.data(), scaled.data(), scaled.size() * sizeof(float));
    EVENLY_CUDA_CHECK(cudaGraphLaunch(replay, stream));
    const std::vector<float> found = evenly::to_host(exec, y); // waits for the stream
    for (int row = 0; row < rows; ++row) {
      float sum = 0;
      for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum += a.values[k] * scaled[a.columns[k]];
      right = right && found[row] == sum;
    }
  }
  EVENLY_CUDA_CHECK(cudaGraphExecDestroy(replay));
  EVENLY_CUDA_CHECK(cudaGraphDestroy(graph));
  std::printf("%d blocks, two kernels in the graph: %s\n", work.blocks, right ? "right" : "wrong");
  return right ? 0 : 1;
}
