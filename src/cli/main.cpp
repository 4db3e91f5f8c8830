// SPDX-License-Identifier: Apache-2.0
// The program: reads the command line, calls a command, turns exceptions into one line and an exit status.
// 0: done. 1: data, device, or a result that is wrong. 2: the command line.
#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/compare.hpp"
#include "cli/draw.hpp"
#include "cli/info.hpp"
#include "cli/ladder.hpp"
#include "cli/machine.hpp"
#include "cli/option_effects.hpp"
#include "cli/option_values.hpp"
#include "cli/result_file.hpp"
#include "cli/schedule_names.hpp"
#include "cli/spmv_command.hpp"
#include "cli/study.hpp"
#include "cli/text.hpp"
#include "cli/usage_error.hpp"
#include "io/errors.hpp"
#include "io/generators.hpp"
#include "io/interruption.hpp"

namespace evenly::cli {
namespace {

const choices<operation> operations{
    {"spmv", operation::spmv}, {"expand", operation::expand}, {"update", operation::update}};
const choices<number_type> types{{"float", number_type::single_precision},
                                 {"double", number_type::double_precision}};
const choices<executor_kind> executors{
    {"cpu", executor_kind::cpu}, {"simt", executor_kind::simt}, {"cuda", executor_kind::cuda}};
const choices<ladder_kind> ladders{
    {"reduce", ladder_kind::reduce}, {"scan", ladder_kind::scan}, {"rotate", ladder_kind::rotate}};
const choices<ladder_type> ladder_types{{"int", ladder_type::int32}, {"float", ladder_type::float32}};

/// What the command line says, as it says it: empty where it says nothing. What commands share is said once.
struct arguments {
  compare_options compare;
  spmv_options spmv;
  draw_options draw;
  study_options study;
  ladder_options ladder;
  std::string input; ///< of info
  bool info_json = false;
  std::string kind; ///< of ladder and study
  std::string op;
  std::string type;
  std::string on;
  std::string schedule;
  std::string rungs;
  std::string n;
  bool count = false;
  std::string repeat;
  std::string seed;
  std::string threads;
  std::string block;
  std::string warp;
};

std::string help_on_schedules() { return "Schedules:\n" + wrapped(joined(schedule_names()), "  "); }

std::string help_on_generators() {
  std::string text = "Generators (counts may be written 1e6; [...] may be left out):\n";
  for (const io::generator_info& each : io::generators())
    text += fmt::format("  {}\n      {}\n", io::usage(each), each.description);
  return text;
}

void add_threads(CLI::App& command, arguments& args) {
  command.add_option("--threads", args.threads, "threads of the CPU, for cpu and simt (default: all cores)")
      ->type_name("N");
}

void add_block(CLI::App& command, arguments& args) {
  command.add_option("--block", args.block, "threads in a block, on simt and cuda (default: the schedule's)")
      ->type_name("N");
}

/// What is said alike of everything that is timed run by run.
void add_timing_options(CLI::App& command, arguments& args, bool& warm) {
  command.add_option("--repeat", args.repeat, "time this many runs of each (default: until times settle)")
      ->type_name("N");
  command.add_flag("--warm", warm, "on cuda: leave the L2 cache as the run before left it")
      ->disable_flag_override();
}

CLI::App* add_info(CLI::App& program, arguments& args) {
  CLI::App* command =
      program.add_subcommand("info", "what the sizes of an input's tiles are, and mean for balance");
  command
      ->add_option("input", args.input,
                   "a Matrix Market file, plain or .gz .bz2 .xz .zst, -: standard input, or a generator")
      ->type_name("FILE|GENERATOR")
      ->required();
  command->add_flag("--json", args.info_json, "print one JSON object; share_of_largest_percent is in [0, 1]");
  command->footer(help_on_generators());
  return command;
}

CLI::App* add_compare(CLI::App& program, arguments& args) {
  CLI::App* command =
      program.add_subcommand("compare", "checks every schedule against a reference, then times it");
  command
      ->add_option("inputs", args.compare.inputs,
                   "files, -: standard input, or generators; without one: a tour of differently shaped work")
      ->type_name("FILE|GENERATOR");
  command
      ->add_option(
          "--op", args.op,
          "spmv: y = A x; expand: writes each atom's tile; update: adds it to the atom (default: spmv)")
      ->type_name("OP");
  command
      ->add_option("--on", args.on,
                   "cpu, simt, cuda, or several (default: those there are, simt where it is quick)")
      ->type_name("EXECUTOR,...");
  command->add_option("--schedule", args.schedule, "schedules by name, or all (default: all)")
      ->type_name("NAME,...");
  command->add_option("--type", args.type, "float or double, for spmv (default: float)")->type_name("TYPE");
  command->add_option("--json", args.compare.json, "also write the results to a file; -: to standard output")
      ->type_name("FILE");
  add_timing_options(*command, args, args.compare.bench.warm);
  command
      ->add_option("--seed", args.seed,
                   "of x in spmv, and on simt of the threads' interleaving (default: 0, in order)")
      ->type_name("N");
  add_threads(*command, args);
  add_block(*command, args);
  command->footer(help_on_schedules() + '\n' + help_on_generators());
  return command;
}

CLI::App* add_spmv(CLI::App& program, arguments& args) {
  CLI::App* command =
      program.add_subcommand("spmv", "multiplies a matrix with a vector, in double precision");
  command
      ->add_option("input", args.spmv.input,
                   "the matrix: a Matrix Market file, -: standard input, or a generator")
      ->type_name("FILE|GENERATOR")
      ->required();
  command
      ->add_option("--x", args.spmv.x, "the vector: one number a line; -: standard input (default: all ones)")
      ->type_name("FILE");
  command->add_option("-o", args.spmv.output, "where the product goes (default: standard output)")
      ->type_name("FILE");
  command->add_option("--on", args.on, "cpu, simt or cuda (default: cpu)")->type_name("EXECUTOR");
  command->add_option("--schedule", args.schedule, fmt::format("by name (default: {})", default_schedule()))
      ->type_name("NAME");
  add_threads(*command, args);
  add_block(*command, args);
  command->footer(help_on_schedules() + '\n' + help_on_generators());
  return command;
}

CLI::App* add_draw(CLI::App& program, arguments& args) {
  CLI::App* command = program.add_subcommand(
      "draw", "draws which thread takes which atoms, as the simulated GPU runs a schedule");
  command->add_option("schedule", args.schedule, "by name")->type_name("SCHEDULE")->required();
  command
      ->add_option(
          "input", args.draw.input,
          "a small matrix: a file, -: standard input, or a generator (default: 28 atoms in eight tiles)")
      ->type_name("FILE|GENERATOR");
  command->add_option("-o", args.draw.output, "where the SVG goes (default: standard output)")
      ->type_name("FILE");
  command->add_option("--block", args.block, "threads in a block, 1 to 64 (default: 8)")->type_name("N");
  command->add_option("--warp", args.warp, "threads in a warp, a power of two to 64 (default: 4)")
      ->type_name("N");
  command->footer(
      "Sizes that are made for large work (items of a thread, thresholds) are brought down; the title says "
      "to what.\n\n" +
      help_on_schedules() + '\n' + help_on_generators());
  return command;
}

CLI::App* add_study(CLI::App& program, arguments& args) {
  CLI::App* command = program.add_subcommand(
      "study", "carries out the measurements of a paper again, and says where ours agree with it");
  command
      ->add_option("study", args.kind, "mapping: Busato & Bombieri (TPDS 2017), section 5, on all schedules")
      ->type_name("STUDY")
      ->required();
  command
      ->add_option("inputs", args.study.inputs,
                   "instead of the paper's seven workloads; a file counts as the one that it is called like")
      ->type_name("FILE|GENERATOR");
  command
      ->add_option("--on", args.on,
                   "cpu, simt (on small likenesses) or cuda (default: cuda, or cpu without a GPU)")
      ->type_name("EXECUTOR");
  command->add_flag("--quick", args.study.quick, "small likenesses of the workloads, and few runs");
  command->add_option("--report", args.study.report, "also write a page of HTML; -: to standard output")
      ->type_name("FILE");
  command->add_option("--json", args.study.json, "also write the results; -: to standard output")
      ->type_name("FILE");
  command
      ->add_option(
          "--from", args.study.from,
          "measure nothing: take what --json wrote, for workloads measured apart in several files; -: "
          "standard input")
      ->type_name("FILE");
  add_threads(*command, args);
  command->footer(help_on_generators());
  return command;
}

CLI::App* add_ladder(CLI::App& program, arguments& args) {
  CLI::App* command = program.add_subcommand(
      "ladder", "checks and times, or counts, each rung of the course on reduction and prefix sums");
  command->add_option("ladder", args.kind, "reduce, scan or rotate")->type_name("LADDER")->required();
  command->add_flag("--count", args.count,
                    "count on simt instead: parallel steps, operations, barriers, sectors, bank conflicts");
  command->add_option("--on", args.on, "cpu, simt or cuda (default: cuda, or cpu without a GPU)")
      ->type_name("EXECUTOR");
  command
      ->add_option(
          "--n", args.n,
          "elements: 1000, 1e6 or 2^28 (default: 2^28 on cuda, 2^25 on cpu, 2^16 on simt); of rotate "
          "rows x columns with rows <= columns <= 2 rows")
      ->type_name("N");
  command->add_option("--rung", args.rungs, "only these (default: all, and what they are compared with)")
      ->type_name("NAME,...");
  command->add_flag("--exclusive", args.ladder.exclusive, "for scan: prefixes end before their element");
  command->add_option("--type", args.type, "int or float (default: int)")->type_name("TYPE");
  command->add_option("--json", args.ladder.json, "also write the results to a file; -: to standard output")
      ->type_name("FILE");
  add_timing_options(*command, args, args.ladder.bench.warm);
  command->add_option("--seed", args.seed, "on simt: of the threads' interleaving (default: 0, in order)")
      ->type_name("N");
  add_threads(*command, args);
  add_block(*command, args);
  std::string rungs = "Rungs:\n";
  for (const auto& [name, kind] : ladders) rungs += wrapped(name + ": " + joined(rung_names(kind)), "  ");
  command->footer(rungs);
  return command;
}

int parse_threads(const arguments& args) {
  return parse_count("--threads", args.threads, 1, std::max(1, cpu_cores()));
}
int parse_block(const arguments& args) { return parse_count("--block", args.block, 1, 1024); }
int parse_repeat(const arguments& args) { return parse_count("--repeat", args.repeat, 1, 1'000'000); }
std::uint64_t parse_seed(const arguments& args) {
  if (args.seed.empty()) return 0;
  return parse_whole("--seed", args.seed, 0, std::numeric_limits<std::uint64_t>::max());
}

/// Refuses a second `-` among what is read.
void refuse_second_standard_input(const std::vector<std::string>& inputs) {
  if (std::ranges::count(inputs, "-") > 1)
    throw usage_error("- stands for standard input, which can be read once: it is named twice");
}

std::vector<given_option> options_given(const CLI::App& command) {
  std::vector<given_option> given;
  for (const CLI::Option* each : command.get_options())
    if (!each->get_positional() && each->count() > 0)
      given.push_back({each->get_name(), each->get_items_expected_max() > 0 ? each->results().front() : ""});
  return given;
}

int run_info(const arguments& args) {
  print_info(args.input, args.info_json);
  return 0;
}

int run_compare(const CLI::App& command, const arguments& args) {
  compare_options options = args.compare;
  options.op = pick_if_given(operations, "an operation", args.op).value_or(operation::spmv);
  options.type = pick_if_given(types, "a type", args.type).value_or(number_type::single_precision);
  if (!args.schedule.empty()) options.schedules = parse_schedules(args.schedule);
  for (const std::string& name : parse_names("--on", args.on))
    options.executors.push_back(pick(executors, "an executor", name));
  options.repeat = parse_repeat(args);
  options.block_size = parse_block(args);
  options.bench.seed = parse_seed(args);
  options.bench.threads = parse_threads(args);
  refuse_second_standard_input(options.inputs);
  const bool chosen = !options.executors.empty();
  refuse_without_effect(options_given(command),
                        options.op == operation::spmv ? activity::compare_spmv : activity::compare_others,
                        chosen ? options.executors : usable_executors(), chosen);
  if (compare(options)) return 0;
  print(stderr, "evenly: results were wrong: see FAILED above\n");
  return 1;
}

int run_spmv(const CLI::App& command, const arguments& args) {
  spmv_options options = args.spmv;
  options.executor = pick_if_given(executors, "an executor", args.on).value_or(executor_kind::cpu);
  options.schedule = args.schedule.empty() ? default_schedule() : parse_schedule(args.schedule);
  options.block_size = parse_block(args);
  options.bench.threads = parse_threads(args);
  refuse_second_standard_input({options.input, options.x});
  refuse_without_effect(options_given(command), activity::spmv, {options.executor}, true);
  multiply_files(options);
  return 0;
}

int run_draw(const arguments& args) {
  draw_options options = args.draw;
  options.schedule = parse_schedule(args.schedule);
  if (!args.block.empty()) options.block_size = parse_count("--block", args.block, 1, most_drawn_threads);
  if (!args.warp.empty()) options.warp_size = parse_count("--warp", args.warp, 1, 64);
  if (!std::has_single_bit(static_cast<unsigned>(options.warp_size)))
    throw usage_error(fmt::format("--warp {}: must be a power of two to 64", options.warp_size));
  draw(options);
  return 0;
}

/// What is said of the ladder, looked up. Throws usage_error for what does not go together.
ladder_options ladder_options_of(const CLI::App& command, const arguments& args) {
  ladder_options options = args.ladder;
  options.kind = pick(ladders, "a ladder", args.kind);
  options.executor = pick_if_given(executors, "an executor", args.on);
  if (!args.n.empty()) options.n = parse_length(args.n);
  options.type = pick_if_given(ladder_types, "a type", args.type).value_or(ladder_type::int32);
  choices<bool> rungs;
  for (const std::string& name : rung_names(options.kind)) rungs.emplace_back(name, true);
  options.rungs = parse_names("--rung", args.rungs);
  for (const std::string& name : options.rungs) pick(rungs, "a rung of " + args.kind, name);
  if (options.exclusive && options.kind != ladder_kind::scan)
    throw usage_error("--exclusive is for scan; a " + args.kind + " has no prefixes");
  options.repeat = parse_repeat(args);
  options.block_size = parse_block(args);
  options.bench.seed = parse_seed(args);
  options.bench.threads = parse_threads(args);
  if (options.block_size > 0 && !std::has_single_bit(static_cast<unsigned>(options.block_size)))
    throw usage_error(fmt::format("--block {}: rungs need a power of two", options.block_size));
  if (options.block_size > 0 && !takes_block_size(options.kind, options.rungs))
    throw usage_error(fmt::format("--block {}: changes nothing for {}, whose blocks have a size of their own",
                                  options.block_size, joined(options.rungs)));
  if (args.count && options.executor.value_or(executor_kind::simt) != executor_kind::simt)
    throw usage_error("--count is done on simt; without it, rungs are timed on " + args.on);
  refuse_without_effect(options_given(command), args.count ? activity::ladder_count : activity::ladder,
                        {options.executor.value_or(args.count ? executor_kind::simt : usual_executor())},
                        options.executor.has_value());
  return options;
}

int run_ladder(const CLI::App& command, const arguments& args) {
  const ladder_options options = ladder_options_of(command, args);
  if (args.count) {
    if (count_ladder(options)) return 0;
    print(stderr, "evenly: counts are not what the formulas say: see above\n");
    return 1;
  }
  if (time_ladder(options)) return 0;
  print(stderr, "evenly: results were wrong: see FAILED above\n");
  return 1;
}

int run_study(const CLI::App& command, const arguments& args) {
  study_options options = args.study;
  pick(choices<bool>{{"mapping", true}}, "a study", args.kind);
  options.executor = pick_if_given(executors, "an executor", args.on);
  options.bench.threads = parse_threads(args);
  refuse_second_standard_input(options.inputs);
  refuse_second_standard_input(options.from);
  refuse_without_effect(options_given(command), options.from.empty() ? activity::study : activity::study_from,
                        {options.executor.value_or(usual_executor())}, options.executor.has_value());
  if (study_mapping(options)) return 0;
  print(stderr, "evenly: results were wrong: see FAILED above\n");
  return 1;
}

/// Throws usage_error if the command line holds what its command does not take.
void refuse_remaining(const CLI::App& command, std::string_view what) {
  const std::vector<std::string> rest = command.remaining();
  if (rest.empty()) return;
  std::vector<std::string> taken;
  std::vector<std::string> known;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(sub->get_name());
  for (const CLI::Option* option : command.get_options())
    (option->get_positional() ? taken : known).push_back(option->get_name());
  if (!taken.empty() && !rest.front().starts_with('-'))
    throw usage_error(fmt::format("{} takes one {}: {} is one too many", command.get_name(),
                                  fmt::join(taken, " and one "), io::in_quotes(rest.front())));
  throw usage_error(
      fmt::format("{} is not {}; there are {}", io::in_quotes(rest.front()), what, joined(known)));
}

/// Throws usage_error for an option that is given twice, for --from aside, and for a value of no letters.
void refuse_empty_and_repeated(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (std::ranges::count(values, "") > 0)
      throw usage_error(fmt::format("{}: the value is empty", option->get_name()));
    if (static_cast<int>(values.size()) > std::max(1, option->get_items_expected_max()))
      throw usage_error(fmt::format("{} is given twice", option->get_name()));
  }
}

/// Throws usage_error for `--option=`, after which CLI11 would take the next word.
void refuse_missing_values(std::span<char* const> argv) {
  for (const std::string_view word : argv)
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      throw usage_error(
          fmt::format("{}: the value is empty", io::printable(word.substr(0, word.size() - 1))));
}

/// Throws usage_error for `--flag=value`.
void refuse_values_of_flags(const CLI::App& program, std::span<char* const> argv) {
  for (const CLI::App* command : program.get_subcommands())
    for (const CLI::Option* option : command->get_options())
      for (const std::string_view word : argv)
        if (option->get_items_expected_max() == 0 && word.starts_with(option->get_name() + '='))
          throw usage_error(fmt::format("{}: {} is given or not, and takes no value", io::in_quotes(word),
                                        option->get_name()));
}

void refuse_bad_words(const CLI::App& program) {
  refuse_remaining(program, "a command");
  for (const CLI::App* command : program.get_subcommands()) {
    refuse_remaining(*command, "an option");
    refuse_empty_and_repeated(*command);
  }
}

int run(std::span<char* const> argv) {
  arguments args;
  CLI::App program("Shares irregular work evenly among the threads of a GPU or a CPU.", "evenly");
  program.set_version_flag("--version", version());
  program.footer("evenly COMMAND --help lists a command's options, the schedules and the generators.");
  program.allow_extras();
  CLI::App* const info = add_info(program, args);
  CLI::App* const comparing = add_compare(program, args);
  CLI::App* const multiplying = add_spmv(program, args);
  CLI::App* const drawing = add_draw(program, args);
  CLI::App* const studying = add_study(program, args);
  CLI::App* const climbing = add_ladder(program, args);
  program.require_subcommand(0, 1);
  for (CLI::App* command : {info, comparing, multiplying, drawing, studying, climbing}) {
    command->allow_extras();
    for (CLI::Option* option : command->get_options())
      if (option->get_items_expected_max() == 0) option->disable_flag_override();
  }
  refuse_missing_values(argv);
  try {
    program.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const CLI::CallForHelp&) {
    print(stdout, program.help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    print(stdout, version() + '\n');
    return 0;
  } catch (const CLI::ParseError& e) {
    refuse_values_of_flags(program, argv);
    refuse_bad_words(program);
    throw usage_error(e.what());
  }
  refuse_bad_words(program);
  if (info->parsed()) return run_info(args);
  if (comparing->parsed()) return run_compare(*comparing, args);
  if (multiplying->parsed()) return run_spmv(*multiplying, args);
  if (drawing->parsed()) return run_draw(args);
  if (studying->parsed()) return run_study(*studying, args);
  if (climbing->parsed()) return run_ladder(*climbing, args);
  throw usage_error("which command? There are info, compare, spmv, draw, study, ladder; --help says more");
}

/// Prints `evenly: message` to standard error, as one line, and passes `status` on.
int report(std::string message, int status) {
  std::fputs(("evenly: " + one_line(std::move(message)) + '\n').c_str(), stderr);
  return status;
}

} // namespace
} // namespace evenly::cli

int main(int argc, char** argv) {
  using namespace evenly;
  std::signal(SIGPIPE, SIG_IGN); // a reader that has gone is an error of the write, which is reported
  try {
    io::watch_interruptions();
    return cli::run(std::span(argv, static_cast<std::size_t>(argc)));
  } catch (const cli::usage_error& e) {
    return cli::report(e.what(), 2);
  } catch (const cli::inputs_failed& e) {
    for (const cli::failed_input& each : e.inputs) cli::report(each.error, 1);
    return 1;
  } catch (const io::spec_error& e) {
    return cli::report(e.what(), 2);
  } catch (const std::bad_alloc&) {
    return cli::report("out of memory", 1);
  } catch (const std::exception& e) {
    return cli::report(e.what(), 1);
  }
}
