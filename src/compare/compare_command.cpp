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
#include "peers/beside_option.hpp"
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
using peers::add_beside, peers::require_operation;
using sparse::is_of_floats, sparse::max_dense_columns, sparse::require_few, sparse::require_few_or_automatic;

namespace {

/// The operations, including spmm:W, which stands for its name only.
const choices<operation> compared_operations{{"spmv", operation::spmv},
                                             {"expand", operation::expand},
                                             {"update", operation::update},
                                             {"segmented_reduce", operation::segmented_reduce},
                                             {"segmented_scan", operation::segmented_scan},
                                             {"spmm:W", operation::spmv}};

/// The number W of columns in `spmm:W`; 0 for any other operation.
int parse_width(const std::string& op) {
  constexpr std::string_view name = "spmm";
  if (op != name && !op.starts_with("spmm:")) return 0;
  const std::string_view width = std::string_view(op).substr(std::min(op.size(), name.size() + 1));
  return parse_count("--op spmm:W: W =", width, {1, max_dense_columns});
}

std::vector<std::string> with(std::vector<std::string> list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

class compare_command : public command {
 public:
  compare_command() : command("compare") {
    add_inputs(*this, options_.inputs,
               "files, - for standard input, or generators (default: a tour of differently shaped inputs)");
    add(
        "--op OP", [this](const std::string& op) { take_operation(op); },
        "operation: spmv: y = A x (default); spmm:W: C = A B with W columns; expand: write the tile of each "
        "atom; update: add it to the atom's element; segmented_reduce: sum the values of each tile; "
        "segmented_scan: their prefix sums")
        .completes({"spmv", "spmm:32", "expand", "update", "segmented_reduce", "segmented_scan"});
    add(
        "--on EXECUTOR,...",
        [this](const std::string& list) {
          for (const std::string& name : parse_names("--on", list))
            options_.executors.push_back(parse_executor(name));
        },
        "one or more of cpu, simt, cuda (default: cpu, and cuda if there is a GPU; simt only counts)")
        .completes(names(executors));
    add_schedules(*this, options_.schedules, "names of schedules, or all (default: all)");
    add_beside(*this, options_.beside, {peers::operation::spmv, peers::operation::spmm}).effective([this] {
      return has_floats() ? everywhere : nowhere;
    });
    add_type(*this, options_.type, "type of the values, for spmv and spmm: float or double (default: float)")
        .effective([this] { return has_floats() ? everywhere : nowhere; });
    add("--format FORMAT,...", format_,
        "format of A in memory, for spmv: csr, csc, coo, ell, bcsr, dia, packed, half, bfloat16, pattern "
        "(default: csr); or the format of input files (default: detected by content and ending): " +
            joined(names(matrix_formats_of_files())))
        .completes(with(names(matrix_formats), names(matrix_formats_of_files())));
    add_columns(*this, options_.reading);
    add_json(*this, options_.json);
    add_report(*this, options_.report);
    add_run_options(
        *this, options_.repeat, options_.bench,
        {"seed of x in spmv and of B in spmm, and on simt of the thread interleaving (default: 0, in order)",
         [this] { return has_floats() ? everywhere : on_simt; }});
    add_block(*this, options_.block_size);
    add_example("evenly compare matrix.mtx --on cpu", "time every schedule on your matrix");
    add_example("evenly compare powerlaw:rows=1e4,avg=8,sd=30,max=3e3 --json times.json",
                "use a generated matrix with very unequal rows; also write the times to a file");
    add_example("evenly compare matrix.mtx --schedule merge_path,thread_mapped --on cpu",
                "compare two schedules");
    add_example("evenly compare matrix.mtx --on cpu --beside eigen",
                "time the schedules beside another library");
    add_example("evenly compare matrix.mtx --on cpu --report report.html", "also write a page with charts");
    add_example("evenly compare grid:x=90,y=90 --format dia --on cpu --repeat 1",
                "store the matrix by diagonals");
    add_example("evenly compare grid:x=90,y=90 --op spmm:8 --on cpu --repeat 1",
                "multiply by a dense matrix of 8 columns");
    add_example("evenly compare grid:x=20,y=20 --on simt --op expand --schedule warp_mapped",
                "count another operation on the simulated GPU");
    add_to_footer(help_on_results() + help_on_schedules() + '\n' + help_on_generators());
  }

  bool run() override {
    require_files(*this, options_.inputs, {"--columns", "--renumber"});
    if (!format_.empty()) take_formats();
    if (options_.width > 0) require_few_or_automatic(options_.schedules, "--op " + op_);
    require_operation(options_.beside, options_.width > 0 ? peers::operation::spmm : peers::operation::spmv);
    if (!options_.beside.empty() && std::ranges::count(options_.formats, matrix_format::csr) == 0)
      throw usage_error("--beside has no effect without --format csr: peers read compressed rows");
    refuse_second_standard_input(options_.inputs);
    refuse_outputs_over(*this, options_.inputs);
    const bool chosen = !options_.executors.empty();
    refuse_without_effect(*this, "compare --op " + operation_text(),
                          chosen ? options_.executors : usable_executors(), chosen);
    return compare(options_);
  }

 private:
  void take_operation(const std::string& op) {
    op_ = op;
    options_.width = parse_width(op);
    if (options_.width == 0) options_.op = pick(compared_operations, "an operation", op);
  }

  std::string operation_text() const {
    if (options_.width > 0) return "spmm";
    if (has_floats()) return "spmv";
    return op_.starts_with("segmented") ? op_ : "expand or update";
  }

  /// All other operations have values of one type.
  bool has_floats() const { return options_.width > 0 || options_.op == operation::spmv; }

  /// Splits the list of formats into formats of A in memory and the format of input files.
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
                          ": two formats of input files; all files must have the same format");
      } else {
        options_.reading.format = pick(matrix_formats_of_files(), "a format", name);
      }
    }
    if (!formats.empty()) options_.formats = formats;
  }

  void check_format(const std::string& name, matrix_format format) const {
    if (!has_floats())
      throw usage_error("--format " + name + " has no effect in compare --op " + operation_text());
    if (format != matrix_format::csr && options_.width > 0)
      throw usage_error("--format " + name + ": spmm needs compressed rows, --format csr");
    if (is_of_floats(format) && options_.type != number_type::single_precision)
      throw usage_error("--format " + name + ": values of 16 bits need --type float");
    if (format != matrix_format::csr) require_few(options_.schedules, "--format " + name);
  }

  compare_options options_;
  std::string op_;
  std::string format_;
};
const registered<compare_command> comparing;

} // namespace
} // namespace evenly::compare
