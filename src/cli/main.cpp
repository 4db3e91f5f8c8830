// SPDX-License-Identifier: Apache-2.0
// The program: reads the command line, calls a command, turns exceptions into one line and an exit status.
// 0: done. 1: data, device, or a result that is wrong. 2: the command line.
#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/compare.hpp"
#include "cli/draw.hpp"
#include "cli/info.hpp"
#include "cli/ladder.hpp"
#include "cli/machine.hpp"
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

template <class Value> using choices = std::vector<std::pair<std::string, Value>>;

const choices<operation> operations{
    {"spmv", operation::spmv}, {"expand", operation::expand}, {"update", operation::update}};
const choices<number_type> types{{"float", number_type::single_precision},
                                 {"double", number_type::double_precision}};
const choices<executor_kind> executors{
    {"cpu", executor_kind::cpu}, {"simt", executor_kind::simt}, {"cuda", executor_kind::cuda}};
const choices<ladder_kind> ladders{
    {"reduce", ladder_kind::reduce}, {"scan", ladder_kind::scan}, {"rotate", ladder_kind::rotate}};
const choices<ladder_type> ladder_types{{"int", ladder_type::int32}, {"float", ladder_type::float32}};

template <class Value> std::vector<std::string> names(const choices<Value>& all) {
  std::vector<std::string> list;
  for (const auto& [name, value] : all) list.push_back(name);
  return list;
}

/// The value called `name`. `what`: with its article, for the message.
template <class Value> Value pick(const choices<Value>& all, std::string_view what, const std::string& name) {
  for (const auto& [known, value] : all)
    if (known == name) return value;
  throw usage_error(fmt::format("{} is not {}; there are {}", io::in_quotes(name), what, joined(names(all))));
}

/// What the command line says, before names are looked up.
struct arguments {
  compare_options compare;
  spmv_options spmv;
  draw_options draw;
  study_options study;
  ladder_options ladder;
  std::string climbed;
  std::string ladder_on;
  std::string ladder_n;
  std::string ladder_type;
  std::string rungs;
  bool count = false;
  std::string studied;
  std::string study_on;
  std::string info_input;
  bool info_json = false;
  std::string op = "spmv";
  std::string type = "float";
  std::string compare_on;
  std::string schedules;
  std::string spmv_on = "cpu";
  std::string schedule = default_schedule();
};

std::string help_on_schedules() { return "Schedules:\n" + wrapped(joined(schedule_names()), "  "); }

std::string help_on_generators() {
  std::string text = "Generators (counts may be written 1e6; [...] may be left out):\n";
  for (const io::generator_info& each : io::generators())
    text += fmt::format("  {}\n      {}\n", io::usage(each), each.description);
  return text;
}

void add_bench_options(CLI::App& command, bench_options& bench, int& block_size) {
  command.add_option("--threads", bench.threads, "threads of the CPU, for cpu and simt (default: all cores)")
      ->type_name("N")
      ->check(CLI::Range(1, std::max(1, cpu_cores())));
  command.add_option("--block", block_size, "threads in a block, on simt and cuda (default: the schedule's)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
}

CLI::App* add_info(CLI::App& program, arguments& args) {
  CLI::App* command =
      program.add_subcommand("info", "what the sizes of an input's tiles are, and mean for balance");
  command
      ->add_option("input", args.info_input,
                   "a Matrix Market file, plain or .gz .bz2 .xz .zst, or a generator")
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
                   "files or generators; without one: a tour of differently shaped work")
      ->type_name("FILE|GENERATOR");
  command
      ->add_option(
          "--op", args.op,
          "spmv: y = A x; expand: writes each atom's tile; update: adds it to the atom (default: spmv)")
      ->type_name("OP");
  command
      ->add_option("--on", args.compare_on,
                   "cpu, simt, cuda, or several (default: those there are, simt where it is quick)")
      ->type_name("EXECUTOR,...");
  command->add_option("--schedule", args.schedules, "schedules by name, or all (default: all)")
      ->type_name("NAME,...");
  command->add_option("--type", args.type, "float or double, for spmv (default: float)")->type_name("TYPE");
  command->add_option("--json", args.compare.json, "also write the results to a file; -: to standard output")
      ->type_name("FILE");
  command
      ->add_option("--repeat", args.compare.repeat,
                   "time this many runs of each (default: until times settle)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command->add_flag("--warm", args.compare.bench.warm,
                    "on cuda: leave the L2 cache as the run before left it");
  command
      ->add_option("--seed", args.compare.bench.seed,
                   "of x, and on simt of the threads' interleaving (0: in order)")
      ->type_name("N");
  add_bench_options(*command, args.compare.bench, args.compare.block_size);
  command->footer(help_on_schedules() + '\n' + help_on_generators());
  return command;
}

CLI::App* add_spmv(CLI::App& program, arguments& args) {
  CLI::App* command =
      program.add_subcommand("spmv", "multiplies a matrix with a vector, in double precision");
  command->add_option("input", args.spmv.input, "the matrix: a Matrix Market file, or a generator")
      ->type_name("FILE|GENERATOR")
      ->required();
  command->add_option("--x", args.spmv.x, "the vector: one number a line (default: all ones)")
      ->type_name("FILE");
  command->add_option("-o", args.spmv.output, "where the product goes (default: standard output)")
      ->type_name("FILE");
  command->add_option("--on", args.spmv_on, "cpu, simt or cuda (default: cpu)")->type_name("EXECUTOR");
  command->add_option("--schedule", args.schedule, fmt::format("by name (default: {})", default_schedule()))
      ->type_name("NAME");
  add_bench_options(*command, args.spmv.bench, args.spmv.block_size);
  command->footer(help_on_schedules() + '\n' + help_on_generators());
  return command;
}

CLI::App* add_draw(CLI::App& program, arguments& args) {
  CLI::App* command = program.add_subcommand(
      "draw", "draws which thread takes which atoms, as the simulated GPU runs a schedule");
  command->add_option("schedule", args.draw.schedule, "by name")->type_name("SCHEDULE")->required();
  command
      ->add_option("input", args.draw.input,
                   "a small matrix: a file or a generator (default: 28 atoms in eight tiles)")
      ->type_name("FILE|GENERATOR");
  command->add_option("-o", args.draw.output, "where the SVG goes (default: standard output)")
      ->type_name("FILE");
  command->add_option("--block", args.draw.block_size, "threads in a block, 1 to 64 (default: 8)")
      ->type_name("N")
      ->check(CLI::Range(1, most_drawn_threads));
  command->add_option("--warp", args.draw.warp_size, "threads in a warp, a power of two to 64 (default: 4)")
      ->type_name("N")
      ->check(CLI::IsMember({1, 2, 4, 8, 16, 32, 64}));
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
      ->add_option("study", args.studied,
                   "mapping: Busato & Bombieri (TPDS 2017), section 5, on all schedules")
      ->type_name("STUDY")
      ->required();
  command
      ->add_option("inputs", args.study.inputs,
                   "instead of the paper's seven workloads; a file counts as the one that it is called like")
      ->type_name("FILE|GENERATOR");
  command
      ->add_option("--on", args.study_on,
                   "cpu, simt (on small likenesses) or cuda (default: cuda, or cpu without a GPU)")
      ->type_name("EXECUTOR");
  command->add_flag("--quick", args.study.quick, "small likenesses of the workloads, and few runs");
  command->add_option("--report", args.study.report, "also write a page of HTML; -: to standard output")
      ->type_name("FILE");
  command->add_option("--json", args.study.json, "also write the results; -: to standard output")
      ->type_name("FILE");
  command
      ->add_option("--from", args.study.from,
                   "measure nothing: take what --json wrote, for workloads measured apart in several files")
      ->type_name("FILE");
  command
      ->add_option("--threads", args.study.bench.threads,
                   "threads of the CPU, for cpu and simt (default: all cores)")
      ->type_name("N")
      ->check(CLI::Range(1, std::max(1, cpu_cores())));
  command->footer(help_on_generators());
  return command;
}

CLI::App* add_ladder(CLI::App& program, arguments& args) {
  CLI::App* command = program.add_subcommand(
      "ladder", "checks and times, or counts, each rung of the course on reduction and prefix sums");
  command->add_option("ladder", args.climbed, "reduce, scan or rotate")->type_name("LADDER")->required();
  command->add_flag("--count", args.count,
                    "count on simt instead: parallel steps, operations, barriers, sectors, bank conflicts");
  command->add_option("--on", args.ladder_on, "cpu, simt or cuda (default: cuda, or cpu without a GPU)")
      ->type_name("EXECUTOR");
  command
      ->add_option("--n", args.ladder_n,
                   "elements: 1000, 1e6 or 2^28 (default: 2^28 on cuda, 2^25 on cpu, 2^16 on simt)")
      ->type_name("N");
  command->add_option("--rung", args.rungs, "only these (default: all, and what they are compared with)")
      ->type_name("NAME,...");
  command->add_flag("--exclusive", args.ladder.exclusive, "for scan: prefixes end before their element");
  command->add_option("--type", args.ladder_type, "int or float (default: int)")->type_name("TYPE");
  command->add_option("--json", args.ladder.json, "also write the results to a file; -: to standard output")
      ->type_name("FILE");
  command
      ->add_option("--repeat", args.ladder.repeat,
                   "time this many runs of each (default: until times settle)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command->add_flag("--warm", args.ladder.bench.warm,
                    "on cuda: leave the L2 cache as the run before left it");
  command->add_option("--seed", args.ladder.bench.seed, "on simt: of the threads' interleaving (0: in order)")
      ->type_name("N");
  add_bench_options(*command, args.ladder.bench, args.ladder.block_size);
  std::string rungs = "Rungs:\n";
  for (const auto& [name, kind] : ladders) rungs += wrapped(name + ": " + joined(rung_names(kind)), "  ");
  command->footer(rungs);
  return command;
}

/// Throws usage_error if the command line holds what its command does not take.
void refuse_remaining(const CLI::App& command, std::string_view what) {
  const std::vector<std::string> rest = command.remaining();
  if (rest.empty()) return;
  std::vector<std::string> known;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(sub->get_name());
  for (const CLI::Option* option : command.get_options())
    if (!option->get_positional()) known.push_back(option->get_name());
  throw usage_error(
      fmt::format("{} is not {}; there are {}", io::in_quotes(rest.front()), what, joined(known)));
}

int run_info(const arguments& args) {
  print_info(args.info_input, args.info_json);
  return 0;
}

int run_compare(arguments args) {
  args.compare.op = pick(operations, "an operation", args.op);
  args.compare.type = pick(types, "a type", args.type);
  if (!args.schedules.empty()) args.compare.schedules = parse_schedules(args.schedules);
  for (const std::string& name : split(args.compare_on))
    if (const executor_kind each = pick(executors, "an executor", name);
        !std::ranges::count(args.compare.executors, each))
      args.compare.executors.push_back(each);
  if (compare(args.compare)) return 0;
  print(stderr, "evenly: results were wrong: see FAILED above\n");
  return 1;
}

int run_spmv(arguments args) {
  args.spmv.executor = pick(executors, "an executor", args.spmv_on);
  const std::vector<std::string> chosen = parse_schedules(args.schedule);
  if (chosen.size() != 1) throw usage_error("one schedule is needed; there are " + joined(schedule_names()));
  args.spmv.schedule = chosen.front();
  multiply_files(args.spmv);
  return 0;
}

int run_draw(arguments args) {
  const std::vector<std::string> chosen = parse_schedules(args.draw.schedule);
  if (chosen.size() != 1) throw usage_error("one schedule is drawn; there are " + joined(schedule_names()));
  args.draw.schedule = chosen.front();
  draw(args.draw);
  return 0;
}

/// What is said of the ladder, looked up. Throws usage_error for what does not go together.
ladder_options ladder_options_of(const arguments& args) {
  ladder_options options = args.ladder;
  options.kind = pick(ladders, "a ladder", args.climbed);
  if (!args.ladder_on.empty()) options.executor = pick(executors, "an executor", args.ladder_on);
  if (!args.ladder_n.empty()) options.n = parse_length(args.ladder_n);
  if (!args.ladder_type.empty()) options.type = pick(ladder_types, "a type", args.ladder_type);
  choices<bool> rungs;
  for (const std::string& name : rung_names(options.kind)) rungs.emplace_back(name, true);
  options.rungs = split(args.rungs);
  for (const std::string& name : options.rungs) pick(rungs, "a rung of " + args.climbed, name);
  if (options.exclusive && options.kind != ladder_kind::scan)
    throw usage_error("--exclusive is for scan; a " + args.climbed + " has no prefixes");
  if (options.block_size > 0 && !std::has_single_bit(static_cast<unsigned>(options.block_size)))
    throw usage_error(fmt::format("--block {}: rungs need a power of two", options.block_size));
  if (args.count && options.executor.value_or(executor_kind::simt) != executor_kind::simt)
    throw usage_error("--count is done on simt; without it, rungs are timed on " + args.ladder_on);
  if (args.count && options.type != ladder_type::int32)
    throw usage_error("--count counts for numbers of 4 bytes, whatever their type; say --type without it");
  return options;
}

int run_ladder(const arguments& args) {
  const ladder_options options = ladder_options_of(args);
  if (args.count) {
    if (count_ladder(options)) return 0;
    print(stderr, "evenly: counts are not what the formulas say: see above\n");
    return 1;
  }
  if (time_ladder(options)) return 0;
  print(stderr, "evenly: results were wrong: see FAILED above\n");
  return 1;
}

int run_study(arguments args) {
  pick(choices<bool>{{"mapping", true}}, "a study", args.studied);
  if (!args.study_on.empty()) args.study.executor = pick(executors, "an executor", args.study_on);
  if (study_mapping(args.study)) return 0;
  print(stderr, "evenly: results were wrong: see FAILED above\n");
  return 1;
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
  for (CLI::App* command : {info, comparing, multiplying, drawing, studying, climbing})
    command->allow_extras();
  try {
    program.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const CLI::CallForHelp&) {
    print(stdout, program.help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    print(stdout, version() + '\n');
    return 0;
  } catch (const CLI::ParseError& e) {
    for (const CLI::App* command : program.get_subcommands()) refuse_remaining(*command, "an option");
    throw usage_error(e.what());
  }
  refuse_remaining(program, "a command");
  for (const CLI::App* command : program.get_subcommands()) refuse_remaining(*command, "an option");
  if (info->parsed()) return run_info(args);
  if (comparing->parsed()) return run_compare(args);
  if (multiplying->parsed()) return run_spmv(args);
  if (drawing->parsed()) return run_draw(args);
  if (studying->parsed()) return run_study(args);
  if (climbing->parsed()) return run_ladder(args);
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
