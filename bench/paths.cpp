// SPDX-License-Identifier: Apache-2.0
// Shortest paths: by buckets in one launch, by each method, and from frontier to frontier under a schedule, which is
// the loop on the host that libraries have.
//
//   bench_paths [--on cuda|cpu] [--sources N] [--json FILE] [INPUT ...]
//
// INPUT is a file or a generator, as `evenly sssp` takes it; weights are the file's, or 1 to 255, of the edge. From
// each of N vertices with edges, the same on every run, each form searches, one after the other; shown is the median
// over the sources of the medians. What the first form finds from a source is checked by its laws, and all others are
// to find the same bits. The pool of tasks takes part where it is asked for (--tasks 1): it may take very long.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arguments.hpp"
#include "evenly/schedules/registry.hpp"
#include "graphs/edge_weights.hpp"
#include "graphs/laws.hpp"
#include "graphs/place.hpp"
#include "graphs/search.hpp"
#include "io/graph_input.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "search_times.hpp"

namespace {

using namespace evenly;
using namespace evenly::cli;

const std::vector<std::string> usual_inputs = {"kron_g500-logn20", "as-Skitter",        "web-NotreDame",
                                               "regular8",         "great-britain_osm", "grid:x=3000,y=3000"};

/// A way without a schedule, or a schedule.
struct path_form {
  path_way way;
  std::optional<any_schedule> schedule;
};

std::vector<path_form> forms_of(bool with_tasks) {
  std::vector<path_form> forms{{{.name = "resident", .settings = {}}, {}}};
  for (const auto& [name, method] :
       {std::pair("delta_stepping", path_method::delta_stepping),
        std::pair("near_far", path_method::near_far), std::pair("bellman_ford", path_method::bellman_ford)})
    forms.push_back({{.name = name, .settings = {.method = method}}, {}});
  if (with_tasks) forms.push_back({{.name = "tasks", .settings = {}, .on_tasks = true}, {}});
  forms.push_back({{}, any_schedule("merge_path")});
  return forms;
}

class paths_of_input {
 public:
  paths_of_input(const std::string& name, const evenly::bench::arguments& args)
      : name_(name), input_(io::load_graph(name, {})) {
    weights_ = weights_of(input_, input_.has_weights ? weight_source::file : weight_source::hash);
    sources_ = random_sources(input_.edges, args.number("--sources"));
    forms_ = forms_of(args.number("--tasks") > 0);
  }

  void measure_on(executor_kind kind, report& lines) {
    const graph_problem problem =
        std::visit([&](const auto& weights) -> graph_problem { return view(weights.data()); }, weights_);
    const std::unique_ptr<search_place> place = place_graph(kind, problem, {.warm = true});
    std::printf("%s on %s: %d vertices, %d edges\n", name_.c_str(), name_of(kind).c_str(), input_.edges.rows,
                input_.edges.atoms());
    for (const path_form& form : forms_) add_line(kind, form, *place, lines);
  }

 private:
  template <class Weight> graph_view<Weight> view(const Weight* weights) const {
    const auto& edges = input_.edges;
    return {{edges.rows, edges.atoms(), edges.offsets.data(), edges.columns.data()}, {}, weights};
  }

  void add_line(executor_kind kind, const path_form& form, search_place& place, report& lines) {
    const std::string name = form.schedule ? form.schedule->text() : form.way.name;
    const auto search = form.schedule ? place.under(*form.schedule) : place.resident(form.way);
    const measurement all = evenly::bench::measure_from(sources_, *search, place.time(), [&](int source) {
      search->run(source, {});
      return first_error(source, search->result());
    });
    lines.add({{"workload", name_},
               {"op", "sssp"},
               {"executor", name_of(kind)},
               {"form", name},
               {"vertices", input_.edges.rows},
               {"edges", input_.edges.atoms()},
               {"bytes_a_vertex", static_cast<double>(search->bytes()) / input_.edges.rows}},
              all);
    evenly::bench::print_time(name, all);
  }

  std::optional<std::string> first_error(int source, found_paths found) {
    const auto known = right_.find(source);
    if (known != right_.end()) {
      if (known->second.values == found.values && known->second.parents == found.parents) return {};
      return "what is found differs from what the first form found, from " + std::to_string(source);
    }
    const auto wrong = std::visit(
        [&](const auto& weights) {
          using weight = typename std::remove_cvref_t<decltype(weights)>::value_type;
          using distance = std::conditional_t<std::is_same_v<weight, int>, std::int64_t, double>;
          return graphs::wrong_with_sssp(view(weights.data()), source,
                                         std::get<std::vector<distance>>(found.values), found.parents);
        },
        weights_);
    right_.emplace(source, std::move(found));
    return wrong;
  }

  std::string name_;
  io::graph_input input_;
  edge_weights weights_;
  std::vector<int> sources_;
  std::vector<path_form> forms_;
  std::map<int, found_paths> right_;
};

} // namespace

int main(int argc, char** argv) try {
  const evenly::bench::arguments args(argc, argv, {{"--on", ""}, {"--sources", "8"}, {"--tasks", "0"}});
  return evenly::bench::measure_inputs<paths_of_input>(args, usual_inputs);
} catch (const std::exception& e) {
  std::fprintf(stderr, "bench_paths: %s\n", e.what());
  return 1;
}
