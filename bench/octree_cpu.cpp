// SPDX-License-Identifier: Apache-2.0
// Octrees on the CPU, in bulk and by tasks, compared with CGAL's, which is built on one core.
//
//   bench_octree_cpu [--threads N] [--repeat N] [--json FILE] [INPUT ...]
//
// INPUT is as `evenly octree` takes it; without: uniform and tube of 10^6 points. All get the same coordinates, doubles
// that need a box fitted to them, and split what has more than 20 points. CGAL moves the points themselves: they are
// put back untimed. Each tree is checked after its first run: every point is in one leaf that contains it, and what is
// split is what has too many. CGAL puts its cube around the middle of the points, ours begins at the least, so node
// numbers differ a little. Candidates take turns, N of them; shown are medians.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#if defined(EVENLY_WITH_CGAL)
#include <CGAL/Octree.h>
#include <CGAL/Simple_cartesian.h>
#endif

#include "arguments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/spatial/build_octree.hpp"
#include "evenly/spatial/bulk_octree.hpp"
#include "measure/host_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "spatial/octree_bench.hpp"

namespace evenly::bench {
namespace {

using namespace measure;
using namespace spatial;

constexpr int max_per_leaf = 20; // points of a leaf

struct coordinates {
  std::vector<double> x, y, z;
  point_view<double> view() const { return points_of(x, y, z); }
};

coordinates coordinates_of(const particle_cells& cells) {
  return {
      {cells.x.begin(), cells.x.end()}, {cells.y.begin(), cells.y.end()}, {cells.z.begin(), cells.z.end()}};
}

/// A construction that checks itself.
struct construction {
  int threads;
  candidate what;
  std::shared_ptr<std::int64_t> nodes = std::make_shared<std::int64_t>(); ///< of the checked tree
};

/// make() returns an octree.
template <class Make>
construction ours(const std::string& name, int threads, const coordinates& points, const Make& make) {
  const auto tree = std::make_shared<std::optional<octree>>();
  construction made{threads, {.name = name, .title = name}};
  made.what.prepare = [tree, make]() -> prepared_run {
    return {.run = [tree, make] { tree->emplace(make()); }, .before = [tree] { tree->reset(); }};
  };
  made.what.first_error = [tree, &points, nodes = made.nodes] {
    const octree& found_tree = **tree;
    const octree_box& box = found_tree.box();
    particle_cells cells;
    const std::array from{&points.x, &points.y, &points.z};
    const std::array to{&cells.x, &cells.y, &cells.z};
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const double v : *from[axis]) to[axis]->push_back(box.cell(v, static_cast<int>(axis)));
    found_octree found;
    found.nodes = {found_tree.nodes().begin(), found_tree.nodes().end()};
    found.order = {found_tree.order().begin(), found_tree.order().end()};
    found.levels = found_tree.levels();
    *nodes = static_cast<std::int64_t>(found.nodes.size());
    return first_error(found, cells, max_per_leaf);
  };
  return made;
}

#if defined(EVENLY_WITH_CGAL)
using cgal_kernel = CGAL::Simple_cartesian<double>;
using cgal_points = std::vector<cgal_kernel::Point_3>;
using cgal_octree = CGAL::Octree<cgal_kernel, cgal_points>;

/// What is wrong with a tree over `count` points, which lie in the order of its leaves.
std::optional<std::string> first_error_of(const cgal_octree& tree, std::size_t count, std::int64_t& nodes) {
  std::size_t in_leaves = 0;
  nodes = 0;
  for (const cgal_octree::Node node : tree.traverse<CGAL::Orthtrees::Preorder_traversal>()) {
    ++nodes;
    const bool too_many =
        node.size() > static_cast<std::size_t>(max_per_leaf) && node.depth() < octree_levels;
    if (node.is_leaf() == too_many)
      return "a node has " + std::to_string(node.size()) + " points, and is " +
             (node.is_leaf() ? "not split" : "split");
    if (!node.is_leaf()) continue;
    in_leaves += node.size();
    const CGAL::Bbox_3 box = tree.bbox(node);
    const double slack = 1e-9 * (tree.bbox(tree.root()).xmax() - tree.bbox(tree.root()).xmin());
    for (const auto& p : node)
      if (p.x() < box.xmin() - slack || p.x() > box.xmax() + slack || p.y() < box.ymin() - slack ||
          p.y() > box.ymax() + slack || p.z() < box.zmin() - slack || p.z() > box.zmax() + slack)
        return "a point is not in its leaf's box";
  }
  if (in_leaves != count) return std::to_string(in_leaves) + " points are in leaves";
  return {};
}

construction cgals(const coordinates& from) {
  struct state {
    cgal_points points;
    std::unique_ptr<cgal_octree> tree;
  };
  const auto all = std::make_shared<state>();
  construction made{1, {.name = "CGAL", .title = "CGAL"}};
  made.what.prepare = [all, &from]() -> prepared_run {
    return {.run =
                [all] {
                  all->tree = std::make_unique<cgal_octree>(
                      all->points, CGAL::Identity_property_map<cgal_kernel::Point_3>{}, 1.0);
                  all->tree->refine(octree_levels, max_per_leaf);
                },
            .before =
                [all, &from] {
                  all->tree.reset();
                  all->points.clear();
                  for (std::size_t i = 0; i < from.x.size(); ++i)
                    all->points.emplace_back(from.x[i], from.y[i], from.z[i]);
                }};
  };
  made.what.first_error = [all, nodes = made.nodes] {
    return first_error_of(*all->tree, all->points.size(), *nodes);
  };
  return made;
}
#endif

std::vector<construction> constructions_of(const coordinates& points, int threads) {
  std::vector<construction> all;
  std::vector<int> counts{threads};
  if (threads != 1) counts.push_back(1);
  for (const int count : counts) {
    const cpu exec(count);
    all.push_back(ours("evenly, bulk", count, points,
                       [exec, &points] { return octree_in_bulk(exec, points.view(), max_per_leaf); }));
    all.push_back(ours("evenly, tasks", count, points, [exec, &points] {
      octree_options options;
      options.max_per_leaf = max_per_leaf;
      return build_octree(exec, points.view(), options).tree;
    }));
  }
#if defined(EVENLY_WITH_CGAL)
  all.push_back(cgals(points));
#endif
  return all;
}

void measure_input(const std::string& input, int threads, int repeat, measure::report& lines) {
  const coordinates points = coordinates_of(load_particles(input));
  const std::vector<construction> all = constructions_of(points, threads);
  std::vector<candidate> candidates;
  for (const construction& each : all) candidates.push_back(each.what);
  measure::bench on{std::make_unique<host_timer>(threads), std::make_shared<unchecked_output>(), {}};
  std::printf("%s\n", input.c_str());
  const construction* each = all.data();
  for (const measurement& m : measure_in_turns(on, candidates, {.exactly = repeat})) {
    if (m.error)
      std::printf("  %-16s %d thread(s)    FAILED: %s\n", m.what.name.c_str(), each->threads,
                  m.error->c_str());
    else
      std::printf("  %-16s %d thread(s) %9.2f ms, %lld nodes\n", m.what.name.c_str(), each->threads,
                  m.time.median, static_cast<long long>(*each->nodes));
    lines.add({{"workload", input},
               {"op", "octree"},
               {"executor", "cpu"},
               {"name", m.what.name},
               {"threads", each->threads},
               {"points", points.x.size()},
               {"nodes", *each->nodes}},
              m);
    ++each;
  }
  std::fflush(stdout);
}

void measure_all(const arguments& args, measure::report& lines) {
  std::vector<std::string> inputs = args.words;
  if (inputs.empty()) inputs = {"uniform:n=1e6", "tube:n=1e6"};
#if !defined(EVENLY_WITH_CGAL)
  std::printf("without CGAL: its headers were not there when this was built\n");
#endif
  for (const std::string& each : inputs)
    measure_input(each, args.number("--threads"), args.number("--repeat"), lines);
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) {
  return evenly::bench::run_main(argc, argv,
                                 {.program = "bench_octree_cpu",
                                  .measure = evenly::bench::measure_all,
                                  .options = {{"--threads", "2"}, {"--repeat", "5"}}});
}
