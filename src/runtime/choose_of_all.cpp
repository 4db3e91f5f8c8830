// SPDX-License-Identifier: Apache-2.0
#include "runtime/choose_of_all.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "evenly/schedules/automatic.hpp"
#include "runtime/choice_models.hpp"
#include "runtime/cpu_mappings.hpp"

namespace evenly::detail {

automatic_choice choose_of_all(int threads, const tile_summary& tiles, work_kind work, int expected_runs,
                               std::span<const std::string> among) {
  const choice_facts facts{.tiles = tiles, .is_summarized = true, .is_for_one_run = false};
  model_verdict verdict =
      ask_model(threads > 0 ? all_choice_models::cores : all_choice_models::gpu, work, facts, expected_runs);
  if (!among.empty())
    std::erase_if(verdict.order, [&](std::size_t i) {
      return std::ranges::count(among, std::string_view(all_choice_models::names[i])) == 0;
    });
  prefer_even_cuts(verdict, facts, threads,
                   [](std::size_t i) { return cuts_evenly_on_cpu(all_choice_models::names[i]); });
  return {all_choice_models::names[verdict.best()],
          explain_verdict(verdict, all_choice_models::names, tiles)};
}

} // namespace evenly::detail
