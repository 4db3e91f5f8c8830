// SPDX-License-Identifier: Apache-2.0
// Options that several commands have, and parts of help.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "evenly/io/file_format.hpp"
#include "evenly/io/read_options.hpp"
#include "measure/bench.hpp"
#include "measure/problem.hpp"

namespace evenly::cli {

using measure::bench, measure::bench_options, measure::number_type, measure::operation;

inline const choices<executor_kind> executors{
    {"cpu", executor_kind::cpu}, {"simt", executor_kind::simt}, {"cuda", executor_kind::cuda}};
inline const choices<number_type> number_types{{"float", number_type::single_precision},
                                               {"double", number_type::double_precision}};
inline const choices<operation> operations{
    {"spmv", operation::spmv}, {"expand", operation::expand}, {"update", operation::update}};

/// The executor called `name`. Throws usage_error.
executor_kind parse_executor(const std::string& name);

const choices<io::file_format>& matrix_formats_of_files();
const choices<io::file_format>& point_formats_of_files();
const choices<io::file_format>& all_formats_of_files();

/// An input that may be a generator: an argument of the command.
option& add_input(command& to, std::string_view usage, std::string& input, std::string help);
option& add_inputs(command& to, std::vector<std::string>& inputs, std::string help);

/// How input files are read: --format, --columns, --renumber. The formats are those of matrices and graphs.
void add_reading(command& to, io::read_options& reading);
/// The same of points as well, with --frame.
void add_any_reading(command& to, io::read_options& reading);
void add_columns(command& to, io::read_options& reading);
void add_frame(command& to, io::read_options& reading);

option& add_executor(command& to, std::optional<executor_kind>& chosen,
                     std::string help = "cpu, simt or cuda (default: cuda, or cpu without a GPU)");
option& add_threads(command& to, int& threads);
option& add_block(command& to, int& block_size, whole_range range = {1, 1024},
                  std::string help = "threads in a block, on simt and cuda (default: the schedule's)");
option& add_type(command& to, number_type& type, std::string help);
option& add_json(command& to, std::string& path,
                 const std::string& help = "also write the results to a file");
option& add_report(command& to, std::string& path);
option& add_output(command& to, std::string& path, const io::output_formats& formats, std::string help);

/// --seed, and where it has an effect.
struct seed_option {
  std::string help = "on simt: of the threads' interleaving (default: 0, in order)";
  std::function<executor_set()> where = [] { return on_simt; };
};
option& add_seed(command& to, bench_options& bench, const seed_option& seed);
/// --repeat, --warm, --seed and --threads. `timed`: whether anything is timed; else --repeat and --warm have no effect.
void add_run_options(
    command& to, int& repeat, bench_options& bench, const seed_option& seed = {},
    const std::function<bool()>& timed = [] { return true; });

/// Names from a list, `all` for none. `what` one of them is, with its article.
option& add_names(command& to, std::string_view usage, std::vector<std::string>& chosen,
                  const std::vector<std::string>& known, std::string what, std::string help);

double parse_positive(std::string_view option, std::string_view text);

std::string help_on_schedules();
std::string help_on_results();
std::string help_on_generators();

} // namespace evenly::cli
