// SPDX-License-Identifier: Apache-2.0
#include "study/choices_session.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <future>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/work/csr.hpp"
#include "host/errors.hpp"
#include "json/value.hpp"
#include "measure/machine.hpp"
#include "measure/report.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "study/session.hpp"

namespace evenly::study {

using measure::cpu_cores, measure::cpu_model, measure::find_cuda, measure::one_line, measure::print,
    measure::result_head, measure::usage_error;

namespace {

/// Four digits exceed the precision of a time.
double short_number(double value) { return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr); }

json::value facts_of(const csr_matrix<double>& matrix) {
  const tile_summary s = summarize_tiles(cpu(), csr_tiles(std::span<const int>(matrix.offsets)));
  return {{"tiles", s.tiles},           {"atoms", s.atoms},
          {"columns", matrix.cols},     {"longest", s.longest},
          {"empty", s.empty},           {"squares", s.squares},
          {"warp_steps", s.warp_steps}, {"rounds8", s.rounds8},
          {"rounds32", s.rounds32},     {"heaviest_block", s.heaviest_block},
          {"classes", s.classes}};
}

/// One operation on one executor.
struct known_result {
  std::string input, op, executor;
  auto operator<=>(const known_result&) const = default;
};

/// The maximum number of threads that work on a tile together, if its atoms are not cut among warps; by name of the
/// schedule.
std::optional<std::int64_t> threads_of_tile(std::string_view name) {
  if (name == "thread_mapped") return 1;
  if (name.starts_with("group_per_tile<")) return std::atoi(name.substr(name.find('<') + 1).data());
  for (const char* const by_warps : {"group_per_tile", "warp_mapped", "local_warp_search<storage>",
                                     "local_warp_search<registers>", "group_mapped", "group_mapped<32>"})
    if (name == by_warps) return 32;
  return {};
}

/// Loads inputs ahead of time, each on a separate thread.
class inputs_ahead {
 public:
  inputs_ahead(std::vector<std::string> all, const io::read_options& how, std::size_t ahead)
      : all_(std::move(all)), how_(how), ahead_(ahead) {}

  /// The next input. Throws the exceptions of loading it.
  io::input next() {
    while (loading_.size() <= ahead_ && started_ < all_.size())
      loading_.push_back(
          std::async(ahead_ == 0 ? std::launch::deferred : std::launch::async,
                     [this, text = all_[started_++]] { return io::load_structure(text, how_); }));
    auto first = std::move(loading_.front());
    loading_.pop_front();
    return first.get();
  }

 private:
  std::vector<std::string> all_;
  const io::read_options& how_;
  std::size_t ahead_;
  std::size_t started_ = 0;
  std::deque<std::future<io::input>> loading_;
};

class choices_session {
 public:
  choices_session(const study_options& options, executor_kind kind,
                  const std::vector<choice_operation>& operations)
      : options_(options), operations_(operations), tables_(options.json == "-" ? stderr : stdout),
        kind_(kind), gpu_(kind_ == executor_kind::cuda ? find_cuda().text : ""),
        file_(options.json, [this] { return head(); }) {
    if (options.resume && std::filesystem::exists(options.json)) take_up();
  }

  bool run() {
    const std::vector<std::string> inputs =
        options_.inputs.empty() ? choices_corpus(options_.quick) : options_.inputs;
    for (const std::string& input : inputs) io::input_source{input, options_.reading};
    file_.expect(inputs);
    warm_up();
    std::vector<std::string> missing;
    for (const std::string& input : inputs)
      if (!missing_operations(input).empty()) missing.push_back(input);
    inputs_ahead ahead(missing, options_.reading, kind_ == executor_kind::cuda ? 3 : 0);
    std::size_t done = 0;
    for (const std::string& input : inputs) {
      ++done;
      const auto error = file_.measure(input, [&] {
        if (missing_operations(input).empty()) return;
        print(tables_, fmt::format("{} of {}: {}, {} schedules\n", done, inputs.size(), input,
                                   measure_input(input, ahead.next().matrix)));
      });
      if (error) print_failed(tables_, one_line(input), *error);
    }
    file_.finish();
    return all_right_;
  }

 private:
  /// The first use of a kernel loads it to the device, which does not belong to the time of a plan.
  void warm_up() {
    const io::input in = io::load_input("regular:rows=500,size=8");
    for (const choice_operation& each : operations_)
      each.measure(in.matrix, [](const std::string&) { return true; });
  }

  std::vector<const choice_operation*> missing_operations(const std::string& input) const {
    std::vector<const choice_operation*> missing;
    for (const choice_operation& each : operations_)
      if (!known_.contains({input, each.name, name_of(kind_)})) missing.push_back(&each);
    return missing;
  }

  /// Returns the number of timed schedules.
  int measure_input(const std::string& input, const csr_matrix<double>& matrix) {
    const json::value facts = facts_of(matrix);
    int timed = 0;
    for (const choice_operation* each : missing_operations(input))
      timed += measure_operation(input, matrix, facts, *each);
    return timed;
  }

  int measure_operation(const std::string& input, const csr_matrix<double>& matrix, const json::value& facts,
                        const choice_operation& of) {
    const auto longest = facts.at("longest").as_int64();
    const auto is_wanted = [&](const std::string& name) {
      const auto threads = kind_ == executor_kind::cpu ? std::nullopt : threads_of_tile(name);
      return !threads || longest / *threads <= max_rounds;
    };
    json::value ms = json::object(), plan_ms = json::object(), left_out = json::object();
    const std::vector<measurement> measured = of.measure(matrix, is_wanted);
    if (measured.empty()) return 0; // the operation does not support this input
    for (const measurement& m : measured) {
      if (m.error) {
        left_out[m.what.name] = *m.error;
        continue;
      }
      ms[m.what.name] = short_number(m.time.median);
      if (m.plan_ms) plan_ms[m.what.name] = short_number(*m.plan_ms);
    }
    if (ms.empty()) all_right_ = false;
    const int timed = static_cast<int>(ms.size());
    json::value line{{"input", input},        {"family", choices_family(input)},
                     {"op", of.name},         {"executor", name_of(kind_)},
                     {"threads", of.threads}, {"facts", facts},
                     {"ms", std::move(ms)},   {"plan_ms", std::move(plan_ms)}};
    if (!left_out.empty()) {
      line["left_out"] = std::move(left_out);
      all_right_ = false;
    }
    file_.add(std::move(line));
    return timed;
  }

  /// Results of an earlier study are not measured again.
  void take_up() {
    study_file(options_.json).read([&](const json_place& from) {
      record io(from);
      std::string study;
      study_head before;
      io("study", study);
      io.require(study == "choices", "study", "must be choices");
      machine_fields(io, before);
      require_same(options_, "processor", before.cpu, cpu_model());
      require_same(options_, "number of cores", fmt::to_string(before.cores), fmt::to_string(cpu_cores()));
      if (!before.gpu.empty() && !gpu_.empty()) require_same(options_, "GPU", before.gpu, gpu_);
      if (!before.gpu.empty()) gpu_ = before.gpu;
      from.at("results").for_each([&](const json_place& each) {
        known_.insert({each.at("input").text(), each.at("op").text(), each.at("executor").text()});
        file_.add(each.value());
      });
    });
    print(tables_, fmt::format("{} earlier results are kept\n", known_.size()));
  }

  json::value head() const {
    json::value made{{"study", "choices"}};
    made.update(result_head(gpu_));
    return made;
  }

  static constexpr std::int64_t max_rounds = 1 << 17;

  const study_options& options_;
  const std::vector<choice_operation>& operations_;
  std::FILE* tables_;
  executor_kind kind_;
  std::string gpu_;
  std::set<known_result> known_;
  bool all_right_ = true;
  result_file file_; ///< last, because its destructor calls head()
};

} // namespace

bool measure_choices(const study_options& options, executor_kind kind,
                     const std::vector<choice_operation>& operations) {
  if (options.resume && (options.json.empty() || options.json == "-"))
    throw usage_error("--resume needs --json FILE, which names the results to continue");
  return choices_session(options, kind, operations).run();
}

} // namespace evenly::study
