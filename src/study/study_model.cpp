// SPDX-License-Identifier: Apache-2.0
#include "study/study.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "evenly/runtime/any_schedule.hpp"
#include "host/errors.hpp"
#include "io/input.hpp"
#include "measure/measure.hpp"
#include "measure/problem.hpp"
#include "measure/reference.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "study/model_report.hpp"
#include "study/session.hpp"

namespace evenly::study {

using host::in_quotes;
using measure::bench, measure::candidate, measure::grouped, measure::make_bench, measure::make_problem,
    measure::measure_in_turns, measure::measurement, measure::milliseconds, measure::number_type,
    measure::one_line, measure::operation, measure::problem, measure::reference, measure::repetition,
    measure::usage_error;

namespace {

/// The files in a folder and its folders, in the order of their names.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code failed;
  std::filesystem::recursive_directory_iterator each(folder, failed), end;
  for (; !failed && each != end; each.increment(failed))
    if (std::error_code ignored; each->is_regular_file(ignored)) found.push_back(each->path().string());
  if (failed) throw usage_error(fmt::format("{}: {}", in_quotes(folder), failed.message()));
  if (found.empty()) throw usage_error(fmt::format("{}: the folder has no files", in_quotes(folder)));
  std::ranges::sort(found);
  return found;
}

/// Whether the study writes to this file, such as the results of an earlier run in the same folder.
bool is_output(const study_options& options, const std::string& file) {
  return std::ranges::any_of(std::array{options.json, options.csv, options.report},
                             [&](const std::string& output) {
                               std::error_code ignored;
                               return !output.empty() && std::filesystem::equivalent(output, file, ignored);
                             });
}

/// Inputs with folders replaced by their files, followed by the generated matrices.
std::vector<std::string> datasets(const study_options& options) {
  std::vector<std::string> all;
  for (const std::string& input : options.inputs) {
    std::error_code ignored;
    if (std::filesystem::is_directory(input, ignored))
      std::ranges::copy_if(files_in(input), std::back_inserter(all),
                           [&](const std::string& file) { return !is_output(options, file); });
    else
      all.push_back(input);
  }
  const std::vector<std::string> corpus = model_corpus(options.quick);
  const std::size_t usual = options.inputs.empty() ? (options.quick ? corpus.size() : usual_model_corpus) : 0;
  const std::size_t wanted = options.corpus.value_or(usual);
  if (wanted > corpus.size())
    throw usage_error(fmt::format("--corpus {}: the generated family has {} matrices{}", wanted,
                                  corpus.size(), options.quick ? " with --quick" : ""));
  std::set<std::string> known(all.begin(), all.end());
  for (std::size_t i = 0; i < wanted; ++i)
    if (known.insert(corpus[i]).second) all.push_back(corpus[i]);
  if (all.empty()) throw usage_error("study model has no matrices: name files or folders, or use --corpus N");
  return all;
}

/// Fewer on cpu, where many schedules have the same code.
bool is_studied(const candidate& each, executor_kind kind) {
  return kind == executor_kind::cuda || !each.is_schedule || is_in_paper(each.name);
}

class model_session : public session<model_results> {
 public:
  explicit model_session(const study_options& options) : session(options) {
    also_write(options.csv, [](const model_results& all) { return csv_of(all); });
  }

 private:
  void measure_all() override {
    const std::vector<std::string> all = datasets(options());
    expect(all);
    std::size_t done = 0;
    for (const std::string& each : all) {
      ++done;
      attempt(each, [&] {
        // automatic is measured last
        if (!results().has("automatic", each))
          print(fmt::format("{} of {}: {}\n", done, all.size(), measure_dataset(each)));
      });
    }
  }

  /// Returns a line about it.
  std::string measure_dataset(const std::string& input) {
    const io::input in = io::load_input(input, options().reading);
    const problem p = make_problem(operation::spmv, number_type::single_precision, in.matrix, 0);
    bench on = make_bench(kind(), p, options().bench);
    change([&](model_results& all) { all.place = on.time->place(); });
    std::vector<candidate> kernels = on.candidates(0);
    std::erase_if(kernels, [&](const candidate& each) { return !is_studied(each, kind()); });
    kernels.push_back(on.candidate_of(any_schedule("automatic")));
    const repetition few{
        .min_rounds = 3, .max_rounds = 5, .time_budget_ms = 6, .warmup_ms = 1, .give_up_ratio = 60};
    const repetition many{.time_budget_ms = 200, .give_up_ratio = 60};
    std::string fastest;
    double ms = 0;
    for (measurement& m : measure_in_turns(on, kernels, reference(p), options().quick ? few : many)) {
      if (!m.error && (fastest.empty() || m.time.median < ms)) fastest = m.what.name, ms = m.time.median;
      model_run run{m.what.name, input, in.matrix.rows, in.matrix.cols, in.matrix.atoms(), m.error, m.time};
      if (!results().has(m.what.name, input)) // an interruption may have kept some
        note(std::move(run), m.what.name + " on " + one_line(input));
    }
    return fmt::format("{}, {} nonzeros: {} {} ms", one_line(input), grouped(in.matrix.atoms()), fastest,
                       milliseconds(ms));
  }
};

} // namespace

std::vector<std::string> model_corpus(bool quick) {
  if (quick)
    return {"regular:rows=2000,size=8",        "powerlaw:rows=2000,avg=6,sd=20,max=600",
            "one-dense-row:rows=1e4,long=3e3", "grid:x=60,y=60",
            "mostly-empty:rows=2e4",           "dense:rows=1,cols=5000",
            "dense:rows=5000,cols=1",          "banded:rows=3000,width=9"};
  std::vector<std::string> all = choices_corpus(false);
  // The largest, spread among the others so that any first part has some.
  constexpr std::array large{"regular:rows=1.25e7,size=8", "dense:rows=1e4,cols=1e4",
                             "banded:rows=4e6,width=25", "powerlaw:rows=1e7,avg=10,sd=30,max=100000",
                             "rmat:scale=22,edges=24"};
  for (std::size_t i = 0; i < large.size(); ++i)
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(60 * (i + 1)), large[i]);
  return all;
}

bool study_model(const study_options& options) {
  model_session session(options);
  return session.run("On the CPU the baselines are loops over rows, of one thread and of OpenMP.",
                     "Times on the simulated GPU say nothing about a GPU; there is no baseline, so one of "
                     "the schedules is.");
}

} // namespace evenly::study
