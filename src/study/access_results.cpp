// SPDX-License-Identifier: Apache-2.0
#include "study/access_report.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace evenly::study {

layouts::paper_choice access_study_workload::figure_6(bool by_threads) const {
  return layouts::choice_of_paper({.references = by_threads ? threads : threads * references,
                                   .elements = elements,
                                   .one_pattern = one_pattern,
                                   .working_set_bytes = working_set_bytes});
}

const access_study_workload* access_study_results::find(const std::string& name) const {
  return find_in(workloads, name);
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

std::string identity(const access_study_workload& of) { return of.name; }
std::string identity(const access_study_run& run) {
  return fmt::format("{} of {} under {}, changing every {}", run.experiment, run.workload, run.layout,
                     run.change_every);
}

void fields(record& io, access_study_workload& of) {
  io("name", of.name);
  io("workload", of.workload);
  io("threads", of.threads);
  io("references", of.references, 1);
  io("elements", of.elements, 1);
  io("element_bytes", of.element_bytes, 1);
  io("working_set_bytes", of.working_set_bytes);
  io("one_pattern", of.one_pattern);
  io("independent", of.independent);
}

void fields(record& io, access_study_run& run) {
  io("experiment", run.experiment);
  io.require(run.experiment == "arms" || run.experiment == "change" || run.experiment == "long", "experiment",
             "must be arms or change");
  io("workload", run.workload);
  if (!io.reads()) io("layout", run.layout);
  io("arm", run.layout);
  io("iterations", run.iterations, 1);
  io("change_every", run.change_every);
  bool ok = run.is_timed();
  io("ok", ok);
  io("error", run.error);
  io("refusal", run.refusal);
  io.require(ok == run.is_timed(), "ok", "exactly the runs that are not ok must have an error or a refusal");
  io("plan_bytes", run.plan_bytes);
  io("copy_bytes", run.copy_bytes);
  io("footprint_bytes", run.footprint_bytes);
  io("requests", run.requests);
  io("sectors", run.sectors);
  if (!ok) return;
  io("run_ms", run.run_ms);
  io("refresh_ms", run.refresh_ms);
  io("build_ms", run.build_ms);
  io("loop_ms", run.loop_ms);
  io.require(run.run_ms > 0, "run_ms", "a time must be positive");
  io.require(run.loop_ms > 0, "loop_ms", "a time must be positive");
  io.if_any("chosen", run.chosen);
  io.if_any("why", run.why);
}

void fields(record& io, access_study_results& all) {
  head_fields(io, "reorganize", all);
  io.list("workloads", all.workloads);
  if (io.reads())
    io.list("results", all.runs, [&](const json_place& each, const access_study_run& run) {
      if (all.find(run.workload) == nullptr)
        each.at("workload").fail("the workload is missing from the file");
    });
}

void forget_failed(access_study_results& all) {
  std::vector<access_study_run> failed;
  for (const access_study_run& run : all.runs)
    if (run.error) failed.push_back(run);
  std::erase_if(all.runs, [&](const access_study_run& run) {
    return run.error ||
           (run.layout == "automatic" && std::ranges::any_of(failed, [&](const access_study_run& each) {
              return each.experiment == run.experiment && each.workload == run.workload &&
                     each.change_every == run.change_every;
            }));
  });
}

void merge(const study_file& file, access_study_results& all, access_study_results more) {
  file.add_new(all.workloads, std::move(more.workloads), "differs from the workload of this name");
  file.add_runs(all.runs, std::move(more.runs), [](const access_study_run& run) { return identity(run); });
}

} // namespace evenly::study
