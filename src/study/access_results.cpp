// SPDX-License-Identifier: Apache-2.0
#include "study/access_results.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "json/value.hpp"
#include "study/json_place.hpp"
#include "study/read_study.hpp"

namespace evenly::study {
namespace {

json::value as_json(const access_study_workload& each) {
  return {{"name", each.name},
          {"workload", each.workload},
          {"threads", each.threads},
          {"references", each.references},
          {"elements", each.elements},
          {"element_bytes", each.element_bytes},
          {"working_set_bytes", each.working_set_bytes},
          {"one_pattern", each.one_pattern},
          {"independent", each.independent}};
}

access_study_workload read_workload(const json_place& from) {
  access_study_workload made{.name = from.at("name").text(), .workload = from.at("workload").text()};
  made.threads = from.at("threads").whole(0);
  made.references = from.at("references").whole(1);
  made.elements = from.at("elements").whole(1);
  made.element_bytes = from.at("element_bytes").whole(1);
  made.working_set_bytes = from.at("working_set_bytes").whole(0);
  made.one_pattern = from.at("one_pattern").truth();
  made.independent = from.at("independent").truth();
  return made;
}

access_study_run read_run(const json_place& from) {
  constexpr int max = std::numeric_limits<int>::max();
  access_study_run run{.experiment = from.at("experiment").text(),
                       .workload = from.at("workload").text(),
                       .layout = from.at("arm").text(),
                       .iterations = static_cast<int>(from.at("iterations").whole(1, max)),
                       .change_every = static_cast<int>(from.at("change_every").whole(0, max))};
  if (run.experiment != "arms" && run.experiment != "change" && run.experiment != "long")
    from.at("experiment").fail("must be arms or change");
  const bool ok = from.at("ok").truth();
  if (from.has("error")) run.error = from.at("error").text();
  if (from.has("refusal")) run.refusal = from.at("refusal").text();
  if (ok != run.is_timed())
    from.at("ok").fail("exactly the runs that are not ok must have an error or a refusal");
  run.plan_bytes = from.at("plan_bytes").whole(0);
  run.copy_bytes = from.at("copy_bytes").whole(0);
  run.footprint_bytes = from.at("footprint_bytes").whole(0);
  run.requests = from.at("requests").whole(0);
  run.sectors = from.at("sectors").whole(0);
  if (!ok) return run;
  run.run_ms = from.at("run_ms").real();
  run.refresh_ms = from.at("refresh_ms").real();
  run.build_ms = from.at("build_ms").real();
  run.loop_ms = from.at("loop_ms").real();
  if (!(run.run_ms > 0)) from.at("run_ms").fail("a time must be positive");
  if (!(run.loop_ms > 0)) from.at("loop_ms").fail("a time must be positive");
  if (from.has("chosen")) run.chosen = from.at("chosen").text();
  if (from.has("why")) run.why = from.at("why").text();
  return run;
}

std::string identity(const access_study_run& run) {
  return fmt::format("{} of {} under {}, changing every {}", run.experiment, run.workload, run.layout,
                     run.change_every);
}

access_study_results from_json(const json_place& from) {
  access_study_results all;
  read_head(from, "reorganize", all);
  if (from.has("earlier_commit")) all.earlier_commit = from.at("earlier_commit").text();
  from.at("workloads").for_each([&](const json_place& each) {
    access_study_workload made = read_workload(each);
    if (all.find(made.name) != nullptr) each.fail(made.name + " appears twice");
    all.workloads.push_back(std::move(made));
  });
  std::set<std::string> known;
  from.at("results").for_each([&](const json_place& each) {
    access_study_run run = read_run(each);
    if (all.find(run.workload) == nullptr) each.at("workload").fail("the workload is missing from the file");
    if (!known.insert(identity(run)).second) each.fail(identity(run) + " appears twice");
    all.runs.push_back(std::move(run));
  });
  return all;
}

void add(access_study_results& all, access_study_results more, const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw io::file_error(fmt::format("{}: {}", shown(path), why));
  };
  if (more.executor != all.executor || more.place != all.place || more.commit != all.commit ||
      more.quick != all.quick)
    refuse("measured on another machine or by another program than the previous files");
  for (access_study_workload& each : more.workloads) {
    const access_study_workload* const before = all.find(each.name);
    if (before != nullptr && as_json(*before) != as_json(each))
      refuse(fmt::format("{} differs from the workload of this name in a previous file",
                         host::printable(each.name)));
    if (before == nullptr) all.workloads.push_back(std::move(each));
  }
  for (const access_study_run& run : more.runs)
    if (all.find_run(run.experiment, run.workload, run.layout, run.change_every) != nullptr)
      refuse(host::printable(identity(run)) + " is also in a previous file");
  std::ranges::move(more.runs, std::back_inserter(all.runs));
}

} // namespace

layouts::paper_choice access_study_workload::figure_6(bool by_threads) const {
  return layouts::choice_of_paper({.references = by_threads ? threads : threads * references,
                                   .elements = elements,
                                   .one_pattern = one_pattern,
                                   .working_set_bytes = working_set_bytes});
}

const access_study_workload* access_study_results::find(const std::string& name) const {
  const auto found = std::ranges::find(workloads, name, &access_study_workload::name);
  return found == workloads.end() ? nullptr : &*found;
}

const access_study_run* access_study_results::find_run(const std::string& experiment,
                                                       const std::string& workload, const std::string& layout,
                                                       int change_every) const {
  const auto found = std::ranges::find_if(runs, [&](const access_study_run& run) {
    return run.experiment == experiment && run.workload == workload && run.layout == layout &&
           run.change_every == change_every;
  });
  return found == runs.end() ? nullptr : &*found;
}

std::string name_of(layouts::paper_choice choice) {
  switch (choice) {
  case layouts::paper_choice::duplicate:
    return "duplicate";
  case layouts::paper_choice::pad:
    return "pad";
  case layouts::paper_choice::share:
    return "share";
  case layouts::paper_choice::share_in_parts:
    break;
  }
  return "share_in_parts";
}

json::value to_json(const access_study_run& run) {
  json::value made{{"experiment", run.experiment}, {"workload", run.workload},
                   {"layout", run.layout},         {"arm", run.layout},
                   {"iterations", run.iterations}, {"change_every", run.change_every},
                   {"ok", run.is_timed()}};
  if (run.error) made["error"] = *run.error;
  if (run.refusal) made["refusal"] = *run.refusal;
  made.update({{"plan_bytes", run.plan_bytes},
               {"copy_bytes", run.copy_bytes},
               {"footprint_bytes", run.footprint_bytes},
               {"requests", run.requests},
               {"sectors", run.sectors}});
  if (!run.is_timed()) return made;
  made.update({{"run_ms", run.run_ms},
               {"refresh_ms", run.refresh_ms},
               {"build_ms", run.build_ms},
               {"loop_ms", run.loop_ms}});
  if (!run.chosen.empty()) made.update({{"chosen", run.chosen}, {"why", run.why}});
  return made;
}

json::value without_runs(const access_study_results& all) {
  json::value made = head_json("reorganize", all);
  if (!all.earlier_commit.empty()) made["earlier_commit"] = all.earlier_commit;
  auto workloads = json::array();
  for (const access_study_workload& each : all.workloads) workloads.push_back(as_json(each));
  made["workloads"] = std::move(workloads);
  return made;
}

access_study_results read_access_results(const std::vector<std::string>& paths) {
  access_study_results all;
  for (const std::string& path : paths) {
    access_study_results more = read_study<access_study_results>(path, from_json);
    if (&path == &paths.front())
      all = std::move(more);
    else
      add(all, std::move(more), path);
  }
  return all;
}

} // namespace evenly::study
