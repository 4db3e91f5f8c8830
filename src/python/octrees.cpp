// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "evenly/spatial/bulk_octree.hpp"
#include "python/studies.hpp"

namespace evenly::python {

namespace {

template <class T> made_array copy_of(std::span<const T> values) {
  auto copy = make_buffer<T>(executor(), values.size());
  std::ranges::copy(values, copy.data());
  return made_of(std::move(copy));
}
template <class Member> made_array member_of(std::span<const spatial::octree_node> nodes, Member member) {
  auto copy = make_buffer<int>(executor(), nodes.size());
  std::ranges::transform(nodes, copy.data(), [&](const spatial::octree_node& node) { return node.*member; });
  return made_of(std::move(copy));
}

} // namespace

made_octree make_octree(const input& x, const input& y, const input& z, int max_points) {
  made_octree made;
  with_element<float, double>("points", x.type, [&]<class T>(T) {
    const octree tree = octree_in_bulk(executor(), points_of(x.as<T>(), y.as<T>(), z.as<T>()), max_points);
    made.begin = member_of(tree.nodes(), &spatial::octree_node::begin);
    made.end = member_of(tree.nodes(), &spatial::octree_node::end);
    made.children = member_of(tree.nodes(), &spatial::octree_node::children);
    made.order = copy_of(tree.order());
    made.keys = copy_of(tree.keys());
    made.levels = tree.levels();
    const auto& [corner, side] = tree.box();
    std::ranges::copy(corner, made.corner.begin());
    made.side = side;
  });
  return made;
}

} // namespace evenly::python
