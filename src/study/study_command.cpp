// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "io/output_format.hpp"
#include "measure/usage_error.hpp"
#include "spatial/octree.hpp"
#include "study/study.hpp"
#if defined(EVENLY_COMPILED_STUDY)
#include "study/form_bench.hpp"
#include "study_kernels/compiled_bench.hpp"
#endif

namespace evenly::study {

using cli::add_any_reading, cli::add_executor, cli::add_inputs, cli::add_json, cli::add_report,
    cli::add_threads, cli::choices, cli::command, cli::everywhere, cli::executor_set, cli::help_on_generators,
    cli::help_on_results, cli::nowhere, cli::on_cpu, cli::on_simt, cli::refuse_outputs_over,
    cli::refuse_second_standard_input, cli::refuse_without_effect, cli::registered, cli::require_files;
using spatial::help_on_particles;

namespace {

using study_function = bool (*)(const study_options&);

class study_command : public command {
 public:
  study_command() : command("study") {
    const auto if_measured = [this](executor_set where) {
      return [this, where] { return options_.from.empty() ? where : nowhere; };
    };
    add("study STUDY", study_,
        choices<study_function>{{"mapping", study_mapping},
                                {"tasks", study_tasks},
                                {"reorganize", study_reorganize},
                                {"model", study_model},
                                {"choices", study_choices}},
        "a study",
        "measurements of a paper: mapping (2017), tasks (2008), reorganize (2013) or model (2023); or "
        "choices, "
        "the training data of automatic")
        .required();
    add_inputs(*this, options_.inputs,
               "inputs that replace those of the study: files, generators, particles, or workloads of evenly "
               "reorganize; for model also folders of files");
    add_any_reading(*this, options_.reading);
    add_executor(
        *this, options_.executor,
        "executor: cpu, simt (with scaled-down workloads) or cuda (default: cuda, or cpu without a GPU)")
        .effective(if_measured(everywhere));
    add("--quick", options_.quick, "use scaled-down workloads and few runs")
        .effective(if_measured(everywhere));
    add_report(*this, options_.report);
    add_json(*this, options_.json, "also write the results to a JSON file");
    add("--from FILE", options_.from,
        "measure nothing; read results of --json, from several files if workloads were measured separately");
    add("--resume", options_.resume, "continue the study in the file of --json")
        .effective(if_measured(everywhere));
    add("--csv FILE", options_.csv,
        "for model: also write the times to a CSV file, with the columns of the paper's "
        "artifact: kernel,dataset,rows,cols,nnzs,elapsed (ms)")
        .writes(io::times_output);
    add(
        "--corpus N",
        [this](const std::string& text) {
          options_.corpus = static_cast<std::size_t>(cli::parse_count("--corpus", text, {0, 100'000}));
        },
        "for model: the number of generated matrices in addition to the inputs (default: 300 without inputs, "
        "8 with "
        "--quick, otherwise 0)")
        .effective(if_measured(everywhere));
    add_threads(*this, options_.bench.threads).effective(if_measured(on_cpu | on_simt));
    add_example("evenly study mapping regular:rows=999,size=8 --quick --on cpu --report a.html",
                "repeat the measurements of the paper on another workload");
    add_example("evenly study tasks uniform:n=2e3 tube:n=2e3 --quick --on cpu --json tasks.json",
                "build octrees under every task pool and compare with another paper");
    add_example("evenly study reorganize irreg:n=512 cfd:n=384 --quick --on cpu --json new.json",
                "time layouts for references A[P[i]] and compare with a third paper");
    add_example("evenly study model --quick --on cpu --csv times.csv",
                "time the products of another paper under schedules, beside loops of OpenMP");
    add_example("evenly study choices --quick --on cpu --json choices.json",
                "time every schedule on tile sets of many shapes, as training data of automatic");
    add_to_footer(help_on_results() + help_on_generators() + "\n" + help_on_particles());
  }

  bool run() override {
    if (study_ != study_model)
      for (const char* option : {"--csv", "--corpus"})
        if (is_given(option))
          throw measure::usage_error(std::string(option) + ": applies to study model only");
    require_files(*this, options_.inputs);
    refuse_second_standard_input(options_.inputs);
    refuse_second_standard_input(options_.from);
    refuse_outputs_over(*this, options_.inputs);
    refuse_without_effect(*this, options_.from.empty() ? "study" : "study --from", options_.executor);
    return study_(options_);
  }

 private:
  study_function study_ = nullptr;
  study_options options_;
};
const registered<study_command> studying;

#if defined(EVENLY_COMPILED_STUDY)
[[maybe_unused]] const auto kernels = (compiled_bench() = make_compiled_bench);
#endif

} // namespace
} // namespace evenly::study
