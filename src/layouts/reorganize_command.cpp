// SPDX-License-Identifier: Apache-2.0

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "layouts/access_workload.hpp"
#include "layouts/reorganize.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::layouts {

using cli::add_block, cli::add_executor, cli::add_json, cli::add_names, cli::add_reading, cli::add_report,
    cli::add_run_options, cli::command, cli::everywhere, cli::help_on_results, cli::nowhere,
    cli::refuse_outputs_over, cli::refuse_without_effect, cli::registered;
using measure::joined, measure::name_of, measure::usage_error, measure::usual_executor, measure::wrapped;

namespace {

class reorganize_command : public command {
 public:
  reorganize_command() : command("reorganize") {
    constexpr int max = 1'000'000;
    const auto timed = [this] { return !options_.count; };
    const auto if_timed = [timed] { return timed() ? everywhere : nowhere; };
    add("workload WORKLOAD", options_.workload, "the references A[P[i]]: a generator or a file").required();
    add_names(*this, "--arm,--layout NAME,...", options_.layouts, layout_names(), "a layout",
              "names of layouts (default: all that the workload supports)");
    add_reading(*this, options_.reading);
    add("--count", options_.count,
        "count requests, sectors and wavefronts of shared memory on simt instead of timing");
    add_executor(*this, options_.executor);
    add("--iterations N", options_.iterations, {1, max},
        "number of runs in the timed loop, which includes plans and copies (default: 10)")
        .effective(if_timed);
    add("--change-every K", options_.change_every, {1, max},
        "change P after this many iterations, which then needs a new plan (default: never)")
        .effective(if_timed);
    add_json(*this, options_.json);
    add_report(*this, options_.report);
    add_run_options(*this, options_.repeat, options_.bench,
                    {"seed of the changes of P, and on simt of the thread interleaving (default: 0)",
                     [] { return everywhere; }},
                    timed);
    add_block(*this, options_.block_size, {1, 1024}, "threads per block, also for the layouts (default: 256)")
        .effective(everywhere);
    add_example("evenly reorganize cg:n=36 --on cpu --layout none,share --repeat 3",
                "time two layouts of the data");
    add_example("evenly reorganize random:threads=99,elements=9 --count --layout none,duplicate",
                "count their memory accesses on a GPU");
    add_to_footer(help_on_results() + help_on_access_workloads() + "\nLayouts:\n" +
                  wrapped(joined(layout_names()), "  "));
  }

  bool run() override {
    const executor_kind on =
        options_.executor.value_or(options_.count ? executor_kind::simt : usual_executor());
    if (options_.count && on != executor_kind::simt)
      throw usage_error("--count runs on simt; without it, layouts are timed on " + name_of(on));
    refuse_outputs_over(*this, {options_.workload});
    refuse_without_effect(*this, options_.count ? "reorganize --count" : "reorganize", {on},
                          options_.executor.has_value());
    return reorganize(options_);
  }

 private:
  reorganize_options options_;
};
const registered<reorganize_command> reorganizing;

} // namespace
} // namespace evenly::layouts
