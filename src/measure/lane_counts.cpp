// SPDX-License-Identifier: Apache-2.0
#include "measure/lane_counts.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <new>

#include <fmt/format.h>

#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/trace/trace.hpp"
#include "measure/reference.hpp"
#include "measure/text.hpp"

namespace evenly::measure {
namespace {

constexpr int warp_size = 32; // the warp size of simt

/// Lower bounds of the simulation time in seconds, per thread and per atom.
constexpr double seconds_per_thread = 1e-6;
constexpr double seconds_per_atom = 0.5e-6;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Returns nothing if the simulation would take more than `seconds`. Throws device_error if the result is wrong.
std::optional<trace_counts> count(bench& on, trace& counts, const any_schedule& schedule,
                                  const reference& right, std::int64_t atoms, double seconds) {
  const prepared_run made = on.candidate_of(schedule).prepare();
  if (simulation_seconds(made, atoms) > seconds) return {};
  on.out->poison();
  const trace_counts before = counts.totals();
  made.run();
  const trace_counts seen = counts.totals() - before;
  if (const auto error = right.first_error(on.out->result())) throw device_error(*error);
  return seen;
}

} // namespace

double simulation_seconds(const prepared_run& made, std::int64_t atoms) {
  double threads = 0;
  for (const launch_note& each : made.launches)
    threads += static_cast<double>(each.blocks) * static_cast<double>(each.block_size);
  return seconds_per_thread * threads + seconds_per_atom * static_cast<double>(atoms);
}

double counted_schedule::lanes_busy() const {
  if (seen.requests() == 0) return 1;
  return static_cast<double>(seen.request_lanes) / static_cast<double>(seen.requests()) / warp_size;
}

double counted_schedule::bytes_used() const {
  return seen.bytes_moved() == 0
             ? 1
             : static_cast<double>(seen.bytes_wanted()) / static_cast<double>(seen.bytes_moved());
}

int lane_counts::failures() const {
  return static_cast<int>(
      std::ranges::count_if(schedules, [](const auto& each) { return each.error.has_value(); }));
}

std::vector<any_schedule> schedules_to_count() {
  return {any_schedule("thread_mapped"), any_schedule("merge_path"), any_schedule("group_per_tile<8>")};
}

csr_matrix<double> sample_of(const csr_matrix<double>& matrix, std::int64_t max_items) {
  constexpr int tiles_of_run = 1024;
  const std::int64_t items = std::int64_t{matrix.rows} + matrix.atoms();
  const std::int64_t every = ceil_div(items, max_items);
  if (every <= 1) return matrix;
  csr_matrix<double> sample{.rows = 0, .cols = matrix.cols, .offsets = {0}, .columns = {}, .values = {}};
  for (int row = 0; row < matrix.rows; ++row) {
    const auto begin = matrix.offsets[static_cast<std::size_t>(row)];
    int size = matrix.offsets[static_cast<std::size_t>(row) + 1] - begin;
    if (size > max_items / 16)
      size = static_cast<int>(ceil_div<std::int64_t>(size, every));
    else if (row / tiles_of_run % every != 0)
      continue;
    sample.columns.insert(sample.columns.end(), matrix.columns.begin() + begin,
                          matrix.columns.begin() + begin + size);
    sample.values.insert(sample.values.end(), matrix.values.begin() + begin,
                         matrix.values.begin() + begin + size);
    sample.offsets.push_back(sample.offsets.back() + size);
    ++sample.rows;
  }
  return sample;
}

lane_counts count_lanes(const csr_matrix<double>& matrix, operation op, number_type type,
                        std::span<const any_schedule> schedules, const bench_options& options,
                        const simt_bench_maker& make, double max_seconds) {
  const auto start = std::chrono::steady_clock::now();
  const csr_matrix<double> sample = sample_of(matrix, max_counted_items);
  const problem p = make_problem(op, type, sample, options.seed);
  const reference right(p);
  trace counts;
  bench_options counting = options;
  counting.trace = &counts;
  bench on = make(p, counting);
  lane_counts found{.op = operation_name(p),
                    .tiles = sample.rows,
                    .atoms = sample.atoms(),
                    .is_sample = sample.rows < matrix.rows,
                    .schedules = {},
                    .left_out = {}};
  for (const any_schedule& each : schedules) {
    counted_schedule counted{.name = each.name()};
    try {
      const auto seen = count(on, counts, each, right, found.atoms, max_seconds - seconds_since(start));
      if (!seen) {
        found.left_out.push_back(counted.name);
        continue;
      }
      counted.seen = *seen;
    } catch (const error& e) {
      counted.error = e.what();
    } catch (const std::bad_alloc&) {
      counted.error = "out of memory";
    }
    found.schedules.push_back(std::move(counted));
  }
  return found;
}

std::string table_of(const lane_counts& counts) {
  constexpr double bar = 40;
  std::vector<counted_schedule> all = counts.schedules;
  std::ranges::stable_sort(all, {}, &counted_schedule::lanes_busy);
  std::string text =
      fmt::format("{} counted on simt, a simulated GPU: active lanes of the 32 of a warp\n  {:<28}{:>5}\n",
                  counts.op, "schedule", "busy");
  for (const counted_schedule& each : all)
    text +=
        each.error
            ? wrapped(fmt::format("FAILED {}: {}", each.name, one_line(*each.error)), "  ")
            : fmt::format("  {:<28}{:>4.0f}%  {}\n", each.name, 100 * each.lanes_busy(),
                          std::string(static_cast<std::size_t>(std::lround(bar * each.lanes_busy())), '#'));
  if (counts.is_sample)
    text += wrapped(fmt::format("counted on a sample of {} with {}", with_noun(counts.tiles, "tile"),
                                with_noun(counts.atoms, "atom")),
                    "  ");
  if (!counts.left_out.empty())
    text += wrapped(
        fmt::format("not counted, to save time: {}; --on simt counts all", joined(counts.left_out)), "  ");
  return text;
}

} // namespace evenly::measure
