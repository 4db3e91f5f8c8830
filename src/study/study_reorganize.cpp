// SPDX-License-Identifier: Apache-2.0
#include "study/study.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/layouts/choice/sample.hpp"
#include "layouts/layout_bench.hpp"
#include "measure/text.hpp"
#include "study/access_report.hpp"
#include "study/session.hpp"

namespace evenly::study {

using layouts::access_use, layouts::access_workload, layouts::layout_result, layouts::layouts_options,
    layouts::make_workload, layouts::run_layouts;
using measure::grouped, measure::one_line;

namespace {

struct named_workload {
  std::string name;
  std::string workload;
};

/// The amount of work.
struct access_effort {
  int iterations = 0;            ///< per loop
  int change_every = 0;          ///< for the experiment layouts
  std::vector<int> changes = {}; ///< for the experiment change
  int repeat = 0;                ///< 0: until the times settle
  int long_iterations = 0;       ///< for the experiment long; 0: none
  std::size_t size = 0;          ///< of the workloads: their place in the table
  std::vector<named_workload> workloads = {};
};

/// The eight of the paper, and a hard case: simt, quick; cpu, quick; other quick ones, and simt; cpu; cuda.
constexpr std::array<std::array<const char*, 6>, 9> access_workloads{
    {{"MD", "md:n=300,k=16", "md:n=2048", "md:n=4000", "md:n=73728", "md:n=4e6"},
     {"IRREG", "irreg:n=512", "irreg:n=4096", "irreg:n=13824", "irreg", "irreg:n=8e6"},
     {"NBF", "nbf:n=343", "nbf:n=4096", "nbf:n=13824", "nbf", "nbf:n=13824000"},
     {"CFD", "cfd:n=384", "cfd:n=6000", "cfd:n=20250", "cfd", "cfd:n=6e6"},
     {"CG", "cg:n=144", "cg:n=16384", "cg:n=16384", "cg:n=262144", "cg:n=1048576"},
     {"UNWRAP", "unwrap:size=24", "unwrap:size=160", "unwrap:size=160", "unwrap", "unwrap:size=4096"},
     {"NN", "nn:n=600,chunk=300", "nn:n=65536,chunk=32768", "nn:n=65536,chunk=32768", "nn",
      "nn:n=8388608,chunk=4194304"},
     {"MERGE", "merge:threads=1000,elements=250", "merge:threads=65536,elements=16384",
      "merge:threads=131072,elements=32768", "merge", "merge"},
     {"random graph", "irreg:n=343,lists=random", "irreg:n=4096,lists=random", "irreg:n=13824,lists=random",
      "irreg:lists=random", "irreg:n=8e6,lists=random"}}};

access_effort access_effort_of(executor_kind kind, bool quick, const std::vector<std::string>& inputs) {
  const std::vector<int> few{1, 5, 0}, many{1, 2, 5, 10, 20, 0};
  access_effort made{50, 10, many, 0, 500, 5};
  if (kind == executor_kind::cpu) made = {50, 10, many, 0, 0, 4};
  if (quick || kind == executor_kind::simt) made = {10, 5, few, 3, 20, 3};
  if (kind == executor_kind::cpu && quick) made.size = 2; // times are mostly those of plans
  if (kind == executor_kind::simt && quick) made = {2, 2, {1, 0}, 1, 4, 1};
  for (const std::string& input : inputs) made.workloads.push_back({input, input});
  if (inputs.empty())
    for (const auto& each : access_workloads) made.workloads.push_back({each[0], each.at(made.size)});
  return made;
}

/// Layouts of the experiment change. Those that a workload does not support are skipped.
const std::set<std::string> changing_layouts{"none",
                                             "duplicate",
                                             "pad",
                                             "share",
                                             "share_by_neighbours",
                                             "share_working_sets",
                                             "reorder_by_neighbours",
                                             "hilbert_lists",
                                             "automatic"};

/// Whether a layout is skipped for this many references, because one host thread makes its order or it takes many
/// rounds.
bool takes_too_long(const std::string& layout, const layouts::access_shape& shape) {
  if (shape.total_references() <= std::int64_t{1} << 24) return false;
  return layout.ends_with("_metis") || layout == "reorder_reverse_cuthill_mckee" ||
         layout == "share_working_sets" || layout == "share_propagated";
}

access_study_workload described(const named_workload& each, const access_workload& of) {
  // Sharing clusters the threads first if it can.
  const layouts::index_list<int> list(of.p);
  const layouts::access_sample sample = of.is_graph() ? layouts::sample_clusters(cpu(), list, of.shape)
                                                      : layouts::sample_blocks(cpu(), list, of.shape);
  const auto blocks = std::max<std::int64_t>(ceil_div(of.shape.threads, std::int64_t{of.shape.block}), 1);
  const auto elements = static_cast<std::int64_t>(sample.block_elements / static_cast<double>(blocks));
  return {.name = each.name,
          .workload = each.workload,
          .threads = of.shape.threads,
          .references = of.shape.references,
          .elements = of.shape.elements,
          .element_bytes = of.shape.element_bytes,
          .working_set_bytes = elements * of.shape.element_bytes,
          .one_pattern = of.use == access_use::sums && of.shape.references == 1,
          .independent = of.use == access_use::pixels || of.use == access_use::records};
}

class access_session : public session<access_study_results> {
 public:
  using session::session;

 private:
  void measure_all() override {
    effort_ = access_effort_of(kind(), options().quick, options().inputs);
    std::vector<std::string> names;
    for (const named_workload& each : effort_.workloads) names.push_back(each.name);
    expect(names);
    for (const named_workload& each : effort_.workloads) attempt(each.name, [&] { measure_workload(each); });
  }

  void measure_workload(const named_workload& each) {
    const auto done = [&](const std::string& experiment, int change_every) {
      return results().find_run(experiment, each.name, "automatic", change_every) !=
             nullptr; // it is the last
    };
    const bool all_done =
        done("arms", effort_.change_every) &&
        std::ranges::all_of(effort_.changes, [&](int every) { return done("change", every); }) &&
        (effort_.long_iterations == 0 || done("long", effort_.change_every));
    if (!all_done) {
      const access_workload of = make_workload(each.workload, 256, options().reading);
      if (results().find(each.name) == nullptr) {
        access_study_workload made = described(each, of);
        change([&](access_study_results& all) { all.workloads.push_back(std::move(made)); });
      }
      measure_layouts("arms", each.name, of, {effort_.iterations, effort_.change_every}, effort_.repeat,
                      [&](const std::string& layout) { return !takes_too_long(layout, of.shape); });
      for (const int every : effort_.changes)
        measure_layouts("change", each.name, of, {effort_.iterations, every}, 1,
                        [&](const std::string& layout) {
                          return changing_layouts.contains(layout) && !takes_too_long(layout, of.shape);
                        });
      if (effort_.long_iterations > 0) {
        const access_study_run* const best = access_view(results(), *results().find(each.name)).best();
        const std::string best_layout = best == nullptr ? "none" : best->layout;
        measure_layouts("long", each.name, of, {effort_.long_iterations, effort_.change_every}, 1,
                        [&](const std::string& layout) {
                          return layout == "none" || layout == best_layout || layout == "automatic";
                        });
      }
    }
    const access_study_workload& of = *results().find(each.name);
    print(fmt::format("{}, {}: {} threads, {} references each, to {} elements of {} bytes\n{}\n{}\n",
                      one_line(each.name), one_line(each.workload), grouped(of.threads), of.references,
                      grouped(of.elements), of.element_bytes, access_table(results(), each.name),
                      change_table(results(), each.name)));
  }

  struct loop {
    int iterations;
    int change_every; ///< 0: never
  };
  void measure_layouts(const std::string& experiment, const std::string& name, const access_workload& of,
                       const loop& over, int repeat, const std::function<bool(const std::string&)>& wants) {
    const int change_every = over.change_every;
    const auto is_missing = [&](const std::string& layout) {
      return results().find_run(experiment, name, layout, change_every) == nullptr;
    };
    if (!is_missing("automatic")) return;
    const layouts_options how{
        .bench = options().bench,
        .wants = [&](const std::string& layout) { return wants(layout) && is_missing(layout); },
        .count = false,
        .profiles = false,
        .check_calls = experiment == "arms",
        .iterations = over.iterations,
        .change_every = change_every > 0 ? change_every : over.iterations,
        .repeat = repeat};
    const std::string place = run_layouts(
        kind(), of, how, [&](const layout_result& found) { note(found, experiment, name, over); });
    change([&](access_study_results& all) { all.place = place; });
  }

  void note(const layout_result& found, const std::string& experiment, const std::string& name,
            const loop& over) {
    access_study_run run{.experiment = experiment,
                         .workload = name,
                         .layout = found.layout,
                         .iterations = over.iterations,
                         .change_every = over.change_every,
                         .error = found.error,
                         .refusal = found.refusal,
                         .run_ms = found.run_ms,
                         .refresh_ms = found.refresh_ms,
                         .build_ms = found.build_ms,
                         .loop_ms = found.loop_ms,
                         .plan_bytes = static_cast<std::int64_t>(found.plan_bytes),
                         .copy_bytes = static_cast<std::int64_t>(found.copy_bytes),
                         .footprint_bytes = static_cast<std::int64_t>(found.footprint_bytes),
                         .requests = found.estimate.requests,
                         .sectors = found.estimate.sectors,
                         .chosen = found.chosen,
                         .why = found.why};
    session::note(std::move(run), fmt::format("{} of {}, {}", experiment, one_line(name), found.layout));
  }

  access_effort effort_;
};

} // namespace

bool study_reorganize(const study_options& options) {
  return access_session(options).run(
      "Times on cpu say nothing about a GPU, so statements of the paper about times are not judged; bytes "
      "and "
      "sectors are the same.",
      "Times on simt are simulated and say nothing about a GPU; workloads are small.");
}

} // namespace evenly::study
