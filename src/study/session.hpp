// SPDX-License-Identifier: Apache-2.0
// What all studies of a paper do: check the options, continue earlier results or read them, keep every finished
// measurement even if the study is interrupted, and print the tables. A study derives its inputs and its measurements
// from this class.
#pragma once

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/guarded.hpp"
#include "measure/machine.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "study/study.hpp"
#include "study/study_file.hpp"

namespace evenly::study {

using measure::result_file;

/// Throws usage_error for options that exclude each other, and plotter_error if a page needs a missing gnuplot.
void check_options(const study_options& options);
/// The files with results that the study starts from: those of --from, or that of --resume.
std::vector<std::string> known_files(const study_options& options);
/// Throws usage_error with the property that differs from the earlier results.
void require_same(const study_options& options, const char* what, const std::string& then,
                  const std::string& now);
/// Throws usage_error unless the results before are from this machine, this executor and the same workloads.
void require_same(const study_options& options, const study_head& before, executor_kind kind);
/// Replaces everything except the place.
void describe(study_head& head, const study_options& options, executor_kind kind);
/// A paragraph that begins with FAILED and ends in one line.
void print_failed(std::FILE* tables, std::string_view what, const std::string& error);

/// Forgets the runs that --resume measures again.
template <class Results> void forget_failed(Results& all) {
  std::erase_if(all.runs, [](const auto& run) { return run.error.has_value(); });
}

/// `Results` derive from study_head, and have `runs`. For them there are: fields, merge, head_of (everything except the
/// runs), page_of and agreement (the text after all tables).
template <class Results> class session {
 public:
  explicit session(const study_options& options)
      : options_((check_options(options), options)),
        tables_(options.report == "-" || options.json == "-" ? stderr : stdout),
        results_(read_results<Results>(known_files(options))),
        file_(options.json, [this] { return head_of(results_.copy()); }) {
    file_.accompany(options.report, [this] { return page_of(results_.copy()); });
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// Measures, or shows the results of --from. Returns whether all results are correct. `about_cpu` and `about_simt`:
  /// what the reader should know about measurements there.
  bool run(std::string_view about_cpu, std::string_view about_simt) {
    if (options_.from.empty()) {
      begin();
      explain(about_cpu, about_simt);
      measure_all();
    } else {
      keep_runs();
    }
    print(agreement(results()));
    file_.finish();
    return std::ranges::none_of(results().runs, [](const auto& run) { return run.error.has_value(); });
  }

 protected:
  ~session() = default;
  virtual void measure_all() = 0;

  /// Calls change(results) with the lock held.
  template <class Change> void change(const Change& change) { results_.change(change); }
  const Results& results() const { return results_.here(); }
  const study_options& options() const { return options_; }
  executor_kind kind() const { return kind_; }
  void expect(std::vector<std::string> inputs) { file_.expect(std::move(inputs)); }
  void print(std::string_view text) { measure::print(tables_, text); }

  /// Writes text(results) to another file with the results (measure/result_file.hpp). Call before measuring.
  void also_write(const std::string& path, const std::function<std::string(const Results&)>& text) {
    file_.accompany(path, [this, text] { return text(results_.copy()); });
  }
  /// Marks the input as failed if work() throws.
  void attempt(const std::string& input, const std::function<void()>& work) {
    if (const auto error = file_.measure(input, work)) {
      print_failed(tables_, measure::one_line(input), *error);
      print("\n");
    }
  }
  /// Keeps a finished run. `what`: its name if it failed.
  template <class Run> void note(Run run, std::string_view what) {
    note_failure(run, what);
    file_.add(to_json(run));
    change([&](Results& all) { all.runs.push_back(std::move(run)); });
  }
  template <class Run> void note_failure(const Run& run, std::string_view what) {
    if (run.error) print_failed(tables_, what, *run.error);
  }

 private:
  void keep_runs() {
    for (const auto& run : results().runs) file_.add(to_json(run));
  }

  void begin() {
    kind_ = options_.executor.value_or(measure::usual_executor());
    measure::require_executor(kind_);
    if (options_.resume && !results().commit.empty()) {
      require_same(options_, results(), kind_);
      change([](Results& all) { forget_failed(all); });
      keep_runs();
      print(fmt::format("{} earlier runs are kept\n", measure::grouped(std::ssize(results().runs))));
    }
    change([&](Results& all) { describe(all, options_, kind_); });
  }

  void explain(std::string_view about_cpu, std::string_view about_simt) {
    std::string text;
    if (kind_ == executor_kind::cpu && !options_.executor)
      text = fmt::format("No usable GPU ({}): the study runs on cpu. ", measure::find_cuda().text);
    if (kind_ == executor_kind::cpu) text += about_cpu;
    if (kind_ == executor_kind::simt) text += about_simt;
    if (!text.empty()) print(measure::wrapped(text, "") + '\n');
  }

  const study_options& options_;
  std::FILE* tables_;
  executor_kind kind_{};
  host::guarded<Results> results_;
  result_file file_; ///< last, because its destructor reads the results
};

} // namespace evenly::study
