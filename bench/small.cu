// SPDX-License-Identifier: Apache-2.0
// The cost of plans for small work, and for work that changes in every run: sums of float values under a kept plan, and
// with a new plan per run (docs/plans.md).
//
//   bench_small [--json FILE] [WORKLOAD ...]
//
// The tiles are the rows of a few small workloads, and of one of 10^6 atoms, or of those that are named (generators and
// files). A value is -1, 0 or 1, so that sums are exact in any order, and every result is compared with a serial
// loop's.
//
// Under each schedule
//   kept       reduce_tiles under a plan that was made before
//   rebind     plan.rebind(assume_valid(tiles, atoms)), and then the same
//   on_device  the same of tiles that are sized on the device
//   one_call   reduce_tiles(exec, schedule, assume_valid(tiles, atoms), ...): plans, runs, and gives the memory back
//   checked    the same of tiles that are not trusted, which waits
//
// Two times of each: on the device, by events, without the host's (the data may be in the L2 cache); and of the host,
// from the call to its return, without waiting for the device: the median of many calls.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/values_of.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/group_mapped.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/csr_on_device.hpp"
#include "io/input.hpp"
#include "measure/device_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"

namespace {

using evenly::measure::candidate;
using evenly::measure::plain_candidate;

struct store_to {
  float* results;
  EVENLY_FN void operator()(int i, float value) const { results[i] = value; }
};

/// The median time of a call on the host, in microseconds. The device has done what was asked before each.
double host_us(const evenly::cuda& exec, const std::function<void()>& call) {
  constexpr int calls = 201;
  std::vector<double> times;
  for (int i = 0; i < calls; ++i) {
    exec.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    call();
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + calls / 2, times.end());
  return times[calls / 2];
}

/// The tiles of one workload: inputs, output and what is right.
class problem {
 public:
  problem(const evenly::cuda& exec, std::string name, const std::vector<int>& offsets)
      : exec_(exec), name_(std::move(name)), count_(static_cast<int>(offsets.size()) - 1),
        atoms_(offsets.back()), sums_(offsets.size() - 1), offsets_(evenly::to_executor(exec, offsets)),
        out_(evenly::make_buffer<float>(exec, offsets.size())),
        count_there_(evenly::to_executor(exec, std::vector<int>{count_})) {
    std::vector<float> values(atoms_);
    for (int t = 0; t < count_; ++t)
      for (int a = offsets[t]; a < offsets[t + 1]; ++a)
        sums_[t] += values[a] = static_cast<float>((a * 0x9E3779B97F4A7C15u >> 40) % 3) - 1.0f;
    values_ = evenly::to_executor(exec, values);
  }

  template <class Schedule>
  void measure(const char* schedule_name, const Schedule& schedule, evenly::measure::report& report) {
    const auto tiles = evenly::csr_tiles(offsets_.span());
    const auto sized = evenly::csr_tiles_on_device(offsets_.data(), count_there_.data(),
                                                   {static_cast<std::int64_t>(count_), std::int64_t{atoms_}});
    const auto kept = share(evenly::make_plan(exec_, schedule, tiles));
    const auto bound = share(evenly::make_plan(exec_, schedule, tiles));
    const auto on_device = share(evenly::make_plan(exec_, schedule, sized));
    kept->reserve(evenly::reduces<float>{});
    bound->reserve(evenly::reduces<float>{});
    on_device->reserve(evenly::reduces<float>{});
    const std::int64_t atoms = atoms_;
    const auto sum = [this](auto& plan) {
      evenly::reduce_tiles(exec_, plan, values(), evenly::plus<float>{}, store());
    };
    const auto in_one_call = [this, schedule](const auto& what) {
      evenly::reduce_tiles(exec_, schedule, what, values(), evenly::plus<float>{}, store());
    };
    time(schedule_name, report,
         {{"kept", [=] { sum(*kept); }},
          {"rebind",
           [=] {
             bound->rebind(evenly::assume_valid(tiles, atoms));
             sum(*bound);
           }},
          {"on_device",
           [=] {
             on_device->rebind(sized);
             sum(*on_device);
           }},
          {"one_call", [=] { in_one_call(evenly::assume_valid(tiles, atoms)); }},
          {"checked", [=] { in_one_call(tiles); }}});
  }

 private:
  using way = std::pair<const char*, std::function<void()>>;

  template <class Plan> static std::shared_ptr<Plan> share(Plan plan) {
    return std::make_shared<Plan>(std::move(plan));
  }
  evenly::values_of<float> values() const { return {values_.data()}; }
  store_to store() const { return {out_.data()}; }

  void time(const char* schedule_name, evenly::measure::report& report, const std::vector<way>& ways) const {
    std::vector<candidate> all;
    for (const way& each : ways)
      all.push_back(plain_candidate(each.first, each.second, [this] { return right(); }));
    const auto spoil = [this] {
      EVENLY_CUDA_CHECK(cudaMemsetAsync(out_.data(), 0xFF, out_.size() * sizeof(float), exec_.stream()));
    };
    evenly::measure::bench on{std::make_unique<evenly::measure::device_timer>(true, exec_.stream()),
                              std::make_shared<evenly::measure::unchecked_output>(spoil),
                              {}};
    const auto measured =
        measure_in_turns(on, all, {.min_rounds = 21, .max_rounds = 101, .time_budget_ms = 200});
    std::printf("%s, %s: %d tiles, %d atoms\n", name_.c_str(), schedule_name, count_, atoms_);
    const double kept = measured.front().time.median;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const evenly::measure::measurement& m = measured[i];
      const double host = m.error ? 0 : host_us(exec_, ways[i].second);
      report.add({{"workload", name_},
                  {"rows", count_},
                  {"atoms", atoms_},
                  {"op", "reduce_tiles"},
                  {"executor", "cuda"},
                  {"schedule", schedule_name},
                  {"planned", m.what.name},
                  {"host_us", host},
                  {"of_kept", m.time.median / kept},
                  {"type", "float"}},
                 m);
      if (m.error)
        std::printf("  %-12s FAILED: %s\n", m.what.name.c_str(), m.error->c_str());
      else
        std::printf("  %-12s %8.2f us on the device, %5.2f of kept; %8.2f us of the host\n",
                    m.what.name.c_str(), 1000 * m.time.median, m.time.median / kept, host);
    }
    std::fflush(stdout);
  }

  bool right() const {
    std::vector<float> got = evenly::to_host(exec_, out_);
    got.pop_back();
    return got == sums_;
  }

  const evenly::cuda& exec_;
  std::string name_;
  int count_;
  int atoms_;
  std::vector<float> sums_;
  evenly::buffer<int> offsets_;
  evenly::buffer<float> values_, out_;
  evenly::buffer<int> count_there_;
};

void measure_all(const evenly::bench::arguments& args, evenly::measure::report& report) {
  std::vector<std::string> workloads = args.words;
  if (workloads.empty())
    workloads = {"regular:rows=1000,size=8", "powerlaw:rows=10000,avg=8,sd=30,max=3000",
                 "regular:rows=12000,size=8", "regular:rows=125000,size=8",
                 "powerlaw:rows=100000,avg=10,sd=40,max=5000"};
  const evenly::cuda exec;
  for (const std::string& workload : workloads) {
    const auto loaded = evenly::io::load_input(workload);
    problem here(exec, loaded.name, loaded.matrix.offsets);
    here.measure("thread_mapped", evenly::thread_mapped{}, report);
    here.measure("group_mapped<32>", evenly::group_mapped<32>{}, report);
    here.measure("merge_path", evenly::merge_path{}, report);
    here.measure("nonzero_split", evenly::nonzero_split{}, report);
  }
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main(argc, argv,
                                 {.program = "bench_small", .measure = measure_all, .on_gpu = true});
}
