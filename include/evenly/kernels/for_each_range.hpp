// SPDX-License-Identifier: Apache-2.0
// for_each_range: the work of a schedule inside a kernel of your own. It loops over tiles and atoms under any schedule,
// next to other code of the kernel.
//
//   template <class Block> EVENLY_FN void operator()(Block& block) const {       or a __global__ function, where
//     evenly::for_each_range(block, work, [&](auto range) {                       block = this_block<128>()
//       for (auto tile : range.tiles())
//         for (auto atom : range.atoms(tile)) visit(tile.number, atom);
//     });
//   }
//
// The kernel derives from kernel_of_work<Work>, which lays out storage, or does so itself and passes slots.
//
// A block goes from one of the schedule's ranges to the next, so a launch may have any number of blocks. One kernel may
// process several works, one after the other, or one work repeatedly. If a work needs data that the previous one wrote,
// synchronise between them: by block.sync() for storage, by grid_sync for memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "evenly/algorithms/detail/carries.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/kernels/detail/range_consumer.hpp"
#include "evenly/kernels/detail/refusal.hpp"
#include "evenly/kernels/ranges.hpp"
#include "evenly/kernels/shared_work.hpp"
#include "evenly/kernels/work_range.hpp"
#include "evenly/work/tile_set.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// The values of parts of tiles, as the body of for_each_range combines them. It replaces atom_values in the consumer of
// reduce_tiles.

namespace evenly {

/// A body that uses atoms only.
template <class Body> struct atoms_only_body {
  Body body;
  template <class Range> EVENLY_INLINE_FN void operator()(const Range& range) const { body(range); }
};
template <class Body> inline constexpr bool is_atoms_only = false;
template <class Body> inline constexpr bool is_atoms_only<atoms_only_body<Body>> = true;

/// `Checked`: whether a body that combines nothing, or twice, is refused.
template <tile_set Tiles, class Body, monoid Op, bool Checked> struct part_values {
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using value = typename Op::value_type;
  static constexpr bool by_atom = is_atoms_only<Body>;
  static constexpr bool by_parts = true;
  static constexpr bool each_once = !by_atom;

  Tiles tiles;
  Body body;
  Op combined_by;

  /// Returns the value of the atoms begin, begin + step, ... below `end`. Requires begin < end. Each atom is in one
  /// part.
  EVENLY_INLINE_FN value of_part(tile t, atom begin, atom end, int step) const {
    return of_atoms(t, step_range<atom>(begin, end, step));
  }
  EVENLY_INLINE_FN value of_atom(tile t, atom a) const { return of_atoms(t, just(a)); }
  EVENLY_INLINE_FN value of_streaming(atom a) const {
    static_assert(by_atom);
    return of_range<true>(unknown_number{}, just(a));
  }

  template <class Block> EVENLY_INLINE_FN value fold(const Op& op, tile t, atom begin, atom end) const {
    return begin < end ? of_atoms(t, consecutive_range<atom>(begin, end)) : op.identity();
  }

 private:
  EVENLY_FN static consecutive_range<atom> just(atom a) { return {a, static_cast<atom>(a + 1)}; }
  template <class Atoms> EVENLY_INLINE_FN value of_atoms(tile t, const Atoms& atoms) const {
    if constexpr (by_atom)
      return of_range<false>(unknown_number{}, atoms);
    else
      return of_range<false>(t, atoms);
  }
  template <bool Streaming, class Number, class Atoms>
  EVENLY_INLINE_FN value of_range(const Number& t, const Atoms& atoms) const {
    detail::combined_value<value> kept{combined_by.identity()};
    tile_range<Number, Atoms, false, value, Streaming> range(t, atoms,
                                                             &kept); // an lvalue: a body may take auto&
    body(range);
    if constexpr (Checked) {
      if (kept.times != 1)
        EVENLY_REFUSE("the body of for_each_range must combine each tile exactly once",
                      "the range of " + name_of(t) + " was combined " + std::to_string(kept.times) +
                          " times: call range.combine(tile, value) exactly once for each of range.tiles()");
    }
    return kept.value;
  }
  static std::string name_of(unknown_number) { return "a tile"; }
  static std::string name_of(tile t) { return "tile " + std::to_string(t); }
};

// ---------------------------------------------------------------------------------------------------------------------
// for_each_range: see the head of this file.

/// Calls body(range) with a tile_range (kernels/work_range.hpp). Every atom is in exactly one range of its tile. An
/// empty tile is in one empty range.
///
/// - All threads of the block call it. Threads call `body` independently, so it must not synchronise.
/// - `slots`: the result of work.lay_out for this block's shape.
/// - Synchronises the block after each of the schedule's blocks that it processes; then the storage is free.
/// - Errors: if the block does not have work.block_size threads, throws invalid_argument on cpu and simt, and ends the
///   kernel on cuda.
template <class Block, class Mapping, class Slots, class Body>
EVENLY_FN void for_each_range(Block& block, const shared_work<Mapping>& work, const Slots& slots,
                              const Body& body) {
  using tiles = typename Mapping::tiles_type;
  work.for_each_block(block, [&](auto& as, const Mapping& mapping, int) {
    run_consumer(as, mapping, range_consumer<tiles, Body>{work.tiles, body}, slots);
  });
}

/// The same for a kernel without other storage, whose lay_out is that of kernel_of_work.
template <class Block, class Mapping, class Body>
EVENLY_FN void for_each_range(Block& block, const shared_work<Mapping>& work, const Body& body) {
  storage_layout layout;
  for_each_range(block, work, work.lay_out(layout, block.shape()), body);
}

/// The memory in which blocks exchange partial sums of shared tiles: an argument of a kernel.
template <class T, class Tile, carry_fix_up How = carry_fix_up::in_kernel> struct partials {
  carries<T, Tile, How> shared;
  int* taken = nullptr; ///< of each block, the round of combining, from 1, for which it last took ranges
};

/// Memory for partial sums of type T, for as many blocks as a work has; empty if its schedule cuts no tiles. One kernel
/// at a time may use it, and one for_each_range between two grid barriers of its blocks. After a failed launch, make a
/// new one.
template <class T, class Executor, class Tile> class partial_memory {
  using shared = carries<T, Tile, carry_fix_up::in_kernel>;

 public:
  /// `copies`: of the memory, one after the other (column_partials).
  template <class Mapping>
  partial_memory(const Executor& exec, const shared_work<Mapping>& work, int copies = 1)
      : blocks_(sharing::any_cuts<typename Mapping::sharings> && copies > 0 ? work.blocks : 0) {
    if (copies < 0)
      throw invalid_argument("make_partials for " + std::to_string(copies) +
                             " columns: there must be 0 or more");
    if (blocks_ == 0) return;
    const auto of_all = static_cast<std::size_t>(copies);
    const auto groups = static_cast<std::size_t>(shared::groups(blocks_));
    const std::size_t counts =
        of_all * (1 + groups + 1 + static_cast<std::size_t>(blocks_)); // rounds, tickets, taken
    counts_ = make_buffer<int>(exec, counts);
    exec.fill_zero(counts_.data(), counts * sizeof(int));
    records_ =
        make_buffer<typename shared::record>(exec, of_all * (static_cast<std::size_t>(blocks_) + groups));
    detail::know_part<Executor>(view());
    detail::know_part<Executor>(deferred());
  }

  /// For kernels that combine everything themselves.
  partials<T, Tile> view() const { return view_for<carry_fix_up::in_kernel>(); }
  /// For kernels that are followed by fix_up_carries.
  partials<T, Tile, carry_fix_up::deferred> deferred() const { return view_for<carry_fix_up::deferred>(); }
  [[deprecated("use deferred")]] auto joined_later() const { return deferred(); }

 private:
  template <carry_fix_up How> partials<T, Tile, How> view_for() const {
    if (blocks_ == 0) return {};
    int* const tickets = counts_.data() + 1;
    return {carries<T, Tile, How>{tickets, records_.data(), records_.data() + blocks_, blocks_},
            tickets + shared::groups(blocks_) + 1};
  }

  int blocks_;
  buffer<int> counts_;
  buffer<typename shared::record> records_;
};
/// Asynchronous.
template <class T, class Executor, class Mapping>
partial_memory<T, Executor, typename shared_work<Mapping>::tile>
make_partials(const Executor& exec, const shared_work<Mapping>& work) {
  return {exec, work};
}

/// The partials of several results of one work, such as the columns of a product: an argument of a kernel.
/// partials[column] has memory of its own, so blocks need not wait for each other between two columns.
template <class T, class Tile, carry_fix_up How = carry_fix_up::in_kernel> struct column_partials {
  partials<T, Tile, How> first;
  int columns = 0;

  /// Requires 0 <= column < columns; otherwise throws invalid_argument on cpu and simt, and ends the kernel on cuda.
  EVENLY_FN partials<T, Tile, How> operator[](int column) const {
    if (column < 0 || column >= columns)
      EVENLY_REFUSE("the column must be one of those that partials were made for",
                    "column " + std::to_string(column) + " of partials for " + std::to_string(columns) +
                        " columns: use make_partials with more columns");
    if (first.taken == nullptr) return first;
    const auto& of = first.shared;
    const std::int64_t groups = of.groups(of.blocks),
                       counts = (2 + groups + of.blocks) * std::int64_t{column},
                       records = (groups + of.blocks) * std::int64_t{column};
    return {{of.tickets + counts, of.records + records, of.group_records + records, of.blocks},
            first.taken + counts};
  }
};

/// The memory of column_partials. Made by make_partials(exec, work, columns).
template <class T, class Executor, class Tile> class column_partial_memory {
 public:
  template <class Mapping>
  column_partial_memory(const Executor& exec, const shared_work<Mapping>& work, int columns)
      : memory_(exec, work, columns), columns_(columns) {}

  column_partials<T, Tile> view() const { return {memory_.view(), columns_}; }
  column_partials<T, Tile, carry_fix_up::deferred> deferred() const { return {memory_.deferred(), columns_}; }

 private:
  partial_memory<T, Executor, Tile> memory_;
  int columns_;
};
/// Memory for `columns` results of one work, at most 2^31 - 1; each has as much as make_partials(exec, work).
/// Asynchronous. Throws invalid_argument for fewer than 0 columns.
template <class T, class Executor, class Mapping>
column_partial_memory<T, Executor, typename shared_work<Mapping>::tile>
make_partials(const Executor& exec, const shared_work<Mapping>& work, int columns) {
  return {exec, work, columns};
}

/// How ranges are combined. Values are combined by an operation, in the order of atoms unless it is commutative. Some
/// thread calls store(tile, value) once for every tile, for an empty tile with the identity. Made in the kernel.
template <class T, class Tile, carry_fix_up How, monoid Op, class Store> struct combine_with {
  partials<T, Tile, How> memory;
  Op op;
  Store store;
};
template <class T, class Tile, carry_fix_up How, monoid_argument Op, class Store>
combine_with(partials<T, Tile, How>, Op, Store)
    -> combine_with<T, Tile, How, detail::monoid_type<Op, T>, Store>;

namespace detail {

/// Refuses memory that has room for fewer blocks than share tiles.
template <class Partials> EVENLY_FN void require_room(const Partials& memory, int blocks) {
  if (blocks > memory.shared.blocks)
    EVENLY_REFUSE("partials must belong to the work whose ranges are combined",
                  "partials have room for " + std::to_string(memory.shared.blocks) + " blocks, " +
                      std::to_string(blocks) + " blocks that share tiles: use make_partials of this work");
}

/// Whether the block is one of cpu or simt.
template <class Block>
inline constexpr bool runs_on_host = Block::is_serial || requires { typename Block::call_place; };

/// Refuses ranges for a block whose previous ranges are not combined yet. Called by one thread.
template <class Block, class Partials>
EVENLY_FN void require_combined(const Block& block, const Partials& memory) {
  if (memory.taken == nullptr) return;
  const int combined = atomic_ref(memory.shared.tickets[-1]).load();
  int& mine = memory.taken[block.index()];
  if (mine > combined)
    EVENLY_REFUSE("all blocks must combine their ranges before they take new ones",
                  "ranges are taken again before all blocks have combined their previous ranges: place a "
                  "grid barrier between two calls of for_each_range with the same partials, or use "
                  "make_partials with a number of columns, and partials[column] in each");
  mine = combined + 1;
}

template <class T, class Tile, class... Forms>
EVENLY_FN constexpr reduce_slots<T, Tile> lay_out_sums(sharing::list<Forms...>, storage_layout& layout,
                                                       block_shape shape) {
  return reduce_slots<T, Tile>::template lay_out<Forms...>(layout, shape, false);
}

template <class Executor, class Mapping, class T, class Tile, monoid_argument Op, class Store>
void fix_up_partials(const Executor& exec, const shared_work<Mapping>& work,
                     const partials<T, Tile, carry_fix_up::deferred>& memory, const Op& given,
                     const Store& store) {
  const auto& op = monoid_for<T>(given);
  static_assert(std::is_same_v<T, typename monoid_type<Op, T>::value_type>,
                "ranges must be combined by a monoid of the partials' type");
  if constexpr (sharing::any_cuts<typename Mapping::sharings>) {
    note_parts(exec, work, op, store);
    auto shared = memory.shared;
    const int cutting = work.is_sized_on_device ? work.blocks : cutting_blocks(work.mapping, work.blocks);
    require_room(memory, cutting);
    if (cutting < 2) return;
    const launch_of<Mapping> each{work.mapping, {work.blocks, work.block_size}, 0, work.max_size};
    fix_up_after(exec, each, shared.for_blocks(cutting), op, store);
  }
}

} // namespace detail

namespace detail {

template <class T, class Mapping>
EVENLY_FN constexpr auto lay_out_combined(storage_layout& layout, block_shape shape) {
  using slots = reduce_slots<T, tile_type<typename Mapping::tiles_type>>;
  const auto own = Mapping::lay_out(layout, shape);
  const auto values =
      lay_out_sums<T, tile_type<typename Mapping::tiles_type>>(typename Mapping::sharings{}, layout, shape);
  return skeleton_slots<Mapping, slots>{own, {}, values};
}

} // namespace detail

/// Storage of for_each_range with combine_with for values of T. Replaces work.lay_out.
template <class T, class Mapping>
EVENLY_FN constexpr auto lay_out_combine(storage_layout& layout, block_shape shape,
                                         const shared_work<Mapping>&) {
  return detail::lay_out_combined<T, Mapping>(layout, shape);
}
template <class Work, class T> struct storage_of_work<combines<Work, T>> {
  EVENLY_FN static constexpr void lay_out(storage_layout& layout, block_shape shape) {
    detail::lay_out_combined<T, typename Work::mapping_type>(layout, shape);
  }
};

/// Marks a body of for_each_range with combine_with that uses only the atoms of its range. Such a body does not read
/// the tile's number, has no side effects except range.combine, and may be called more than once per atom. Under
/// schedules that cut tiles its values are then computed before tile ends are known, as reduce_tiles does with
/// map(atom).
template <class Body> EVENLY_FN constexpr atoms_only_body<Body> atoms_only(const Body& body) {
  return {body};
}

/// The same with combining: body calls range.combine(tile, value) once for each of range.tiles(). Every run returns the
/// same bits.
///
/// - Ranges have atoms: empty tiles are not passed to body. Use atoms_only(body) if possible.
/// - All tiles are stored when all blocks of the launch have returned from the call; with a deferred fix-up, when
///   fix_up_carries has run.
/// - `slots`: the result of `lay_out_combine<T>` for this block's shape.
/// - Errors: as above, and if the partials belong to a smaller work.
template <bool Checked = EVENLY_CHECKED != 0, class Block, class Mapping, class Slots, class T, class Tile,
          carry_fix_up How, monoid Op, class Store, class Body>
EVENLY_FN void for_each_range(Block& block, const shared_work<Mapping>& work, const Slots& slots,
                              const combine_with<T, Tile, How, Op, Store>& how, const Body& body) {
  static_assert(std::is_same_v<T, typename Op::value_type>,
                "ranges must be combined by a monoid of the partials' type");
  using tiles = typename Mapping::tiles_type;
  using values = part_values<tiles, Body, Op, Checked>;
  using consumer = reduce_tiles_consumer<tiles, Body, Op, Store, values, carries<T, Tile, How>>;
  work.for_each_block(block, [&](auto& as, const Mapping& mapping, int blocks) {
    const int cutting = cutting_blocks(mapping, blocks);
    detail::require_room(how.memory, cutting);
    // Without `Checked` on hosts only: there it costs nothing, on a GPU two trips to memory per block.
    if constexpr (Checked || detail::runs_on_host<Block>)
      if (as.rank() == 0 && as.index() < cutting) detail::require_combined(as, how.memory);
    run_consumer(
        as, mapping,
        consumer{{work.tiles, body, how.op}, how.op, how.store, how.memory.shared.for_blocks(cutting)},
        slots);
  });
}

/// The same for a kernel without other storage, which derives from kernel_of_work<combines<Work, T>>.
template <bool Checked = EVENLY_CHECKED != 0, class Block, class Mapping, class T, class Tile,
          carry_fix_up How, monoid Op, class Store, class Body>
EVENLY_FN void for_each_range(Block& block, const shared_work<Mapping>& work,
                              const combine_with<T, Tile, How, Op, Store>& how, const Body& body) {
  storage_layout layout;
  for_each_range<Checked>(block, work, lay_out_combine<T>(layout, block.shape(), work), how, body);
}

/// Combines and stores the tiles that blocks share, after a kernel that took ranges with `memory.deferred()`. Requires
/// the same op and store. In launches of thousands of blocks this is faster than combining in the kernel, where every
/// block counts itself atomically and waits for the count, to learn whether it is the last (docs/decisions/0003).
///
/// Asynchronous on cuda. Throws invalid_argument if the memory belongs to a smaller work.
template <class Executor, class Mapping, class T, class Tile, monoid_argument Op, class Store>
void fix_up_carries(const Executor& exec, const shared_work<Mapping>& work,
                    const partial_memory<T, Executor, Tile>& memory, const Op& given, const Store& store) {
  detail::fix_up_partials(exec, work, memory.deferred(), given, store);
}
/// The same for all columns. `store_of(column)`: the store of a column, called on the host.
template <class Executor, class Mapping, class T, class Tile, monoid_argument Op, class StoreOf>
void fix_up_carries(const Executor& exec, const shared_work<Mapping>& work,
                    const column_partial_memory<T, Executor, Tile>& memory, const Op& given,
                    const StoreOf& store_of) {
  const auto all = memory.deferred();
  for (int column = 0; column < all.columns; ++column)
    detail::fix_up_partials(exec, work, all[column], given, store_of(column));
}

} // namespace evenly
