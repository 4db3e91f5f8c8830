// SPDX-License-Identifier: Apache-2.0
// reduce_tiles for ranks: combines the atoms of each tile, also of tiles that several ranks share. It is the skeleton
// of products and segmented reductions on ranks.
//
// Each rank runs the skeleton of one device on its part of the merge path (split.hpp). What differs is the combination
// of partial sums, in three steps:
//   1. a block per group combines the records of its blocks, left to right; tiles inside the group are complete
//   2. ranks send the partial sums of groups to the rank that has the tile's end: a small message, in most cases of one
//      value, to the next rank
//   3. one block combines the groups, left to right, beginning with the values received
// The order of steps 1 and 3 depends on the tiles only, so the bits do not depend on the number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "evenly/algorithms/detail/carries.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/distributed/split.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly::distributed {

// --- details ---------------------------------------------------------------------------------------------------------
// The records of blocks, and the two levels that combine them.

namespace detail {

/// Records that the blocks leave, in place of evenly::carries.
template <class T, class Tile> struct block_records {
  using record = carry_record<T, Tile>;
  using slots = carry_slots<T, Tile>;

  record* records = nullptr;

  EVENLY_FN block_records for_blocks(int) const { return *this; }
  template <class Block, class Op, class Store>
  EVENLY_FN void finish(Block& block, const slots&, const record& mine, const Op&, const Store&) const {
    if (block.rank() == 0) counted_store(records + block.index(), mine);
  }
};

/// Partial sums from left to right. The first is taken as it is.
template <class T> struct chain {
  T sum{};
  bool any = false;

  template <class Op> EVENLY_FN void append(const Op& op, const T& next) {
    sum = any ? op(sum, next) : next;
    any = true;
  }
};

/// Step 1: one thread of block g combines the records of group g, and writes one record for the group. Its `head_open`
/// states that its first tile to end begins in an earlier group.
template <class Mapping, monoid Op, class Store> struct combine_blocks_kernel {
  using T = typename Op::value_type;
  using tile = typename Mapping::tile;
  using record = carry_record<T, tile>;
  static constexpr bool is_copyable = is_device_copyable<Op, Store>;

  Mapping mapping;
  const record* records;
  record* group_records;
  int blocks;
  int blocks_per_group;
  Op op;
  Store store;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if (block.rank() != 0) return;
    const int first_block = block.index() * blocks_per_group;
    const int last_block = smaller(first_block + blocks_per_group, blocks);
    const auto first_atom = mapping.chunk(first_block).first_atom;
    chain<T> open;
    record all;
    for (int b = first_block; b < last_block; ++b) {
      const record each = counted_load(records + b);
      if (!(each.state & record::ends)) {
        open.append(op, each.tail);
        continue;
      }
      if (each.state & record::head_open) {
        open.append(op, each.head);
        if (!(all.state & record::ends) && mapping.tiles.begin(each.tile) < first_atom) {
          all.head = open.sum;
          all.tile = each.tile;
          all.state = record::head_open;
        } else {
          store(each.tile, open.sum);
        }
      }
      all.state |= record::ends;
      open = {};
      open.append(op, each.tail);
    }
    all.tail = open.sum;
    counted_store(group_records + block.index(), all);
  }
};

/// Step 3: one thread combines the records of the rank's groups, after `received` partial sums of earlier ranks.
template <class T, class Tile, monoid Op, class Store> struct combine_groups_kernel {
  using record = carry_record<T, Tile>;
  static constexpr bool is_copyable = is_device_copyable<Op, Store>;

  const record* group_records;
  int groups;
  const T* received;
  std::int64_t received_count;
  Op op;
  Store store;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if (block.rank() != 0) return;
    chain<T> open;
    for (std::int64_t i = 0; i < received_count; ++i) open.append(op, counted_load(received + i));
    for (int g = 0; g < groups; ++g) {
      const record each = counted_load(group_records + g);
      if (each.state & record::head_open) {
        open.append(op, each.head);
        store(each.tile, open.sum);
      }
      if (each.state & record::ends) open = {};
      open.append(op, each.tail);
    }
  }
};

} // namespace detail

// ---------------------------------------------------------------------------------------------------------------------
// local_tiles: a rank's part of the tiles.

/// The tiles and atoms of one rank, on its executor. Tiles are numbered from 0: local tile t is tile begin(rank).tile +
/// t of all. Atoms are numbered from 0 too.
///
/// Move-only. One thread at a time may use it.
template <executor Executor, signed_of_32_or_64_bits Offset> class local_tiles {
 public:
  using tiles_type = csr_tiles_on<Executor, Offset>;
  using mapping = merge_path_mapping<tiles_type, steps_per_thread>;
  using tile = int;

  local_tiles() = default;
  /// Copies the rank's offsets. `all`: the tiles that `of` splits, on the host.
  ///
  /// - Cost: O(tiles of the rank).
  /// - Errors: invalid_argument if the rank has more tiles or atoms than the types can number.
  template <tile_set Tiles>
  local_tiles(const Executor& exec, const split_plan& of, int rank, const Tiles& all) : rank_(rank) {
    const split_point &begin = of.begin(rank), &end = of.end(rank);
    const std::int64_t count = end.tile - begin.tile, atoms = end.atom - begin.atom;
    require(count < std::numeric_limits<int>::max() && atoms <= std::numeric_limits<Offset>::max(), [&] {
      return evenly::detail::concat(
          "rank ", rank, " has ", count, " tiles and ", atoms,
          " atoms, more than their types can number: use more ranks or 64-bit offsets");
    });
    std::vector<Offset> offsets(static_cast<std::size_t>(count) + 2);
    offsets[0] = begin.is_open ? Offset{-1} : Offset{0}; // the blocks compare it with the rank's first atom
    const std::int64_t before = of.tiles == 0 ? 0 : static_cast<std::int64_t>(all.begin(0)) + begin.atom;
    for (std::int64_t t = 0; t < count; ++t)
      offsets[static_cast<std::size_t>(t) + 1] = static_cast<Offset>(
          static_cast<std::int64_t>(all.end(static_cast<tile_type<Tiles>>(begin.tile + t))) - before);
    offsets[static_cast<std::size_t>(count) + 1] =
        static_cast<Offset>(atoms); // of the tile that is open at the end
    offsets_ = make_buffer<Offset>(exec, offsets.size());
    exec.copy_from_host(offsets_.data(), offsets.data(), offsets.size() * sizeof(Offset));

    blocks_per_group_ = of.options.blocks_per_group;
    const int blocks = block_count(count + atoms, of.steps_per_block());
    launch_.mapping.tiles = tiles_type(csr_tile_set<Offset>(offsets_.data(), static_cast<int>(count)));
    launch_.mapping.all = {0, atoms};
    launch_.mapping.steps_per_block = of.steps_per_block();
    launch_.shape = {blocks, of.options.block_size};
    if (blocks > 0) {
      starts_ = make_buffer<tile>(exec, static_cast<std::size_t>(blocks) + 1);
      launch_partition(exec, blocks + std::int64_t{1},
                       merge_path_partition<mapping>{launch_.mapping, blocks, starts_.data(), {}});
      launch_.mapping.starts = starts_.data();
    }
    sources_ = of.carry_sources(rank);
    target_ = of.carry_target(rank);
    if (target_ >= 0) sent_groups_ = end.group - (count > 0 ? end.last_end_group : begin.group);
  }

  int tiles() const { return launch_.mapping.tiles.tiles(); }
  std::int64_t atoms() const { return launch_.mapping.all.atoms; }
  const launch_of<mapping>& launch() const { return launch_; }
  int blocks() const { return launch_.shape.blocks; }
  int blocks_per_group() const { return blocks_per_group_; }
  int groups() const { return ceil_div(blocks(), blocks_per_group_); }

  /// Messages of partial sums of one reduce_tiles: how many this rank sends, and the values in them.
  int carry_messages() const { return target_ >= 0 ? 1 : 0; }
  std::int64_t carry_values() const { return sent_groups_; }
  const std::vector<carry_source>& sources() const { return sources_; }
  int target() const { return target_; }

  /// Returns at least `bytes` bytes of workspace, kept until a larger one is requested.
  std::byte* workspace(const Executor& exec, std::size_t bytes) {
    if (workspace_.size() < bytes) {
      workspace_ = {};
      workspace_ = make_buffer<std::byte>(exec, bytes);
    }
    return workspace_.data();
  }

 private:
  int rank_ = 0;
  int blocks_per_group_ = 1;
  buffer<Offset> offsets_;
  buffer<tile> starts_;
  launch_of<mapping> launch_{};
  std::vector<carry_source> sources_;
  int target_ = -1;
  std::int64_t sent_groups_ = 0;
  buffer<std::byte> workspace_;
};

// ---------------------------------------------------------------------------------------------------------------------
// reduce_tiles: see the head of this file.

/// Calls store(tile, value) exactly once for every tile that ends on this rank, with its atoms on all ranks combined.
/// All ranks call it. Numbers of tiles and atoms are local.
///
/// - `map`, `op`, `store`: as for evenly::reduce_tiles.
/// - Determinism: the bits are the same for every number of ranks and of threads per rank, on one kind of executor.
///   They depend on split_options.
/// - Synchronises the host with its executor if the rank shares tiles with others.
/// - Cost: that of evenly::reduce_tiles on the rank's part, and one message of a value per group to another rank.
template <executor Executor, class Offset, class Map, monoid_argument Given, class Store>
void reduce_tiles(communicator& here, const Executor& exec, local_tiles<Executor, Offset>& part,
                  const Map& map, const Given& given, const Store& store) {
  using tiles = typename local_tiles<Executor, Offset>::tiles_type;
  using combined = evenly::detail::combinable_atoms<tiles, Map, Given>;
  using Op = typename combined::op;
  using T = typename Op::value_type;
  using record = carry_record<T, int>;
  static_assert(combined::holds);
  const auto& op = evenly::detail::monoid_for<T>(given);
  const auto& each = part.launch();
  const auto blocks = static_cast<std::size_t>(part.blocks()),
             groups = static_cast<std::size_t>(part.groups());
  std::size_t received_count = 0;
  for (const carry_source& from : part.sources()) received_count += static_cast<std::size_t>(from.groups);
  auto* const records = reinterpret_cast<record*>(
      part.workspace(exec, (blocks + groups) * sizeof(record) + received_count * sizeof(T)));
  record* const group_records = records + blocks;
  auto* const received = reinterpret_cast<T*>(group_records + groups);

  evenly::detail::note_parts(exec, each.mapping.tiles, map, op, store);
  using shared = detail::block_records<T, int>;
  using consumer = reduce_tiles_consumer<tiles, Map, Op, Store, atom_values<tiles, Map, T>, shared>;
  constexpr int one_warp = 32;
  if (blocks > 0) {
    launch_skeleton(exec, each, consumer{{each.mapping.tiles, map}, op, store, shared{records}});
    using combine = detail::combine_blocks_kernel<typename local_tiles<Executor, Offset>::mapping, Op, Store>;
    launch_shape shape{part.groups(), one_warp};
    launch(exec, shape,
           combine{each.mapping, records, group_records, part.blocks(), part.blocks_per_group(), op, store});
  }

  const bool sends = part.target() >= 0;
  if (sends || received_count > 0) {
    std::vector<T> mine, others(received_count);
    std::vector<outgoing> out;
    std::vector<incoming> in;
    if (sends) {
      const auto count = static_cast<std::size_t>(part.carry_values());
      std::vector<record> last(count);
      exec.copy_to_host(last.data(), group_records + (groups - count), count * sizeof(record));
      for (const record& of : last) mine.push_back(of.tail);
      out.push_back({part.target(), mine.data(), mine.size() * sizeof(T)});
    }
    std::size_t at = 0;
    for (const carry_source& from : part.sources()) {
      in.push_back({from.rank, others.data() + at, static_cast<std::size_t>(from.groups) * sizeof(T)});
      at += static_cast<std::size_t>(from.groups);
    }
    here.exchange("partial sums of shared tiles", out, in);
    exec.copy_from_host(received, others.data(), received_count * sizeof(T));
  }
  if (groups > 1 || received_count > 0)
    launch(exec, launch_shape{1, one_warp},
           detail::combine_groups_kernel<T, int, Op, Store>{
               group_records, part.groups(), received, static_cast<std::int64_t>(received_count), op, store});
}

} // namespace evenly::distributed
