// SPDX-License-Identifier: Apache-2.0
// What a schedule's prepare() gives back: its launch, and the memory that the mapping points into.
//
// A schedule is a plain struct of parameters with
//   int block_size                                                          threads in a block, 1 to 1024
//   template <class Executor, tile_set Tiles>
//   auto prepare(const Executor&, const Tiles&, const extent<Tiles>&) const -> prepared<...>
// which may allocate and run kernels on the executor, and
//   template <class Visit> void parameters(Visit visit) const
// which calls visit(name, value) for each of its parameters.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Threads in a block where a schedule says nothing else. merge_path, float SpMV on the ten workloads of
/// docs/performance.md, on an H200: 0 to 21% less time than with 256 (2026-11-20).
inline constexpr int default_block_size = 128;

/// What make_plan found out about a tile set: its atoms are [first_atom, first_atom + atoms).
template <tile_set Tiles> struct extent {
  atom_type<Tiles> first_atom = 0;
  std::int64_t atoms = 0;
};

/// One kernel launch of a schedule.
template <class Mapping> struct launch_of {
  using mapping_type = Mapping;
  Mapping mapping;
  launch_shape shape;
};

/// A launch, and what it needs to stay alive.
template <class Mapping, class... Owned> struct prepared_launch {
  launch_of<Mapping> launch;
  std::tuple<Owned...> owned;
};

template <class Mapping, class... Owned>
prepared_launch<Mapping, Owned...> prepared(launch_of<Mapping> launch, Owned... owned) {
  return {launch, std::tuple<Owned...>(std::move(owned)...)};
}

} // namespace evenly
