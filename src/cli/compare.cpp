// SPDX-License-Identifier: Apache-2.0
#include "cli/compare.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/comparison.hpp"
#include "cli/machine.hpp"
#include "cli/measure.hpp"
#include "cli/reference.hpp"
#include "cli/statistics.hpp"
#include "cli/text.hpp"
#include "io/input.hpp"
#include "io/output_file.hpp"

namespace evenly::cli {
namespace {

/// One input and where it runs.
struct stop {
  std::string input;
  std::vector<executor_kind> executors;
};

/// simt takes about a microsecond for each thread that it simulates, and one schedule gives each tile a block of 128.
bool quick_on_simt(std::int64_t tiles, std::int64_t atoms) { return tiles <= 500'000 && atoms <= 5'000'000; }

class session {
 public:
  explicit session(const compare_options& options)
      : options_(options), tables_(options.json == "-" ? stderr : stdout) {
    for (const executor_kind kind : options.executors) require_executor(kind);
    if (!options.json.empty()) io::check_output(options.json);
  }

  void visit(const stop& each) {
    const io::input in = io::load_input(each.input);
    const tile_statistics s = count_tiles(in.matrix.offsets);
    const problem p = make_problem(options_.op, options_.type, in.matrix, options_.bench.seed);
    const reference right(p);
    std::string verdicts;
    for (const executor_kind kind : each.executors) {
      if (kind == executor_kind::simt && options_.executors.empty() && !quick_on_simt(s.tiles, s.atoms)) {
        print(tables_, "simt would take minutes for work of this size: ask for it with --on simt\n\n");
        continue;
      }
      const comparison c = run(kind, in, s, p, right);
      const std::string sentence = kind == executor_kind::simt ? "" : verdict(c, s, in.matrix.offsets);
      if (!sentence.empty()) verdicts += wrapped(sentence, "  ");
      failures_ += c.failures();
      add_json(c, results_);
    }
    if (!verdicts.empty()) print(tables_, verdicts + '\n');
  }

  /// Writes the JSON that was asked for. Returns whether all results were right.
  bool finish() {
    if (!options_.json.empty()) {
      const std::string text = dump(report());
      io::write_output(options_.json, [&](std::FILE* file) {
        return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
      });
    }
    return failures_ == 0;
  }

 private:
  comparison run(executor_kind kind, const io::input& in, const tile_statistics& s, const problem& p,
                 const reference& right) {
    const std::unique_ptr<bench> on = make_bench(kind, p, options_.bench);
    used_cuda_ |= kind == executor_kind::cuda;
    comparison c = without_results(kind, in, p, *on);
    print(tables_, heading(c, s));
    const repetition settled{.exactly = options_.repeat};
    const repetition simulated{.exactly = options_.repeat, .least = 3, .enough = 3, .may_be_one = true};
    c.copy_gbps = c.gbps(time_runs(*on, on->copy(c.bytes), settled));
    if (options_.op == operation::expand) c.fill_gbps = c.gbps(time_runs(*on, on->fill(c.bytes), settled));
    if (const auto nothing = on->nothing()) c.empty_ms = time_runs(*on, nothing, settled).median;
    for (const candidate& each : on->candidates(options_.block_size))
      if (!each.is_schedule || std::ranges::count(options_.schedules, each.name) > 0)
        c.results.push_back(measure(*on, each, right, kind == executor_kind::simt ? simulated : settled));
    print(tables_, table(c) + '\n');
    return c;
  }

  comparison without_results(executor_kind kind, const io::input& in, const problem& p,
                             const bench& on) const {
    return {.workload = in.name,
            .rows = in.matrix.rows,
            .cols = in.matrix.cols,
            .atoms = in.matrix.atoms(),
            .op = operation_name(p),
            .type = number_name(p),
            .executor = kind,
            .place = on.place(),
            .threads = on.threads(),
            .cold = kind == executor_kind::cuda && !options_.bench.warm,
            .bytes = bytes_moved(p)};
  }

  nlohmann::ordered_json report() const {
    nlohmann::ordered_json machine{{"cpu", cpu_model()}, {"cores", cpu_cores()}};
    if (used_cuda_) machine["gpu"] = find_cuda().text;
    return {{"machine", machine}, {"date", utc_now()}, {"commit", commit()}, {"results", results_}};
  }

  const compare_options& options_;
  std::FILE* tables_;
  nlohmann::ordered_json results_ = nlohmann::ordered_json::array();
  int failures_ = 0;
  bool used_cuda_ = false;
};

std::vector<executor_kind> executors_here() {
  std::vector<executor_kind> kinds{executor_kind::cpu, executor_kind::simt};
  if (find_cuda().usable) kinds.insert(kinds.begin(), executor_kind::cuda);
  return kinds;
}

/// Work of very different shapes, large enough for memory to matter, and a small piece for simt.
std::vector<stop> tour(const std::vector<executor_kind>& executors) {
  std::vector<executor_kind> fast = executors;
  std::erase(fast, executor_kind::simt);
  std::vector<stop> stops;
  if (!fast.empty())
    for (const char* input :
         {"regular:rows=1e6,size=8", "grid:x=1500,y=1500", "powerlaw:rows=1e6,avg=8,sd=60,max=2e4",
          "rmat:scale=18,edges=16", "mostly-empty:rows=8e6", "one-dense-row:rows=1e6,long=4e6"})
      stops.push_back({input, fast});
  if (fast.size() < executors.size())
    stops.push_back({"powerlaw:rows=5e3,avg=8,sd=60,max=3e3", {executor_kind::simt}});
  return stops;
}

} // namespace

bool compare(const compare_options& options) {
  const auto executors = options.executors.empty() ? executors_here() : options.executors;
  session all(options);
  if (options.inputs.empty())
    for (const stop& each : tour(executors)) all.visit(each);
  for (const std::string& input : options.inputs) all.visit({input, executors});
  return all.finish();
}

} // namespace evenly::cli
