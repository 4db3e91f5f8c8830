// SPDX-License-Identifier: Apache-2.0
// The persistent kernel of a bucketed search for shortest paths on cores, with blocks of one thread.
//
// Each block has its own lists of waiting vertices, by bucket (graph/detail/persistent_queues.hpp). An edge with a
// shorter path lowers the word of its end (path_words.hpp), after a load of it. The block that lowered the distance
// puts the vertex into its bucket. A block processes its new entries of the open bucket alone while they are few. If
// all waiting entries are only a few, as on a path, block 0 continues alone. An entry is dead if the distance of its
// vertex has fallen since.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "evenly/core/index.hpp"
#include "evenly/graph/detail/arrive_by_edge.hpp"
#include "evenly/graph/detail/path_parents.hpp"
#include "evenly/graph/detail/path_words.hpp"
#include "evenly/graph/detail/persistent_queues.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/weights.hpp"

namespace evenly::detail {

/// A vertex with edges to visit.
template <class Distance> struct waiting_vertex {
  Distance distance; ///< of the vertex when the entry was made
  std::uint32_t vertex;
};

template <class Weight, class Vertex, class Edge, class Distance, class Out> struct cores_paths_work {
  using weight_type = Weight;
  using vertex_type = Vertex;
  using edge_type = Edge;
  using distance_type = Distance;
  using word = path_word<Distance>;

  adjacency<Vertex, Edge> out;
  const Weight* weights;
  std::uint64_t* words; ///< one per vertex
  path_buckets<Distance> buckets;
  int rounds; ///< maximum rounds of a block between two barriers
  graphs::queue_lists<waiting_vertex<Distance>>* lists;
  Vertex source;
  Out* distances;
  Vertex* parents;                        ///< null if not wanted, or if words have none
  path_outcome* outcomes;                 ///< one per block
  std::vector<graphs::queue_totals>* log; ///< null if there is no log
};

template <class Block, class Work> class cores_paths {
  using vertex = typename Work::vertex_type;
  using edge = typename Work::edge_type;
  using distance = typename Work::distance_type;
  using word = typename Work::word;
  using entry = waiting_vertex<distance>;
  /// The maximum number of entries that a block processes alone; more are shared.
  static constexpr std::size_t max_single_block = 512;
  /// The number of entries from which block 0 continues alone, if there are no others; it stops at four times as many.
  static constexpr std::int64_t few = 16;

 public:
  cores_paths(const Work& work, Block& block) : work_(work), block_(block), queues_(block, *work.lists) {}

  void run() {
    begin();
    const auto go = [&](const entry* first, std::int64_t count) {
      if (queues_.is_only())
        visit<false>(first, count);
      else
        visit<true>(first, count);
    };
    for (graphs::queue_totals now = queues_.sync(); now.entries > 0;) {
      const std::int64_t entries = now.entries;
      edges_ = 0;
      if (queues_.is_only() || entries > few || now.behind > 0) {
        queues_.visit_open(entries, go);
        queues_.go_on(work_.rounds, max_single_block, go);
      } else if (block_.index() == 0) {
        queues_.run_single_block([&](const entry* first, std::int64_t count) { visit<false>(first, count); },
                                 [&] { return queues_.waits() <= 4 * few; });
      }
      now = queues_.sync(edges_);
      ++outcome_.frontiers;
      if (block_.index() == 0 && work_.log != nullptr)
        work_.log->push_back({.entries = entries, .counted = {now.counted[0]}});
    }
    end();
  }

 private:
  void begin() {
    for (std::int64_t v = first(); v < last(); ++v)
      work_.words[v] = v == work_.source ? source_word() : word::none();
    if (block_.index() == 0) queues_.put(0, {distance{0}, static_cast<std::uint32_t>(work_.source)});
  }
  void end() {
    const bool lacks = write_paths<distance>(work_.words, last(), work_.distances, work_.parents, first(), 1);
    outcome_.lacks_parents = lacks ? 1 : 0;
    work_.outcomes[block_.index()] = outcome_;
  }
  std::uint64_t source_word() const {
    return word::of(distance{0}, static_cast<std::uint32_t>(work_.source));
  }
  std::int64_t share() const { return ceil_div<std::int64_t>(work_.out.vertices, block_.count()); }
  std::int64_t first() const { return smaller<std::int64_t>(share() * block_.index(), work_.out.vertices); }
  std::int64_t last() const { return smaller<std::int64_t>(first() + share(), work_.out.vertices); }

  template <bool Shared> void visit(const entry* list, std::int64_t count) {
    constexpr std::int64_t ahead = 8;
    for (std::int64_t i = 0; i < count; ++i) {
      if (i + ahead < count) {
        prefetch(work_.words + list[i + ahead].vertex);
        prefetch(work_.out.offsets + list[i + ahead].vertex);
      }
      const entry now = list[i];
      if (word::distance(look<Shared>(work_.words[now.vertex])) == now.distance) relax<Shared>(now);
    }
  }
  template <bool Shared> void relax(const entry& now) {
    const edge begin = work_.out.offsets[now.vertex], end = work_.out.offsets[std::int64_t{now.vertex} + 1];
    edges_ += end - begin;
    for (edge e = begin; e < end; ++e) {
      distance sum{};
      if (!graphs::add_weight(now.distance, work_.weights[e], sum)) {
        outcome_.too_far = 1;
        continue;
      }
      const auto to = static_cast<std::uint32_t>(work_.out.ends[e]);
      const std::uint64_t wanted = word::reached(now.distance, sum, now.vertex);
      std::uint64_t seen = look<Shared>(work_.words[to]);
      if (wanted >= seen || !lower<Shared>(work_.words[to], seen, wanted)) continue;
      if (word::distance(seen) != sum) queues_.put(work_.buckets.of(sum), {sum, to});
    }
  }
  template <bool Shared> static std::uint64_t look(std::uint64_t& at) {
    if constexpr (Shared) return std::atomic_ref(at).load(std::memory_order_relaxed);
    return at;
  }
  /// Lowers `at` to `wanted`. Returns whether it did; seen: the value before.
  template <bool Shared> static bool lower(std::uint64_t& at, std::uint64_t& seen, std::uint64_t wanted) {
    if constexpr (!Shared) {
      at = wanted;
      return true;
    }
    const std::atomic_ref shared(at);
    while (wanted < seen)
      if (shared.compare_exchange_weak(seen, wanted, std::memory_order_relaxed)) return true;
    return false;
  }

  const Work& work_;
  Block& block_;
  graphs::persistent_queues<Block, entry> queues_;
  std::int64_t edges_ = 0; ///< visited since the last barrier
  path_outcome outcome_{};
};

template <class Weight, class Vertex, class Edge, class Distance, class Out> struct cores_paths_kernel {
  using work_type = cores_paths_work<Weight, Vertex, Edge, Distance, Out>;
  work_type work;

  template <class Block> void operator()(Block& block) const {
    cores_paths<Block, work_type>(work, block).run();
  }
};

} // namespace evenly::detail
