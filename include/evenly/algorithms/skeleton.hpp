// SPDX-License-Identifier: Apache-2.0
// The common base of all skeletons: the kernel that connects a mapping with a consumer, and the rules for consumers.
//
// A skeleton is a consumer, a struct with these members:
//   static constexpr bool is_copyable               whether all of it may be copied to a kernel
//                                                     (core/annotations.hpp)
//   template <class Block, class Slots, class Forms> struct worker    each thread of a block constructs
//                                                     worker{consumer, block, slots}
//     static constexpr bool wants_empty_tiles         whether it handles tiles without atoms
//     operator()(sharing::team<G>, const team_part<tile, atom>&)
//     operator()(sharing::run<Cut>, const Run&)
//     operator()(sharing::batch<G>, const Run&)       the three required forms (schedules/launches.hpp); they return
//                                                     void
//
// Optional members:
//   template <class Form> static constexpr bool takes                 the refinements that its worker also handles
//   lay_out(sharing::list<...>, storage_layout&, block_shape)         its storage for the forms that it will handle
//   for_blocks(int cutting) const                     EVENLY_FN: a copy for `cutting` blocks that cut tiles; for tile
//                                                     sets sized on the device
//   worker::finish()                                  called once, after all parts, by all threads of the block
//   static constexpr bool worker::runs_need_no_storage                whether runs and striped runs use no storage
//
// `Forms` is form_kinds of that list. tests/algorithms/first_match.hpp is a complete example.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "evenly/algorithms/detail/carries.hpp"
#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/tile_set.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// How users' functions are called. Each rule has its own assertion, so that an error names the broken rule.

namespace evenly::detail {

/// Whether the call operator is a template with such arguments. (Compilers differ in which of the two expressions they
/// accept.)
template <class F, class... Arguments>
concept has_call_template = requires { &F::template operator()<Arguments...>; } ||
                            requires(const F& function, Arguments... arguments) {
                              function.template operator()<Arguments...>(arguments...);
                            };
/// Whether the call operator is a template for a tile and an atom of any type, as in a generic lambda. Such a function
/// seems to accept all arguments.
template <class F, class Tile, class Atom>
concept generic_function =
    has_call_template<F, Tile> || has_call_template<F, Atom> || has_call_template<F, Tile, Atom> ||
    has_call_template<F, Tile, Atom, Atom> ||
    requires(const F& function, Tile tile, Atom atom) { function.template operator()<Atom>(tile, atom); } ||
    requires(const F& function, Tile tile, Atom atom) { function.template operator()<Tile>(tile, atom); };

/// The `visit` of for_each_atom.
template <class Visit, tile_set Tiles> struct visits {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static_assert(!generic_function<Visit, tile, atom>,
                "visit must have concrete parameter types, as in [](int tile, int atom), instead of auto");
  static_assert(generic_function<Visit, tile, atom> || std::invocable<const Visit&, tile, atom, atom> ||
                    std::invocable<const Visit&, tile, atom>,
                "visit must accept visit(tile, atom, rank) or visit(tile, atom)");
  static_assert(is_device_copyable<Visit>, "visit must be trivially copyable, because it is copied to the "
                                           "device: capture pointers and numbers by value");
  static constexpr bool holds = true;
};

/// The result type of visit, if it can be called at all.
template <class Visit, tile_set Tiles> struct found_by {
  using type = void;
};
template <class Visit, tile_set Tiles>
requires std::invocable<const Visit&, tile_type<Tiles>, atom_type<Tiles>, atom_type<Tiles>>
struct found_by<Visit, Tiles> {
  using type = std::invoke_result_t<const Visit&, tile_type<Tiles>, atom_type<Tiles>, atom_type<Tiles>>;
};
template <class Visit, tile_set Tiles>
requires(!std::invocable<const Visit&, tile_type<Tiles>, atom_type<Tiles>, atom_type<Tiles>> &&
         std::invocable<const Visit&, tile_type<Tiles>, atom_type<Tiles>>)
struct found_by<Visit, Tiles> {
  using type = std::invoke_result_t<const Visit&, tile_type<Tiles>, atom_type<Tiles>>;
};

template <class Found>
concept is_optional = requires(const Found& found) {
  { found.has_value() } -> std::convertible_to<bool>;
  *found;
};
template <class Found, class T>
concept converts_to = requires(const Found& found) { static_cast<T>(*found); };

/// The `visit` of collect_atoms, which writes elements of T.
template <class Visit, tile_set Tiles, class T> struct collectable {
  using found = typename found_by<Visit, Tiles>::type;
  static_assert(visits<Visit, Tiles>::holds);
  static_assert(
      is_optional<found>,
      "visit must return an optional value, such as std::optional<int>, with has_value() and operator*");
  static_assert(!is_optional<found> || converts_to<found, T>,
                "the value that visit returns must convert to an element of out");
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 16,
                "values must be trivially copyable and aligned to at most 16 bytes");
  static constexpr bool holds = true;
};

/// The `store` of skeletons that combine: of reduce_tiles by tile, of scan_tiles by atom.
template <class Store, class Number, class Value> struct stores {
  static_assert(
      !generic_function<Store, Number, Value>,
      "store must have concrete parameter types, as in [=](int number, float value), instead of auto");
  static_assert(generic_function<Store, Number, Value> || std::invocable<const Store&, Number, Value>,
                "store must accept store(tile, value) for reduce_tiles, store(atom, value) for scan_tiles");
  static_assert(is_device_copyable<Store>, "store must be trivially copyable, because it is copied to the "
                                           "device: capture pointers and numbers by value");
  static constexpr bool holds = true;
};

} // namespace evenly::detail

// --- details ---------------------------------------------------------------------------------------------------------
// Blocks that do the work of a block with another number.

namespace evenly {

/// A block with another number; otherwise the same.
template <class Block> class renumbered_block : public Block {
 public:
  EVENLY_FN renumbered_block(const Block& block, int index) : Block(block), index_(index) {}

  EVENLY_FN int index() const { return index_; }

 private:
  int index_;
};

/// The same for a block that continues with other numbers when it is done. Its rank is read again for each number.
/// Values computed from it then stay in the loop over numbers and occupy no registers between iterations.
template <class Block> class successive_block : public renumbered_block<Block> {
 public:
  static constexpr bool continues = true;

  EVENLY_FN successive_block(const Block& block, int index)
      : renumbered_block<Block>(block, index), rank_(block.rank()) {
    keep_here(rank_);
  }

  EVENLY_FN int rank() const { return rank_; }

 private:
  int rank_;
};

// --- details ---------------------------------------------------------------------------------------------------------
// Lowering: converts the refinements that a skeleton does not take to the three required forms of
// schedules/launches.hpp. It runs between the mapping and the skeleton's worker, in kernels that need it.
//
//   blocked_run   the tiles of all atoms are found, in storage (chunks.hpp): becomes a striped_run. Each empty
//                 tile goes to one thread. On a serial block it becomes a run<true>, tile by tile
//   striped_run   tiles are written to storage, from where each thread reads those of consecutive atoms: becomes a
//                 run<true>
//   piece         each thread has a consecutive part: becomes a run<true>

/// Whether a skeleton handles a form itself. It declares the refinements in
///   template <class Form> static constexpr bool takes
template <class Consumer, class Form>
inline constexpr bool takes_form = [] {
  if constexpr (!sharing::is_refinement<Form>)
    return true;
  else if constexpr (requires { Consumer::template takes<Form>; })
    return Consumer::template takes<Form>;
  else
    return false;
}();

namespace detail {

template <class... Lists> struct joined_lists;
template <class... Forms> struct joined_lists<sharing::list<Forms...>> {
  using type = sharing::list<Forms...>;
};
template <class... Ones, class... Others, class... Lists>
struct joined_lists<sharing::list<Ones...>, sharing::list<Others...>, Lists...>
    : joined_lists<sharing::list<Ones..., Others...>, Lists...> {};

/// The forms that a form is converted to.
template <class Consumer, class Form> struct lowered_form {
  using type =
      std::conditional_t<takes_form<Consumer, Form>, sharing::list<Form>, sharing::list<sharing::run<true>>>;
};
template <class Consumer, int Items>
requires(!takes_form<Consumer, sharing::blocked_run<Items>>)
struct lowered_form<Consumer, sharing::blocked_run<Items>> {
  using type = typename joined_lists<typename lowered_form<Consumer, sharing::striped_run<Items>>::type,
                                     sharing::list<sharing::team<1>>>::type;
};

constexpr int max_of(std::initializer_list<int> of_each) {
  int so_far = 0;
  for (const int each : of_each) so_far = larger(so_far, each);
  return so_far;
}

template <class Consumer, class Forms> struct lowered_list;
template <class Consumer, class... Forms> struct lowered_list<Consumer, sharing::list<Forms...>> {
  using type = typename joined_lists<typename lowered_form<Consumer, Forms>::type...>::type;
  static constexpr bool changed = !(takes_form<Consumer, Forms> && ...);
  /// The items of the blocked and striped runs that are lowered.
  static constexpr int blocked =
      max_of({(takes_form<Consumer, Forms> ? 0 : sharing::blocked_items<Forms>)...});
  static constexpr int striped =
      max_of({(takes_form<Consumer, Forms> ? 0 : sharing::striped_items<Forms>)...});
};

} // namespace detail

/// The forms that a skeleton has to handle under a mapping that uses `Forms`.
template <class Consumer, class Forms>
using lowered_forms = typename detail::lowered_list<Consumer, Forms>::type;

/// The storage for the runs that are lowered.
template <class Tile> struct lowering_slots {
  tile_of_atoms_slots found; ///< for a blocked_run's atoms
  slot<Tile> tiles;          ///< for a striped_run's atoms

  template <class Consumer, class Forms>
  EVENLY_FN static constexpr lowering_slots lay_out(storage_layout& layout, block_shape shape) {
    using lowered = detail::lowered_list<Consumer, Forms>;
    return {tile_of_atoms_slots::lay_out(layout, shape, lowered::blocked),
            layout.take<Tile>(shape.size * lowered::striped)};
  }
};

namespace detail {

/// A serial block's chunk, as a run<true>.
template <tile_set Tiles> struct serial_chunk_run {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;

  const run_chunk<Tiles>& chunk;
  atom first_atom = chunk.first_atom;
  atom last_atom = chunk.last_atom;

  EVENLY_FN const Tiles& tiles() const { return chunk.tiles; }
  template <class Visit> EVENLY_FN void for_each(Visit visit) const {
    atom a = first_atom;
    for (tile t = chunk.first_tile; a < last_atom; ++t) {
      const atom end = t < chunk.last_tile ? chunk.tiles.end(t) : last_atom;
      for (; a < end; ++a) visit(t, a);
    }
  }
};

/// A block's chunk with known tiles of atoms, as a striped_run and a run<true>.
template <int Items, class Block, tile_set Tiles, class TileOf> struct found_run {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;

  Block& block;
  const run_chunk<Tiles>& chunk;
  TileOf tile_of; ///< in storage, counted from the chunk's first tile
  atom first_atom = chunk.first_atom;
  atom last_atom = chunk.last_atom;

  EVENLY_FN const Tiles& tiles() const { return chunk.tiles; }
  template <class Visit> EVENLY_FN void for_each(Visit visit) const {
    const int atoms = static_cast<int>(last_atom - first_atom);
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int k = block.rank() + i * block.size();
      if (k < atoms) visit(k, static_cast<tile>(chunk.first_tile + tile_of[k]));
    }
  }
};

/// Consecutive atoms, `per_thread` per thread, as a run<true>. tile_of(k): the tile of the run's atom k.
template <class Block, tile_set Tiles, class TileOf> struct consecutive_run {
  using atom = atom_type<Tiles>;

  Block& block;
  const Tiles& all;
  atom first_atom;
  atom last_atom;
  atom per_thread;
  TileOf tile_of;

  EVENLY_FN const Tiles& tiles() const { return all; }
  template <class Visit> EVENLY_FN void for_each(Visit visit) const {
    const auto atoms = static_cast<std::int64_t>(last_atom - first_atom);
    const std::int64_t begin = smaller(static_cast<std::int64_t>(per_thread) * block.rank(), atoms);
    const std::int64_t end = smaller(begin + per_thread, atoms);
    for (std::int64_t k = begin; k < end; ++k)
      visit(tile_of(static_cast<atom>(k)), static_cast<atom>(first_atom + static_cast<atom>(k)));
  }
};

} // namespace detail

/// A mapping calls it instead of a worker that does not take all of its forms. `Worker`: the worker of `Consumer`.
template <class Consumer, class Worker, class Block, class Slots> struct lowering {
  static constexpr bool wants_empty_tiles = Worker::wants_empty_tiles;
  static constexpr bool runs_need_no_storage = [] {
    if constexpr (requires { Worker::runs_need_no_storage; })
      return Worker::runs_need_no_storage && takes_form<Consumer, sharing::striped_run<1>>;
    else
      return false;
  }();

  Worker& worker;
  Block& block;
  const Slots& slots; ///< lowering_slots

  template <class Form, class Part> EVENLY_FN void operator()(Form form, const Part& part) {
    if constexpr (takes_form<Consumer, Form>)
      worker(form, part);
    else
      lower(form, part);
  }

 private:
  template <int Items, tile_set Tiles>
  EVENLY_FN void lower(sharing::blocked_run<Items>, const run_chunk<Tiles>& chunk) {
    if constexpr (wants_empty_tiles) distribute_empty_tiles(chunk);
    const bool none = chunk.first_atom == chunk.last_atom;
    if constexpr (Block::is_serial) {
      if (none) return;
      worker(sharing::run<true>{}, detail::serial_chunk_run<Tiles>{chunk});
    } else {
      find_tile_of_atoms<Items>(block, chunk, slots.found);
      if (none) return;
      const auto found = block.storage(slots.found.tile_of);
      using storage = std::remove_const_t<decltype(found)>;
      if constexpr (takes_form<Consumer, sharing::striped_run<Items>>)
        worker(sharing::striped_run<Items>{},
               detail::found_run<Items, Block, Tiles, storage>{block, chunk, found});
      else
        by_threads(chunk.tiles, chunk.first_atom, chunk.last_atom, Items, [&](int k) {
          return static_cast<tile_type<Tiles>>(chunk.first_tile + static_cast<int>(found[k]));
        });
    }
  }

  template <int Items, class Run> EVENLY_FN void lower(sharing::striped_run<Items>, const Run& run) {
    using tile = tile_type<std::remove_cvref_t<decltype(run.tiles())>>;
    const auto tiles = block.storage(slots.tiles);
    run.for_each([&](int k, tile t) { tiles[k] = t; });
    block.sync();
    by_threads(run.tiles(), run.first_atom, run.last_atom, Items,
               [&](int k) { return static_cast<tile>(tiles[k]); });
  }

  template <tile_set Tiles> EVENLY_FN void lower(sharing::piece, const piece_part<Tiles>& part) {
    const auto per_thread =
        ceil_div(static_cast<std::int64_t>(part.end - part.begin), std::int64_t{block.size()});
    by_threads(part.tiles, part.begin, part.end, static_cast<atom_type<Tiles>>(per_thread),
               [&](std::int64_t) { return part.tile; });
  }

  /// Processes the atoms [first, last) as a run, `per_thread` per thread.
  template <tile_set Tiles, class TileOf>
  EVENLY_FN void by_threads(const Tiles& tiles, atom_type<Tiles> first, atom_type<Tiles> last,
                            atom_type<Tiles> per_thread, const TileOf& tile_of) {
    worker(sharing::run<true>{},
           detail::consecutive_run<Block, Tiles, TileOf>{block, tiles, first, last, per_thread, tile_of});
  }

  /// Assigns each empty tile that ends in the chunk to one thread.
  template <tile_set Tiles> EVENLY_FN void distribute_empty_tiles(const run_chunk<Tiles>& chunk) {
    using tile = tile_type<Tiles>;
    for (std::int64_t i = chunk.first_tile + std::int64_t{block.rank()}; i < chunk.last_tile;
         i += block.size()) {
      const auto t = static_cast<tile>(i);
      const auto begin = chunk.tiles.begin(t);
      if (begin == chunk.tiles.end(t)) worker(sharing::team<1>{}, empty_tile(t, begin));
    }
  }
};

// --- details ---------------------------------------------------------------------------------------------------------
// Kernels for tile sets whose sizes only the device knows (docs/decisions/0013).
//
// The launch has as many blocks as are resident. Each block reads the sizes, gets from the mapping how many blocks they
// need, and processes the work of these: it calls the kernel for ordinary tile sets repeatedly, with blocks of other
// numbers. Mappings and skeletons are thus the same, and results passed between blocks follow those numbers. Only their
// count comes from the kernel.

/// Returns how many of `blocks` blocks, the first ones, cut tiles.
template <class Mapping> EVENLY_FN int cutting_blocks(const Mapping& mapping, int blocks) {
  if constexpr (!sharing::any_cuts<typename Mapping::sharings>)
    return 0;
  else if constexpr (requires { mapping.cutting_blocks(blocks); })
    return mapping.cutting_blocks(blocks);
  else
    return blocks;
}

/// `Kernel`: a skeleton_kernel.
template <class Kernel> struct sized_kernel {
  static constexpr int tuned_block_size = Kernel::tuned_block_size;
  static constexpr int min_blocks = Kernel::min_blocks;
  static constexpr bool is_copyable = Kernel::is_copyable;
  static constexpr bool parts_are_noted = Kernel::parts_are_noted;

  Kernel kernel;
  capacity max_size;

  EVENLY_FN constexpr auto lay_out(storage_layout& layout, block_shape shape) const {
    return kernel.lay_out(layout, shape);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto here = kernel.mapping.sized(max_size, block.shape());
    const Kernel each = kernel.for_sizes(here.mapping, cutting_blocks(here.mapping, here.blocks));
    for (std::int64_t number = block.index(); number < here.blocks; number += block.count()) {
      successive_block<Block> as(block, static_cast<int>(number));
      each(as);
      block.sync();
    }
  }
};

/// Starts it. Requires blocks > 0.
template <class Executor, class Mapping, class Kernel>
void launch_sized(const Executor& exec, const launch_of<Mapping>& each, const Kernel& kernel) {
  const int room = resident_blocks(exec, kernel, each.shape.block_size);
  launch(exec, {smaller(each.shape.blocks, room), each.shape.block_size}, kernel);
}

/// The tree of carries of a launch (carries.hpp), if the launch has enough blocks that another kernel walks it.
template <class Mapping, class Shared, monoid Op, class Store> struct sized_fix_up_kernel {
  using shared_type = Shared;
  static constexpr int tuned_block_size = shared_type::group_size;
  static constexpr bool only_tuned_size = true;
  static constexpr bool is_copyable = std::is_trivially_copyable_v<Mapping> && is_device_copyable<Op, Store>;

  Mapping mapping;
  capacity max_size;
  block_shape shape; ///< of the launch
  shared_type shared;
  Op op;
  Store store;

  EVENLY_FN static constexpr auto lay_out(storage_layout& layout, block_shape own) {
    return shared_type::slots::lay_out(layout, own, true);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto here = mapping.sized(max_size, shape);
    const int blocks = cutting_blocks(here.mapping, here.blocks);
    if (!shared_type::is_deferred(blocks)) return;
    storage_layout layout;
    const auto place = lay_out(layout, block.shape());
    const shared_type all = shared.for_blocks(blocks);
    for (int group = block.index(); group < shared_type::groups(blocks); group += block.count()) {
      all.fix_up_group(block, place, group, op, store);
      block.sync();
    }
  }
};

/// Starts the kernel that combines the carries of a launch of `shared.blocks` blocks that cut tiles. For tile sets
/// sized on the device, the device determines their number.
template <class Executor, class Mapping, class Shared, monoid Op, class Store>
void fix_up_after(const Executor& exec, const launch_of<Mapping>& each, const Shared& shared, const Op& op,
                  const Store& store) {
  const launch_shape shape{Shared::groups(shared.blocks), Shared::group_size};
  if constexpr (sized_on_device<typename Mapping::tiles_type>) {
    const sized_fix_up_kernel<Mapping, Shared, Op, Store> kernel{
        each.mapping, each.max_size, shape_of_block(exec, each.shape.block_size), shared, op, store};
    launch(exec, {smaller(shape.blocks, resident_blocks(exec, kernel, shape.block_size)), shape.block_size},
           kernel);
  } else {
    launch(exec, shape, fix_up_kernel<Shared, Op, Store>{shared, op, store});
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// skeleton: see the head of this file.

/// How a worker holds its consumer. On a serial block it is a copy: a kernel's stores cannot alias a local copy, so the
/// host compiler keeps it in registers. On other blocks it stays in the kernel's arguments.
template <class Consumer, class Block>
using worker_copy = std::conditional_t<Block::is_serial, const Consumer, const Consumer&>;

/// The slots of a consumer without storage.
struct no_slots {};

namespace detail {

template <class Form> inline constexpr bool is_team = false;
template <int G> inline constexpr bool is_team<sharing::team<G>> = true;
template <class Form> inline constexpr bool is_batch = false;
template <int G> inline constexpr bool is_batch<sharing::batch<G>> = true;

template <class Forms> struct kinds_of;
template <class... Forms> struct kinds_of<sharing::list<Forms...>> {
  template <bool Has, class Form>
  using one_if = std::conditional_t<Has, sharing::list<Form>, sharing::list<>>;
  using type = typename joined_lists<one_if<(is_team<Forms> || ...), sharing::team<1>>,
                                     one_if<(is_batch<Forms> || ...), sharing::batch<1>>,
                                     one_if<(sharing::cuts<Forms> || ...), sharing::run<true>>>::type;
};

} // namespace detail

/// One form for each kind in a list: team<1> for teams, batch<1> for batches, run<true> for forms that cut tiles.
/// Workers know only these kinds, so mappings with the same kinds share the code of their handlers.
template <class Forms> using form_kinds = typename detail::kinds_of<Forms>::type;

namespace detail {

/// A run<Cut> or batch<G> of no schedule, for testing workers.
template <tile_set Tiles> struct any_run {
  atom_type<Tiles> first_atom, last_atom;
  EVENLY_FN const Tiles& tiles() const;
  template <class Visit> EVENLY_FN void for_each(Visit) const;
};

template <class W, class Tiles>
concept handles_teams =
    std::invocable<W&, sharing::team<32>, const team_part<tile_type<Tiles>, atom_type<Tiles>>&>;
template <class W, class Tiles>
concept handles_runs = std::invocable<W&, sharing::run<true>, const any_run<Tiles>&> &&
                       std::invocable<W&, sharing::run<false>, const any_run<Tiles>&>;
template <class W, class Tiles>
concept handles_batches = std::invocable<W&, sharing::batch<32>, const any_run<Tiles>&>;
template <class W>
concept says_of_empty_tiles = requires {
  { W::wants_empty_tiles } -> std::convertible_to<bool>;
};

/// Each rule has its own assertion, so that an error names the broken rule.
template <class Worker, tile_set Tiles> struct handles_required_forms {
  static_assert(says_of_empty_tiles<Worker>, "the worker of a skeleton must have a constant "
                                             "wants_empty_tiles: whether it receives tiles without atoms");
  static_assert(handles_teams<Worker, Tiles>, "the worker of a skeleton needs a handler (sharing::team<G>, "
                                              "const team_part<tile, atom>&) for whole tiles");
  static_assert(
      handles_runs<Worker, Tiles>,
      "the worker of a skeleton needs a handler (sharing::run<Cut>, const Run&) for consecutive atoms");
  static_assert(
      handles_batches<Worker, Tiles>,
      "the worker of a skeleton needs a handler (sharing::batch<G>, const Run&) for batches of whole tiles");
  static constexpr bool all = true;
};

} // namespace detail

/// A worker of a skeleton, one per thread of a block. It handles the three required forms.
template <class W, class Tiles>
concept skeleton_worker =
    tile_set<Tiles> && detail::says_of_empty_tiles<W> && detail::handles_teams<W, Tiles> &&
    detail::handles_runs<W, Tiles> && detail::handles_batches<W, Tiles>;

/// The storage of a mapping, a lowering and a consumer.
template <class Mapping, class ConsumerSlots> struct skeleton_slots {
  typename Mapping::slots mapping;
  lowering_slots<tile_type<typename Mapping::tiles_type>> lowering;
  ConsumerSlots consumer;
};

/// Runs a block's part of a skeleton. All threads of the block call it. The storage is free after the block has
/// synchronised.
template <class Block, class Mapping, class Consumer, class ConsumerSlots>
EVENLY_FN void run_consumer(Block& block, const Mapping& mapping, const Consumer& consumer,
                            const skeleton_slots<Mapping, ConsumerSlots>& slots) {
  using kinds = form_kinds<lowered_forms<Consumer, typename Mapping::sharings>>;
  using worker_type = typename Consumer::template worker<Block, ConsumerSlots, kinds>;
  static_assert(detail::handles_required_forms<worker_type, typename Mapping::tiles_type>::all);
  worker_type worker{consumer, block, slots.consumer};
  constexpr bool lowers = detail::lowered_list<Consumer, typename Mapping::sharings>::changed ||
                          (Block::is_serial && !takes_form<Consumer, sharing::blocked_run<1>>);
  if constexpr (lowers) {
    lowering<Consumer, worker_type, Block, decltype(slots.lowering)> adapter{worker, block, slots.lowering};
    mapping.distribute(block, slots.mapping, adapter);
  } else {
    mapping.distribute(block, slots.mapping, worker);
  }
  if constexpr (requires { worker.finish(); }) worker.finish();
}

/// One launch of a skeleton under a mapping.
template <class Mapping, class Consumer> struct skeleton_kernel {
  static constexpr int tuned_block_size = Mapping::tuned_block_size;
  /// How many blocks of that size should fit on a multiprocessor: the mapping's number, for values of at most 8 bytes.
  static constexpr int min_blocks = [] {
    if constexpr (requires {
                    Mapping::min_blocks;
                    sizeof(typename Consumer::value);
                  })
      return sizeof(typename Consumer::value) <= 8 ? Mapping::min_blocks : 0;
    else
      return 0;
  }();
  static constexpr bool is_copyable = std::is_trivially_copyable_v<Mapping> && Consumer::is_copyable;
  static constexpr bool parts_are_noted = true; ///< by the skeleton, before the launch (execution/memory.hpp)
  using mapping_type = Mapping;
  using consumer_type = Consumer;
  using tiles_type = typename Mapping::tiles_type;
  using forms = lowered_forms<Consumer, typename Mapping::sharings>;

  Mapping mapping;
  Consumer consumer;

  EVENLY_FN constexpr auto lay_out_consumer(storage_layout& layout, block_shape shape) const {
    if constexpr (requires { consumer.lay_out(forms{}, layout, shape); })
      return consumer.lay_out(forms{}, layout, shape);
    else
      return no_slots{};
  }
  EVENLY_FN constexpr auto lay_out(storage_layout& layout, block_shape shape) const {
    const auto own = Mapping::lay_out(layout, shape);
    const auto found =
        lowering_slots<tile_type<tiles_type>>::template lay_out<Consumer, typename Mapping::sharings>(layout,
                                                                                                      shape);
    const auto mine = lay_out_consumer(layout, shape);
    return skeleton_slots<Mapping, std::remove_const_t<decltype(mine)>>{own, found, mine};
  }

  /// Returns the same kernel for a mapping with known sizes, of whose blocks `cutting` cut tiles.
  EVENLY_FN skeleton_kernel for_sizes(const Mapping& of_sizes, [[maybe_unused]] int cutting) const {
    if constexpr (requires { consumer.for_blocks(cutting); })
      return {of_sizes, consumer.for_blocks(cutting)};
    else
      return {of_sizes, consumer};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    run_consumer(block, mapping, consumer, lay_out(layout, block.shape()));
  }
};

/// Runs a consumer under a plan's launch.
template <class Executor, class Mapping, class Consumer>
void launch_skeleton(const Executor& exec, const launch_of<Mapping>& each, const Consumer& consumer) {
  if (each.shape.blocks == 0) return;
  const skeleton_kernel<Mapping, Consumer> kernel{each.mapping, consumer};
  if constexpr (sized_on_device<typename Mapping::tiles_type>)
    launch_sized(exec, each, sized_kernel<skeleton_kernel<Mapping, Consumer>>{kernel, each.max_size});
  else
    launch(exec, each.shape, kernel);
}

/// Returns how many of a launch's blocks, the first ones, cut tiles. For tile sets sized on the device: the maximum.
template <class Mapping> int cutting_blocks(const launch_of<Mapping>& each) {
  return cutting_blocks(each.mapping, each.shape.blocks);
}
/// Returns how many blocks may cut tiles, for any tile set that the plan has room for.
template <class Mapping> int max_cutting_blocks(const launch_of<Mapping>& each) {
  if constexpr (!sharing::any_cuts<typename Mapping::sharings>)
    return 0;
  else
    return larger(cutting_blocks(each), each.max_blocks);
}

} // namespace evenly
