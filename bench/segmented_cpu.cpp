// SPDX-License-Identifier: Apache-2.0
// Segmented reduction and segmented scan of plain float values on the CPU, against oneTBB's parallel_for over segments.
// `automatic` runs evenly::segmented_reduce and evenly::segmented_inclusive_scan under a plan.
//
//   bench_segmented_cpu [--threads N] [--json FILE]
//
// Segments are uniform, of 1, 4, 16 ... 2^22 atoms, 2^24 in all; or one has nine tenths of everything and the others 8
// atoms each. The loop over a segment keeps eight sums, as evenly's does, since a single one would be bound by the time
// of an addition. A value is -1, 0 or 1, so that sums are exact in any order; results are compared with a serial loop's
// before they are timed. Candidates take turns; a time is the median over the turns.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/version.h>

#include "arguments.hpp"
#include "evenly/algorithms/segments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"
#include "measure/host_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "peers/peer_module.hpp"
#include "plan_candidate.hpp"
#include "segments.hpp"

namespace {

using evenly::bench::plan_candidate;
using evenly::measure::candidate;
using evenly::measure::plain_candidate;

/// The sum of values[begin], ... values[end - 1], in eight parts.
float sum_of(const float* values, int begin, int end) {
  float part[8] = {};
  for (; end - begin >= 8; begin += 8)
    for (int i = 0; i < 8; ++i) part[i] += values[begin + i];
  float sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
  for (; begin < end; ++begin) sum += values[begin];
  return sum;
}

/// Times the candidates, of which the first is what the others are compared with, and adds them to the report.
void measure(const evenly::bench::segmented& what, std::vector<float>& out, const std::vector<candidate>& all,
             evenly::measure::report& report) {
  const auto spoil = [&] { std::fill(out.begin(), out.end(), std::numeric_limits<float>::quiet_NaN()); };
  evenly::measure::bench on{std::make_unique<evenly::measure::host_timer>(1),
                            std::make_shared<evenly::measure::unchecked_output>(spoil),
                            {}};
  const auto measured = measure_in_turns(on, all, {.exactly = 15});
  std::printf("%s, %s: %d segments, %d atoms\n", what.workload.c_str(), what.op.c_str(), what.segments,
              what.atoms);
  const double baseline = measured.front().time.median;
  add_lines(report, what, measured, [&](const evenly::measure::measurement& m) {
    std::printf("  %-24s %9.3f ms, %5.2f times as fast\n", m.what.name.c_str(), m.time.median,
                baseline / m.time.median);
  });
}

/// Both operations on one tile set.
void both(const evenly::cpu& exec, const std::string& workload, const std::vector<int>& offsets,
          evenly::measure::report& report) {
  const int segments = static_cast<int>(offsets.size()) - 1, atoms = offsets.back();
  std::vector<float> values(atoms), sums(segments), prefixes(atoms), out(std::max(atoms, segments));
  for (int t = 0; t < segments; ++t) {
    float sum = 0;
    for (int a = offsets[t]; a < offsets[t + 1]; ++a) {
      values[a] = evenly::bench::nth_value(static_cast<std::uint64_t>(a));
      prefixes[a] = sum += values[a];
    }
    sums[t] = sum;
  }
  const float* in = values.data();
  float* to = out.data();
  const auto over_segments = [&offsets, segments](const auto& body) {
    tbb::parallel_for(tbb::blocked_range<int>(0, segments), [&](const tbb::blocked_range<int>& some) {
      for (int t = some.begin(); t < some.end(); ++t) body(t, offsets[t], offsets[t + 1]);
    });
  };
  const auto reduced = [&] { return std::equal(sums.begin(), sums.end(), out.begin()); };
  const auto scanned = [&] { return std::equal(prefixes.begin(), prefixes.end(), out.begin()); };
  std::vector<candidate> reductions, scans;
  reductions.push_back(plain_candidate(
      "tbb_parallel_for",
      [=] { over_segments([=](int t, int begin, int end) { to[t] = sum_of(in, begin, end); }); }, reduced));
  scans.push_back(plain_candidate(
      "tbb_parallel_for",
      [=] {
        over_segments([=](int, int begin, int end) {
          float sum = 0;
          for (int a = begin; a < end; ++a) to[a] = sum += in[a];
        });
      },
      scanned));
  const auto tiles = evenly::csr_tiles(offsets);
  reductions.push_back(plan_candidate(
      "automatic", exec, evenly::automatic{.work = evenly::work_kind::sums}, tiles,
      [&values, &offsets, out = std::span(to, sums.size())](auto& plan) {
        evenly::segmented_reduce(values, offsets, out, plan);
      },
      reduced));
  scans.push_back(plan_candidate(
      "automatic", exec, evenly::automatic{.work = evenly::work_kind::prefixes}, tiles,
      [&values, &offsets, out = std::span(to, values.size())](auto& plan) {
        evenly::segmented_inclusive_scan(values, offsets, out, plan);
      },
      scanned));
  const auto add = [&](const char* name, const auto& schedule) {
    const auto value = [=](int a) { return in[a]; };
    const auto store = [=](int i, float sum) { to[i] = sum; };
    reductions.push_back(plan_candidate(
        name, exec, schedule, tiles,
        [=, &exec](auto& plan) { evenly::reduce_tiles(exec, plan, value, evenly::plus<float>{}, store); },
        reduced));
    scans.push_back(plan_candidate(
        name, exec, schedule, tiles,
        [=, &exec](auto& plan) { evenly::scan_tiles(exec, plan, value, evenly::plus<float>{}, store); },
        scanned));
  };
  add("merge_path", evenly::merge_path{});
  add("nonzero_split", evenly::nonzero_split{});
  add("dynamic_group_per_tile", evenly::dynamic_group_per_tile{});
  add("thread_mapped", evenly::thread_mapped{});
  measure({workload, segments, atoms, "segmented_reduce", "cpu"}, out, reductions, report);
  measure({workload, segments, atoms, "segmented_scan", "cpu"}, out, scans, report);
}

std::vector<int> offsets_of(int first, int others, int size) {
  std::vector<int> offsets{0};
  if (first > 0) offsets.push_back(first);
  for (int i = 0; i < others; ++i) offsets.push_back(offsets.back() + size);
  return offsets;
}

void measure_all(const evenly::bench::arguments& args, evenly::measure::report& report) {
  const evenly::cpu exec(args.number("--threads"));
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(exec.threads()));
  constexpr int atoms = 1 << 24;
  for (int bits = 0; bits <= 22; bits += 2)
    both(exec, "uniform:2^" + std::to_string(bits), offsets_of(0, atoms >> bits, 1 << bits), report);
  both(exec, "nine tenths in one", offsets_of(atoms / 10 * 9, atoms / 80, 8), report);
}

evenly::json::value versions(const evenly::bench::arguments&) {
  return {{"peers",
           {{"oneTBB", evenly::peers::dotted(TBB_VERSION_MAJOR, TBB_VERSION_MINOR, TBB_VERSION_PATCH)}}}};
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main(argc, argv,
                                 {.program = "bench_segmented_cpu",
                                  .measure = measure_all,
                                  .options = {{"--threads", "2"}},
                                  .head = versions});
}
