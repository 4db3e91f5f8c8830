// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "cli/effects.hpp"
#include "cli/schedule_names.hpp"
#include "cli/shared_options.hpp"
#include "explain/explain.hpp"
#include "layouts/access_workload.hpp"
#include "layouts/reorganize.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::explaining {

using cli::add_block, cli::add_input, cli::add_json, cli::add_reading, cli::add_report, cli::add_schedule,
    cli::add_seed, cli::add_threads, cli::add_type, cli::command, cli::default_schedule,
    cli::help_on_generators, cli::help_on_schedules, cli::nowhere, cli::on_simt, cli::operations,
    cli::place_of, cli::refuse_outputs_over, cli::refuse_without_effect, cli::registered, cli::require_files,
    cli::with_block_size;
using layouts::layout_names, layouts::names_access_workload;
using measure::executor_kind, measure::usage_error, measure::wrapped;

namespace {

class explain_command : public command {
 public:
  explain_command() : command("explain") {
    options_.schedule = default_schedule();
    options_.op = operation::spmv;
    options_.bench.threads = 1; // with more, the last block would vary
    add_input(*this, "input FILE|GENERATOR", options_.input,
              "a file, plain or compressed, - for standard input, or a generator; with --layout a workload "
              "of evenly reorganize")
        .required();
    add_reading(*this, options_.reading);
    add_schedule(*this, options_.schedule);
    add(
        "--arm,--layout NAME",
        [this](const std::string& name) {
          place_of(layout_names(), "a layout", name);
          options_.layout = name;
        },
        "explain references under a layout of evenly reorganize instead of tiles under a schedule (default "
        "for its workloads: none)")
        .completes(layout_names());
    add("--op OP", options_.op, operations, "an operation",
        "operation: spmv: y = A x; expand: write the tile of each atom; update: add it to the atom's element "
        "(default: spmv)");
    add_type(*this, options_.type, "type of the values, for spmv: float or double (default: float)")
        .effective([this] { return has_floats() ? on_simt : nowhere; });
    add_json(*this, options_.json, "also write all counts to a JSON file");
    add_report(*this, options_.report);
    add_seed(*this, options_.bench,
             {"seed of x and of the thread interleaving (default: 0, in order)", [] { return on_simt; }});
    add_threads(*this, options_.bench.threads);
    add_block(*this, block_size_);
    add_example("evenly explain matrix.mtx --schedule thread_mapped",
                "explain the memory accesses of one thread per row");
    add_example("evenly explain grid:x=20,y=20 --report explained.html --json explained.json",
                "also write a page with charts, and all counts as JSON");
    add_to_footer(wrapped("The command explains one run on the simulated GPU, without the preparation of its "
                          "plan. A million atoms take about a minute.",
                          "") +
                  '\n' + help_on_schedules() + '\n' + help_on_generators());
  }

  bool run() override {
    require_files(*this, {options_.input});
    if (options_.layout.empty() && names_access_workload(options_.input)) options_.layout = "none";
    if (!options_.layout.empty() && (is_given("--schedule") || is_given("--op")))
      throw usage_error("--layout " + options_.layout +
                        ": --schedule and --op apply to tiles, not to references");
    options_.schedule = with_block_size(options_.schedule, block_size_);
    if (block_size_ > 0) options_.block_size = block_size_;
    refuse_outputs_over(*this, {options_.input});
    refuse_without_effect(*this,
                          !options_.layout.empty() ? "explain --layout"
                          : has_floats()           ? "explain --op spmv"
                                                   : "explain --op expand or update",
                          std::vector{executor_kind::simt});
    explain_input(options_);
    return true;
  }

 private:
  bool has_floats() const { return options_.layout.empty() && options_.op == operation::spmv; }

  explain_options options_;
  int block_size_ = 0; ///< 0: the default of the schedule
};
const registered<explain_command> explaining;

} // namespace
} // namespace evenly::explaining
