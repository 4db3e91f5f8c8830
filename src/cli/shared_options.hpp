// SPDX-License-Identifier: Apache-2.0
// Options and parts of help that several commands share.
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

/// A positional argument that accepts generators.
option& add_input(command& to, std::string_view usage, std::string& input, std::string help);
option& add_inputs(command& to, std::vector<std::string>& inputs, std::string help);

/// Adds the options for reading matrices and graphs: --format, --columns, --renumber.
void add_reading(command& to, io::read_options& reading);
/// The same for matrices, graphs and points, with --frame.
void add_any_reading(command& to, io::read_options& reading);
void add_columns(command& to, io::read_options& reading);
void add_frame(command& to, io::read_options& reading);

option& add_executor(command& to, std::optional<executor_kind>& chosen,
                     std::string help = "executor: cpu, simt or cuda (default: cuda, or cpu without a GPU)");
option& add_threads(command& to, int& threads);
/// --ranks N|mpi (ranks/rank_words.hpp). `result`: what has the same bits for every N.
option& add_ranks(command& to, int& ranks, const std::string& what, const std::string& result);
option& add_block(command& to, int& block_size, whole_range range = {1, 1024},
                  std::string help = "threads per block, on simt and cuda (default: the schedule's own)");
option& add_type(command& to, number_type& type, std::string help);
option& add_json(command& to, std::string& path,
                 const std::string& help = "also write the results to a JSON file");
option& add_report(command& to, std::string& path);
option& add_output(command& to, std::string& path, const io::output_formats& formats, std::string help);

/// Help of --seed, and the executors with an effect.
struct seed_option {
  std::string help = "on simt: seed of the thread interleaving (default: 0, in order)";
  std::function<executor_set()> where = [] { return on_simt; };
};
option& add_seed(command& to, bench_options& bench, const seed_option& seed);
/// Adds --repeat, --warm, --seed and --threads. If `timed` returns false, --repeat and --warm have no effect.
void add_run_options(
    command& to, int& repeat, bench_options& bench, const seed_option& seed = {},
    const std::function<bool()>& timed = [] { return true; });

/// Adds an option for a list of names; `all` gives an empty list. `what` describes one name in errors, with an article.
option& add_names(command& to, std::string_view usage, std::vector<std::string>& chosen,
                  const std::vector<std::string>& known, std::string what, std::string help);

double parse_positive(std::string_view option, std::string_view text);

std::string help_on_schedules();
std::string help_on_results();
std::string help_on_generators();

} // namespace evenly::cli
