// SPDX-License-Identifier: Apache-2.0
// What the abstraction costs: float SpMV by merge_path, against a kernel of the same algorithm fused by hand.
//
//   bench_merge_path_fused [--json FILE] [WORKLOAD ...]
//
// The hand-written kernel knows that atoms are products and tiles rows, that values are floats, and nothing else than
// blocks of 128 threads with 13 items each. Both keep their plan (where blocks start). Runs are interleaved, each after
// a fill of twice the L2 cache; the median of 31 is shown. Both results are checked against a double-precision loop.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "arguments.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/spmv.hpp"
#include "generate/generators.hpp"
#include "measure/device_timer.hpp"
#include "measure/measure.hpp"
#include "measure/problem.hpp"
#include "measure/reference.hpp"
#include "measure/report.hpp"
#include "measure/work_on.hpp"

namespace {

constexpr int threads = 128;
constexpr int items = 13;
constexpr int chunk = threads * items;
constexpr int group = 256;
constexpr unsigned full = 0xffffffffu;

struct alignas(16) record {
  float head, tail;
  int row, state; // 1: a row ends here; 2: the first of them began earlier
};

struct matrix {
  int rows, atoms;
  const int* __restrict__ offsets;
  const int* __restrict__ columns;
  const float* __restrict__ values;
};

struct tree {
  record* records;
  record* group_records;
  int* tickets;
  int blocks;
};

__global__ void find_starts(matrix a, int blocks, int* starts) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b > blocks) return;
  const std::int64_t diagonal = min(std::int64_t{b} * chunk, std::int64_t{a.rows} + a.atoms);
  int low = static_cast<int>(max(diagonal - a.atoms, std::int64_t{0}));
  int high = static_cast<int>(min(diagonal, std::int64_t{a.rows}));
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (a.offsets[middle + 1] <= diagonal - middle - 1)
      low = middle + 1;
    else
      high = middle;
  }
  starts[b] = low;
}

struct joined {
  bool ended;
  float open;
};
__device__ joined join(joined a, joined b) {
  return {a.ended || b.ended, b.ended ? b.open : a.open + b.open};
}

/// What is open before each thread, and after the whole block.
template <int Threads> __device__ joined scan(bool ended, float open, joined& total) {
  __shared__ joined warps[Threads / 32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned ends = __ballot_sync(full, ended);
  const unsigned before_me = ends & (full >> (31 - lane));
  const unsigned start = before_me ? 31 - __clz(before_me) : 0;
  float sum = open;
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2) {
    const float other = __shfl_up_sync(full, sum, d);
    if (lane >= start + d) sum = other + sum;
  }
  if (lane == 31) warps[warp] = {ends != 0, sum};
  const float left = __shfl_up_sync(full, sum, 1);
  joined mine{(ends & ((1u << lane) - 1)) != 0, lane == 0 ? 0.0f : left};
  __syncthreads();
  joined prefix{false, 0.0f};
  total = {false, 0.0f};
#pragma unroll
  for (unsigned w = 0; w < Threads / 32; ++w) {
    if (w == warp) prefix = total;
    total = join(total, warps[w]);
  }
  return join(prefix, mine);
}

template <int Threads> __device__ record resolve(const record* from, int count, float* y) {
  __shared__ record first;
  joined so_far{false, 0.0f};
  for (int base = 0; base < count; base += Threads) {
    const int i = base + static_cast<int>(threadIdx.x);
    record r = i < count ? from[i] : record{0.0f, 0.0f, 0, 0};
    joined total;
    const joined before = join(so_far, scan<Threads>(r.state & 1, r.tail, total));
    if (r.state & 1) {
      if (r.state & 2) r.head += before.open;
      if (!before.ended)
        first = r;
      else if (r.state & 2)
        y[r.row] = r.head;
    }
    so_far = join(so_far, total);
    __syncthreads();
  }
  record all = so_far.ended ? first : record{0.0f, 0.0f, 0, 0};
  all.tail = so_far.open;
  __syncthreads();
  return all;
}

__device__ bool leave(record& to, const record& mine, int& ticket, int count) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    to = mine;
    __threadfence();
    last = atomicAdd(&ticket, 1) == count - 1;
    if (last) ticket = 0;
    __threadfence();
  }
  __syncthreads();
  return last;
}

template <int Threads> __device__ void join_group(const tree& t, int g, float* y) {
  const int groups = (t.blocks + group - 1) / group;
  record all = resolve<Threads>(t.records + g * group, min(group, t.blocks - g * group), y);
  if (groups > 1) {
    if (!leave(t.group_records[g], all, t.tickets[groups], groups)) return;
    all = resolve<Threads>(t.group_records, groups, y);
  }
  if (threadIdx.x == 0 && all.state == 3) y[all.row] = all.head;
}

__global__ void __launch_bounds__(group) join_groups(tree t, float* y) {
  join_group<group>(t, blockIdx.x, y);
}

__global__ void __launch_bounds__(threads)
    fused(matrix a, const int* __restrict__ starts, const float* __restrict__ x, float* y, tree t) {
  __shared__ float values[chunk];
  __shared__ unsigned char ends[chunk];
  const int block = blockIdx.x, rank = threadIdx.x;
  const std::int64_t begin = std::int64_t{block} * chunk;
  const std::int64_t end = min(begin + chunk, std::int64_t{a.rows} + a.atoms);
  const int first_row = starts[block], last_row = starts[block + 1];
  const int first_atom = static_cast<int>(begin - first_row), last_atom = static_cast<int>(end - last_row);
  const int rows = last_row - first_row, atoms = last_atom - first_atom;
  const bool open = first_row < a.rows && first_atom > a.offsets[first_row] && rows > 0;
#pragma unroll
  for (int i = 0; i < items; ++i) ends[rank + i * threads] = 0;
  float product[items];
  int last[items];
  if (atoms > 0) {
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const int k = first_atom + min(rank + i * threads, atoms - 1);
      product[i] = a.values[k] * x[a.columns[k]];
    }
  }
  if (rows > 0) {
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const int r = first_row + min(rank + i * threads, rows - 1);
      const int row_end = a.offsets[r + 1];
      last[i] = row_end > max(a.offsets[r], first_atom) ? row_end - first_atom - 1 : -1;
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int k = rank + i * threads;
    values[k] = k < atoms ? product[i] : 0.0f;
    if (k < rows && last[i] >= 0) ends[last[i]] = 1;
  }
  __syncthreads();
  unsigned ended = 0;
#pragma unroll
  for (int i = 0; i < items; ++i) ended |= static_cast<unsigned>(ends[rank * items + i]) << i;
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < items; ++i) {
    sum += values[rank * items + i];
    if (ended >> i & 1) {
      values[rank * items + i] = sum;
      sum = 0.0f;
    }
  }
  joined total;
  const joined before = scan<threads>(ended != 0, sum, total);
  if (ended != 0) values[rank * items + __ffs(ended) - 1] += before.open;
  __syncthreads();
  float head = 0.0f;
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int r = rank + i * threads;
    if (r >= rows) break;
    const float row_sum = last[i] < 0 ? 0.0f : values[last[i]];
    if (r == 0 && open)
      head = row_sum;
    else
      y[first_row + r] = row_sum;
  }
  const record mine{head, total.open, first_row, (rows > 0 ? 1 : 0) | (open ? 2 : 0)};
  if (t.blocks == 1) return;
  if (t.blocks > 2048) {
    if (rank == 0) t.records[block] = mine;
    return;
  }
  const int g = block / group;
  if (leave(t.records[block], mine, t.tickets[g], min(group, t.blocks - g * group)))
    join_group<threads>(t, g, y);
}

/// One workload: prints its line and adds it to the report.
void measure_workload(const std::string& workload, evenly::measure::report& report) {
  const auto source = evenly::generate::generate(workload);
  const evenly::measure::problem p = evenly::measure::make_problem(
      evenly::measure::operation::spmv, evenly::measure::number_type::single_precision, source, 0);
  const evenly::cuda exec;
  using work_type = evenly::measure::work_on<evenly::cuda, evenly::measure::spmv_problem<float>>;
  const auto work = std::make_shared<work_type>(exec, std::get<evenly::measure::spmv_problem<float>>(p));
  const auto& a = work->data().a();
  const auto x = work->data().x();
  const auto y = work->data().out();
  auto plan = evenly::make_plan(exec, evenly::merge_path<items>{threads}, evenly::rows_of(a));

  const int atoms = static_cast<int>(source.atoms());
  const matrix m{a.rows, atoms, a.offsets, a.columns, a.values};
  const int blocks = static_cast<int>((std::int64_t{a.rows} + atoms + chunk - 1) / chunk);
  const int groups = (blocks + group - 1) / group;
  const auto starts = evenly::make_buffer<int>(exec, blocks + std::size_t{1});
  const auto records = evenly::make_buffer<record>(exec, static_cast<std::size_t>(blocks));
  const auto group_records = evenly::make_buffer<record>(exec, static_cast<std::size_t>(groups));
  const auto tickets = evenly::make_buffer<int>(exec, groups + std::size_t{1});
  exec.fill_zero(tickets.data(), tickets.size() * sizeof(int));
  find_starts<<<blocks / 128 + 1, 128>>>(m, blocks, starts.data());
  const tree t{records.data(), group_records.data(), tickets.data(), blocks};

  const auto by_hand = [&] {
    fused<<<blocks, threads>>>(m, starts.data(), x.data(), y.data(), t);
    if (blocks > 2048) join_groups<<<groups, group>>>(t, y.data());
    EVENLY_CUDA_CHECK(cudaGetLastError());
  };
  const auto by_library = [&] { evenly::spmv(exec, plan, a, x, y); };
  // The second run finds what the first has left of tickets and records.
  const auto twice_right = [&](const std::function<void()>& run) {
    return [&work, &p, run] {
      run();
      return !evenly::measure::reference(p).first_error(work->result());
    };
  };
  evenly::measure::bench on{std::make_unique<evenly::measure::device_timer>(false), work, {}};
  const std::vector<evenly::measure::candidate> both{
      evenly::measure::plain_candidate("fused_by_hand", by_hand, twice_right(by_hand)),
      evenly::measure::plain_candidate("merge_path", by_library, twice_right(by_library))};
  const auto measured = measure_in_turns(on, both, {.exactly = 31});
  for (const evenly::measure::measurement& each : measured) {
    if (each.error) std::printf("%-20s FAILED: %s\n", workload.c_str(), each.what.name.c_str());
    report.add({{"workload", workload},
                {"rows", a.rows},
                {"cols", a.cols},
                {"atoms", atoms},
                {"op", "spmv"},
                {"executor", "cuda"},
                {"schedule", each.what.name},
                {"type", "float"}},
               each);
  }
  const double by = measured[0].time.median, with = measured[1].time.median;
  if (!measured[0].error && !measured[1].error)
    std::printf("%-20s %12.1f %12.1f %8.3f\n", workload.c_str(), 1000 * by, 1000 * with, with / by);
}

void measure_all(const evenly::bench::arguments& args, evenly::measure::report& report) {
  std::vector<std::string> workloads = args.words;
  if (workloads.empty())
    workloads = {"great-britain_osm", "cit-Patents",      "web-NotreDame", "regular8",      "circuit5M",
                 "as-Skitter",        "kron_g500-logn20", "band27",        "one-dense-row", "mostly-empty"};
  std::printf("%-20s %12s %12s %8s\n", "workload", "by hand, us", "evenly, us", "ratio");
  for (const auto& workload : workloads) measure_workload(workload, report);
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main(
      argc, argv, {.program = "bench_merge_path_fused", .measure = measure_all, .on_gpu = true});
}
