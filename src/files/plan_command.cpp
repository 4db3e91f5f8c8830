// SPDX-License-Identifier: Apache-2.0
// evenly plan: what products on ranks would hold and send, computed on paper.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "cli/shared_options.hpp"
#include "evenly/distributed/costs.hpp"
#include "evenly/io/read.hpp"
#include "host/errors.hpp"
#include "io/input.hpp"
#include "json/value.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "ranks/expected_costs.hpp"

namespace evenly::files {

using cli::add_input, cli::add_reading, cli::command, cli::help_on_generators, cli::parse_positive,
    cli::registered, cli::require_files;
using distributed::cost_summary, distributed::costs_of, distributed::machine_speeds,
    distributed::predicted_us, distributed::summary_of, distributed::worthwhile_ranks;
using measure::print;

namespace {

constexpr int max_ranks = 1'000'000;

/// 1, 2, 4, ... below `ranks`, then `ranks`.
std::vector<int> numbers_up_to(int ranks) {
  std::vector<int> numbers;
  for (int n = 1; n < ranks; n *= 2) numbers.push_back(n);
  numbers.push_back(ranks);
  return numbers;
}

struct planned_ranks {
  cost_summary of;
  std::size_t value_bytes;
  double us; ///< 0: not predicted
};

/// The number of ranks to use, by the predictions.
int ranks_to_use(const std::vector<planned_ranks>& all) {
  std::vector<double> us;
  for (const planned_ranks& each : all) us.push_back(each.us);
  return all[worthwhile_ranks(us)].of.ranks;
}

std::string megabytes(std::int64_t values, std::size_t value_bytes) {
  return fmt::format("{:.3g}", static_cast<double>(values) * static_cast<double>(value_bytes) * 1e-6);
}

std::string as_text(const std::string& name, const std::vector<planned_ranks>& all, bool predicts) {
  std::string text =
      fmt::format("{}\n\n  largest rank of a product y = A x: entries, memory, and what it sends\n\n",
                  host::printable(name));
  text +=
      fmt::format("  {:>7}  {:>9}  {:>11}  {:>9}  {:>8}  {:>9}  {:>9}{}\n", "ranks", "imbalance", "entries",
                  "memory MB", "messages", "sent MB", "all MB", predicts ? "  predicted us" : "");
  for (const planned_ranks& each : all)
    text += fmt::format("  {:>7}  {:>9.2f}  {:>11}  {:>9}  {:>8}  {:>9}  {:>9}{}\n", each.of.ranks,
                        each.of.imbalance, each.of.max_entries, megabytes(each.of.max_bytes, 1),
                        each.of.max_messages, megabytes(each.of.max_sent, each.value_bytes),
                        megabytes(each.of.sent, each.value_bytes),
                        predicts ? fmt::format("  {:>12.4g}", each.us) : "");
  if (predicts)
    text += fmt::format("\n  use {} {}: more are not predicted to take less than 0.9 of the time\n",
                        ranks_to_use(all), ranks_to_use(all) == 1 ? "rank" : "ranks");
  return text;
}

std::string as_json(const std::string& name, const std::vector<planned_ranks>& all, bool predicts) {
  json::value plans = json::array();
  for (const planned_ranks& each : all) {
    const auto bytes = static_cast<std::int64_t>(each.value_bytes);
    json::value plan{{"ranks", each.of.ranks},
                     {"imbalance", each.of.imbalance},
                     {"max_entries", each.of.max_entries},
                     {"max_bytes", each.of.max_bytes},
                     {"max_messages", each.of.max_messages},
                     {"max_bytes_sent", each.of.max_sent * bytes},
                     {"max_bytes_received", each.of.max_received * bytes},
                     {"bytes_sent", each.of.sent * bytes}};
    if (predicts) plan["predicted_us"] = each.us;
    plans.push_back(plan);
  }
  json::value object{{"workload", name}, {"plans", plans}};
  if (predicts) object["ranks_to_use"] = ranks_to_use(all);
  return json::dump(object);
}

class plan_command : public command {
 public:
  plan_command() : command("plan") {
    add_input(*this, "input FILE|GENERATOR", input_,
              "the matrix: a file, - for standard input, or a generator")
        .required();
    add_reading(*this, reading_);
    add("--ranks N", ranks_, {1, max_ranks}, "the largest number of ranks (default: 8)");
    add("--block-size N", block_size_, {1, 1024},
        "ranks are cut at groups of 64 x 12 x N rows and entries (default: 256)");
    add(
        "--ns-per-step X",
        [this](const std::string& text) { speeds_.ns_per_step = parse_positive("--ns-per-step", text); },
        "time of a rank for each row and entry; with the next two, times are predicted");
    add(
        "--us-per-message X",
        [this](const std::string& text) {
          speeds_.us_per_message = parse_positive("--us-per-message", text);
        },
        "time of a message between two ranks");
    add(
        "--gb-per-second X",
        [this](const std::string& text) { speeds_.gb_per_second = parse_positive("--gb-per-second", text); },
        "bandwidth out of a rank");
    add("--expected", expected_,
        "of rmat, kron and urand: compute expected numbers from the distribution of degrees, without making "
        "the "
        "graph; always done for graphs of 2^31 or more entries, at most scale 40");
    add("--json", json_, "print one JSON object");
    add_example("evenly plan matrix.mtx", "show what products on 1, 2, 4 and 8 ranks hold and send");
    add_example("evenly plan rmat:scale=14,edges=8 --ranks 1000 --block-size 8",
                "show it for up to 1,000 ranks");
    add_example("evenly plan kron:12 --ns-per-step 1 --us-per-message 2 --gb-per-second 10",
                "predict times from speeds of a machine");
    add_example("evenly plan rmat:scale=30 --ranks 1000", "expect the same of a graph that no machine has");
    add_to_footer(help_on_generators());
  }

  bool run() override {
    require_files(*this, {input_});
    const bool predicts = speeds_.ns_per_step > 0;
    if (predicts != (speeds_.us_per_message > 0) || predicts != (speeds_.gb_per_second > 0))
      throw measure::usage_error(
          "--ns-per-step, --us-per-message and --gb-per-second predict times together: give all "
          "three, or none");
    const auto shape = io::names_file(input_) ? std::nullopt : ranks::shape_of(input_);
    if (expected_ && !shape)
      throw measure::usage_error("--expected is for graphs whose degrees are known: rmat, kron and urand");
    std::vector<planned_ranks> all;
    const auto add_plans = [&](std::size_t bytes, const auto& costs_on) {
      for (const int ranks : numbers_up_to(ranks_)) {
        const std::vector<distributed::rank_costs> costs = costs_on(ranks, {.block_size = block_size_});
        all.push_back({summary_of(costs, bytes), bytes, predicts ? predicted_us(costs, bytes, speeds_) : 0});
      }
    };
    std::string name = input_;
    const bool is_expected = shape && (expected_ || shape->scale > 30 || shape->edges > max_edges);
    if (is_expected) {
      add_plans(sizeof(double), [&](int ranks, const distributed::split_options& how) {
        return ranks::expected_costs(*shape, ranks, how);
      });
      name += ", expected";
    } else {
      const io::any_input in = io::load_any_input(input_, reading_);
      name = in.name;
      std::visit(
          [&](const auto& a) {
            using value = typename std::remove_cvref_t<decltype(a.values)>::value_type;
            add_plans(sizeof(value), [&](int ranks, const distributed::split_options& how) {
              return costs_of(a.view(), ranks, {.split = how, .columns = {}});
            });
          },
          in.matrix);
    }
    print(stdout, json_ ? as_json(name, all, predicts) : as_text(name, all, predicts));
    return true;
  }

 private:
  static constexpr std::int64_t max_edges = std::numeric_limits<int>::max() / 2; ///< that can be made
  std::string input_;
  io::read_options reading_;
  int ranks_ = 8;
  int block_size_ = distributed::split_options{}.block_size;
  machine_speeds speeds_;
  bool json_ = false, expected_ = false;
};
const registered<plan_command> plan;

} // namespace
} // namespace evenly::files
