// SPDX-License-Identifier: Apache-2.0
#include "cli/shared_options.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "cli/schedule_names.hpp"
#include "generate/generators.hpp"
#include "host/errors.hpp"
#include "io/numbers.hpp"
#include "io/output_format.hpp"
#include "measure/machine.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "ranks/rank_words.hpp"

namespace evenly::cli {

using measure::cpu_cores, measure::joined, measure::usage_error, measure::wrapped;

namespace {

const choices<io::edge_column> edge_columns{{"src", io::edge_column::source},
                                            {"dst", io::edge_column::target},
                                            {"weight", io::edge_column::weight},
                                            {"-", io::edge_column::ignored}};

/// The roles of columns. Throws usage_error unless one is the source, one the target and at most one the weight.
std::vector<io::edge_column> parse_columns(const std::string& list) {
  std::vector<io::edge_column> columns;
  for (const std::string& name : parse_list("--columns", list))
    columns.push_back(pick(edge_columns, "a role of columns", name));
  const auto count = [&](io::edge_column role) { return std::ranges::count(columns, role); };
  if (count(io::edge_column::source) != 1 || count(io::edge_column::target) != 1 ||
      count(io::edge_column::weight) > 1)
    throw usage_error("--columns " + host::in_quotes(list) +
                      ": one column must be src, one dst, and at most one weight; - ignores a column");
  return columns;
}

void add_format(command& to, io::read_options& reading, const choices<io::file_format>& formats) {
  to.add("--format FORMAT", reading.format, formats, "a format",
         "read input files in this format (default: detected by content and ending): " +
             joined(names(formats)));
}

std::vector<std::string> generator_names() {
  std::vector<std::string> list;
  for (const generate::generator_info& each : generate::generators()) list.emplace_back(each.name);
  return list;
}

} // namespace

executor_kind parse_executor(const std::string& name) {
  if (name == "gpu" || name == "GPU") // the nearest name would be cpu
    throw usage_error(host::in_quotes(name) +
                      " is not an executor: cuda is the GPU, simt a simulated GPU; choose one of " +
                      joined(names(executors)));
  return pick(executors, "an executor", name);
}

const choices<io::file_format>& matrix_formats_of_files() {
  static const choices<io::file_format> all{{"mtx", io::file_format::matrix_market},
                                            {"npz", io::file_format::npz},
                                            {"npy", io::file_format::npy},
                                            {"hb", io::file_format::harwell_boeing},
                                            {"rb", io::file_format::harwell_boeing},
                                            {"el", io::file_format::pairs},
                                            {"edgelist", io::file_format::pairs},
                                            {"edges", io::file_format::pairs},
                                            {"txt", io::file_format::pairs},
                                            {"csv", io::file_format::pairs},
                                            {"tsv", io::file_format::pairs},
                                            {"wel", io::file_format::weighted},
                                            {"adjlist", io::file_format::adjacency_list},
                                            {"gr", io::file_format::dimacs},
                                            {"graph", io::file_format::metis},
                                            {"sg", io::file_format::gap},
                                            {"wsg", io::file_format::gap_weighted}};
  return all;
}

const choices<io::file_format>& point_formats_of_files() {
  static const choices<io::file_format> all{{"npy", io::file_format::npy},
                                            {"ply", io::file_format::ply},
                                            {"obj", io::file_format::obj},
                                            {"xyz", io::file_format::xyz},
                                            {"pcd", io::file_format::pcd}};
  return all;
}

const choices<io::file_format>& all_formats_of_files() {
  static const choices<io::file_format> all = [] {
    choices<io::file_format> both = matrix_formats_of_files();
    for (const auto& each : point_formats_of_files())
      if (each.second != io::file_format::npy) both.push_back(each);
    return both;
  }();
  return all;
}

option& add_input(command& to, std::string_view usage, std::string& input, std::string help) {
  return to.add(usage, input, std::move(help)).completes(generator_names());
}
option& add_inputs(command& to, std::vector<std::string>& inputs, std::string help) {
  return to.add("inputs FILE|GENERATOR", inputs, std::move(help)).completes(generator_names());
}

void add_columns(command& to, io::read_options& reading) {
  to.add(
        "--columns ROLE,...", [&reading](const std::string& list) { reading.columns = parse_columns(list); },
        "role of each column of an edge list: src, dst, weight, or - to ignore it (default: from the header, "
        "or src,dst,weight)")
      .completes(names(edge_columns));
  to.add(
      "--renumber", reading.renumber,
      "accept any words as vertex ids of an edge list, and number vertices in ascending order of their ids");
}
void add_frame(command& to, io::read_options& reading) {
  to.add("--frame N", reading.frame, {1, std::numeric_limits<int>::max()},
         "number of the frame to read from an .xyz trajectory, from 1");
}
void add_reading(command& to, io::read_options& reading) {
  add_format(to, reading, matrix_formats_of_files());
  add_columns(to, reading);
}
void add_any_reading(command& to, io::read_options& reading) {
  add_format(to, reading, all_formats_of_files());
  add_columns(to, reading);
  add_frame(to, reading);
}

option& add_executor(command& to, std::optional<executor_kind>& chosen, std::string help) {
  return to
      .add(
          "--on EXECUTOR", [&chosen](const std::string& name) { chosen = parse_executor(name); },
          std::move(help))
      .completes(names(executors));
}
option& add_threads(command& to, int& threads) {
  return to
      .add("--threads N", threads, {1, std::max(1, cpu_cores())},
           "number of CPU threads, for cpu and simt (default: one per core)")
      .effective(on_cpu | on_simt);
}
option& add_ranks(command& to, int& ranks, const std::string& what, const std::string& result) {
  return to
      .add(
          "--ranks N",
          [&ranks](const std::string& text) {
            ranks = text == "mpi" ? ranks::under_mpi : parse_count("--ranks", text, {1, ranks::max_ranks});
          },
          fmt::format(
              "distribute the {} among N ranks, which are threads, or with `mpi` among the processes of "
              "mpirun; the {} has the same bits for every N",
              what, result))
      .completes({"mpi"})
      .effective(on_cpu);
}
option& add_block(command& to, int& block_size, whole_range range, std::string help) {
  return to.add("--block N", block_size, range, std::move(help)).effective(on_simt | on_cuda);
}
option& add_type(command& to, number_type& type, std::string help) {
  return to.add("--type TYPE", type, number_types, "a type", std::move(help));
}
option& add_output(command& to, std::string& path, const io::output_formats& formats, std::string help) {
  return to.add("-o FILE", path, std::move(help)).writes(formats);
}
option& add_json(command& to, std::string& path, const std::string& help) {
  return to.add("--json FILE", path, help + "; - for standard output").writes(io::json_output);
}
option& add_report(command& to, std::string& path) {
  return to
      .add("--report FILE", path,
           "also write an HTML page with charts (needs gnuplot); - for standard output")
      .writes(io::page_output);
}

option& add_seed(command& to, bench_options& bench, const seed_option& seed) {
  return to.add("--seed N", bench.seed, seed.help).effective(seed.where);
}
void add_run_options(command& to, int& repeat, bench_options& bench, const seed_option& seed,
                     const std::function<bool()>& timed) {
  to.add("--repeat N", repeat, {1, 1'000'000},
         "number of timed runs of each row (default: until the times settle)")
      .effective([timed] { return timed() ? everywhere : nowhere; });
  to.add("--warm", bench.warm, "on cuda: do not clear the L2 cache between runs").effective([timed] {
    return timed() ? on_cuda : nowhere;
  });
  add_seed(to, bench, seed);
  add_threads(to, bench.threads);
}

option& add_names(command& to, std::string_view usage, std::vector<std::string>& chosen,
                  const std::vector<std::string>& known, std::string what, std::string help) {
  std::vector<std::string> completions{"all"};
  completions.insert(completions.end(), known.begin(), known.end());
  const std::string option = option_name(usage);
  return to
      .add(
          usage,
          [&chosen, known, what, option](const std::string& list) {
            if (list == "all") return;
            chosen = parse_names(option, list);
            for (const std::string& name : chosen) place_of(known, what, name);
          },
          std::move(help))
      .completes(std::move(completions));
}

double parse_positive(std::string_view option, std::string_view text) {
  double found = 0;
  const auto [end, status] = io::parse_real(text.data(), text.data() + text.size(), found);
  if (status != std::errc{} || end != text.data() + text.size() || !(found > 0) || std::isinf(found))
    throw usage_error(std::string(option) + ' ' + host::in_quotes(text) +
                      ": must be a number greater than 0");
  return found;
}

std::string help_on_schedules() {
  return "Schedules:\n" + wrapped(joined(schedule_names()), "  ") +
         "\n"
         "automatic predicts the fastest of these from the tile sizes (docs/choosing.md).\n"
         "NAME:KEY=VALUE,... sets the parameters of a schedule, for example " +
         example_schedule().name() + ":block_size=256.\n";
}

std::string help_on_results() {
  return wrapped("The JSON is complete even after an error, Ctrl-C, SIGTERM or SIGHUP: results holds what "
                 "was measured, failed is a list of {input, error}.",
                 "") +
         '\n';
}

std::string help_on_generators() {
  std::string text = "Generators (1e6 is a valid count; [...] is optional):\n";
  for (const generate::generator_info& each : generate::generators())
    text += "  " + generate::usage(each) + "\n      " + std::string(each.description) + '\n';
  return text;
}

} // namespace evenly::cli
