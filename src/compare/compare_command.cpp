// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/effects.hpp"
#include "cli/schedule_names.hpp"
#include "cli/shared_options.hpp"
#include "compare/compare.hpp"
#include "host/errors.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "sparse/dense_problem.hpp"
#include "sparse/spmm_schedules.hpp"

namespace evenly::compare {

using cli::add_block, cli::add_columns, cli::add_inputs, cli::add_json, cli::add_report, cli::add_run_options,
    cli::add_schedules, cli::add_type, cli::command, cli::everywhere, cli::executors, cli::help_on_generators,
    cli::help_on_results, cli::help_on_schedules, cli::matrix_formats_of_files, cli::names, cli::nowhere,
    cli::on_simt, cli::operations, cli::parse_count, cli::parse_executor, cli::parse_names, cli::pick,
    cli::refuse_outputs_over, cli::refuse_second_standard_input, cli::refuse_without_effect, cli::registered,
    cli::require_files;
using measure::joined, measure::usable_executors, measure::usage_error;
using sparse::is_of_floats, sparse::max_dense_columns, sparse::require_few, sparse::require_few_or_automatic;

namespace {

/// Those and what the command has besides, of which only the name is here.
const choices<operation> compared_operations{{"spmv", operation::spmv},
                                             {"expand", operation::expand},
                                             {"update", operation::update},
                                             {"spmm:W", operation::spmv}};

/// The columns of the dense matrix in `spmm:W`; 0 for any other operation.
int parse_width(const std::string& op) {
  constexpr std::string_view name = "spmm";
  if (op != name && !op.starts_with("spmm:")) return 0;
  const std::string_view width = std::string_view(op).substr(std::min(op.size(), name.size() + 1));
  return parse_count("--op spmm:W: the width W =", width, {1, max_dense_columns});
}

std::vector<std::string> with(std::vector<std::string> list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

class compare_command : public command {
 public:
  compare_command() : command("compare") {
    add_inputs(*this, options_.inputs,
               "files, -: standard input, or generators; without one: a tour of differently shaped work");
    add(
        "--op OP", [this](const std::string& op) { take_operation(op); },
        "spmv: y = A x (default); spmm:W: C = A B, W columns; expand: writes atoms' tiles; update: adds them")
        .completes(with(names(operations), {"spmm:32"}));
    add(
        "--on EXECUTOR,...",
        [this](const std::string& list) {
          for (const std::string& name : parse_names("--on", list))
            options_.executors.push_back(parse_executor(name));
        },
        "cpu, simt, cuda, or several (default: cpu, and cuda if there is one; simt only counts)")
        .completes(names(executors));
    add_schedules(*this, options_.schedules, "schedules by name, or all (default: all)");
    add_type(*this, options_.type, "float or double, for spmv and spmm (default: float)").effective([this] {
      return has_floats() ? everywhere : nowhere;
    });
    add("--format FORMAT,...", format_,
        "of A in spmv: csr, csc, coo, ell, bcsr, dia, packed, half, bfloat16, pattern (default: csr); and of "
        "input files, whatever content and ending say: " +
            joined(names(matrix_formats_of_files())))
        .completes(with(names(matrix_formats), names(matrix_formats_of_files())));
    add_columns(*this, options_.reading);
    add_json(*this, options_.json);
    add_report(*this, options_.report);
    add_run_options(
        *this, options_.repeat, options_.bench,
        {"of x in spmv and B in spmm, and on simt of the threads' interleaving (default: 0, in order)",
         [this] { return has_floats() ? everywhere : on_simt; }});
    add_block(*this, options_.block_size);
    add_example("evenly compare matrix.mtx --on cpu", "every schedule on your matrix");
    add_example("evenly compare powerlaw:rows=1e4,avg=8,sd=30,max=3e3 --json times.json",
                "a generated matrix of very unequal rows; the times also go to a file");
    add_example("evenly compare matrix.mtx --schedule merge_path,thread_mapped --on cpu", "two schedules");
    add_example("evenly compare matrix.mtx --on cpu --report report.html",
                "as a page with charts, which gnuplot draws");
    add_example("evenly compare grid:x=90,y=90 --format dia --on cpu --repeat 1",
                "the matrix by its diagonals");
    add_example("evenly compare grid:x=90,y=90 --op spmm:8 --on cpu --repeat 1", "a product with 8 columns");
    add_example("evenly compare grid:x=20,y=20 --on simt --op expand --schedule warp_mapped",
                "another operation, on the simulated GPU");
    add_to_footer(help_on_results() + help_on_schedules() + '\n' + help_on_generators());
  }

  bool run() override {
    require_files(*this, options_.inputs, {"--columns", "--renumber"});
    if (!format_.empty()) take_formats();
    if (options_.width > 0) require_few_or_automatic(options_.schedules, "--op " + op_);
    refuse_second_standard_input(options_.inputs);
    refuse_outputs_over(*this, options_.inputs);
    const bool chosen = !options_.executors.empty();
    refuse_without_effect(*this,
                          options_.width > 0 ? "compare --op spmm"
                          : has_floats()     ? "compare --op spmv"
                                             : "compare --op expand or update",
                          chosen ? options_.executors : usable_executors(), chosen);
    return compare(options_);
  }

 private:
  void take_operation(const std::string& op) {
    op_ = op;
    options_.width = parse_width(op);
    if (options_.width == 0) options_.op = pick(compared_operations, "an operation", op);
  }

  /// Tiles as they are, of expand and update, work on int.
  bool has_floats() const { return options_.width > 0 || options_.op == operation::spmv; }

  /// Takes the list of formats apart: those of A in memory, and the one of input files.
  void take_formats() {
    choices<bool> known;
    for (const std::string& name : names(matrix_formats)) known.emplace_back(name, true);
    for (const std::string& name : names(matrix_formats_of_files())) known.emplace_back(name, false);
    std::vector<matrix_format> formats;
    for (const std::string& name : parse_names("--format", format_)) {
      if (pick(known, "a format", name)) {
        formats.push_back(pick(matrix_formats, "a format", name));
        check_format(name, formats.back());
      } else if (options_.reading.format) {
        throw usage_error("--format " + host::in_quotes(format_) +
                          ": two formats of input files; there is one for all");
      } else {
        options_.reading.format = pick(matrix_formats_of_files(), "a format", name);
      }
    }
    if (!formats.empty()) options_.formats = formats;
  }

  void check_format(const std::string& name, matrix_format format) const {
    if (!has_floats())
      throw usage_error("--format " + name + " changes nothing in compare --op expand or update");
    if (format != matrix_format::csr && options_.width > 0)
      throw usage_error("--format " + name + ": spmm multiplies compressed rows, csr");
    if (is_of_floats(format) && options_.type != number_type::single_precision)
      throw usage_error("--format " + name + ": values of 16 bits stand for floats, --type float");
    if (format != matrix_format::csr) require_few(options_.schedules, "--format " + name);
  }

  compare_options options_;
  std::string op_;
  std::string format_;
};
const registered<compare_command> comparing;

} // namespace
} // namespace evenly::compare
