// SPDX-License-Identifier: Apache-2.0
#include "study/choices.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/tile_summary.hpp"
#include "evenly/work/csr.hpp"
#include "io/errors.hpp"
#include "io/input.hpp"
#include "measure/machine.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "study/json_place.hpp"
#include "study/read_study.hpp"

namespace evenly::cli {
namespace {

using json = nlohmann::ordered_json;

/// Four digits are more than a time has.
double short_number(double value) { return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr); }

json facts_of(const csr_matrix<double>& matrix) {
  const tile_summary s = summarize_tiles(cpu(), csr_tiles(std::span<const int>(matrix.offsets)));
  return {{"tiles", s.tiles},           {"atoms", s.atoms},
          {"columns", matrix.cols},     {"longest", s.longest},
          {"empty", s.empty},           {"squares", s.squares},
          {"warp_steps", s.warp_steps}, {"rounds8", s.rounds8},
          {"rounds32", s.rounds32},     {"heaviest_block", s.heaviest_block},
          {"classes", s.classes}};
}

/// Which family of inputs it is of: training leaves out one after the other.
std::string family_of(const std::string& input) {
  const std::string name = io::input_name(input);
  return name.substr(0, name.find(':'));
}

/// One operation on one executor.
struct known_result {
  std::string input, op, executor;
  auto operator<=>(const known_result&) const = default;
};

class choices_session {
 public:
  explicit choices_session(const study_options& options)
      : options_(options), tables_(options.json == "-" ? stderr : stdout),
        kind_(options.executor.value_or(usual_executor())),
        gpu_(kind_ == executor_kind::cuda ? find_cuda().text : ""),
        file_(options.json, [this] { return head(); }) {
    require_executor(kind_);
    if (options.resume && std::filesystem::exists(options.json)) take_up();
  }

  bool run() {
    const std::vector<std::string> inputs =
        options_.inputs.empty() ? choices_corpus(options_.quick) : options_.inputs;
    for (const std::string& input : inputs) io::check_input(input);
    file_.expect(inputs);
    warm_up();
    std::size_t done = 0;
    for (const std::string& input : inputs) {
      ++done;
      const auto error = file_.measure(input, [&] {
        const int found = measure_input(input);
        if (found > 0)
          print(tables_, fmt::format("{} of {}: {}, {} schedules\n", done, inputs.size(), input, found));
      });
      if (error) print(tables_, wrapped(fmt::format("FAILED {}: {}", one_line(input), one_line(*error)), ""));
    }
    file_.finish();
    return all_right_;
  }

 private:
  static repetition times() { return {.least = 5, .enough = 9, .long_enough = 25}; }

  /// The first use of a kernel brings it to the device, which is no part of a plan's time.
  void warm_up() {
    const io::input in = io::load_input("regular:rows=500,size=8");
    for (const operation op : {operation::spmv, operation::expand}) {
      const problem p = make_problem(op, number_type::single_precision, in.matrix, 0);
      bench on = make_bench(kind_, p, options_.bench);
      measure_in_turns(on, on.candidates(0), reference(p), {.exactly = 1});
    }
  }

  /// Returns how many schedules were timed.
  int measure_input(const std::string& input) {
    std::vector<operation> missing;
    for (const operation op : {operation::spmv, operation::expand})
      if (!known_.contains({input, op == operation::spmv ? "spmv" : "expand", name_of(kind_)}))
        missing.push_back(op);
    if (missing.empty()) return 0;
    const io::input in = io::load_structure(input);
    const json facts = facts_of(in.matrix);
    int timed = 0;
    for (const operation op : missing) timed += measure_operation(input, in, facts, op);
    return timed;
  }

  int measure_operation(const std::string& input, const io::input& in, const json& facts, operation op) {
    const problem p = make_problem(op, number_type::single_precision, in.matrix, 0);
    bench on = make_bench(kind_, p, options_.bench);
    const reference right(p);
    std::vector<candidate> schedules = on.candidates(0);
    std::erase_if(schedules, [](const candidate& each) { return !each.is_schedule; });
    json ms = json::object(), plan_ms = json::object(), left_out = json::object();
    for (const measurement& m : measure_in_turns(on, schedules, right, times())) {
      if (m.error) {
        left_out[m.what.name] = *m.error;
        continue;
      }
      ms[m.what.name] = short_number(m.time.median);
      if (m.plan_ms) plan_ms[m.what.name] = short_number(*m.plan_ms);
    }
    if (ms.empty()) all_right_ = false;
    const int timed = static_cast<int>(ms.size());
    json line{{"input", input},
              {"family", family_of(input)},
              {"op", operation_name(p)},
              {"executor", name_of(kind_)},
              {"threads", on.time->threads()},
              {"facts", facts},
              {"ms", std::move(ms)},
              {"plan_ms", std::move(plan_ms)}};
    if (!left_out.empty()) {
      line["left_out"] = std::move(left_out);
      all_right_ = false;
    }
    file_.add(std::move(line));
    return timed;
  }

  void require_same(const char* what, const std::string& then, const std::string& now) const {
    if (then != now)
      throw usage_error(fmt::format("--resume {}: its {} is {}, here it is {}", io::in_quotes(options_.json),
                                    what, io::in_quotes(then), io::in_quotes(now)));
  }

  /// What an earlier study has is not measured again.
  void take_up() {
    read_study<bool>(options_.json, [&](const json_place& from) {
      if (from.at("study").text() != "choices") from.at("study").fail("must be choices");
      const json_place machine = from.at("machine");
      require_same("processor", machine.at("cpu").text(), cpu_model());
      require_same("number of cores", fmt::to_string(machine.at("cores").whole(1)),
                   fmt::to_string(cpu_cores()));
      if (machine.has("gpu")) {
        const std::string before = machine.at("gpu").text();
        if (!gpu_.empty()) require_same("GPU", before, gpu_);
        gpu_ = before;
      }
      from.at("results").for_each([&](const json_place& each) {
        known_.insert({each.at("input").text(), each.at("op").text(), each.at("executor").text()});
        file_.add(each.value());
      });
      return true;
    });
    print(tables_, fmt::format("{} results were measured before\n", known_.size()));
  }

  json head() const {
    json made{{"study", "choices"}};
    made.update(result_head(gpu_));
    return made;
  }

  const study_options& options_;
  std::FILE* tables_;
  executor_kind kind_;
  std::string gpu_;
  std::set<known_result> known_;
  bool all_right_ = true;
  result_file file_; ///< last, since it calls head() until it ends
};

} // namespace

bool study_choices(const study_options& options) {
  if (!options.from.empty()) throw usage_error("--from is for the studies `mapping` and `tasks`");
  if (!options.report.empty()) throw usage_error("--report is for the studies `mapping` and `tasks`");
  if (options.resume && (options.json.empty() || options.json == "-"))
    throw usage_error("--resume goes on with a study that --json FILE wrote");
  return choices_session(options).run();
}

} // namespace evenly::cli
