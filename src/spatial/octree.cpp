// SPDX-License-Identifier: Apache-2.0
#include "spatial/octree.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/io/read.hpp"
#include "evenly/spatial/points.hpp"
#include "io/dense_output.hpp"
#include "io/output_file.hpp"
#include "json/value.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/workload_words.hpp"
#include "report/measured_run.hpp"
#include "report/svg.hpp"
#include "spatial/octree_bench.hpp"

namespace evenly::spatial {

using evenly::report::svg;
using measure::candidate, measure::measurement, measure::name_of, measure::result_file,
    measure::words_of_workload;

namespace {

constexpr std::int64_t max_particles = 1'000'000'000;

particle_cells cells_of_file(const std::string& path, const io::read_options& how) {
  const io::point_set points = io::read_points(path, how);
  const octree_box box = fit_box(cpu(), points_of(points.x, points.y, points.z));
  particle_cells cells;
  const std::array from{&points.x, &points.y, &points.z};
  const std::array to{&cells.x, &cells.y, &cells.z};
  for (std::size_t axis = 0; axis < 3; ++axis)
    std::ranges::transform(*from[axis], std::back_inserter(*to[axis]),
                           [&](double v) { return box.cell(v, static_cast<int>(axis)); });
  return cells;
}

/// An octant in the grid of its depth, 0 to 2^depth - 1 on each axis.
struct octant {
  int depth;
  std::uint32_t x, y, z;
};
std::vector<octant> octants_of(const found_octree& tree) {
  std::vector<octant> all(tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].is_leaf()) continue;
    const octant& of = all[i];
    for (unsigned c = 0; c < 8; ++c)
      all[static_cast<std::size_t>(tree.nodes[i].children) + c] = {
          of.depth + 1, 2 * of.x + (c >> 2), 2 * of.y + (c >> 1 & 1), 2 * of.z + (c & 1)};
  }
  return all;
}

void write_leaves(const found_octree& tree, const std::string& path) {
  const std::vector<octant> octants = octants_of(tree);
  std::vector<std::int64_t> leaves;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (!tree.nodes[i].is_leaf()) continue;
    const octant& at = octants[i];
    leaves.insert(leaves.end(), {at.depth, at.x, at.y, at.z, tree.nodes[i].size()});
  }
  constexpr std::int64_t numbers = 5; // per leaf
  io::write_dense<std::int64_t>(path, io::table_output,
                                {.values = leaves,
                                 .rows = std::ssize(leaves) / numbers,
                                 .cols = numbers,
                                 .head = "# depth x y z particles\n"});
}

/// The leaves that intersect the middle plane of z, darker for more particles.
std::string slice_of(const found_octree& tree, const std::string& input, int max_per_leaf) {
  constexpr double side = 640, margin = 16, head = 40;
  svg picture(side + 2 * margin, side + margin + head);
  picture.text(margin, 26, fmt::format("{}: leaves in the middle plane of z", input), 14);
  const std::vector<octant> octants = octants_of(tree);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const octant& at = octants[i];
    const std::uint32_t middle = at.depth == 0 ? 0 : 1u << (at.depth - 1);
    if (!tree.nodes[i].is_leaf() || at.z != middle) continue;
    const double edge = side / static_cast<double>(1u << at.depth);
    const int shade = static_cast<int>(
        std::min<std::int64_t>(std::int64_t{160} * tree.nodes[i].size() / max_per_leaf, 160));
    picture.rect(margin + edge * at.x, head + edge * at.y, edge, edge,
                 fmt::format("#{:02x}{:02x}ff", 255 - shade, 255 - shade / 2), "#888888");
  }
  return picture.str();
}

std::string numbers_of(const std::string& input, const octree_summary& tree) {
  report::table made({"input", "nodes", "internal", "leaves", "empty leaves", "depth", "depth sum"},
                     {-24, 12, 12, 12, 14, 8, 14});
  report::table::cells words{input};
  for (const std::int64_t each : std::initializer_list<std::int64_t>{
           tree.nodes, tree.internal, tree.leaves, tree.empty_leaves, tree.depth, tree.depth_sum})
    words.push_back(std::to_string(each));
  made.row(std::move(words));
  return made.text();
}

/// The pool in a candidate's name.
std::string pool_of(const candidate& each) { return each.name.substr(0, each.name.find(',')); }

json::value json_of(const measurement& m, const found_octree& found) {
  json::value made{
      {"pool", pool_of(m.what)}, {"is_pool", m.what.is_schedule}, {"cut", found.cut}, {"ok", !m.error}};
  made.update({{"nodes", found.summary.nodes},
               {"internal", found.summary.internal},
               {"leaves", found.summary.leaves},
               {"empty_leaves", found.summary.empty_leaves},
               {"depth", found.summary.depth},
               {"depth_sum", found.summary.depth_sum},
               {"tasks", found.tasks}});
  put_times(made, m.time, !m.error);
  tasks::add_balance(made, found.balance);
  return made;
}

bool wanted(const octree_settings& options, const candidate& each) {
  return !each.is_schedule || options.pools.empty() || std::ranges::count(options.pools, pool_of(each)) > 0;
}

} // namespace

particle_cells load_particles(const std::string& input, const io::read_options& how) {
  if (how.format || how.frame > 0) return cells_of_file(input, how); // options of files only
  for (const auto& [name, make] :
       {std::pair{"uniform", &uniform_particles}, std::pair{"tube", &tube_particles}}) {
    if (!input.starts_with(std::string(name) + ':') && input != name) continue;
    words_of_workload words(input);
    const std::int64_t count = words.whole("n", 0, max_particles);
    const std::int64_t seed = words.whole("seed", 0, std::int64_t{1} << 53, 1);
    words.refuse_others();
    return make(count, static_cast<std::uint64_t>(seed));
  }
  return cells_of_file(input, how);
}

bench make_octree_bench(executor_kind kind, const particle_cells& cells, const octree_bench_options& options,
                        octree_findings& findings) {
  return measure::with_executor(
      kind, [&]<class Executor>() { return octree_bench_on<Executor>(cells, options, findings); });
}

std::optional<std::string> first_error(const found_octree& tree, const particle_cells& cells,
                                       int max_per_leaf) {
  const std::size_t count = cells.x.size();
  if (tree.order.size() != count)
    return fmt::format("the tree has {} of {} particles", tree.order.size(), count);
  std::vector<int> place(count, -1);
  for (std::size_t at = 0; at < count; ++at) {
    const int p = tree.order[at];
    if (p < 0 || static_cast<std::size_t>(p) >= count || place[static_cast<std::size_t>(p)] >= 0)
      return fmt::format("particle {} appears twice or does not exist", p);
    place[static_cast<std::size_t>(p)] = static_cast<int>(at);
  }
  octree_view view{};
  view.nodes = tree.nodes.data();
  for (std::size_t d = 0; d + 1 < tree.levels.size(); ++d)
    for (int i = tree.levels[d]; i < tree.levels[d + 1]; ++i) {
      const octree_node& node = tree.nodes[static_cast<std::size_t>(i)];
      if (node.is_leaf() == (node.size() > max_per_leaf && d < octree_levels))
        return fmt::format("node {} has {} particles, but is {}", i, node.size(),
                           node.is_leaf() ? "not split" : "split");
    }
  for (std::size_t p = 0; p < count; ++p) {
    const int leaf = view.leaf_of(grid_cell{cells.x[p], cells.y[p], cells.z[p]});
    const octree_node& node = tree.nodes[static_cast<std::size_t>(leaf)];
    if (place[p] < node.begin || place[p] >= node.end)
      return fmt::format("particle {} is missing from leaf {}", p, leaf);
  }
  return {};
}

bool time_octrees(const octree_settings& options) {
  const executor_kind kind = report::executor_of(options.executor);
  octree_findings findings;
  const auto time_all = [&](result_file& file, std::string& text) {
    const particle_cells cells = load_particles(options.input, options.reading);
    octree_bench_options given{.bench = options.bench,
                               .max_per_leaf = options.max_per_leaf,
                               .cut = options.cut,
                               .blocks = options.blocks,
                               .block_size = options.settings.block_size,
                               .settings = options.settings};
    given.settings.profile = true;
    bench on = make_octree_bench(kind, cells, given, findings);
    report::timed_table table("pool", {{"M points/s", 14}, {"tasks", 12}});
    tasks::balance_table balances;
    for (const candidate& each : on.candidates(0)) {
      if (!wanted(options, each)) continue;
      const measurement m = measure::measure(on, each, report::few_rounds(options.repeat, kind, true));
      const found_octree& found = findings.of[each.name];
      table.row(m, {fmt::format("{:.4g}", static_cast<double>(cells.x.size()) / m.time.median / 1e3),
                    std::to_string(found.tasks)});
      if (!m.error) balances.add(each.title, found.balance);
      file.add(json_of(m, found));
    }
    text = numbers_of(options.input, findings.of["bulk"].summary) +
           fmt::format("{} on {} ({})\n", options.input, name_of(kind), on.time->place()) + table.rows() +
           balances.str() + table.errors();
    return table.errors().empty();
  };
  const bool all_right =
      report::measure_input({.executor = kind,
                             .input = options.input,
                             .outputs = {options.json, options.report, {options.output, options.picture}},
                             .head =
                                 [&] {
                                   return json::value{{"input", options.input},
                                                      {"most", options.max_per_leaf},
                                                      {"max_per_leaf", options.max_per_leaf}};
                                 },
                             .work = time_all});
  if (!all_right) return false;
  if (!options.output.empty()) write_leaves(findings.of["bulk"], options.output);
  if (!options.picture.empty())
    io::write_output(options.picture, slice_of(findings.of["bulk"], options.input, options.max_per_leaf));
  return true;
}

std::string help_on_particles() {
  return "Particles (1e6 is a valid count; [...] is optional):\n"
         "  uniform:n=N[,seed=S]   uniformly distributed in a cube\n"
         "  tube:n=N[,seed=S]      in a tube along the x axis\n"
         "  FILE                   .ply, .obj, .xyz, .pcd, .npy (N x 3), also compressed,\n"
         "                         scaled to 2^21 cells per side\n";
}

} // namespace evenly::spatial
