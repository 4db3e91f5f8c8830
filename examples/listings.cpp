// SPDX-License-Identifier: Apache-2.0
// Listings 3 to 6 of Osama et al., "A programming model for GPU load balancing" (PPoPP 2023): a schedule made of
// ranges; products of a matrix with a vector and with a dense matrix, and shortest paths, as loops. Each runs under
// every schedule. listings_gpu.cu is the same source for a GPU, under three.
#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/kernels/for_each_range.hpp"
#include "evenly/schedules/registry.hpp"
#include "evenly/work/csr.hpp"

/// The rows of A, as views for kernels.
template <class Executor> struct csr {
  evenly::span_on<Executor, const int> offsets, columns;
  evenly::span_on<Executor, const float> values;
};

/// Listing 3, in the kernel of listing 4: a tile for each thread, made of a range. No schedule is needed for this one.
template <class Executor> struct by_ranges {
  csr<Executor> a;
  int rows;
  evenly::span_on<Executor, const float> x;
  evenly::span_on<Executor, float> y;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    for (const int row : evenly::grid_stride_range(block, 0, rows)) {
      float sum = 0;
      for (const int k : evenly::step_range(a.offsets[row], a.offsets[row + 1]))
        sum += a.values[k] * x[a.columns[k]];
      y[row] = sum;
    }
  }
};

/// Listing 4 under every schedule: y = A x.
template <class Executor, class Work>
struct multiply : evenly::kernel_of_work<evenly::combines<Work, float>> {
  Work rows;
  evenly::partials<float, int> carries;
  csr<Executor> a;
  evenly::span_on<Executor, const float> x;
  evenly::span_on<Executor, float> y;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto store = [&](int row, float sum) { y[row] = sum; };
    evenly::for_each_range(block, rows, evenly::combine_with{carries, evenly::plus<float>{}, store},
                           [&](const auto& range) {
                             for (const auto row : range.tiles()) {
                               float sum = 0;
                               for (const int k : range.atoms(row)) sum += a.values[k] * x[a.columns[k]];
                               range.combine(row, sum);
                             }
                           });
  }
};

/// Listing 5: C = A B, one column of B after the other. Each column has partials of its own.
template <class Executor, class Work>
struct multiply_columns : evenly::kernel_of_work<evenly::combines<Work, float>> {
  Work rows;
  evenly::column_partials<float, int> carries;
  csr<Executor> a;
  int count;
  evenly::span_on<Executor, const float> b;
  evenly::span_on<Executor, float> c;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    for (const int column : evenly::step_range(0, carries.columns)) {
      const auto x = b.subspan(column * count, count);
      const auto store = [&](int row, float sum) { c[column * count + row] = sum; };
      evenly::for_each_range(block, rows, evenly::combine_with{carries[column], evenly::plus<float>{}, store},
                             [&](const auto& range) {
                               for (const auto row : range.tiles()) {
                                 float sum = 0;
                                 for (const int k : range.atoms(row)) sum += a.values[k] * x[a.columns[k]];
                                 range.combine(row, sum);
                               }
                             });
    }
  }
};

/// Listing 6: every edge of a vertex that is reached shortens the way to its neighbour, if it can. One round.
template <class Executor, class Work> struct relax : evenly::kernel_of_work<Work> {
  Work vertices;
  csr<Executor> edges;
  evenly::span_on<Executor, int> distances, changed;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    evenly::for_each_range(block, vertices, [&](const auto& range) {
      for (const auto vertex : range.tiles()) {
        const int here = evenly::atomic_ref(distances[vertex.number]).load();
        for (const int edge : range.atoms(vertex)) {
          const int there = here + static_cast<int>(edges.values[edge]);
          if (evenly::atomic_ref(distances[edges.columns[edge]]).fetch_min(there) > there)
            evenly::atomic_ref(changed[0]).store(1);
        }
      }
    });
  }
};

constexpr int count = 600, far_away = 1 << 29;

struct matrix {
  std::vector<int> offsets{0}, columns;
  std::vector<float> values;
};
matrix made() {
  matrix a;
  for (int row = 0; row < count; ++row) {
    const int size = row == 40 ? 500 : row % 4;
    for (int k = 0; k < size; ++k) {
      a.columns.push_back((row + 1 + 17 * k) % count);
      a.values.push_back(static_cast<float>(1 + (row + k) % 5));
    }
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  return a;
}

/// What is expected: C column by column, and distances from vertex 40.
struct answers {
  std::vector<float> b, c;
  std::vector<int> distances;

  explicit answers(const matrix& a) : c(3 * count), distances(count, far_away) {
    for (int i = 0; i < 3 * count; ++i) b.push_back(static_cast<float>(i % 7));
    for (int i = 0; i < 3 * count; ++i)
      for (int k = a.offsets[i % count]; k < a.offsets[i % count + 1]; ++k)
        c[i] += a.values[k] * b[i / count * count + a.columns[k]];
    distances[40] = 0;
    for (int round = 0; round < count; ++round)
      for (int v = 0; v < count; ++v)
        for (int k = a.offsets[v]; k < a.offsets[v + 1]; ++k)
          distances[a.columns[k]] =
              std::min(distances[a.columns[k]], distances[v] + static_cast<int>(a.values[k]));
  }
};

template <class Executor> bool all_are_right(const Executor& exec) {
  const matrix a = made();
  const answers wanted(a);
  const auto offsets = evenly::to_executor(exec, a.offsets), columns = evenly::to_executor(exec, a.columns);
  const auto values = evenly::to_executor(exec, a.values), b = evenly::to_executor(exec, wanted.b);
  const auto c = evenly::make_buffer<float>(exec, wanted.c.size());
  const csr<Executor> in{view(exec, offsets), view(exec, columns), view(exec, values)};
  const auto tiles = evenly::csr_tiles(std::span<const int>(offsets.span()));

  launch(exec, {4, 128}, by_ranges<Executor>{in, count, view(exec, b), view(exec, c)});
  auto product = evenly::to_host(exec, c);
  bool right = std::equal(product.begin(), product.begin() + count, wanted.c.begin());
  std::printf("ranges%s\n", right ? "" : ": wrong");

  const auto examine = [&](const char* name, const auto& schedule) {
    const auto plan = evenly::make_plan(exec, schedule, tiles); // since some schedules need one
    const auto work = evenly::work_of(plan);
    using taken = std::remove_const_t<decltype(work)>;
    const evenly::launch_shape shape{work.blocks, work.block_size};
    const auto carries = evenly::make_partials<float>(exec, work);
    exec.fill_zero(c.data(), c.size() * sizeof(float));
    launch(exec, shape,
           multiply<Executor, taken>{{}, work, carries.view(), in, view(exec, b), view(exec, c)});
    const auto one_column = evenly::to_host(exec, c);
    const bool vector_is_right = std::equal(wanted.c.begin(), wanted.c.begin() + count, one_column.begin());

    const auto columns_of_b = evenly::make_partials<float>(exec, work, 3); // a number known at run time
    exec.fill_zero(c.data(), c.size() * sizeof(float));
    launch(exec, shape,
           multiply_columns<Executor, taken>{
               {}, work, columns_of_b.view(), in, count, view(exec, b), view(exec, c)});

    std::vector<int> start(count, far_away), again{1};
    start[40] = 0;
    const auto distances = evenly::to_executor(exec, start), changed = evenly::to_executor(exec, again);
    while (again[0] != 0) {
      exec.fill_zero(changed.data(), sizeof(int));
      launch(exec, shape, relax<Executor, taken>{{}, work, in, view(exec, distances), view(exec, changed)});
      again = evenly::to_host(exec, changed);
    }
    const bool product_is_right = vector_is_right && evenly::to_host(exec, c) == wanted.c;
    const bool paths_are_right = evenly::to_host(exec, distances) == wanted.distances;
    std::printf("%s%s%s\n", name, product_is_right ? "" : ": wrong product",
                paths_are_right ? "" : ": wrong paths");
    right = right && product_is_right && paths_are_right;
  };
#if defined(__CUDACC__)
  examine("thread_mapped", evenly::thread_mapped{});
  examine("group_mapped<32>", evenly::group_mapped<32>{});
  examine("merge_path", evenly::merge_path{});
#else
  evenly::for_each_schedule(examine);
#endif
  return right;
}

int main() {
#if defined(__CUDACC__)
  if (int devices = 0; cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77; // no GPU
  return all_are_right(evenly::cuda()) ? 0 : 1;
#else
  return all_are_right(evenly::cpu()) ? 0 : 1;
#endif
}
