// SPDX-License-Identifier: Apache-2.0
// Strong components by one depth-first search on one core (Tarjan 1972, in the form of Pearce, Information Processing
// Letters 2016, which keeps one number per vertex).
//
// The number of a vertex is 0 before it is visited, then its place among the visited vertices, later the least place
// that it reaches, and in the end the complement of its component's label. Compared as unsigned numbers, those of
// finished components are greater than all others, so one comparison leaves them out. There is no recursion: a frame is
// kept for each vertex on the path.
//
// A visit prefetches the numbers and the offsets at the ends of the vertex's first edges.
#pragma once

#include <cstddef>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/graph_view.hpp"

namespace evenly::detail {

/// A vertex on the path from the root.
template <class Vertex, class Edge> struct component_frame {
  Edge next; ///< its next edge
  Vertex vertex;
  Vertex lowest; ///< the least place that it reaches so far
};

/// The kernel, for one serial block.
template <class Vertex, class Edge> struct components_on_cores {
  using number = std::make_unsigned_t<Vertex>;
  using frame = component_frame<Vertex, Edge>;

  adjacency<Vertex, Edge> out;
  Vertex* labels;  ///< also the numbers of vertices
  frame* frames;   ///< one per vertex
  Vertex* waiting; ///< one per vertex: those that wait for the root of their component

  template <class Block> void operator()(Block&) const {
    Vertex* top = waiting;
    Vertex visited = 0;
    for (Vertex v = 0; v < out.vertices; ++v) labels[v] = 0;
    for (Vertex v = 0; v < out.vertices; ++v)
      if (labels[v] == 0) search(v, visited, top);
    for (Vertex v = 0; v < out.vertices; ++v) labels[v] = ~labels[v];
  }

 private:
  static bool is_lower(Vertex a, Vertex b) { return static_cast<number>(a) < static_cast<number>(b); }

  void prefetch_ends(Vertex v) const {
    constexpr Edge some = 8;
    const Edge begin = out.offsets[v], end = smaller<Edge>(out.offsets[v + 1], begin + some);
    for (Edge e = begin; e < end; ++e) {
      prefetch_read(labels + out.ends[e]);
      prefetch_read(out.offsets + out.ends[e]);
    }
  }

  void search(Vertex root, Vertex& visited, Vertex*& top) const {
    frame* path = frames; // one past the last frame
    frame now{out.offsets[root], root, ++visited};
    labels[root] = visited;
    prefetch_ends(root);
    for (;;) {
      const Edge end = out.offsets[now.vertex + 1];
      Vertex child = -1;
      while (now.next < end) {
        const Vertex to = out.ends[now.next++];
        const Vertex seen = labels[to];
        if (seen == 0) {
          child = to;
          break;
        }
        if (is_lower(seen, now.lowest)) now.lowest = seen;
      }
      if (child >= 0) {
        *path++ = now;
        now = {out.offsets[child], child, ++visited};
        labels[child] = visited;
        prefetch_ends(child);
        continue;
      }
      const bool is_root = now.lowest == labels[now.vertex];
      if (is_root)
        top = finish(now.vertex, top);
      else {
        labels[now.vertex] = now.lowest;
        *top++ = now.vertex;
      }
      if (path == frames) return;
      const Vertex lowest = now.lowest;
      now = *--path;
      if (!is_root && is_lower(lowest, now.lowest)) now.lowest = lowest;
    }
  }
  /// Labels the component of `root`: those that wait and have no lower number. Returns the new top.
  Vertex* finish(Vertex root, Vertex* top) const {
    const Vertex lowest = labels[root];
    Vertex least = root;
    Vertex* first = top;
    while (first != waiting && labels[first[-1]] >= lowest) least = smaller(least, *--first);
    labels[root] = ~least;
    for (Vertex* each = first; each != top; ++each) labels[*each] = ~least;
    return first;
  }
};

/// Finds the components on one core, and waits.
template <class Executor, class Vertex, class Edge>
void find_components_on_cores(const Executor& exec, const adjacency<Vertex, Edge>& out, Vertex* labels) {
  using kernel = components_on_cores<Vertex, Edge>;
  const auto size = static_cast<std::size_t>(out.vertices);
  const auto frames = make_buffer<typename kernel::frame>(exec, size);
  const auto waiting = make_buffer<Vertex>(exec, size);
  launch(exec, {.blocks = 1, .block_size = 1}, kernel{out, labels, frames.data(), waiting.data()});
}

} // namespace evenly::detail
