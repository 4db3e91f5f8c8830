// SPDX-License-Identifier: Apache-2.0
// The hazards of figures 6 and 8 of the course (docs/ladder.md), and of prefix sums in place. The kernels are those of
// the versions: only the barrier, the second array or the padding is missing.
#include "ladder/hazards.hpp"

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/ladder/versions.hpp"
#include "evenly/trace/trace.hpp"
#include "json/value.hpp"
#include "measure/machine.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"

namespace evenly::ladder {

using measure::commit, measure::grouped, measure::print, measure::result_file, measure::utc_now;

namespace {

constexpr int threads = 64;
constexpr int elements = 8 * threads;

/// The levels of reduce_interleaved in one launch of one block. Without a barrier, thread A starts a level before
/// thread B has finished the last one (figure 6).
template <bool Barrier> struct levels_in_one_launch {
  int* data;
  int n;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    for (std::int64_t stride = 1; stride < n; stride *= 2) {
      const std::int64_t pairs = n / (2 * stride);
      const detail::interleaved_level<plus<int>> level{data, data, stride, {pairs, pairs, block.size()}, {}};
      level(block);
      if constexpr (Barrier) block.sync();
    }
  }
};

/// Runs work(values), which leaves the sum of all elements in values[at]. Returns the error, or an empty string.
template <class Run> std::string error_of(const Run& run, int at, int expected) {
  const simt exec({.threads = 1});
  std::vector<int> ones(elements, 1);
  const auto values = to_executor(exec, ones);
  try {
    run(exec, values.data());
  } catch (const simulation_error& e) {
    return e.what();
  }
  const int found = to_host(exec, values)[static_cast<std::size_t>(at)];
  return found == expected ? "" : fmt::format("element {} is {}, but should be {}", at, found, expected);
}

without_part reduce_without_barrier() {
  const auto run = [](const simt& exec, const auto& kernel) { launch(exec, {1, threads}, kernel); };
  return {fmt::format("the levels of reduce interleaved in one launch, {} elements in one block", elements),
          error_of([&](const simt& exec, int* to) { run(exec, levels_in_one_launch<false>{to, elements}); },
                   0, elements),
          error_of([&](const simt& exec, int* to) { run(exec, levels_in_one_launch<true>{to, elements}); }, 0,
                   elements)};
}

/// Block b writes its result to element b of the array that block 0 reads (figure 8).
without_part reduce_without_ping_pong() {
  using kernel = detail::chunk_reduction<chunk_tree::sequential, plus<int>>;
  const auto run = [](const simt& exec, int* from, int* to) {
    const auto chunks = detail::two_each(exec, elements, threads);
    launch(exec, chunks.shape(), kernel{from, to, chunks, {}});
  };
  return {fmt::format(
              "one launch of reduce decomposed, {} elements, whose blocks write to the array that they read",
              elements),
          error_of([&](const simt& exec, int* values) { run(exec, values, values); }, 0, 2 * threads),
          error_of(
              [&](const simt& exec, int* values) {
                const auto other = make_buffer<int>(exec, elements / threads);
                run(exec, values, other.data());
                values[0] = other.data()[0];
              },
              0, 2 * threads)};
}

/// A level of scan naive reads the element 2 before each one.
without_part scan_without_ping_pong() {
  constexpr int distance = 2;
  const auto run = [](const simt& exec, const int* from, int* to) {
    const auto all = detail::one_each(exec, elements, threads);
    launch(exec, all.shape(), detail::naive_level<plus<int>>{from, to, distance, 0, 0, all, {}});
  };
  return {fmt::format("one level of scan naive, {} elements, in place", elements),
          error_of([&](const simt& exec, int* values) { run(exec, values, values); }, distance, 2),
          error_of(
              [&](const simt& exec, int* values) {
                const auto other = make_buffer<int>(exec, elements);
                run(exec, values, other.data());
                values[distance] = other.data()[distance];
              },
              distance, 2)};
}

without_part scan_without_padding() {
  constexpr int n = 2 * usual_block_size;
  without_part found{fmt::format("scan work_efficient, {} elements in one block", n), {}, {}};
  const auto conflicts = [&](const auto& version) -> std::int64_t {
    trace counts;
    const simt exec({.threads = 1, .trace = &counts});
    std::vector<int> values(n, 1);
    const auto in = to_executor(exec, values);
    const auto out = make_buffer<int>(exec, n);
    auto memory = version.template prepare<int>(exec, n);
    version(exec, prefixes::inclusive, in.data(), n, plus<int>{}, out.data(), memory);
    std::iota(values.begin(), values.end(), 1);
    if (to_host(exec, out) != values) found.with_part = "the prefixes are wrong";
    return counts.totals().bank_conflicts();
  };
  found.conflicts = conflicts(scan_work_efficient{});
  found.conflicts_with_part = conflicts(scan_work_efficient_padded{});
  return found;
}

} // namespace

std::vector<std::string> parts_to_leave_out(ladder_kind kind) {
  if (kind == ladder_kind::reduce) return {"barrier", "ping-pong"};
  if (kind == ladder_kind::scan) return {"ping-pong", "padding"};
  return {};
}

without_part run_without(ladder_kind kind, const std::string& part) {
  if (part == "barrier") return reduce_without_barrier();
  if (part == "padding") return scan_without_padding();
  return kind == ladder_kind::reduce ? reduce_without_ping_pong() : scan_without_ping_pong();
}

bool show_without(ladder_kind kind, const std::string& part, const std::string& json) {
  result_file file(json, [&] {
    return json::value{
        {"date", utc_now()}, {"commit", commit()}, {"ladder", name_of(kind)}, {"executor", "simt"}};
  });
  bool noticed = false;
  std::string text;
  file.measure(name_of(kind), [&] {
    const without_part seen = run_without(kind, part);
    noticed = seen.with_part.empty() && (!seen.report.empty() || seen.conflicts > seen.conflicts_with_part);
    file.add({{"without", part},
              {"run", seen.what},
              {"report", seen.report},
              {"bank_conflicts", seen.conflicts},
              {"bank_conflicts_with_part", seen.conflicts_with_part}});
    text = seen.what + '\n';
    if (part == "padding")
      text += fmt::format("  without padding: {} bank conflicts\n  with padding:    {}\n",
                          grouped(seen.conflicts), grouped(seen.conflicts_with_part));
    else
      text += fmt::format("  without {}: {}\n  with it: {}\n", part,
                          seen.report.empty() ? "nothing was reported" : seen.report,
                          seen.with_part.empty() ? "no report, and the result is right" : seen.with_part);
  });
  print(json == "-" ? stderr : stdout, text);
  file.finish();
  return noticed;
}

} // namespace evenly::ladder
