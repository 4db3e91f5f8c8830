// SPDX-License-Identifier: Apache-2.0
// The result of a schedule's prepare(): its launch, and the memory that the mapping points into.
//
// A schedule is a plain struct of parameters with these members:
//   int block_size                                                          threads per block, 1 to 1024
//   template <class Executor, tile_set Tiles>
//   auto prepare(const Executor&, const Tiles&, const extent<Tiles>&) const -> prepared_launch<...>
//                           may allocate, and run kernels on the executor
//   template <class Visit> void parameters(Visit visit) const
//                           calls visit(name, value) for each of its parameters
//
// Its plans can be bound to other tiles if prepare() has this form instead:
//   auto prepare(const Executor&, const Tiles&, const extent<Tiles>&, const planning&, buffer<...>... kept = {}) const
//                           allocates room for the tiles and atoms of `planning`; reuses the memory in `kept` (what the
//                           plan owns, in order) without waiting for the executor
//
// Optional, if a block can compute the entries of prepare()'s table (detail/searched.hpp):
//   auto prepare_nothing(const Executor&, const Tiles&, const extent<Tiles>&, const planning&) const
//                           returns a launch that owns nothing
//
// A mapping, the view that a kernel uses, is trivially copyable and has these members:
//   tiles_type                              the tile set
//   sharings                                a sharing::list of the forms in which it distributes work (sharing.hpp)
//   slots, and static slots lay_out(storage_layout&, block_shape)           its storage
//   static constexpr int tuned_block_size   threads per block; kernels are compiled separately for this number
//   template <class Block, class Consumer> void distribute(Block&, const slots&, Consumer&) const
//
// Optional members of a mapping:
//   int cutting_blocks(int blocks) const    how many of the blocks, the first ones, have parts that cut tiles
//   sized_mapping<M> sized(const capacity&, block_shape) const
//                                           EVENLY_FN, for tile sets sized on the device: the mapping for their actual
//                                           sizes (sizes_within), and the number of blocks that these need. Blocks of a
//                                           resident launch process one of these blocks after another
//                                           (docs/decisions/0013)
//   static constexpr int min_blocks         how many blocks of tuned_block_size should fit on a multiprocessor
//   chunks()                                the chunks that persistent blocks may draw (chunks.hpp)
#pragma once

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// The default number of threads per block. It takes 0 to 21% less time than 256 (merge_path, float SpMV on the ten
/// workloads of docs/performance.md, on an H200, 2026-11-20).
inline constexpr int default_block_size = 128;

/// The extent that make_plan found for a tile set: its atoms are [first_atom, first_atom + atoms).
template <tile_set Tiles> struct extent {
  atom_type<Tiles> first_atom = 0;
  std::int64_t atoms = 0;
};

/// The conditions of a plan, in addition to the tiles: prepare() allocates memory for every tile set within `max_size`.
struct planning {
  capacity max_size;
  bool may_wait = true; ///< for the executor, to read back something that may make runs faster
};

/// The sizes of a tile set, as a kernel reads them.
template <tile_set Tiles> struct sizes {
  std::int64_t tiles = 0;
  extent<Tiles> all;
};

/// Reads the sizes on the executor. A tile set that exceeds its capacity counts as empty.
template <tile_set Tiles> EVENLY_FN sizes<Tiles> sizes_within(const Tiles& tiles, const capacity& max_size) {
  using tile = tile_type<Tiles>;
  const std::int64_t count = tiles.tiles();
  if (count <= 0 || count > max_size.tiles) return {};
  const std::int64_t first = tiles.begin(0), last = tiles.end(static_cast<tile>(count - 1));
  if (first < 0 || last < first || last - first > max_size.atoms) return {};
  return {count, {static_cast<atom_type<Tiles>>(first), last - first}};
}

/// A mapping for some sizes, and the number of blocks that they need.
template <class Mapping> struct sized_mapping {
  Mapping mapping;
  int blocks;
};

namespace detail {

/// A placeholder block, consumer and parameter visitor for testing mappings.
struct any_block {};
struct any_consumer {
  template <class Form, class Part> EVENLY_FN void operator()(Form, const Part&);
};
struct any_parameter {
  template <class Value> void operator()(const char*, const Value&) const {}
};

template <class M>
concept names_slots = requires(storage_layout& layout, block_shape shape) {
  { M::lay_out(layout, shape) } -> std::same_as<typename M::slots>;
};
template <class M>
concept names_block_size = requires {
  { M::tuned_block_size } -> std::convertible_to<int>;
};
template <class M>
concept distributes = requires(const M& of, any_block& block, const typename M::slots& slots,
                               any_consumer& consumer) { of.distribute(block, slots, consumer); };

/// Each rule has its own assertion, so that an error names the broken rule.
template <class M> struct is_a_mapping {
  static_assert(std::is_trivially_copyable_v<M>,
                "a mapping must be trivially copyable, because it is copied to the device");
  static_assert(
      requires { requires tile_set<typename M::tiles_type>; },
      "a mapping needs a member type tiles_type, its tile set");
  static_assert(
      requires { typename M::sharings; },
      "a mapping needs a member type sharings, a sharing::list of the forms in which it distributes work");
  static_assert(names_slots<M>, "a mapping needs a member type slots and a static lay_out(storage_layout&, "
                                "block_shape) that returns it");
  static_assert(names_block_size<M>,
                "a mapping needs a constant tuned_block_size, the block size with specialized kernels");
  static_assert(distributes<M>, "a mapping needs a member template distribute(block, slots, consumer) const");
  static constexpr bool holds = true;
};

template <class Prepared>
concept has_launch =
    requires { typename std::remove_cvref_t<decltype(std::declval<Prepared>().launch)>::mapping_type; };
template <class S>
concept names_block_size_of_launch = requires(const S& of) {
  { of.block_size } -> std::convertible_to<int>;
};
template <class S>
concept names_parameters = requires(const S& of) { of.parameters(any_parameter{}); };
template <class S, class Executor, class Tiles, class... Kept>
concept plans_room = requires(const S& of, const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
                              const planning& how, Kept... kept) {
  { of.prepare(exec, tiles, all, how, std::move(kept)...) } -> has_launch;
};
template <class S, class Executor, class Tiles>
concept prepares = plans_room<S, Executor, Tiles> ||
                   requires(const S& of, const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) {
                     { of.prepare(exec, tiles, all) } -> has_launch;
                   };

template <class S, class Executor, tile_set Tiles> struct is_a_schedule {
  static_assert(names_block_size_of_launch<S>, "a schedule needs a member int block_size");
  static_assert(
      names_parameters<S>,
      "a schedule needs a member parameters(visit) const, which calls visit(name, value) for each parameter");
  static_assert(prepares<S, Executor, Tiles>,
                "a schedule needs a member template prepare(exec, tiles, extent) const, which returns "
                "prepared(launch_of<mapping>{...}, ...)");
  static constexpr bool holds = true;
};

} // namespace detail

/// The part of a schedule that a kernel uses.
template <class M>
concept mapping = std::is_trivially_copyable_v<M> && tile_set<typename M::tiles_type> && requires {
  typename M::sharings;
} && detail::names_slots<M> && detail::names_block_size<M> && detail::distributes<M>;

/// A schedule that make_plan prepares for tiles on an executor.
template <class S, class Executor, class Tiles>
concept schedule = tile_set<Tiles> && detail::names_block_size_of_launch<S> && detail::names_parameters<S> &&
                   detail::prepares<S, Executor, Tiles>;

/// A mapping that a kernel can make for sizes that only the device knows.
template <class M>
concept sized_on_device_mapping =
    mapping<M> && requires(const M& of, const capacity& max_size, block_shape shape) {
      { of.sized(max_size, shape) } -> std::same_as<sized_mapping<M>>;
    };

namespace detail {

struct nothing {};
template <class Mapping> struct host_part {
  using type = nothing;
};
template <class Mapping>
requires requires { typename Mapping::known_to_host; }
struct host_part<Mapping> {
  using type = typename Mapping::known_to_host;
};

} // namespace detail

/// One kernel launch of a schedule.
template <class Mapping> struct launch_of {
  static_assert(detail::is_a_mapping<Mapping>::holds);
  using mapping_type = Mapping;
  Mapping mapping;
  launch_shape shape;     ///< for tile sets sized on the device: for the maximum size
  int max_blocks = 0;     ///< for any tile set that the plan has room for; 0: as many as shape has
  capacity max_size = {}; ///< for tile sets sized on the device
  /// Data for the host only: the mapping's known_to_host, if it has one.
  typename detail::host_part<Mapping>::type host = {};
};

/// A launch, and the memory that must live as long.
template <class Mapping, class... Owned> struct prepared_launch {
  launch_of<Mapping> launch;
  std::tuple<Owned...> owned;
};

/// Returns a launch together with the memory that it owns.
template <class Mapping, class... Owned>
prepared_launch<Mapping, Owned...> prepared(launch_of<Mapping> launch, Owned... owned) {
  return {launch, std::tuple<Owned...>(std::move(owned)...)};
}

} // namespace evenly
