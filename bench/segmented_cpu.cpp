// SPDX-License-Identifier: Apache-2.0
// Segmented reduction and segmented scan of plain float values on the CPU, against oneTBB's parallel_for over segments.
//
//   bench_segmented_cpu [--threads N] [--json FILE]
//
// Segments are uniform, of 1, 4, 16 ... 2^22 atoms, 2^24 in all; or one has nine tenths of everything and the others 8
// atoms each. The loop over a segment keeps eight sums, as evenly's does, since a single one would be bound by the time
// of an addition. A value is -1, 0 or 1, so that sums are exact in any order; results are compared with a serial loop's
// before they are timed. Candidates take turns; a time is the median over the turns.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"
#include "measure/machine.hpp"
#include "report.hpp"

namespace {

using line = nlohmann::ordered_json;

float nth_value(std::uint64_t a) { return static_cast<float>((a * 0x9E3779B97F4A7C15u >> 40) % 3) - 1.0f; }

/// The sum of values[begin], ... values[end - 1], in eight parts.
float sum_of(const float* values, int begin, int end) {
  float part[8] = {};
  for (; end - begin >= 8; begin += 8)
    for (int i = 0; i < 8; ++i) part[i] += values[begin + i];
  float sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
  for (; begin < end; ++begin) sum += values[begin];
  return sum;
}

struct candidate {
  evenly::bench::times times;
  std::function<void()> run;
};

/// Fills `out` anew, runs each, and compares with `want`.
void check(std::vector<candidate>& all, std::vector<float>& out, const std::vector<float>& want) {
  for (candidate& each : all) {
    std::fill(out.begin(), out.end(), std::numeric_limits<float>::quiet_NaN());
    each.run();
    each.times.ok = std::equal(want.begin(), want.end(), out.begin());
  }
}

/// The lines of the report for candidates that have been checked. The first is what the others are compared with.
std::vector<line> measure(const std::string& workload, const char* op, int segments, int atoms,
                          std::vector<candidate>& all) {
  for (int turn = 0; turn < 15; ++turn)
    for (candidate& each : all) {
      const auto start = std::chrono::steady_clock::now();
      each.run();
      each.times.ms.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
  std::printf("%s, %s: %d segments, %d atoms\n", workload.c_str(), op, segments, atoms);
  const double baseline = evenly::bench::median(all.front().times.ms);
  std::vector<line> lines;
  for (const candidate& each : all) {
    const auto& t = each.times;
    line said{{"workload", workload}, {"rows", segments},   {"atoms", atoms},   {"op", op},
              {"executor", "cpu"},    {"schedule", t.name}, {"type", "float"},  {"ok", t.ok},
              {"ms", nullptr},        {"ms_min", nullptr},  {"ms_max", nullptr}};
    if (t.ok) {
      const double ms = evenly::bench::median(t.ms);
      said["ms"] = ms;
      said["ms_min"] = *std::min_element(t.ms.begin(), t.ms.end());
      said["ms_max"] = *std::max_element(t.ms.begin(), t.ms.end());
      std::printf("  %-24s %9.3f ms, %5.2f times as fast\n", t.name.c_str(), ms, baseline / ms);
    } else {
      std::printf("  %-24s    FAILED\n", t.name.c_str());
    }
    lines.push_back(std::move(said));
  }
  std::fflush(stdout);
  return lines;
}

/// Both operations on one tile set.
std::vector<line> both(const evenly::cpu& exec, const std::string& workload,
                       const std::vector<int>& offsets) {
  const int segments = static_cast<int>(offsets.size()) - 1, atoms = offsets.back();
  std::vector<float> values(atoms), sums(segments), prefixes(atoms), out(std::max(atoms, segments));
  for (int t = 0; t < segments; ++t) {
    float sum = 0;
    for (int a = offsets[t]; a < offsets[t + 1]; ++a) {
      values[a] = nth_value(static_cast<std::uint64_t>(a));
      prefixes[a] = sum += values[a];
    }
    sums[t] = sum;
  }
  const float* in = values.data();
  float* to = out.data();
  const auto over_segments = [&](const auto& body) {
    tbb::parallel_for(tbb::blocked_range<int>(0, segments), [&](const tbb::blocked_range<int>& some) {
      for (int t = some.begin(); t < some.end(); ++t) body(t, offsets[t], offsets[t + 1]);
    });
  };
  std::vector<candidate> reductions, scans;
  reductions.push_back({{.name = "tbb_parallel_for"}, [&] {
                          over_segments([=](int t, int begin, int end) { to[t] = sum_of(in, begin, end); });
                        }});
  scans.push_back({{.name = "tbb_parallel_for"}, [&] {
                     over_segments([=](int, int begin, int end) {
                       float sum = 0;
                       for (int a = begin; a < end; ++a) to[a] = sum += in[a];
                     });
                   }});
  const auto add = [&](const char* name, const auto& schedule) {
    const auto tiles = evenly::csr_tiles(offsets);
    using plan_type = decltype(evenly::make_plan(exec, schedule, tiles));
    const auto plan = std::make_shared<plan_type>(exec, schedule, tiles);
    const auto value = [=](int a) { return in[a]; };
    const auto store = [=](int i, float sum) { to[i] = sum; };
    reductions.push_back({{.name = name}, [&exec, plan, value, store] {
                            evenly::reduce_tiles(exec, *plan, value, evenly::plus<float>{}, store);
                          }});
    scans.push_back({{.name = name}, [&exec, plan, value, store] {
                       evenly::scan_tiles(exec, *plan, value, evenly::plus<float>{}, store);
                     }});
  };
  add("merge_path", evenly::merge_path{});
  add("nonzero_split", evenly::nonzero_split{});
  add("dynamic_group_per_tile", evenly::dynamic_group_per_tile{});
  add("thread_mapped", evenly::thread_mapped{});
  check(reductions, out, sums);
  check(scans, out, prefixes);
  auto lines = measure(workload, "segmented_reduce", segments, atoms, reductions);
  for (line& each : measure(workload, "segmented_scan", segments, atoms, scans))
    lines.push_back(std::move(each));
  return lines;
}

std::vector<int> offsets_of(int first, int others, int size) {
  std::vector<int> offsets{0};
  if (first > 0) offsets.push_back(first);
  for (int i = 0; i < others; ++i) offsets.push_back(offsets.back() + size);
  return offsets;
}

} // namespace

int main(int argc, char** argv) try {
  std::string json;
  int threads = 2;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json" && i + 1 < argc)
      json = argv[++i];
    else if (word == "--threads" && i + 1 < argc)
      threads = std::stoi(argv[++i]);
    else
      throw std::runtime_error("unknown argument " + word);
  }
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  const evenly::cpu exec(threads);
  line all{{"machine", {{"cpu", evenly::cli::cpu_model()}, {"cores", evenly::cli::cpu_cores()}}},
           {"date", evenly::cli::utc_now()},
           {"commit", evenly::cli::commit()},
           {"results", line::array()}};
  bool ok = true;
  const auto run = [&](const std::string& name, const std::vector<int>& offsets) {
    for (const line& each : both(exec, name, offsets)) {
      ok = ok && each["ok"];
      all["results"].push_back(each);
    }
  };
  constexpr int atoms = 1 << 24;
  for (int bits = 0; bits <= 22; bits += 2)
    run("uniform:2^" + std::to_string(bits), offsets_of(0, atoms >> bits, 1 << bits));
  run("nine tenths in one", offsets_of(atoms / 10 * 9, atoms / 80, 8));
  if (!json.empty()) {
    std::ofstream out(json);
    if (!(out << all.dump(1) << '\n').flush()) throw std::runtime_error("cannot write " + json);
  }
  return ok ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "bench_segmented_cpu: %s\n", e.what());
  return 1;
}
