// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/examples.hpp"
#include "cli/help_format.hpp"
#include "cli/manual.hpp"
#include "cli/schedule_names.hpp"
#include "io/errors.hpp"
#include "io/generators.hpp"
#include "measure/machine.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "reorganize/workload.hpp"

namespace evenly::cli {
namespace {

std::string help_on_schedules() {
  return fmt::format(
      "Schedules:\n{}\nautomatic is the one of these that should be fastest, by the sizes of tiles "
      "(docs/choosing.md).\nNAME:KEY=VALUE,... sets a schedule's parameters, as {}:block_size=256 does.\n",
      wrapped(joined(schedule_names()), "  "), example_schedule().name());
}

std::string help_on_results() {
  return wrapped("The JSON has what was measured, also after an error, Ctrl-C, SIGTERM or SIGHUP: results, "
                 "and failed, a list of {input, error}.",
                 "") +
         '\n';
}

std::string help_on_generators() {
  std::string text = "Generators (counts may be written 1e6; [...] may be left out):\n";
  for (const io::generator_info& each : io::generators())
    text += fmt::format("  {}\n      {}\n", io::usage(each), each.description);
  return text;
}

/// Adds an option with a value, or an argument. `usage`: its name and kind of value, "--block N".
template <class Value>
CLI::Option* add_option(CLI::App& command, std::string_view usage, Value& value, const std::string& help) {
  const std::size_t space = usage.find(' ');
  return command.add_option(std::string(usage.substr(0, space)), value, help)
      ->type_name(std::string(usage.substr(space + 1)));
}

void add_executor(CLI::App& command, arguments& args,
                  const char* help = "cpu, simt or cuda (default: cuda, or cpu without a GPU)") {
  add_option(command, "--on EXECUTOR", args.on, help);
}

void add_threads(CLI::App& command, arguments& args) {
  add_option(command, "--threads N", args.threads,
             "threads of the CPU, for cpu and simt (default: all cores)");
}

void add_block(CLI::App& command, arguments& args,
               const char* help = "threads in a block, on simt and cuda (default: the schedule's)") {
  add_option(command, "--block N", args.block, help);
}

void add_json(CLI::App& command, std::string& path,
              const std::string& help = "also write the results to a file") {
  add_option(command, "--json FILE", path, help + "; -: to standard output");
}

void add_report(CLI::App& command, std::string& path) {
  add_option(command, "--report FILE", path,
             "also write a page of HTML with charts, by gnuplot; -: to standard output");
}

void add_columns(CLI::App& command, arguments& args) {
  add_option(
      command, "--columns ROLE,...", args.columns,
      "of lists of edges: src, dst, weight or - for each column (default: a header's, or src, dst, weight)");
  command.add_flag(
      "--renumber", args.renumber,
      "of lists of edges: number vertices in ascending order of their ids; ids may be any words");
}

void add_frame(CLI::App& command, arguments& args) {
  add_option(command, "--frame N", args.frame, "of an .xyz trajectory: which frame, from 1 on");
}

/// What everything that is timed run by run takes. `seed`: what --seed is of.
void add_run_options(CLI::App& command, arguments& args, bool& warm,
                     const char* seed = "on simt: of the threads' interleaving (default: 0, in order)") {
  add_option(command, "--repeat N", args.repeat, "time this many runs of each (default: until times settle)");
  command.add_flag("--warm", warm, "on cuda: leave the L2 cache as the run before left it");
  add_option(command, "--seed N", args.seed, seed);
  add_threads(command, args);
}

/// How input files are read; every command that reads a matrix or a graph has these.
void add_reading(CLI::App& command, arguments& args) {
  add_option(
      command, "--format FORMAT", args.format,
      "of input files, whatever content and ending say: mtx, npz, npy, hb, el, wel, adjlist, gr, graph");
  add_columns(command, args);
}

/// Likewise, of points as well.
void add_any_reading(CLI::App& command, arguments& args) {
  add_option(
      command, "--format FORMAT", args.format,
      "of input files, whatever content and ending say: mtx, npz, npy, hb, el, wel, adjlist, gr, graph, "
      "ply, obj, xyz, pcd");
  add_columns(command, args);
  add_frame(command, args);
}

CLI::App* add_info(CLI::App& program, arguments& args) {
  CLI::App& command =
      *program.add_subcommand("info", "what the sizes of an input's tiles are, and mean for balance");
  add_option(command, "input FILE|GENERATOR", args.input,
             "a file of a matrix, a graph or points, -: standard input, or a generator")
      ->required();
  add_any_reading(command, args);
  command.add_flag("--json", args.info_json, "print one JSON object; share_of_largest_percent is in [0, 1]");
  return command.footer(help_on_generators());
}

CLI::App* add_compare(CLI::App& program, arguments& args) {
  CLI::App& command =
      *program.add_subcommand("compare", "checks every schedule against a reference, then times it");
  add_option(command, "inputs FILE|GENERATOR", args.compare.inputs,
             "files, -: standard input, or generators; without one: a tour of differently shaped work");
  add_option(
      command, "--op OP", args.op,
      "spmv: y = A x (default); spmm:W: C = A B, W columns; expand: writes atoms' tiles; update: adds them");
  add_option(command, "--on EXECUTOR,...", args.on,
             "cpu, simt, cuda, or several (default: cpu, and cuda if there is one; simt only counts)");
  add_option(command, "--schedule NAME,...", args.schedule, "schedules by name, or all (default: all)");
  add_option(command, "--type TYPE", args.type, "float or double, for spmv and spmm (default: float)");
  add_option(
      command, "--format FORMAT,...", args.format,
      "of A in spmv: csr, csc, coo, ell, bcsr, dia, packed, half, bfloat16, pattern (default: csr); and of "
      "input files, whatever content and ending say: mtx, npz, npy, hb, el, wel, adjlist, gr, graph");
  add_columns(command, args);
  add_json(command, args.compare.json);
  add_report(command, args.compare.report);
  add_run_options(
      command, args, args.compare.bench.warm,
      "of x in spmv and B in spmm, and on simt of the threads' interleaving (default: 0, in order)");
  add_block(command, args);
  return command.footer(help_on_results() + help_on_schedules() + '\n' + help_on_generators());
}

CLI::App* add_spmv(CLI::App& program, arguments& args) {
  CLI::App& command =
      *program.add_subcommand("spmv", "multiplies a matrix with a vector, in double precision");
  add_option(command, "input FILE|GENERATOR", args.spmv.input,
             "the matrix: a file, -: standard input, or a generator")
      ->required();
  add_reading(command, args);
  add_option(command, "--x FILE", args.spmv.x,
             "the vector: one number a line, or .npy; -: standard input (default: all ones)");
  add_option(command, "-o FILE", args.spmv.output,
             "where the product goes, whole or not at all: .npy, .mtx, or text (default: standard output)");
  add_executor(command, args, "cpu, simt or cuda (default: cpu)");
  add_option(command, "--schedule NAME", args.schedule,
             fmt::format("by name (default: {})", default_schedule().name()));
  add_threads(command, args);
  add_block(command, args);
  return command.footer(help_on_schedules() + '\n' + help_on_generators());
}

CLI::App* add_draw(CLI::App& program, arguments& args) {
  CLI::App& command = *program.add_subcommand(
      "draw", "draws which thread takes which atoms under a schedule, or what a matrix is like, as SVG");
  add_option(command, "schedule SCHEDULE|PICTURE", args.schedule,
             "a schedule by name, or one of the pictures that are listed below")
      ->required();
  add_option(command, "input FILE|GENERATOR", args.draw.input,
             "a matrix, or graph: a file, -: standard input, or a generator (default: an example)");
  add_reading(command, args);
  add_option(command, "-o FILE", args.draw.output, "where the SVG goes (default: standard output)");
  add_block(command, args, "threads in a block, 1 to 64 (default: 8)");
  add_option(command, "--warp N", args.warp, "threads in a warp, a power of two to 64 (default: 4)");
  add_option(command, "--rows FIRST:END", args.rows,
             "only the rows from FIRST to END - 1, counted from 0 (default: all)");
  add_option(command, "--schedule NAME,...", args.drawn_schedules,
             fmt::format("of lanes: the schedules (default: {})", lanes_schedules()));
  return command.footer(
      "Pictures:\n"
      "  spy                         where the entries of a matrix are\n"
      "  histogram                   how many of its rows have how many entries\n"
      "  lanes                       how many lanes of each warp work, under schedules\n"
      "  search                      the levels of a breadth-first search\n"
      "  padding, layouts, sharing   how arms of reorganize lay out an example\n\n"
      "Of an input that is too large for a picture a sample is drawn; the picture says so. Sizes that are\n"
      "made for large work (items of a thread, thresholds) are brought down; the title says to what.\n\n" +
      help_on_schedules() + '\n' + help_on_generators());
}

CLI::App* add_explain(CLI::App& program, arguments& args) {
  CLI::App& command = *program.add_subcommand(
      "explain", "counts what an operation under a schedule asks of memory on a GPU, and says where and why");
  add_option(command, "input FILE|GENERATOR", args.explain.input,
             "a Matrix Market file, plain or .gz .bz2 .xz .zst, -: standard input, or a generator; with "
             "--arm a workload of evenly reorganize")
      ->required();
  add_reading(command, args);
  add_option(command, "--schedule NAME", args.schedule,
             fmt::format("by name (default: {})", default_schedule().name()));
  add_option(command, "--arm NAME", args.explain.arm,
             "references under an arm, of those of evenly reorganize, in place of tiles under a schedule "
             "(default, of its workloads: none)");
  add_option(command, "--op OP", args.op,
             "spmv: y = A x; expand: writes each atom's tile; update: adds it to the atom (default: spmv)");
  add_option(command, "--type TYPE", args.type, "float or double, for spmv (default: float)");
  add_json(command, args.explain.json, "also write all counts to a file");
  add_report(command, args.explain.report);
  add_option(command, "--seed N", args.seed, "of x, and of the threads' interleaving (default: 0, in order)");
  add_threads(command, args);
  add_block(command, args);
  return command.footer(
      wrapped(
          "One run is explained, on the simulated GPU, without what the schedule prepares for it. That takes "
          "a minute or so for a million atoms.",
          "") +
      '\n' + help_on_schedules() + '\n' + help_on_generators());
}

CLI::App* add_study(CLI::App& program, arguments& args) {
  CLI::App& command = *program.add_subcommand(
      "study", "carries out the measurements of a paper again, and says where ours agree with it");
  add_option(command, "study STUDY", args.kind,
             "of a paper: mapping (2017), tasks (2008), reorganize (2013); or choices, for automatic choice")
      ->required();
  add_option(command, "inputs FILE|GENERATOR", args.study.inputs,
             "instead of the study's own: files, generators, particles, or workloads of evenly reorganize");
  add_any_reading(command, args);
  add_executor(command, args,
               "cpu, simt (on small likenesses) or cuda (default: cuda, or cpu without a GPU)");
  command.add_flag("--quick", args.study.quick, "small likenesses of the workloads, and few runs");
  add_report(command, args.study.report);
  add_json(command, args.study.json, "also write the results");
  add_option(command, "--from FILE", args.study.from,
             "measure nothing: take what --json wrote, for workloads measured apart in several files");
  command.add_flag("--resume", args.study.resume,
                   "but for mapping: go on where the study in the file of --json stopped");
  add_threads(command, args);
  return command.footer(help_on_results() + help_on_generators() + "\n" + help_on_particles());
}

CLI::App* add_ladder(CLI::App& program, arguments& args) {
  CLI::App& command = *program.add_subcommand(
      "ladder", "checks and times, or counts, each rung of the course on reduction and prefix sums");
  add_option(command, "ladder LADDER", args.kind, "reduce, scan or rotate")->required();
  command.add_flag("--count", args.count,
                   "count on simt instead: parallel steps, operations, barriers, sectors, bank conflicts");
  add_executor(command, args);
  add_option(command, "--n N", args.n,
             "elements: 1000, 1e6 or 2^28 (default: 2^28 on cuda, 2^25 on cpu, 2^16 on simt)");
  add_option(command, "--rung NAME,...", args.rungs,
             "only these (default: all, and what they are compared with)");
  command.add_flag("--exclusive", args.ladder.exclusive, "for scan: prefixes end before their element");
  add_option(command, "--type TYPE", args.type, "int or float (default: int)");
  add_json(command, args.ladder.json);
  add_report(command, args.ladder.report);
  add_run_options(command, args, args.ladder.bench.warm);
  add_block(command, args);
  std::string rungs =
      "rotate turns a matrix of n = rows x columns elements, rows <= columns <= 2 rows.\n\nRungs:\n";
  for (const auto& [name, kind] : ladders) rungs += wrapped(name + ": " + joined(rung_names(kind)), "  ");
  return command.footer(help_on_results() + rungs);
}

CLI::App* add_tasks(CLI::App& program, arguments& args) {
  CLI::App& command = *program.add_subcommand(
      "tasks", "checks a search by tasks under each pool against its known answer, then times it");
  add_option(command, "workload WORKLOAD", args.kind, "what is searched")->required();
  add_option(command, "--pool NAME,...", args.pools,
             "only these (default, and all: all, and what they are compared with)");
  add_executor(command, args);
  add_json(command, args.tasks.json);
  add_report(command, args.tasks.report);
  add_option(command, "--blocks N", args.blocks,
             "blocks that stay (default: as many as run at the same time)");
  add_run_options(command, args, args.tasks.bench.warm);
  return command.footer(help_on_results() + help_on_workloads() + "\nPools:\n" +
                        wrapped(joined(pool_names()), "  "));
}

CLI::App* add_octree(CLI::App& program, arguments& args) {
  CLI::App& command = *program.add_subcommand(
      "octree", "partitions particles by tasks under each pool and in bulk, and times it");
  add_option(command, "input INPUT", args.octree.input, "particles: a generator or a file; -: standard input")
      ->required();
  add_option(command, "--pool NAME,...", args.pools, "only these, and in bulk (default, and all: all)");
  add_executor(command, args);
  add_option(command, "--format FORMAT", args.format,
             "of the file, whatever its content and ending say: npy, ply, obj, xyz, pcd");
  add_frame(command, args);
  add_option(command, "--most N", args.most, "particles of a leaf; an octant of more is split (default: 20)");
  add_option(command, "--cut N", args.cut,
             "cut octants of more particles among workers; 0: none (default: both none and, of large inputs, "
             "as suits)");
  add_json(command, args.octree.json);
  add_option(
      command, "-o,--output TREE", args.octree.output,
      "write the leaves: depth, x, y, z among the octants of that depth, particles; -: to standard output");
  add_option(command, "--draw FILE", args.octree.picture, "draw the leaves at the middle of z, as SVG");
  add_run_options(command, args, args.octree.bench.warm);
  return command.footer(help_on_results() + help_on_particles() + "\nPools:\n" +
                        wrapped(joined(pool_names()), "  "));
}

CLI::App* add_reorganize(CLI::App& program, arguments& args) {
  CLI::App& command = *program.add_subcommand(
      "reorganize", "checks and times references A[P[i]] under each arm of laying out data, or counts them");
  add_option(command, "workload WORKLOAD", args.kind, "what refers to what: a generator or a file")
      ->required();
  add_option(command, "--arm NAME,...", args.arms,
             "only these (default, and all: all that the workload can have)");
  add_reading(command, args);
  command.add_flag("--count", args.reorganize.count,
                   "count on simt instead: requests, sectors, wavefronts of storage");
  add_executor(command, args);
  add_option(command, "--iterations N", args.iterations,
             "runs that are timed with their plans (default: 10)");
  add_option(command, "--change-every K", args.change_every,
             "iterations, after which P has changed and a plan is due (default: never)");
  add_json(command, args.reorganize.json);
  add_report(command, args.reorganize.report);
  add_run_options(command, args, args.reorganize.bench.warm,
                  "of how P changes; on simt also of the threads' interleaving (default: 0)");
  add_block(command, args, "threads in a block, which arms go by (default: 256)");
  return command.footer(help_on_results() + help_on_access_workloads() + "\nArms:\n" +
                        wrapped(joined(arm_names()), "  "));
}

/// What bfs and sssp have in common. `values`: what is found for each vertex.
CLI::App* add_search(CLI::App& program, arguments& args, const char* name, const char* what,
                     const char* values) {
  CLI::App& command = *program.add_subcommand(name, what);
  add_option(
      command, "input FILE|GENERATOR", args.search.input,
      "a list of edges (.el .wel .txt .csv .adjlist .gr .graph, KONECT) or a matrix (.mtx .npz .npy .hb), "
      "whose "
      "rows are sources: a file, plain, compressed or in an archive, -: standard input, or a generator")
      ->required();
  add_option(command, "--source VERTEX|random:N", args.source,
             "a vertex as the input calls it, or random:N of those with edges (default: random:8)");
  add_option(command, "--schedule NAME,...", args.schedule,
             "from frontier to frontier, by name, or all that take sizes from the device (default: one "
             "launch that stays)");
  add_executor(command, args);
  add_reading(command, args);
  command.add_flag("--undirected", args.search.reading.undirected, "every edge goes both ways");
  command.add_flag("--trace", args.search.trace,
                   "print the vertices and edges of each frontier, and how it was visited");
  add_option(command, "-o FILE", args.search.output,
             fmt::format("where {} go: .npy, .mtx, or text, one a line; needs one source", values));
  add_option(command, "--parents FILE", args.search.parents, "where parents go, likewise; -1 for none");
  add_option(command, "--map FILE", args.search.map,
             "where the file's ids or names of vertices go, one a line, in the order of vertices");
  add_json(command, args.search.json);
  add_report(command, args.search.report);
  add_run_options(command, args, args.search.bench.warm);
  return command.footer(help_on_results() +
                        "\nMillions of edges a second are those that leave reached vertices; of a "
                        "symmetric graph each two are one.\n\n" +
                        help_on_schedules() + '\n' + help_on_generators());
}

CLI::App* add_bfs(CLI::App& program, arguments& args) {
  CLI::App& command =
      *add_search(program, args, "bfs", "breadth-first search of a graph, checked, then timed", "levels");
  command.add_flag(
      "--together", args.search.together,
      "from all sources at once, 64 at most (default: random:64), in one launch; -o: a line for each "
      "vertex, with its level from each source");
  return &command;
}

CLI::App* add_sssp(CLI::App& program, arguments& args) {
  CLI::App& command =
      *add_search(program, args, "sssp", "shortest paths in a graph, checked, then timed", "distances");
  add_option(command, "--weights WEIGHTS", args.weights,
             "file, unit: 1, or hash: 1 to 255, of the edge (default: file if it has some, else hash)");
  add_option(
      command, "--method METHOD", args.method,
      "without a schedule: automatic, delta_stepping, near_far, bellman_ford or tasks (default: automatic)");
  add_option(command, "--delta WIDTH", args.delta,
             "of automatic, delta_stepping and near_far: the width of a bucket of distances (default: from "
             "the weights and degrees)");
  return &command;
}

CLI::App* add_spgemm(CLI::App& program, arguments& args) {
  CLI::App& command = *program.add_subcommand(
      "spgemm", "multiplies two sparse matrices; checks and times the product, or writes it");
  add_option(command, "a FILE|GENERATOR", args.spgemm.a, "A: a file, -: standard input, or a generator")
      ->required();
  add_option(command, "b FILE|GENERATOR", args.spgemm.b, "B, likewise (default: A)");
  add_reading(command, args);
  add_option(command, "-o FILE", args.spgemm.output,
             "where C = A B goes, whole or not at all: .mtx, or .npz for SciPy; nothing is timed");
  add_option(command, "--memory BYTES", args.memory,
             "the most for C, for what it takes to make it, and on cuda for A and B: 4G, 512M; C is made in "
             "chunks of rows if need be (default: all there is)");
  add_executor(command, args);
  add_option(command, "--type TYPE", args.type, "float or double (default: double)");
  add_json(command, args.spgemm.json);
  add_run_options(command, args, args.spgemm.bench.warm);
  return command.footer(help_on_results() + '\n' + help_on_generators());
}

CLI::App* add_spmm(CLI::App& program, arguments& args) {
  CLI::App& command = *program.add_subcommand(
      "spmm", "multiplies a sparse matrix with a dense one; checks and times the product, or writes it");
  add_option(command, "a FILE|GENERATOR", args.spmm.a, "A: a file, -: standard input, or a generator")
      ->required();
  add_reading(command, args);
  add_option(command, "--width N", args.width, "columns of a random B (default: 32)");
  add_option(command, "--b FILE", args.spmm.b,
             "B, all values of which are in the file: Matrix Market's array, or .npy; -: standard input");
  add_option(command, "--layout LAYOUT", args.layout,
             "how B and C lie in memory: row or column (default: row)");
  add_option(command, "-o FILE", args.spmm.output,
             "where C = A B goes, whole or not at all: .mtx, or .npy; nothing is timed");
  std::vector<std::string> names;
  for (const any_schedule& each : spmm_schedules()) names.push_back(each.name());
  add_option(command, "--schedule NAME,...", args.schedule,
             fmt::format("{} or {} (default: all; with -o {})", joined(names), default_schedule().name(),
                         default_schedule().name()));
  add_executor(command, args);
  add_option(command, "--type TYPE", args.type, "float or double (default: double)");
  add_json(command, args.spmm.json);
  add_run_options(command, args, args.spmm.bench.warm,
                  "of a random B, and on simt of the threads' interleaving (default: 0, in order)");
  add_block(command, args);
  return command.footer(help_on_results() + '\n' + help_on_generators());
}

CLI::App* add_transpose(CLI::App& program, arguments& args) {
  CLI::App& command = *program.add_subcommand("transpose", "writes the transpose of a matrix");
  add_option(command, "input FILE|GENERATOR", args.transpose.input,
             "the matrix: a file, -: standard input, or a generator")
      ->required();
  add_reading(command, args);
  add_option(command, "-o FILE", args.transpose.output,
             "where it goes, whole or not at all: .mtx, or .npz for SciPy (default: Matrix Market on "
             "standard output)");
  add_threads(command, args);
  return command.footer(help_on_generators());
}

CLI::App* add_convert(CLI::App& program, arguments& args) {
  CLI::App& command =
      *program.add_subcommand("convert", "writes a matrix in another format, with its values as they are");
  add_option(command, "input FILE|GENERATOR", args.transpose.input,
             "the matrix: a file, -: standard input, or a generator")
      ->required();
  add_reading(command, args);
  add_option(command, "-o FILE", args.transpose.output,
             "where it goes, whole or not at all: .mtx, or .npz for SciPy (default: Matrix Market on "
             "standard output)");
  return command.footer(help_on_generators());
}

CLI::App* add_help(CLI::App& program, arguments& args) {
  CLI::App& command = *program.add_subcommand("help", "prints the help of a command, or this page");
  add_option(command, "about COMMAND", args.kind, "the command (default: evenly itself)");
  return &command;
}

CLI::App* add_man(CLI::App& program, arguments&) {
  return program.add_subcommand("man", "prints the manual page, for man(1)");
}

CLI::App* add_completion(CLI::App& program, arguments& args) {
  CLI::App& command = *program.add_subcommand(
      "completion", "prints a script that completes commands, options and names in a shell");
  add_option(command, "shell SHELL", args.kind, "bash, zsh or fish")->required();
  return &command;
}

/// The help of a command, or of the program, at the width of the terminal.
std::string shown_help(const CLI::App& app) { return fit_lines(app.help(), terminal_width(stdout)); }

/// Throws usage_error for what is not a command.
std::string help_about(const CLI::App& program, const std::string& command) {
  if (command.empty()) // not program.help(), which is that of the command at hand, help
    return fit_lines(
        program.get_formatter()->make_help(&program, program.get_name(), CLI::AppFormatMode::Normal),
        terminal_width(stdout));
  choices<const CLI::App*> commands;
  for (const CLI::App* each : program.get_subcommands([](const CLI::App*) { return true; }))
    commands.emplace_back(each->get_name(), each);
  return fit_lines(pick(commands, "a command", command)->help("evenly"), terminal_width(stdout));
}

/// Throws usage_error if the command line holds what its command does not take.
void refuse_remaining(const CLI::App& command, std::string_view what) {
  std::vector<std::string> rest = command.remaining();
  std::erase(rest, "--"); // after which dashes mean nothing
  if (rest.empty()) return;
  std::vector<std::string> taken;
  std::vector<std::string> known;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(sub->get_name());
  for (const CLI::Option* option : command.get_options())
    (option->get_positional() ? taken : known).push_back(option->get_name());
  if (!taken.empty() && (rest.front() == "-" || !rest.front().starts_with('-')))
    throw usage_error(fmt::format("{} takes one {}: {} is one too many", command.get_name(),
                                  fmt::join(taken, " and one "), io::in_quotes(rest.front())));
  throw usage_error(fmt::format("{} is not {}{}; there are {}", io::in_quotes(rest.front()), what,
                                io::did_you_mean(rest.front().substr(0, rest.front().find('=')), known),
                                joined(known)));
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

std::vector<given_option> options_given(const CLI::App& command) {
  std::vector<given_option> given;
  for (const CLI::Option* each : command.get_options())
    if (!each->get_positional() && each->count() > 0)
      given.push_back({each->get_name(), each->get_items_expected_max() > 0 ? each->results().front() : ""});
  return given;
}

} // namespace

arguments read_command_line(std::span<char* const> argv) {
  refuse_missing_values(argv);
  arguments args;
  CLI::App program("Shares irregular work evenly among the threads of a GPU or a CPU.", "evenly");
  program.formatter(std::make_shared<help_formatter>(terminal_width(stdout)));
  program.set_version_flag("--version", version());
  program.allow_extras();
  program.require_subcommand(0, 1);
  for (const auto add : {add_info, add_compare, add_spmv, add_draw, add_explain, add_study, add_ladder,
                         add_tasks, add_octree, add_reorganize, add_bfs, add_sssp, add_spgemm, add_spmm,
                         add_transpose, add_convert, add_help, add_man, add_completion}) {
    CLI::App* const command = add(program, args);
    command->footer(help_on_examples(command->get_name()) + '\n' + help_on_exit_statuses() + '\n' +
                    command->get_footer());
    command->allow_extras();
    for (CLI::Option* option : command->get_options())
      if (option->get_items_expected_max() == 0) option->disable_flag_override();
  }
  // Last: commands begin with a copy of it.
  program.footer(
      "evenly COMMAND --help lists a command's options, examples, the schedules and the generators.\n\n" +
      help_on_exit_statuses());
  try {
    program.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const CLI::CallForHelp&) {
    args.answer = shown_help(program);
    return args;
  } catch (const CLI::CallForVersion&) {
    args.answer = version() + '\n' + devices();
    return args;
  } catch (const CLI::ParseError& e) {
    refuse_values_of_flags(program, argv);
    refuse_bad_words(program);
    const std::string message = e.what();
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch))
      throw usage_error(message.substr(0, message.find(':')) + ": the value is missing");
    throw usage_error(message);
  }
  refuse_bad_words(program);
  for (const CLI::App* command : program.get_subcommands()) {
    args.command = command->get_name();
    args.given = options_given(*command);
  }
  if (args.command == "help") args.answer = help_about(program, args.kind);
  if (args.command == "man") args.answer = manual(program);
  if (args.command == "completion") args.answer = completion(program, pick(shells, "a shell", args.kind));
  return args;
}

} // namespace evenly::cli
