// SPDX-License-Identifier: Apache-2.0
#include "study/dynamic_parallelism.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "study/study_file.hpp"

namespace evenly::study {

std::string identity(const dynamic_run& run) { return "dynamic parallelism on " + run.workload; }

void fields(record& io, dynamic_run& run) {
  io("workload", run.workload);
  io("where", run.where);
  io("with_ms", run.with_ms);
  io("without_ms", run.without_ms);
  io.require(run.with_ms > 0, "with_ms", "a time must be positive");
  io.require(run.without_ms > 0, "without_ms", "a time must be positive");
}

std::vector<dynamic_run> read_dynamic_parallelism(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const auto path = std::filesystem::path(folder) / "dynamic-phase-h200.json";
    if (!std::filesystem::exists(path)) continue;
    return study_file(path.string()).read([](const json_place& all) {
      const std::string where =
          fmt::format("{}, commit {:.12}", all.at("machine").at("gpu").text(), all.at("commit").text());
      std::vector<dynamic_run> found;
      all.at("results").for_each([&](const json_place& each) {
        const std::string workload = each.at("workload").text(), way = each.at("schedule").text();
        auto run = std::ranges::find(found, workload, &dynamic_run::workload);
        if (run == found.end()) run = found.insert(found.end(), {workload, where});
        const double ms = each.at("ms").real();
        if (way == "device_launch") run->with_ms = ms;
        if (way == "groups_alone" || way == "second_kernel" || way == "planned")
          run->without_ms = run->without_ms > 0 ? std::min(run->without_ms, ms) : ms;
      });
      std::erase_if(found, [](const dynamic_run& run) { return run.with_ms <= 0 || run.without_ms <= 0; });
      return found;
    });
  }
  return {};
}

} // namespace evenly::study
