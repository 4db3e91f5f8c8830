// SPDX-License-Identifier: Apache-2.0
// The kernel of a bucketed search for shortest paths: its parameters. path_worker.hpp has the work of a block.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/detail/entry_lists.hpp"
#include "evenly/graph/detail/open_buckets.hpp"
#include "evenly/graph/detail/path_stage.hpp"
#include "evenly/graph/detail/path_words.hpp"
#include "evenly/graph/detail/path_worker.hpp"
#include "evenly/graph/graph_view.hpp"

namespace evenly::detail {

template <class Weight, class Vertex, class Edge, class Distance, class Out> struct paths_kernel {
  static constexpr int tuned_block_size = 640;
  static constexpr bool only_tuned_size = true;
  static constexpr int min_blocks = 1;
  static constexpr int max_blocks = 1;
  using weight_type = Weight;
  using entry = path_entry<Distance, Edge>;
  using word = path_word<Distance>;
  using slots = path_slots<entry>;

  adjacency<Vertex, Edge> out;
  const Weight* weights;
  std::uint64_t* words; ///< one per vertex
  entry_lists<entry> lists;
  path_buckets<Distance> buckets;
  path_rules rules;
  path_control* control;
  grid_barrier barrier;
  Vertex source;
  Out* distances;
  Vertex* parents;    ///< null if not wanted, or if words have none
  path_frontier* log; ///< null if there is no log
  std::uint32_t log_size;

  EVENLY_FN slots lay_out(storage_layout& layout, block_shape) const {
    return {path_stage_slots<entry>::lay_out(layout, rules.stage, rules.buckets),
            layout.take<opened_buckets>(1)};
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    path_worker<Block, paths_kernel>(block, *this, place).run();
  }
};

} // namespace evenly::detail
