// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/binned.hpp"
#include "evenly/schedules/direct_search.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "measure/baselines_openmp.hpp"
#include "measure/host_timer.hpp"
#include "measure/loops_beside.hpp"
#include "runtime/cpu_mappings.hpp"
#include "tour/schedule_candidate.hpp"
#include "tour/tour_bench.hpp"

namespace evenly::tour {

measure::bench make_cpu_bench(const measure::problem& p) {
  const auto work = std::make_shared<multiplication_on<cpu>>(cpu(), std::get<multiplication>(p));
  const auto candidates = [work](int) {
    std::vector<measure::candidate> all;
    const auto groups = detail::same_on_cpu();
    const auto add = [&](const std::string& name, const auto& schedule) {
      all.push_back(schedule_candidate(work, name, schedule));
      for (const std::vector<std::string>& group : groups)
        if (group.front() == name) all.back().also.assign(group.begin() + 1, group.end());
    };
    add("thread_mapped", thread_mapped{});
    add("direct_search", direct_search<>{});
    add("dynamic_group_per_tile", dynamic_group_per_tile{});
    add("merge_path", merge_path<>{});
    add("binned", binned{});
    add("automatic", automatic{.work = work_kind::gathered_sums});
    const auto multiply = [](const auto& data, measure::row_distribution distribution, int threads) {
      measure::multiply_rows(data.a(), data.x().data(), data.out().data(), distribution, threads);
    };
    for (measure::candidate& loop : measure::loops_beside(work, multiply)) all.push_back(std::move(loop));
    return all;
  };
  return {std::make_unique<measure::host_timer>(work->exec().threads()), work, candidates};
}

} // namespace evenly::tour
