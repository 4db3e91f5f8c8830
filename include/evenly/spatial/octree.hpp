// SPDX-License-Identifier: Apache-2.0
// An octree of points, for searches of points near each other.
//
// An octant with more than `max_per_leaf` points has eight children, unless it is one cell. Nodes are numbered level by
// level, and on a level in the order of Morton keys. Children are eight consecutive nodes: the r-th node with children
// has the children 8 r + 1, ..., 8 r + 8. The points of a node are [begin, end) of `order`, which has numbers of
// points. Each point is in one leaf. Children without points are leaves, too.
//
// Two functions make the same nodes: octree_in_bulk (bulk_octree.hpp), and build_octree by tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/spatial/morton.hpp"
#include "evenly/spatial/points.hpp"

namespace evenly::spatial {

/// The points of a node, and its first child; 0 for a leaf.
struct octree_node {
  int begin;
  int end;
  int children;

  EVENLY_FN constexpr int size() const { return end - begin; }
  EVENLY_FN constexpr bool is_leaf() const { return children == 0; }
  friend EVENLY_FN constexpr bool operator==(const octree_node& a, const octree_node& b) {
    return a.begin == b.begin && a.end == b.end && a.children == b.children;
  }
};

/// A tree for kernels. It always has a root.
struct octree_view {
  const octree_node* nodes;
  const int* order;          ///< points in the order of leaves
  const std::uint64_t* keys; ///< of order[0], order[1], ...
  int node_count;
  int point_count;
  octree_box box;

  /// The leaf of a cell. At most 21 loads.
  EVENLY_FN int leaf_of(const grid_cell& cell) const {
    const std::uint64_t key = morton_key(cell);
    int at = 0;
    for (int depth = 0; !nodes[at].is_leaf(); ++depth) at = nodes[at].children + octant_of_key(key, depth);
    return at;
  }
  /// The leaf of a position; outside the box, that of the nearest cell.
  EVENLY_FN int leaf_of(double x, double y, double z) const {
    return leaf_of(grid_cell{box.cell(x, 0), box.cell(y, 1), box.cell(z, 2)});
  }
};

struct octree_summary {
  std::int64_t nodes = 0;
  std::int64_t internal = 0;
  std::int64_t leaves = 0; ///< including empty ones
  std::int64_t empty_leaves = 0;
  int depth = 0;              ///< of the deepest node
  std::int64_t depth_sum = 0; ///< sum over all points of the depth of their leaf
  friend bool operator==(const octree_summary&, const octree_summary&) = default;
};

/// Owns a tree in the memory of the executor that made it. Move-only.
class octree {
 public:
  octree(buffer<octree_node> nodes, buffer<int> order, buffer<std::uint64_t> keys, std::vector<int> levels,
         const octree_box& box)
      : nodes_(std::move(nodes)), order_(std::move(order)), keys_(std::move(keys)),
        levels_(std::move(levels)), box_(box) {}

  octree_view view() const {
    return {nodes_.data(),
            order_.data(),
            keys_.data(),
            static_cast<int>(nodes_.size()),
            static_cast<int>(order_.size()),
            box_};
  }
  std::span<const octree_node> nodes() const { return {nodes_.data(), nodes_.size()}; }
  std::span<const int> order() const { return {order_.data(), order_.size()}; }
  std::span<const std::uint64_t> keys() const { return {keys_.data(), keys_.size()}; }
  /// Nodes of depth d are [levels()[d], levels()[d + 1]).
  const std::vector<int>& levels() const { return levels_; }
  const octree_box& box() const { return box_; }

 private:
  buffer<octree_node> nodes_;
  buffer<int> order_;
  buffer<std::uint64_t> keys_;
  std::vector<int> levels_;
  octree_box box_;
};

/// Copies the nodes to the host, and computes the summary. O(nodes). Synchronises.
template <class Executor> octree_summary summary_of(const Executor& exec, const octree& tree) {
  const std::vector<octree_node> nodes = to_host(exec, tree.nodes());
  octree_summary found;
  found.nodes = static_cast<std::int64_t>(nodes.size());
  found.depth = static_cast<int>(tree.levels().size()) - 2;
  for (int d = 0; d <= found.depth; ++d)
    for (int i = tree.levels()[static_cast<std::size_t>(d)];
         i < tree.levels()[static_cast<std::size_t>(d) + 1]; ++i) {
      const octree_node& node = nodes[static_cast<std::size_t>(i)];
      if (!node.is_leaf()) {
        ++found.internal;
        continue;
      }
      ++found.leaves;
      if (node.size() == 0) ++found.empty_leaves;
      found.depth_sum += std::int64_t{d} * node.size();
    }
  return found;
}

} // namespace evenly::spatial

namespace evenly::detail {

/// The split octants in the order of nodes: child c of split s begins at [9 s + c], and the last child ends at [9 s +
/// 8].
struct octree_splits {
  const int* begins;
  int count;
  int points;
  int max_per_leaf;
  int last_level; ///< children of splits from this one on are cells

  /// A node; instead of the number of its children it has 1 if it has any.
  EVENLY_FN spatial::octree_node node(std::int64_t i) const {
    if (i == 0) return {0, points, points > max_per_leaf ? 1 : 0};
    const std::int64_t split = (i - 1) / 8;
    const int* const at = begins + 9 * split + (i - 1) % 8;
    return {at[0], at[1], at[1] - at[0] > max_per_leaf && split < last_level ? 1 : 0};
  }
};
struct split_flag {
  octree_splits splits;
  std::int64_t first;
  EVENLY_FN int operator()(std::int64_t i) const { return splits.node(first + i).children; }
};
struct finished_node {
  octree_splits splits;
  const int* ranks;
  EVENLY_FN spatial::octree_node operator()(std::int64_t i) const {
    spatial::octree_node made = splits.node(i);
    if (made.children != 0) made.children = 1 + 8 * ranks[i];
    return made;
  }
};

/// Makes the tree of splits. splits_of: 22 numbers; splits_of[d] is the first split of depth d, the last is their
/// count.
template <class Executor>
spatial::octree finish_octree(const Executor& exec, const int* begins, const std::vector<int>& splits_of,
                              int max_per_leaf, buffer<int> order, buffer<std::uint64_t> keys,
                              const spatial::octree_box& box) {
  const octree_splits splits{begins, splits_of.back(), static_cast<int>(order.size()), max_per_leaf,
                             splits_of[spatial::octree_levels - 1]};
  require(splits.count < (std::numeric_limits<int>::max() - 1) / 8, [&] {
    return std::to_string(splits.count) + " octants must be split, but a tree has fewer than 2^31 nodes";
  });
  const std::int64_t count = 1 + 8 * std::int64_t{splits.count};
  const auto size = static_cast<std::size_t>(count);
  auto flags = make_buffer<int>(exec, size), ranks = make_buffer<int>(exec, size);
  tabulate(exec, count, split_flag{splits, 0}, flags.data());
  exclusive_scan(exec, static_cast<const int*>(flags.data()), count, plus<int>{}, ranks.data());
  auto nodes = make_buffer<spatial::octree_node>(exec, size);
  tabulate(exec, count, finished_node{splits, ranks.data()}, nodes.data());
  std::vector<int> levels{0, 1};
  for (std::size_t d = 1; d < splits_of.size() && splits_of[d - 1] < splits.count; ++d)
    levels.push_back(1 + 8 * splits_of[d]);
  exec.synchronize();
  return {std::move(nodes), std::move(order), std::move(keys), std::move(levels), box};
}

inline void check_max(int max_per_leaf) {
  require(max_per_leaf >= 1, [&] {
    return "max_per_leaf = " + std::to_string(max_per_leaf) + ": a leaf must hold at least one point";
  });
}

} // namespace evenly::detail

namespace evenly {

using spatial::octree_view, spatial::octree;

} // namespace evenly
