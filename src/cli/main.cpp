// SPDX-License-Identifier: Apache-2.0
// The program: looks up what the command line says, calls a command, turns exceptions into one line and an exit status.
// Which status says what: exit_statuses in examples.hpp.
#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "cli/command_line.hpp"
#include "cli/compare.hpp"
#include "cli/info.hpp"
#include "cli/known_values.hpp"
#include "cli/option_effects.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "cli/schedule_names.hpp"
#include "cli/spmv_command.hpp"
#include "draw/draw.hpp"
#include "draw/layouts.hpp"
#include "draw/matrix_pictures.hpp"
#include "draw/search_picture.hpp"
#include "evenly/graph/search_rule.hpp"
#include "explain/explain.hpp"
#include "graphs/search.hpp"
#include "io/errors.hpp"
#include "io/input.hpp"
#include "io/interruption.hpp"
#include "io/output_file.hpp"
#include "ladder/ladder.hpp"
#include "measure/machine.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "reorganize/reorganize.hpp"
#include "reorganize/workload.hpp"
#include "sparse/dense_problem.hpp"
#include "sparse/spgemm_command.hpp"
#include "sparse/spmm_command.hpp"
#include "sparse/transpose_command.hpp"
#include "spatial/octree.hpp"
#include "study/choices.hpp"
#include "study/reorganize.hpp"
#include "study/study.hpp"
#include "study/tasks.hpp"
#include "tasks/tasks.hpp"

namespace evenly::cli {
namespace {

int parse_threads(const arguments& args) {
  return parse_count("--threads", args.threads, 1, std::max(1, cpu_cores()));
}
int parse_block(const arguments& args) { return parse_count("--block", args.block, 1, 1024); }
int parse_repeat(const arguments& args) { return parse_count("--repeat", args.repeat, 1, 1'000'000); }
std::uint64_t parse_seed(const arguments& args) {
  if (args.seed.empty()) return 0;
  return parse_whole("--seed", args.seed, 0, std::numeric_limits<std::uint64_t>::max());
}

/// The roles of columns. Throws usage_error unless one is the source, one the target, and at most one the weight.
std::vector<io::edge_column> parse_columns(const std::string& list) {
  std::vector<io::edge_column> columns;
  for (const std::string& name : parse_list("--columns", list))
    columns.push_back(pick(edge_columns, "the role of a column", name));
  const auto count = [&](io::edge_column role) { return std::ranges::count(columns, role); };
  if (!columns.empty() && (count(io::edge_column::source) != 1 || count(io::edge_column::target) != 1 ||
                           count(io::edge_column::weight) > 1))
    throw usage_error(fmt::format(
        "--columns {}: one column must be src, one dst, and at most one weight; - stands for any other",
        io::in_quotes(list)));
  return columns;
}

/// Throws usage_error for one of `options` if inputs are given, and none of them is a file.
void require_files(const arguments& args, const std::vector<std::string>& inputs,
                   std::initializer_list<std::string_view> options) {
  if (inputs.empty() || std::ranges::any_of(inputs, io::names_file)) return;
  for (const std::string_view option : options)
    if (std::ranges::any_of(args.given, [&](const given_option& each) { return each.name == option; }))
      throw usage_error(fmt::format("{} changes nothing: it is for files, and {} is none", option,
                                    io::in_quotes(inputs.front())));
}

/// How input files are read. `formats`: those that the command takes.
io::read_options parse_reading(const arguments& args, const std::vector<std::string>& inputs,
                               const choices<io::file_format>& formats = matrix_file_formats) {
  require_files(args, inputs, {"--format", "--columns", "--renumber", "--frame"});
  return {.format = pick_if_given(formats, "a format", args.format),
          .columns = parse_columns(args.columns),
          .renumber = args.renumber,
          .frame = parse_count("--frame", args.frame, 1, std::numeric_limits<int>::max())};
}

/// Of draw, whose input may be left out.
io::read_options parse_reading_of_draw(const arguments& args) {
  std::vector<std::string> inputs;
  if (!args.draw.input.empty()) inputs.push_back(args.draw.input);
  return parse_reading(args, inputs);
}

/// Refuses a second `-` among what is read.
void refuse_second_standard_input(const std::vector<std::string>& inputs) {
  if (std::ranges::count(inputs, "-") > 1)
    throw usage_error("- stands for standard input, which can be read once: it is named twice");
}

/// Refuses to write over what is read.
void refuse_output_over(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (!output.empty() && output != "-" && std::filesystem::is_regular_file(output, ignored) &&
        std::filesystem::equivalent(output, input, ignored))
      throw usage_error(fmt::format("{} is the input {}: it would be overwritten", io::in_quotes(output),
                                    io::in_quotes(input)));
  }
}

int run_info(const arguments& args) {
  print_info(args.input, parse_reading(args, {args.input}, all_file_formats), args.info_json);
  return 0;
}

/// Throws usage_error for a schedule that is not among the few of matrix formats.
void require_few(const std::vector<any_schedule>& chosen, const std::string& what) {
  std::vector<std::string> names;
  for (const any_schedule& each : spmm_schedules()) names.push_back(each.name());
  for (const any_schedule& each : chosen)
    if (std::ranges::count(names, each.name()) == 0)
      throw usage_error(fmt::format("--schedule {}: {} goes by {}", each.text(), what, joined(names)));
}

/// Throws usage_error for a schedule that is not among the few of spmm, or automatic, which chooses of them.
void require_few_or_automatic(std::vector<any_schedule> chosen, const std::string& what) {
  std::erase_if(chosen, [](const any_schedule& each) { return each.is_automatic(); });
  require_few(chosen, what);
}

/// The columns of the dense matrix in `spmm:W`; 0 for any other operation.
int parse_spmm_width(const std::string& op) {
  constexpr std::string_view name = "spmm";
  if (op != name && !op.starts_with("spmm:")) return 0;
  const std::string_view width = std::string_view(op).substr(std::min(op.size(), name.size() + 1));
  return static_cast<int>(parse_whole("--op spmm:W: the width W =", width, 1, most_dense_columns));
}

/// Takes a list of formats apart: those of A in memory, and the one of input files. Throws usage_error for formats that
/// the other options exclude.
void parse_formats(const std::string& list, compare_options& options) {
  std::vector<matrix_format> formats;
  choices<bool> known;
  for (const std::string& name : names(matrix_formats)) known.emplace_back(name, true);
  for (const std::string& name : names(matrix_file_formats)) known.emplace_back(name, false);
  for (const std::string& name : parse_names("--format", list)) {
    if (!pick(known, "a format", name)) {
      if (options.reading.format)
        throw usage_error(fmt::format("--format {}: two formats of input files; there is one for all",
                                      io::in_quotes(list)));
      options.reading.format = pick(matrix_file_formats, "a format", name);
      continue;
    }
    const matrix_format format = pick(matrix_formats, "a format", name);
    if (options.width == 0 && options.op != operation::spmv)
      throw usage_error(fmt::format("--format {} changes nothing in compare --op expand or update", name));
    if (format != matrix_format::csr && options.width > 0)
      throw usage_error(fmt::format("--format {}: spmm multiplies compressed rows, csr", name));
    if (is_of_floats(format) && options.type != number_type::single_precision)
      throw usage_error(fmt::format("--format {}: values of 16 bits stand for floats, --type float", name));
    if (format != matrix_format::csr) require_few(options.schedules, "--format " + name);
    formats.push_back(format);
  }
  if (!formats.empty()) options.formats = formats;
}

int run_compare(const arguments& args) {
  compare_options options = args.compare;
  options.width = parse_spmm_width(args.op);
  if (options.width == 0)
    options.op = pick_if_given(compared_operations, "an operation", args.op).value_or(operation::spmv);
  options.type = pick_if_given(types, "a type", args.type).value_or(number_type::single_precision);
  if (!args.schedule.empty()) options.schedules = parse_schedules(args.schedule);
  require_files(args, options.inputs, {"--columns", "--renumber"});
  options.reading.columns = parse_columns(args.columns);
  options.reading.renumber = args.renumber;
  if (!args.format.empty()) parse_formats(args.format, options);
  if (options.width > 0) require_few_or_automatic(options.schedules, "--op " + args.op);
  for (const std::string& name : parse_names("--on", args.on))
    options.executors.push_back(pick(executors, "an executor", name));
  options.first_screen = args.given.empty() && options.inputs.empty();
  options.repeat = parse_repeat(args);
  options.block_size = parse_block(args);
  options.bench.seed = parse_seed(args);
  options.bench.threads = parse_threads(args);
  refuse_second_standard_input(options.inputs);
  for (const std::string& output : {options.json, options.report}) refuse_output_over(output, options.inputs);
  const bool chosen = !options.executors.empty();
  refuse_without_effect(args.given,
                        options.width > 0               ? activity::compare_spmm
                        : options.op == operation::spmv ? activity::compare_spmv
                                                        : activity::compare_others,
                        chosen ? options.executors : usable_executors(), chosen);
  if (compare(options)) return 0;
  print(stderr, "evenly: results were wrong or not had: see FAILED above\n");
  return 1;
}

int run_spmv(const arguments& args) {
  spmv_options options = args.spmv;
  options.reading = parse_reading(args, {options.input});
  options.executor = pick_if_given(executors, "an executor", args.on).value_or(executor_kind::cpu);
  if (!args.schedule.empty()) options.schedule = parse_schedule(args.schedule);
  options.schedule = with_block_size(options.schedule, parse_block(args));
  options.threads = parse_threads(args);
  refuse_second_standard_input({options.input, options.x});
  refuse_output_over(options.output, {options.input, options.x});
  refuse_without_effect(args.given, activity::spmv, {options.executor}, true);
  multiply_files(options);
  return 0;
}

/// A picture of layouts is the same whatever is said besides.
int run_draw_layouts(const arguments& args) {
  if (!args.draw.input.empty() || !args.block.empty() || !args.warp.empty() || !args.rows.empty())
    throw usage_error(
        fmt::format("{} is a picture of one example: it takes no input, --block, --warp or --rows",
                    io::in_quotes(args.schedule)));
  io::check_output(args.draw.output);
  io::write_output(args.draw.output, layout_picture(args.schedule));
  return 0;
}

int run_draw_search(const arguments& args) {
  if (!args.block.empty() || !args.warp.empty())
    throw usage_error("search draws what the search does: there is no --block or --warp to say");
  if (!args.rows.empty()) throw usage_error("--rows changes nothing in draw search");
  refuse_output_over(args.draw.output, {args.draw.input});
  io::check_output(args.draw.output);
  io::write_output(args.draw.output, search_picture(args.draw.input, parse_reading_of_draw(args)));
  return 0;
}

int run_draw_matrix(const arguments& args) {
  if (args.draw.input.empty()) throw usage_error(fmt::format("draw {} needs an input", args.schedule));
  if (!args.block.empty() || !args.warp.empty())
    throw usage_error(fmt::format("draw {} takes no --block or --warp", args.schedule));
  if (!args.drawn_schedules.empty() && args.schedule != "lanes")
    throw usage_error(fmt::format("--schedule changes nothing in draw {}", args.schedule));
  matrix_picture_options options{.input = args.draw.input, .reading = parse_reading_of_draw(args)};
  options.schedules =
      parse_schedules(args.drawn_schedules.empty() ? lanes_schedules() : args.drawn_schedules);
  if (options.schedules.empty()) throw usage_error("--schedule all: draw lanes takes schedules by name");
  if (!args.rows.empty()) options.rows = parse_row_range(args.rows);
  refuse_output_over(args.draw.output, {args.draw.input});
  io::check_output(args.draw.output);
  io::write_output(args.draw.output, matrix_picture(args.schedule, options));
  return 0;
}

int run_draw(const arguments& args) {
  if (std::ranges::count(matrix_pictures(), args.schedule) > 0) return run_draw_matrix(args);
  if (!args.drawn_schedules.empty())
    throw usage_error(
        fmt::format("--schedule is of draw lanes: draw {} names its schedule", io::in_quotes(args.schedule)));
  if (args.schedule == "search") return run_draw_search(args);
  if (std::ranges::count(layout_pictures(), args.schedule) > 0) return run_draw_layouts(args);
  draw_options options = args.draw;
  options.reading = parse_reading_of_draw(args);
  options.schedule = parse_schedule(args.schedule);
  if (options.schedule.is_automatic())
    throw usage_error("automatic is one schedule or another, as sizes are: draw one by its name");
  if (options.schedule.is_set("block_size"))
    throw usage_error(fmt::format("{}: blocks of pictures are as large as --block says",
                                  io::in_quotes(options.schedule.text())));
  if (!args.block.empty()) options.block_size = parse_count("--block", args.block, 1, most_drawn_threads);
  if (!args.warp.empty()) options.warp_size = parse_count("--warp", args.warp, 1, 64);
  if (!std::has_single_bit(static_cast<unsigned>(options.warp_size)))
    throw usage_error(fmt::format("--warp {}: must be a power of two to 64", options.warp_size));
  if (!args.rows.empty()) {
    if (options.input.empty()) throw usage_error("--rows: there is no input whose rows it could name");
    options.rows = parse_row_range(args.rows);
  }
  refuse_output_over(options.output, {options.input});
  draw(options);
  return 0;
}

/// Throws usage_error for a name that no arm has.
void check_arm(const std::string& name) {
  choices<bool> arms;
  for (const std::string& each : arm_names()) arms.emplace_back(each, true);
  pick(arms, "an arm", name);
}

int run_explain(const arguments& args) {
  explain_options options = args.explain;
  options.reading = parse_reading(args, {options.input});
  if (options.arm.empty() && names_access_workload(options.input)) options.arm = "none";
  if (!options.arm.empty()) {
    check_arm(options.arm);
    if (!args.schedule.empty() || !args.op.empty())
      throw usage_error(
          fmt::format("--arm {}: --schedule and --op are for tiles, not for references", options.arm));
  }
  options.op = pick_if_given(operations, "an operation", args.op).value_or(operation::spmv);
  options.type = pick_if_given(types, "a type", args.type).value_or(number_type::single_precision);
  options.schedule = args.schedule.empty() ? default_schedule() : parse_schedule(args.schedule);
  options.schedule = with_block_size(options.schedule, parse_block(args));
  if (const int n = parse_block(args); n > 0) options.block_size = n;
  options.bench.seed = parse_seed(args);
  options.bench.threads = std::max(1, parse_threads(args)); // with more, any block may be the last to end
  for (const std::string& output : {options.json, options.report})
    refuse_output_over(output, {options.input});
  refuse_without_effect(args.given,
                        !options.arm.empty()            ? activity::explain_arm
                        : options.op == operation::spmv ? activity::explain_spmv
                                                        : activity::explain_others,
                        {executor_kind::simt}, true);
  explain_input(options);
  return 0;
}

/// What is said of the ladder, looked up. Throws usage_error for what does not go together.
ladder_options ladder_options_of(const arguments& args) {
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
  refuse_without_effect(args.given, args.count ? activity::ladder_count : activity::ladder,
                        {options.executor.value_or(args.count ? executor_kind::simt : usual_executor())},
                        options.executor.has_value());
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
  print(stderr, "evenly: results were wrong or not had: see FAILED above\n");
  return 1;
}

int run_tasks(const arguments& args) {
  tasks_options options = args.tasks;
  options.workload = parse_workload(args.kind);
  options.executor = pick_if_given(executors, "an executor", args.on);
  choices<bool> pools;
  for (const std::string& name : pool_names()) pools.emplace_back(name, true);
  if (args.pools != "all") options.pools = parse_names("--pool", args.pools);
  for (const std::string& name : options.pools) pick(pools, "a pool", name);
  options.repeat = parse_repeat(args);
  options.blocks = parse_count("--blocks", args.blocks, 1, 1024);
  options.bench.seed = parse_seed(args);
  options.bench.threads = parse_threads(args);
  refuse_without_effect(args.given, activity::tasks, {options.executor.value_or(usual_executor())},
                        options.executor.has_value());
  if (time_tasks(options)) return 0;
  print(stderr, "evenly: results were wrong or not had: see FAILED above\n");
  return 1;
}

int run_octree(const arguments& args) {
  octree_command options = args.octree;
  options.reading = parse_reading(args, {}, point_file_formats);
  options.executor = pick_if_given(executors, "an executor", args.on);
  choices<bool> pools;
  for (const std::string& name : pool_names()) pools.emplace_back(name, true);
  if (args.pools != "all") options.pools = parse_names("--pool", args.pools);
  for (const std::string& name : options.pools) pick(pools, "a pool", name);
  if (const int n = parse_count("--most", args.most, 1, 1'000'000'000); n > 0) options.most = n;
  if (!args.cut.empty()) options.cut = parse_count("--cut", args.cut, 0, 1'000'000'000);
  options.repeat = parse_repeat(args);
  options.bench.seed = parse_seed(args);
  options.bench.threads = parse_threads(args);
  for (const std::string& output : {options.json, options.output, options.picture})
    refuse_output_over(output, {options.input});
  refuse_without_effect(args.given, activity::octree, {options.executor.value_or(usual_executor())},
                        options.executor.has_value());
  if (time_octrees(options)) return 0;
  print(stderr, "evenly: results were wrong or not had: see FAILED above\n");
  return 1;
}

int run_reorganize(const arguments& args) {
  constexpr int most = 1'000'000;
  reorganize_options options = args.reorganize;
  options.reading = parse_reading(args, {});
  options.workload = args.kind;
  options.executor = pick_if_given(executors, "an executor", args.on);
  if (args.arms != "all") options.arms = parse_names("--arm", args.arms);
  for (const std::string& name : options.arms) check_arm(name);
  options.repeat = parse_repeat(args);
  if (const int n = parse_count("--iterations", args.iterations, 1, most); n > 0) options.iterations = n;
  options.change_every = parse_count("--change-every", args.change_every, 1, most);
  if (const int n = parse_block(args); n > 0) options.block_size = n;
  options.bench.seed = parse_seed(args);
  options.bench.threads = parse_threads(args);
  if (options.count && options.executor.value_or(executor_kind::simt) != executor_kind::simt)
    throw usage_error("--count is done on simt; without it, arms are timed on " + args.on);
  for (const std::string& output : {options.json, options.report})
    refuse_output_over(output, {options.workload});
  refuse_without_effect(args.given, options.count ? activity::reorganize_count : activity::reorganize,
                        {options.executor.value_or(options.count ? executor_kind::simt : usual_executor())},
                        options.executor.has_value());
  if (reorganize(options)) return 0;
  print(stderr, "evenly: results were wrong or not had: see FAILED above\n");
  return 1;
}

source_choice parse_source(const std::string& text) {
  constexpr std::string_view at_random = "random:";
  if (text.empty()) return {};
  if (text.starts_with(at_random))
    return {.label = {},
            .random = parse_count("--source random", text.substr(at_random.size()), 1, 1'000'000)};
  return {.label = text};
}

/// Throws usage_error for a schedule that searches cannot have.
std::vector<search_form> parse_search_forms(const std::string& list) {
  if (list.empty()) return {std::nullopt};
  if (list == "all") {
    const std::vector<any_schedule> all = search_schedules();
    std::vector<search_form> forms(all.begin(), all.end());
    forms.insert(forms.begin(), std::nullopt);
    return forms;
  }
  const std::vector<any_schedule> chosen = parse_schedules(list);
  choices<bool> known;
  for (const any_schedule& each : search_schedules()) known.emplace_back(each.name(), true);
  for (const any_schedule& each : chosen)
    if (std::ranges::none_of(known, [&](const auto& one) { return one.first == each.name(); }))
      throw usage_error(fmt::format("--schedule {}: searches go by {}", each.name(), joined(names(known))));
  return {chosen.begin(), chosen.end()};
}

/// Throws usage_error for a width that cannot be, or that changes nothing.
path_way parse_path_way(const arguments& args) {
  path_way way;
  if (!args.method.empty() && !args.schedule.empty() && args.schedule != "all")
    throw usage_error("--method is a way without a schedule: --schedule names one");
  if (const auto method = pick_if_given(path_methods, "a method", args.method)) way.settings.method = *method;
  way.on_tasks = args.method == "tasks";
  if (!args.method.empty() && args.method != "automatic") way.name = args.method;
  if (args.delta.empty()) return way;
  if (way.on_tasks || way.settings.method == path_method::bellman_ford)
    throw usage_error(fmt::format("--delta is the width of a bucket: --method {} has none", args.method));
  way.settings.delta = parse_positive("--delta", args.delta);
  return way;
}

/// Throws usage_error for what searches that go together cannot have. Without --source they are as many as can be.
void check_together(const arguments& args, source_choice& sources) {
  if (!args.schedule.empty())
    throw usage_error("--together is one launch that stays: --schedule names another way");
  if (!args.search.parents.empty())
    throw usage_error("--parents: searches that go together find levels, and no parents");
  if (args.source.empty()) sources.random = most_together;
  if (!sources.label && sources.random > most_together)
    throw usage_error(
        fmt::format("--source random:{}: {} searches go together at most", sources.random, most_together));
}

int run_search(const arguments& args, search_kind kind) {
  search_options options = args.search;
  options.kind = kind;
  options.source = parse_source(args.source);
  if (options.together) check_together(args, options.source);
  options.forms = parse_search_forms(args.schedule);
  options.way = parse_path_way(args);
  options.weights = pick_if_given(weight_sources, "a source of weights", args.weights);
  require_files(args, {options.input}, {"--columns", "--renumber"});
  static_cast<io::read_options&>(options.reading) = parse_reading(args, {});
  options.executor = pick_if_given(executors, "an executor", args.on);
  options.repeat = parse_repeat(args);
  options.bench.seed = parse_seed(args);
  options.bench.threads = parse_threads(args);
  for (const std::string& output :
       {options.output, options.parents, options.map, options.json, options.report})
    refuse_output_over(output, {options.input});
  if (!options.source.label && !options.together && !(options.output.empty() && options.parents.empty()))
    throw usage_error("what is found is written for one source: --source VERTEX says which");
  refuse_without_effect(args.given, activity::search, {options.executor.value_or(usual_executor())},
                        options.executor.has_value());
  if (time_search(options)) return 0;
  print(stderr, "evenly: results were wrong or not had: see FAILED above\n");
  return 1;
}

int run_spgemm(const arguments& args) {
  spgemm_options options = args.spgemm;
  options.reading = parse_reading(args, {options.a, options.b});
  options.type = pick_if_given(types, "a type", args.type).value_or(number_type::double_precision);
  options.executor = pick_if_given(executors, "an executor", args.on);
  if (!args.memory.empty()) options.memory = parse_bytes("--memory", args.memory);
  options.repeat = parse_repeat(args);
  options.bench.seed = parse_seed(args);
  options.bench.threads = parse_threads(args);
  if (!options.output.empty() && !options.json.empty())
    throw usage_error("--json has times, and with -o there are none: one of them at a time");
  refuse_second_standard_input({options.a, options.b});
  for (const std::string& output : {options.output, options.json})
    refuse_output_over(output, {options.a, options.b});
  refuse_without_effect(args.given, options.output.empty() ? activity::spgemm : activity::spgemm_output,
                        {options.executor.value_or(usual_executor())}, options.executor.has_value());
  if (multiply_sparse(options)) return 0;
  print(stderr, "evenly: results were wrong or not had: see FAILED above\n");
  return 1;
}

/// Throws usage_error for a schedule that `evenly spmm` does not have.
std::vector<any_schedule> parse_spmm_schedules(const arguments& args, bool one) {
  std::vector<any_schedule> chosen;
  if (!args.schedule.empty()) chosen = parse_schedules(args.schedule);
  const std::vector<any_schedule> known = spmm_schedules();
  require_few_or_automatic(chosen, "spmm");
  if (chosen.empty()) {
    if (!one || !args.schedule.empty()) chosen = known;
    if (!one || args.schedule.empty()) chosen.push_back(default_schedule());
  }
  if (one && chosen.size() > 1)
    throw usage_error(fmt::format("-o has one product, and --schedule {} names {} schedules", args.schedule,
                                  chosen.size()));
  for (any_schedule& each : chosen) each = with_block_size(each, parse_block(args));
  return chosen;
}

int run_spmm(const arguments& args) {
  spmm_options options = args.spmm;
  options.reading = parse_reading(args, {options.a});
  options.type = pick_if_given(types, "a type", args.type).value_or(number_type::double_precision);
  options.executor = pick_if_given(executors, "an executor", args.on);
  options.layout = pick_if_given(dense_layouts, "a layout", args.layout).value_or(dense_layout::rows);
  if (!args.width.empty()) options.width = parse_count("--width", args.width, 1, most_dense_columns);
  options.repeat = parse_repeat(args);
  options.bench.seed = parse_seed(args);
  options.bench.threads = parse_threads(args);
  const bool writes = !options.output.empty();
  if (!args.width.empty() && !options.b.empty())
    throw usage_error("--width is of a random B, and --b has its own columns: one of them at a time");
  if (writes && !options.json.empty())
    throw usage_error("--json has times, and with -o there are none: one of them at a time");
  options.schedules = parse_spmm_schedules(args, writes);
  refuse_second_standard_input({options.a, options.b});
  for (const std::string& output : {options.output, options.json})
    refuse_output_over(output, {options.a, options.b});
  const activity doing = options.b.empty() ? (writes ? activity::spmm_output : activity::spmm)
                                           : (writes ? activity::spmm_b_output : activity::spmm_b);
  refuse_without_effect(args.given, doing, {options.executor.value_or(usual_executor())},
                        options.executor.has_value());
  if (multiply_dense(options)) return 0;
  print(stderr, "evenly: results were wrong or not had: see FAILED above\n");
  return 1;
}

int run_transpose(const arguments& args) {
  transpose_options options = args.transpose;
  options.reading = parse_reading(args, {options.input});
  options.threads = parse_threads(args);
  refuse_output_over(options.output, {options.input});
  refuse_without_effect(args.given, activity::transpose, {executor_kind::cpu}, true);
  transpose_file(options);
  return 0;
}

int run_convert(const arguments& args) {
  transpose_options options = args.transpose;
  options.reading = parse_reading(args, {options.input});
  refuse_output_over(options.output, {options.input});
  convert_file(options);
  return 0;
}

int run_study(const arguments& args) {
  study_options options = args.study;
  options.reading = parse_reading(args, options.inputs, all_file_formats);
  const auto study = pick(choices<bool (*)(const study_options&)>{{"mapping", study_mapping},
                                                                  {"tasks", study_tasks},
                                                                  {"reorganize", study_reorganize},
                                                                  {"choices", study_choices}},
                          "a study", args.kind);
  options.executor = pick_if_given(executors, "an executor", args.on);
  options.bench.threads = parse_threads(args);
  refuse_second_standard_input(options.inputs);
  refuse_second_standard_input(options.from);
  for (const std::string& output : {options.json, options.report}) refuse_output_over(output, options.inputs);
  refuse_without_effect(args.given, options.from.empty() ? activity::study : activity::study_from,
                        {options.executor.value_or(usual_executor())}, options.executor.has_value());
  if (study(options)) return 0;
  print(stderr, "evenly: results were wrong or not had: see FAILED above\n");
  return 1;
}

int run(std::span<char* const> argv) {
  const arguments args = read_command_line(argv);
  if (!args.answer.empty()) {
    print(stdout, args.answer);
    return 0;
  }
  check_output_endings(args.command, args.given);
  check_outputs_apart(args.command, args.given);
  if (args.command == "info") return run_info(args);
  if (args.command == "compare") return run_compare(args);
  if (args.command == "spmv") return run_spmv(args);
  if (args.command == "draw") return run_draw(args);
  if (args.command == "explain") return run_explain(args);
  if (args.command == "study") return run_study(args);
  if (args.command == "ladder") return run_ladder(args);
  if (args.command == "tasks") return run_tasks(args);
  if (args.command == "octree") return run_octree(args);
  if (args.command == "reorganize") return run_reorganize(args);
  if (args.command == "bfs") return run_search(args, search_kind::bfs);
  if (args.command == "sssp") return run_search(args, search_kind::sssp);
  if (args.command == "spgemm") return run_spgemm(args);
  if (args.command == "spmm") return run_spmm(args);
  if (args.command == "transpose") return run_transpose(args);
  if (args.command == "convert") return run_convert(args);
  throw usage_error("which command? There are info, compare, spmv, draw, explain, study, ladder, tasks, "
                    "octree, reorganize, bfs, sssp, spgemm, spmm, transpose, convert, help, man, completion; "
                    "evenly help says more");
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
  std::signal(SIGPIPE, SIG_IGN); // a reader that has gone is an error of the write, which is reported,
  std::signal(SIGXFSZ, SIG_IGN); // as is a file that is larger than ulimit -f
  try {
    cli::remember_command_line(std::span(argv, static_cast<std::size_t>(argc)));
    io::watch_interruptions();
    return cli::run(std::span(argv, static_cast<std::size_t>(argc)));
  } catch (const io::broken_pipe&) {
    std::signal(SIGPIPE,
                SIG_DFL); // as if it had not been ignored: quietly, with the status that shells expect
    std::raise(SIGPIPE);
    return 1;
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
