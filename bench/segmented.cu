// SPDX-License-Identifier: Apache-2.0
// Segmented reduction and segmented scan of plain float values, on segments of every size.
//
//   bench_segmented [--json FILE] [WORKLOAD ...]
//
// The segments are the rows of the workloads of docs/performance.md, or of those that are named (generators and files);
// and uniform ones: of 1, 2, 4 ... 2^24 atoms, 2^25 in all. Only the sizes are taken: a value is -1, 0 or 1, so that
// sums are exact in any order, and every result is compared with a serial loop's before it is timed.
//
//   segmented_reduce   reduce_tiles under `automatic` and under schedules, by their names; cub::DeviceSegmentedReduce
//   segmented_scan     scan_tiles under `automatic` and under schedules that cut tiles; inclusive_scan of as many atoms
//                      without segments
//   copy               beside each: a copy that moves as many bytes, half of them read and half written
//
// The bytes of a reduction are those of values, offsets and results; of a scan those of values, offsets and prefixes.
// Runs take turns, each after a fill of twice the L2 cache; the median of 15 is shown, of 3 where one takes more than
// 20 ms. Plans are made before. What would take its threads more than 2^15 rounds for the longest segment is left out.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>

#include "arguments.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/algorithms/values_of.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/binned.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/multi_phase.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "evenly/schedules/streamed.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/schedules/two_phase.hpp"
#include "evenly/work/csr.hpp"
#include "io/input.hpp"
#include "measure/device_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "peers/peer_module.hpp"
#include "plan_candidate.hpp"
#include "segments.hpp"

namespace {

using evenly::bench::plan_candidate;
using evenly::measure::candidate;
using evenly::measure::plain_candidate;

struct store_to {
  float* results;
  EVENLY_FN void operator()(int i, float value) const { results[i] = value; }
};

__global__ void count_differences(const float* got, const float* want, std::size_t size, int* differences) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x)
    if (!(got[i] == want[i])) atomicAdd(differences, 1);
}

/// The segments of one workload: inputs, outputs and what is right.
class problem {
 public:
  problem(const evenly::cuda& exec, std::string name, const std::vector<int>& offsets)
      : exec_(exec), name_(std::move(name)), segments_(static_cast<int>(offsets.size()) - 1),
        atoms_(offsets.back()), offsets_(evenly::to_executor(exec, offsets)) {
    std::vector<float> values(atoms_), sums(segments_), prefixes(atoms_), running(atoms_);
    float all = 0;
    for (int t = 0; t < segments_; ++t) {
      longest_ = std::max(longest_, offsets[t + 1] - offsets[t]);
      float sum = 0;
      for (int a = offsets[t]; a < offsets[t + 1]; ++a) {
        values[a] = evenly::bench::nth_value(static_cast<std::uint64_t>(a));
        prefixes[a] = sum += values[a];
        running[a] = all += values[a];
      }
      sums[t] = sum;
    }
    values_ = evenly::to_executor(exec, values);
    sums_ = evenly::to_executor(exec, sums);
    prefixes_ = evenly::to_executor(exec, prefixes);
    running_ = evenly::to_executor(exec, running);
    out_ = evenly::make_buffer<float>(exec, std::max(values.size(), sums.size()));
    differences_ = evenly::make_buffer<int>(exec, 1);
  }

  void reductions(evenly::measure::report& report) {
    std::vector<candidate> all;
    const auto add = [&](const char* name, const auto& schedule, int group) {
      if (longest_ / group > max_rounds) return;
      all.push_back(plan_candidate(
          name, exec_, schedule, tiles(),
          [this](auto& plan) {
            evenly::reduce_tiles(exec_, plan, evenly::values_of{values_.data()}, evenly::plus<float>{},
                                 store_to{out_.data()});
          },
          is(sums_)));
    };
    constexpr int cut = 1 << 30; // long segments are shared
    add("automatic", evenly::automatic{.work = evenly::work_kind::sums}, cut);
    add("streamed", evenly::streamed{}, cut);
    add("merge_path", evenly::merge_path{}, cut);
    add("nonzero_split", evenly::nonzero_split{}, cut);
    add("multi_phase", evenly::multi_phase{}, cut);
    add("dynamic_group_per_tile", evenly::dynamic_group_per_tile{}, cut);
    add("binned", evenly::binned{}, cut);
    add("thread_mapped", evenly::thread_mapped{}, 1);
    add("group_per_tile<8>", evenly::group_per_tile<8>{}, 8);
    add("warp_mapped", evenly::warp_mapped{}, 32);
    add("block_mapped", evenly::block_mapped{}, evenly::default_block_size);

    std::size_t bytes = 0;
    const auto cub_sum = [this](void* memory, std::size_t& size) {
      EVENLY_CUDA_CHECK(cub::DeviceSegmentedReduce::Sum(memory, size, values_.data(), out_.data(), segments_,
                                                        offsets_.data(), offsets_.data() + 1,
                                                        exec_.stream()));
    };
    cub_sum(nullptr, bytes);
    const auto memory =
        std::make_shared<evenly::buffer<std::byte>>(exec_.resource(), std::max<std::size_t>(bytes, 1));
    all.push_back(plain_candidate(
        "cub_device_segmented_reduce",
        [=] {
          std::size_t size = bytes;
          cub_sum(memory->data(), size);
        },
        is(sums_)));
    add_copy(all, 4 * (static_cast<std::size_t>(atoms_) + 2 * static_cast<std::size_t>(segments_)));
    measure("segmented_reduce", all, report);
  }

  void scans(evenly::measure::report& report) {
    std::vector<candidate> all;
    const auto add = [&](const char* name, const auto& schedule) {
      all.push_back(plan_candidate(
          name, exec_, schedule, tiles(),
          [this](auto& plan) {
            evenly::scan_tiles(exec_, plan, evenly::values_of{values_.data()}, evenly::plus<float>{},
                               store_to{out_.data()});
          },
          is(prefixes_)));
    };
    add("automatic", evenly::automatic{.work = evenly::work_kind::prefixes});
    add("streamed", evenly::streamed{});
    add("merge_path", evenly::merge_path{});
    add("nonzero_split", evenly::nonzero_split{});
    add("multi_phase", evenly::multi_phase{});
    add("two_phase", evenly::two_phase{});
    add("dynamic_group_per_tile", evenly::dynamic_group_per_tile{});
    all.push_back(plain_candidate(
        "inclusive_scan",
        [this] {
          evenly::inclusive_scan(exec_, static_cast<const float*>(values_.data()), atoms_,
                                 evenly::plus<float>{}, out_.data(), memory_);
        },
        is(running_)));
    add_copy(all, 4 * (2 * static_cast<std::size_t>(atoms_) + static_cast<std::size_t>(segments_)));
    measure("segmented_scan", all, report);
  }

 private:
  static constexpr int max_rounds = 1 << 15;

  decltype(evenly::csr_tiles(std::span<int>())) tiles() const { return evenly::csr_tiles(offsets_.span()); }

  /// `bytes`: read and written together.
  void add_copy(std::vector<candidate>& all, std::size_t bytes) {
    if (copy_.size() < bytes) copy_ = evenly::make_buffer<std::byte>(exec_, bytes);
    const std::size_t half = bytes / 2;
    all.push_back(plain_candidate(
        "copy",
        [this, half] {
          EVENLY_CUDA_CHECK(cudaMemcpyAsync(copy_.data(), copy_.data() + half, half, cudaMemcpyDeviceToDevice,
                                            exec_.stream()));
        },
        [] { return true; }));
  }

  /// A check of the output.
  std::function<bool()> is(const evenly::buffer<float>& want) const {
    return [this, &want] {
      exec_.fill_zero(differences_.data(), sizeof(int));
      count_differences<<<1024, 256, 0, exec_.stream()>>>(out_.data(), want.data(), want.size(),
                                                          differences_.data());
      return evenly::to_host(exec_, differences_)[0] == 0;
    };
  }

  void measure(const char* op, const std::vector<candidate>& all, evenly::measure::report& report) const {
    const auto spoil = [this] {
      EVENLY_CUDA_CHECK(cudaMemsetAsync(out_.data(), 0xFF, out_.size() * sizeof(float), exec_.stream()));
    };
    evenly::measure::bench on{std::make_unique<evenly::measure::device_timer>(false, exec_.stream()),
                              std::make_shared<evenly::measure::unchecked_output>(spoil),
                              {}};
    const auto measured =
        measure_in_turns(on, all, {.min_rounds = 3, .max_rounds = 15, .time_budget_ms = 60});
    std::printf("%s, %s: %d segments, %d atoms, longest %d\n", name_.c_str(), op, segments_, atoms_,
                longest_);
    const double copy = measured.back().time.median;
    evenly::bench::add_lines(report, {name_, segments_, atoms_, op, "cuda"}, measured,
                             [&](const evenly::measure::measurement& m) {
                               std::printf("  %-28s %10.1f us, %3.0f%% of copy\n", m.what.name.c_str(),
                                           1000 * m.time.median, 100 * copy / m.time.median);
                             });
  }

  const evenly::cuda& exec_;
  std::string name_;
  int segments_;
  int atoms_;
  int longest_ = 0;
  evenly::buffer<int> offsets_, differences_;
  evenly::buffer<float> values_, sums_, prefixes_, running_, out_;
  evenly::buffer<std::byte> copy_;
  evenly::workspace memory_;
};

std::vector<int> uniform_offsets(int size) {
  constexpr int atoms = 1 << 25;
  std::vector<int> offsets;
  for (int a = 0; a < atoms; a += size) offsets.push_back(a);
  offsets.push_back(atoms);
  return offsets;
}

void measure_all(const evenly::bench::arguments& args, evenly::measure::report& report) {
  std::vector<std::string> workloads = args.words;
  const bool uniform_ones = workloads.empty();
  if (workloads.empty())
    workloads = {"great-britain_osm", "cit-Patents", "web-NotreDame",    "regular8", "circuit5M",
                 "one-dense-row",     "as-Skitter",  "kron_g500-logn20", "band27",   "mostly-empty"};
  const evenly::cuda exec;
  const auto run = [&](const std::string& name, const std::vector<int>& offsets) {
    problem here(exec, name, offsets);
    here.reductions(report);
    here.scans(report);
  };
  for (const std::string& workload : workloads) {
    const auto loaded = evenly::io::load_input(workload);
    run(loaded.name, loaded.matrix.offsets);
  }
  for (int bits = 0; uniform_ones && bits <= 24; ++bits)
    run("uniform:2^" + std::to_string(bits), uniform_offsets(1 << bits));
}

evenly::json::value versions(const evenly::bench::arguments&) {
  const std::string cub = evenly::peers::dotted(CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
  return {{"peers", {{"CUB", cub}}}};
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main(
      argc, argv, {.program = "bench_segmented", .measure = measure_all, .on_gpu = true, .head = versions});
}
