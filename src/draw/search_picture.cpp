// SPDX-License-Identifier: Apache-2.0
#include "draw/search_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "evenly/core/errors.hpp"
#include "evenly/graph/search_rule.hpp"
#include "graphs/place.hpp"
#include "graphs/graph_run.hpp"
#include "host/errors.hpp"
#include "io/edge_list.hpp"
#include "io/graph_input.hpp"
#include "measure/text.hpp"
#include "report/svg.hpp"

namespace evenly::draw {

using evenly::report::svg;
using graphs::place_graph, graphs::random_sources;
using measure::executor_kind, measure::grouped, measure::name_of, measure::with_noun;

namespace {

constexpr int max_drawn_levels = 100;
constexpr double left = 60, column = 34, high = 150, panel = high + 84, legend = 34;

/// A graph with a wide first frontier, and one with a narrow one.
constexpr std::array examples{"rmat:scale=14,edges=8", "regular:rows=20000,size=2"};

constexpr std::array<const char*, graphs::level_modes> colours{"#e0d3f0", "#9fc5ea", "#f7c380", "#a5d69a"};

struct drawn_level {
  graphs::frontier_report size;
  std::string way;
};
struct drawn_search {
  std::string title;
  std::vector<drawn_level> levels;
};

drawn_search search(const std::string& input, const io::read_options& how) {
  const io::graph_input graph = io::load_graph(input, {how, true});
  const auto& edges = graph.edges;
  const std::vector<int> sources = random_sources(edges, 1);
  require(!sources.empty(),
          [&] { return host::printable(graph.name) + " has no edges: a search needs at least one"; });
  graph_view<std::monostate> view;
  view.out = {edges.rows, edges.atoms(), edges.offsets.data(), edges.columns.data()};
  view.in = view.out; // both directions
  const std::string source = host::printable(graph.labels.of(sources.front()));
  const std::string vertices = with_noun(edges.rows, "vertex", "vertices");
  const std::string searched =
      fmt::format("a search of {} and {}", vertices, with_noun(edges.atoms(), "edge"));
  const auto place =
      place_graph(executor_kind::simt, view, {.memory = {.name = searched, .remedy = graph.memory_remedy()}});
  drawn_search drawn{fmt::format("{}, both ways: {}, {}, from {}", host::printable(graph.name), vertices,
                                 with_noun(edges.atoms(), "edge"), source),
                     {}};
  place->resident()->run(sources.front(), [&](const graphs::frontier_report& each, const char* way) {
    drawn.levels.push_back({each, way});
  });
  require(drawn.levels.size() <= max_drawn_levels, [&] {
    return fmt::format("{} has {} levels: a picture can show at most {}", host::printable(graph.name),
                       drawn.levels.size(), max_drawn_levels);
  });
  return drawn;
}

const char* colour_of(const std::string& way) {
  for (int i = 0; i < graphs::level_modes; ++i)
    if (way == name_of(static_cast<graphs::level_mode>(i))) return colours[static_cast<std::size_t>(i)];
  return "#ffffff";
}

/// Each power of ten has the same height.
double height_of(std::int64_t count, double decades) {
  return count == 0 ? 0 : high * (std::log10(static_cast<double>(count)) + 0.15) / decades;
}

void draw_panel(svg& on, const drawn_search& of, double top) {
  std::int64_t max = 1;
  for (const auto& each : of.levels) max = std::max({max, each.size.vertices, each.size.edges});
  const double decades = std::ceil(std::log10(static_cast<double>(max)) + 0.15), floor = top + 28 + high;
  on.text(8, top + 14, of.title, 13, "start", "#222", "bold");
  for (int power = 0; power < decades; ++power) {
    const double y = floor - high * (power + 0.15) / decades;
    on.line(left, y, left + column * static_cast<double>(of.levels.size()), y, "#dddddd");
    on.text(left - 6, y + 4, grouped(static_cast<std::int64_t>(std::llround(std::pow(10, power)))), 10, "end",
            "#555");
  }
  for (std::size_t i = 0; i < of.levels.size(); ++i) {
    const auto& [size, way] = of.levels[i];
    const double x = left + column * static_cast<double>(i) + 4;
    on.begin_group(fmt::format("level {}: {}, {}, {}", size.number,
                               with_noun(size.vertices, "vertex", "vertices"), with_noun(size.edges, "edge"),
                               way),
                   {{"data-level", std::to_string(size.number)}, {"data-way", way}});
    const double vertices = height_of(size.vertices, decades), edges = height_of(size.edges, decades);
    on.rect(x, floor - vertices, 12, vertices, colour_of(way), "#555555");
    on.rect(x + 14, floor - edges, 12, edges, colour_of(way), "#555555");
    on.text(x + 13, floor + 14, std::to_string(size.number), 11, "middle");
    on.end_group();
  }
  on.line(left, floor, left + column * static_cast<double>(of.levels.size()), floor, "#222");
  on.text(left, floor + 30, "level; left bar: vertices of the frontier, right bar: their outgoing edges", 11);
}

} // namespace

std::string search_picture(const std::string& input, const io::read_options& how) {
  std::vector<drawn_search> all;
  if (input.empty())
    for (const char* const each : examples) all.push_back(search(each, how));
  else
    all.push_back(search(input, how));
  std::size_t levels = 14;
  for (const auto& each : all) levels = std::max(levels, each.levels.size());
  svg on(left + column * static_cast<double>(levels) + 16, legend + panel * static_cast<double>(all.size()));
  double x = 8;
  for (int i = 0; i < graphs::level_modes; ++i, x += 100) {
    on.rect(x, 8, 14, 14, colours[static_cast<std::size_t>(i)], "#555555");
    on.text(x + 20, 20, name_of(static_cast<graphs::level_mode>(i)));
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    draw_panel(on, all[i], legend + panel * static_cast<double>(i));
  return on.str();
}

} // namespace evenly::draw
