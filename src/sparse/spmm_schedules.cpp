// SPDX-License-Identifier: Apache-2.0
#include "sparse/spmm_schedules.hpp"

#include <algorithm>

#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "runtime/schedule_lists.hpp"

namespace evenly::sparse {

using measure::joined, measure::usage_error;

std::vector<any_schedule> spmm_schedules() { return evenly::detail::few_schedules(); }

void require_few(const std::vector<any_schedule>& chosen, const std::string& what) {
  std::vector<std::string> names;
  for (const any_schedule& each : spmm_schedules()) names.push_back(each.name());
  for (const any_schedule& each : chosen)
    if (std::ranges::count(names, each.name()) == 0)
      throw usage_error("--schedule " + each.text() + ": " + what + " supports only " + joined(names));
}

void require_few_or_automatic(std::vector<any_schedule> chosen, const std::string& what) {
  std::erase_if(chosen, [](const any_schedule& each) { return each.is_automatic(); });
  require_few(chosen, what);
}

} // namespace evenly::sparse
