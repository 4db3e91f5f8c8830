// SPDX-License-Identifier: Apache-2.0
// evenly bfs, evenly sssp and evenly dfs.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/schedule_names.hpp"
#include "evenly/graph/search_rule.hpp"
#include "graphs/graph_command.hpp"
#include "graphs/search.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "peers/beside_option.hpp"

namespace evenly::graphs {

using cli::choices, cli::help_on_generators, cli::help_on_results, cli::help_on_schedules, cli::names,
    cli::parse_count, cli::parse_positive, cli::parse_schedules, cli::pick, cli::registered,
    cli::schedule_completions;
using measure::joined, measure::usage_error;
using peers::add_beside;

namespace {

source_choice parse_source(const std::string& text) {
  constexpr std::string_view at_random = "random:";
  if (!text.starts_with(at_random)) return {.label = text};
  return {.label = {},
          .random = parse_count("--source random", text.substr(at_random.size()), {1, 1'000'000})};
}

/// Throws usage_error for a schedule that searches do not support.
std::vector<search_form> parse_search_forms(const std::string& list) {
  const std::vector<any_schedule> known = search_schedules();
  std::vector<search_form> forms;
  if (list == "all") {
    forms.assign(known.begin(), known.end());
    forms.insert(forms.begin(), std::nullopt);
    return forms;
  }
  for (const any_schedule& each : parse_schedules(list)) {
    if (std::ranges::find(known, each.name(), &any_schedule::name) == known.end()) {
      std::vector<std::string> names;
      for (const any_schedule& one : known) names.push_back(one.name());
      throw usage_error("--schedule " + each.name() + ": searches support only " + joined(names));
    }
    forms.emplace_back(each);
  }
  return forms;
}

/// The common part of all searches.
class search_command : public graph_command<search_options> {
 public:
  /// `values`: the results per vertex.
  search_command(const char* name, search_kind kind, const std::string& values)
      : graph_command(name, values + ": .npy, .mtx, or text, one per line; needs one source",
                      "add the reverse of every edge") {
    options_.kind = kind;
    options_.forms = {std::nullopt};
    add(
        "--source VERTEX|random:N", [this](const std::string& text) { options_.source = parse_source(text); },
        "a vertex by its id in the input, or random:N for N random vertices with edges (default: random:8)");
    add("--parents FILE", options_.parents,
        "output file of the parents, -1 for none: .npy, .mtx, or text, one per line; needs one source")
        .writes(io::vector_output);
    const bool has_frontiers = kind != search_kind::dfs;
    if (has_frontiers) {
      add_ranks("result");
      add(
          "--schedule NAME,...", [this](const std::string& list) { take_schedules(list); },
          "launch kernels for each frontier under these schedules, or all that take sizes from the device "
          "(default: one persistent kernel)")
          .completes(schedule_completions({"all"}, search_schedules()));
      add_beside(*this, options_.beside, {peers::operation::bfs, peers::operation::sssp});
      add("--trace", options_.trace, "print the vertices, the edges and the method of each frontier");
    }
    add_to_footer(help_on_results() +
                  "M edges/s counts the outgoing edges of reached vertices; in a symmetric graph, an edge "
                  "and its reverse count as one.\n\n" +
                  (has_frontiers ? help_on_schedules() + '\n' : "") + help_on_generators());
  }

 protected:
  bool all_schedules() const { return all_schedules_; }

 private:
  std::string doing() const override { return options_.kind == search_kind::dfs ? "dfs" : "bfs and sssp"; }
  bool time() override {
    if (options_.bench.ranks != 0) {
      options_.way.name = "ranks";
      for (const char* const option :
           {"--schedule", "--beside", "--trace", "--together", "--any-parent", "--method", "--delta"})
        if (is_given(option)) throw usage_error(std::string(option) + " has no effect with --ranks");
    }
    if (!options_.source.label && !options_.together &&
        !(options_.output.empty() && options_.parents.empty()))
      throw usage_error("only the result of one source can be written: add --source VERTEX");
    return time_search(options_);
  }
  void take_schedules(const std::string& list) {
    all_schedules_ = list == "all";
    options_.forms = parse_search_forms(list);
  }

  bool all_schedules_ = false;
};

class bfs_command : public search_command {
 public:
  bfs_command() : search_command("bfs", search_kind::bfs, "levels") {
    add("--together", options_.together,
        "search from all sources at once, at most 64 (default: random:64), in one launch; -o writes one line "
        "per vertex with its level from each source");
    add("--any-parent", any_parent_,
        "record any neighbour on the previous level as the parent, not the one of lowest number; faster on "
        "cpu, "
        "where parents then depend on timing");
    add_example("evenly bfs rmat:scale=10,edges=8 --on cpu --repeat 3",
                "search from eight vertices of a generated graph");
    add_example("evenly bfs rmat:scale=10,edges=8 --on cpu --repeat 3 --beside boost_graph",
                "time another library as well");
    add_example("evenly bfs edges.el --source 0 --on cpu -o levels.txt",
                "search from one vertex of your graph");
    add_example("evenly bfs rmat:scale=10,edges=8 --ranks 4 --repeat 3", "search on four ranks");
  }

 private:
  void check() override {
    if (any_parent_) options_.way.parents = parent_rule::any;
    if (any_parent_ && is_given("--schedule"))
      throw usage_error("--any-parent is for one persistent kernel and excludes --schedule");
    if (!options_.together) return;
    if (any_parent_)
      throw usage_error("--any-parent: --together finds levels only, no parents; omit one of them");
    if (is_given("--schedule"))
      throw usage_error("--together runs as one persistent kernel and excludes --schedule");
    if (is_given("--beside")) throw usage_error("--together and --beside exclude each other");
    if (is_given("--parents"))
      throw usage_error("--parents: --together finds levels only, no parents; omit one of them");
    source_choice& source = options_.source;
    if (!is_given("--source")) source.random = max_together;
    if (!source.label && source.random > max_together)
      throw usage_error("--source random:" + std::to_string(source.random) + ": " +
                        std::to_string(max_together) + " searches can run together at most");
  }

  bool any_parent_ = false;
};
const registered<bfs_command> bfs_registered;

class sssp_command : public search_command {
 public:
  sssp_command() : search_command("sssp", search_kind::sssp, "distances") {
    add("--weights WEIGHTS", options_.weights,
        choices<weight_source>{
            {"file", weight_source::file}, {"unit", weight_source::unit}, {"hash", weight_source::hash}},
        "a source of weights",
        "weights of the edges: file, unit (1), or hash (1 to 255, a hash of the edge) (default: file if it "
        "has weights, else hash)");
    const choices<path_method> methods{{"automatic", path_method::automatic},
                                       {"delta_stepping", path_method::delta_stepping},
                                       {"near_far", path_method::near_far},
                                       {"bellman_ford", path_method::bellman_ford}};
    add(
        "--method METHOD",
        [this, methods](const std::string& name) {
          options_.way.settings.method = pick(methods, "a method", name);
          if (name != "automatic") options_.way.name = name;
          method_ = name;
        },
        "algorithm, without --schedule: automatic, delta_stepping, near_far or bellman_ford (default: "
        "automatic)")
        .completes(names(methods));
    add(
        "--delta WIDTH",
        [this](const std::string& text) { options_.way.settings.delta = parse_positive("--delta", text); },
        "width of a bucket of distances, for automatic, delta_stepping and near_far (default: from the "
        "weights and degrees)");
    add_example("evenly sssp grid:x=30,y=30 --weights hash --on cpu --repeat 3",
                "search a grid with generated weights");
    add_example("evenly sssp edges.el --weights unit --source 0 --on cpu -o distances.txt",
                "search from one vertex of your graph");
  }

 private:
  void check() override {
    if (is_given("--method") && is_given("--schedule") && !all_schedules())
      throw usage_error("--method and --schedule exclude each other");
    const path_way& way = options_.way;
    if (is_given("--delta") && way.settings.method == path_method::bellman_ford)
      throw usage_error("--delta is the width of a bucket, but --method " + method_ + " has none");
  }

  std::string method_;
};
const registered<sssp_command> sssp_registered;

class dfs_command : public search_command {
 public:
  dfs_command() : search_command("dfs", search_kind::dfs, "order of discovery, from 0 on, -1 for none") {
    options_.way.name = "tasks";
    add_example("evenly dfs grid:x=30,y=30 --on cpu --repeat 3", "search a grid from eight vertices");
    add_example("evenly dfs edges.el --source 0 --on cpu -o order.txt --parents parents.txt",
                "search from one vertex of your graph");
    add_to_footer(
        "\nThe set of reached vertices repeats. The order and the parents depend on timing, except with "
        "--on cpu --threads 1.\n");
  }
};
const registered<dfs_command> dfs_registered;

} // namespace
} // namespace evenly::graphs
