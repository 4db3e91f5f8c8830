// SPDX-License-Identifier: Apache-2.0
#include "ranks/expected_costs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "evenly/core/index.hpp"
#include "generate/spec.hpp"

namespace evenly::ranks {

namespace {

double choose(int n, int k) {
  double all = 1;
  for (int i = 1; i <= k; ++i) all = all * (n - k + i) / i;
  return std::round(all);
}

/// Vertices with `ones` ones in their numbers before they are relabelled.
struct degree_class {
  struct neighbours {
    double count;
    double probability; ///< of an edge to each
  };
  double vertices;
  std::vector<neighbours> others;

  double degree() const {
    double sum = 0;
    for (const auto& [count, probability] : others) sum += count * probability;
    return sum;
  }
  /// The probability that none of the neighbours is among `part` of all vertices, at random.
  double missed_by(double part) const {
    double log = 0;
    for (const auto& [count, probability] : others) log += count * std::log1p(-probability * part);
    return std::exp(log);
  }
};

std::vector<degree_class> classes_of(const random_graph_shape& of) {
  std::vector<degree_class> classes;
  for (int ones = 0; ones <= of.scale; ++ones) {
    const int zeros = of.scale - ones;
    degree_class made{choose(of.scale, ones), {}};
    for (int both = 0; both <= ones; ++both)
      for (int only_other = 0; only_other <= zeros; ++only_other) {
        const int only_mine = ones - both, none = zeros - only_other;
        const double same = std::pow(of.d, both) * std::pow(of.a, none);
        const double there = same * std::pow(of.c, only_mine) * std::pow(of.b, only_other);
        const double back = same * std::pow(of.b, only_mine) * std::pow(of.c, only_other);
        const bool has_itself = only_mine == 0 && only_other == 0;
        const double count = choose(ones, both) * choose(zeros, only_other) - (has_itself ? 1 : 0);
        if (count > 0)
          made.others.push_back({count, -std::expm1(-static_cast<double>(of.edges) * (there + back))});
      }
    classes.push_back(std::move(made));
  }
  return classes;
}

std::int64_t rounded(double value) { return static_cast<std::int64_t>(std::llround(value)); }

} // namespace

std::optional<random_graph_shape> shape_of(std::string_view generator) {
  const std::string_view name = generator.substr(0, generator.find(':'));
  if (name != "rmat" && name != "kron" && name != "urand") return std::nullopt;
  const std::vector<generate::generator_info> known = generate::generators();
  const auto info = std::ranges::find(known, name, &generate::generator_info::name);
  const generate::parameters p(generator, *info);
  random_graph_shape made;
  constexpr int max_scale = 40;
  made.scale = static_cast<int>(p.count("scale", 0, max_scale));
  made.edges = p.count(name == "rmat" ? "edges" : "degree", 0, 1 << 20) << made.scale;
  if (name == "rmat") {
    made.a = p.real("a", 0, 1);
    made.b = p.real("b", 0, 1);
    made.c = p.real("c", 0, 1);
    made.d = p.real("d", 0, 1);
    if (std::abs(made.a + made.b + made.c + made.d - 1) > 1e-9) p.fail("a + b + c + d must be 1");
  } else if (name == "kron") {
    made.a = 0.57;
    made.b = made.c = 0.19;
    made.d = 0.05;
  }
  return made;
}

std::vector<distributed::rank_costs> expected_costs(const random_graph_shape& graph, int parts,
                                                    const distributed::split_options& options) {
  distributed::detail::check_split(parts, options);
  const std::vector<degree_class> classes = classes_of(graph);
  double entries = 0;
  for (const degree_class& each : classes) entries += each.vertices * each.degree();
  const auto vertices = static_cast<double>(std::int64_t{1} << graph.scale);
  const distributed::split_plan plan{std::int64_t{1} << graph.scale, rounded(entries), options, {}};

  // Parts have one of few sizes: whole groups, and the last one less.
  const std::int64_t groups = plan.groups(), steps = plan.tiles + plan.atoms;
  std::vector<double> part(static_cast<std::size_t>(parts));
  std::map<double, int> sizes;
  for (int p = 0; p < parts; ++p) {
    const auto cut = [&](int at) {
      const std::int64_t group = groups / parts * at + groups % parts * at / parts;
      return smaller(group * plan.steps_per_group(), steps);
    };
    part[static_cast<std::size_t>(p)] =
        static_cast<double>(cut(p + 1) - cut(p)) / static_cast<double>(larger<std::int64_t>(steps, 1));
    ++sizes[part[static_cast<std::size_t>(p)]];
  }
  std::map<double, double> seen; // the share of all vertices that a part of this size has edges from
  double seen_by_all = 0;
  for (const auto& [size, count] : sizes) {
    double vertices_seen = 0;
    for (const degree_class& each : classes) vertices_seen += each.vertices * (1 - each.missed_by(size));
    seen[size] = vertices_seen / vertices;
    seen_by_all += seen[size] * count;
  }
  const int working = parts - (sizes.contains(0.0) ? sizes[0.0] : 0);
  std::vector<distributed::rank_costs> costs;
  for (int p = 0; p < parts; ++p) {
    const double size = part[static_cast<std::size_t>(p)];
    distributed::rank_costs mine;
    mine.rows = mine.own = rounded(vertices * size);
    mine.entries = rounded(entries * size);
    if (size > 0 && working > 1) {
      mine.needed = rounded(vertices * (1 - size) * seen[size]);
      mine.sent = rounded(vertices * size * (seen_by_all - seen[size]));
      const double meets = -std::expm1(-entries * size * (1 - size) / (working - 1));
      mine.sources = mine.targets = rounded((working - 1) * meets);
      mine.carries = p + 1 < parts ? 1 : 0;
    }
    costs.push_back(mine);
  }
  return costs;
}

} // namespace evenly::ranks
