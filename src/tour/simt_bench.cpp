// SPDX-License-Identifier: Apache-2.0
#include "evenly/core/errors.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "measure/host_timer.hpp"
#include "tour/schedule_candidate.hpp"
#include "tour/tour_bench.hpp"

namespace evenly::tour {

measure::bench make_simt_bench(const measure::problem& p, const measure::bench_options& options) {
  const auto work = std::make_shared<multiplication_on<simt>>(
      simt({.seed = options.seed, .threads = options.threads, .trace = options.trace}),
      std::get<multiplication>(p));
  const auto candidate_of = [work](const any_schedule& chosen) {
    const std::string name = chosen.name();
    if (name == "thread_mapped") return schedule_candidate(work, name, thread_mapped{});
    if (name == "merge_path") return schedule_candidate(work, name, merge_path<>{});
    require(name == "group_per_tile<8>", [&] { return name + " is not a schedule of the tour"; });
    return schedule_candidate(work, name, group_per_tile<8>{});
  };
  return {std::make_unique<measure::host_timer>(work->exec().threads(), true), work, {}, candidate_of};
}

} // namespace evenly::tour
