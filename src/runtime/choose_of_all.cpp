// SPDX-License-Identifier: Apache-2.0
#include "runtime/choose_of_all.hpp"

#include <algorithm>
#include <cstddef>
#include <list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "evenly/schedules/automatic.hpp"
#include "runtime/choice_models.hpp"
#include "runtime/cpu_mappings.hpp"

namespace evenly::detail {

namespace {

/// The models of all schedules, in the order of their names. rows[i]: the row of schedule i, among the rows of the
/// candidates of automatic and those of the others.
class whole_models {
 public:
  whole_models(const executor_models& candidates, const executor_models& others,
               std::span<const unsigned char> rows)
      : rows_(rows) {
    for (std::size_t work = 0; work < all_.free.size(); ++work) {
      all_.free[work] = join(candidates.free[work], others.free[work]);
      all_.full[work] = join(candidates.full[work], others.full[work]);
    }
  }

  const executor_models& all() const { return all_; }

 private:
  choice_model join(const choice_model& a, const choice_model& b) {
    std::vector<double> joined(a.rows.begin(), a.rows.end()), picked;
    joined.insert(joined.end(), b.rows.begin(), b.rows.end());
    for (const unsigned char row : rows_) {
      const auto numbers = std::span(joined).subspan(row * a.width(), a.width());
      picked.insert(picked.end(), numbers.begin(), numbers.end());
    }
    return {a.terms, kept_.emplace_back(std::move(picked)), a.caution};
  }

  std::span<const unsigned char> rows_;
  std::list<std::vector<double>> kept_;
  executor_models all_;
};

const executor_models& models_of_all(bool on_cores) {
  static const whole_models cores(choice_models::cores, other_choice_models::cores,
                                  other_choice_models::cores_rows);
  static const whole_models gpu(choice_models::gpu, other_choice_models::gpu, other_choice_models::gpu_rows);
  return (on_cores ? cores : gpu).all();
}

} // namespace

automatic_choice choose_of_all(int threads, const tile_summary& tiles, work_kind work, int expected_runs,
                               std::span<const std::string> among) {
  const choice_facts facts{.tiles = tiles, .is_summarized = true, .is_for_one_run = false};
  model_verdict verdict = ask_model(models_of_all(threads > 0), work, facts, expected_runs);
  if (!among.empty())
    std::erase_if(verdict.order, [&](std::size_t i) {
      return std::ranges::count(among, std::string_view(other_choice_models::names[i])) == 0;
    });
  prefer_even_cuts(verdict, facts, threads,
                   [](std::size_t i) { return cuts_evenly_on_cpu(other_choice_models::names[i]); });
  return {other_choice_models::names[verdict.best()],
          explain_verdict(verdict, other_choice_models::names, tiles)};
}

} // namespace evenly::detail
