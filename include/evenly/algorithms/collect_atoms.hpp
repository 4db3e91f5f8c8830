// SPDX-License-Identifier: Apache-2.0
// collect_atoms: compacts the values that a function returns for some of the atoms. This is the skeleton of graph
// traversal, from one frontier to the next.
//
// Atoms are visited as by for_each_atom, each once.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "evenly/algorithms/detail/take_place.hpp"
#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/compaction.hpp"
#include "evenly/primitives/detail/counted_pass.hpp"
#include "evenly/primitives/detail/staged_pass.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/look_back.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/tile_set.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// collect_atoms in any order. A block collects its values in a list in storage. At its end it reserves places for all
// of them by one atomic addition and writes them coalesced. Overflow of the list is written directly, with one atomic
// addition per value. A serial block instead writes and clears its list whenever it is full.
//
// Atoms are visited by the worker of for_each_atom.

namespace evenly {

/// A block's list of collected values.
template <class T> struct found_slots {
  slot<T> values;
  slot<int> used;           ///< places taken in the list; may exceed its size
  slot<std::int64_t> place; ///< of the first value in the output

  /// Returns the size of the list: for values of 4 bytes, half of the 16 atoms that a thread has under schedules that
  /// cut. A serial block has a list of a page.
  EVENLY_FN static constexpr int room(block_shape shape) {
    constexpr int thread_bytes = 32, serial_bytes = 4096;
    const int bytes = shape.size == 1 ? serial_bytes : thread_bytes * shape.size;
    return larger(bytes / static_cast<int>(sizeof(T)), 1);
  }
  EVENLY_FN static constexpr found_slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<T>(room(shape)), layout.take<int>(1), layout.take<std::int64_t>(1)};
  }
};

template <tile_set Tiles, class Visit, class T> struct collect_by_blocks {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr bool is_copyable = is_device_copyable<Visit>;
  static constexpr bool with_rank = std::invocable<const Visit&, tile, atom, atom>;

  Tiles tiles;
  Visit visit;
  T* out;
  std::int64_t capacity; ///< elements of `out`
  std::int64_t* count;   ///< places taken in `out`; may exceed its size

  template <class Form>
  static constexpr bool takes = for_each_atom_consumer<Tiles, Visit>::template takes<Form>;

  template <class... Sharings>
  EVENLY_FN static constexpr found_slots<T> lay_out(sharing::list<Sharings...>, storage_layout& layout,
                                                    block_shape shape) {
    return found_slots<T>::lay_out(layout, shape);
  }

  /// A function for for_each_atom, used by one thread of a block.
  template <class Block> struct keeps {
    const collect_by_blocks& work;
    Block& block;
    const found_slots<T>& slots;

    EVENLY_INLINE_FN void operator()(tile t, atom a) const
    requires(!with_rank)
    {
      keep(work.visit(t, a));
    }
    EVENLY_INLINE_FN void operator()(tile t, atom a, atom rank) const
    requires with_rank
    {
      keep(work.visit(t, a, rank));
    }
    /// Clears the list; required before first use. All threads call it and synchronise after it.
    EVENLY_FN void clear() const {
      if (block.rank() == 0) block.storage(slots.used)[0] = 0;
    }
    /// Writes the list to the output. All threads call it; synchronises the block.
    EVENLY_FN void write() const {
      block.sync();
      const auto values = block.storage(slots.values);
      const auto place = block.storage(slots.place);
      const int used = block.storage(slots.used)[0];
      const int accepted = smaller(used, values.size());
      if (block.rank() == 0 && accepted > 0)
        place[0] = atomic_ref(*work.count).fetch_add(accepted, order::relaxed{});
      block.sync();
      if (accepted == 0) return;
      const std::int64_t first = place[0];
      for_strided(0, accepted, block.rank(), block.size(), [&](int i) {
        const T value = values[i];
        put(first + i, value);
      });
    }

   private:
    template <class Found> EVENLY_INLINE_FN void keep(const Found& found) const {
      if (!found.has_value()) return;
      const auto values = block.storage(slots.values);
      const auto used = block.storage(slots.used);
      if constexpr (Block::is_serial) {
        if (used[0] == values.size()) {
          write();
          clear();
        }
        values[used[0]++] = static_cast<T>(*found);
      } else {
        const int place = take_place(atomic_ref(used[0], scope::block{}));
        if (place < values.size())
          values[place] = static_cast<T>(*found);
        else
          put(take_place(atomic_ref(*work.count)), static_cast<T>(*found));
      }
    }
    EVENLY_INLINE_FN void put(std::int64_t place, const T& value) const {
      if (place < work.capacity) traced(block, work.out)[place] = value;
    }
  };

  template <class Block, class Slots, class Sharings> struct worker {
    using each_atom = for_each_atom_consumer<Tiles, keeps<Block>>;
    using atoms_worker = typename each_atom::template worker<Block, Slots, Sharings>;
    static constexpr bool wants_empty_tiles = false;
    static constexpr bool runs_need_no_storage = true;

    worker_copy<collect_by_blocks, Block> work;
    Block& block;
    const Slots& slots;

    EVENLY_FN worker(const collect_by_blocks& consumer, Block& here, const Slots& place)
        : work(consumer), block(here), slots(place) {
      list().clear();
      block.sync();
    }

    template <class Form, class Part> EVENLY_FN void operator()(Form form, const Part& part) const {
      const each_atom each{work.tiles, list()};
      const atoms_worker atoms{each, block, slots};
      atoms(form, part);
    }
    EVENLY_FN void finish() const { list().write(); }

   private:
    EVENLY_INLINE_FN keeps<Block> list() const { return {work, block, slots}; }
  };
};

} // namespace evenly

// --- details ---------------------------------------------------------------------------------------------------------
// collect_atoms in atom order. for_each_atom records for each atom whether it has a value, and the value. A compaction
// (primitives/detail/compaction.hpp) then moves the values together. Each atom is visited once, however tiles are
// shared.

namespace evenly::detail {

/// The records of the atoms, counted from the first atom.
template <class T> struct noted_atoms {
  bool* found;
  T* values; ///< defined where `found` is true
};

/// A function for for_each_atom that records the result of `visit`.
template <tile_set Tiles, class Visit, class T> struct notes {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr bool is_copyable = is_device_copyable<Visit>;
  static constexpr bool with_rank = std::invocable<const Visit&, tile, atom, atom>;

  Tiles tiles;
  Visit visit;
  noted_atoms<T> noted;
  atom first; ///< the first atom, if the host knows it

  EVENLY_INLINE_FN void operator()(tile t, atom a) const
  requires(!with_rank)
  {
    note(a, visit(t, a));
  }
  EVENLY_INLINE_FN void operator()(tile t, atom a, atom rank) const
  requires with_rank
  {
    note(a, visit(t, a, rank));
  }

 private:
  template <class Found> EVENLY_INLINE_FN void note(atom a, const Found& found) const {
    atom i = a - first;
    if constexpr (sized_on_device<Tiles>) i = a - tiles.begin(0);
    noted.found[i] = found.has_value();
    if (found.has_value()) noted.values[i] = static_cast<T>(*found);
  }
};

/// The predicate, the input and the output of the compaction. It moves atom numbers.
struct was_found {
  const bool* found;
  template <class Atom> EVENLY_INLINE_FN bool operator()(Atom i) const { return found[i]; }
};
template <class Atom> struct atom_numbers {
  EVENLY_INLINE_FN Atom operator[](std::int64_t i) const { return static_cast<Atom>(i); }
};
template <class T> struct values_of_atoms {
  const T* values;
  T* out;
  std::int64_t capacity; ///< elements of `out`

  struct place {
    const values_of_atoms& of;
    std::int64_t at;
    EVENLY_INLINE_FN void operator=(std::int64_t atom) const {
      if (at < of.capacity) of.out[at] = of.values[atom];
    }
  };
  EVENLY_INLINE_FN place operator[](std::int64_t i) const { return {*this, i}; }
};

/// Returns the number of atoms, on the executor; 0 if there are more atoms or tiles than there is room for.
template <tile_set Tiles> struct count_of_atoms {
  Tiles tiles;
  capacity max_size;
  EVENLY_FN std::int64_t operator()() const { return sizes_within(tiles, max_size).all.atoms; }
};

/// The compaction of a plan's atoms, and its memory.
template <class Plan, class T> struct collection {
  using tiles = typename Plan::tiles_type;
  using work = compaction<1, atom_numbers<atom_type<tiles>>, was_found, values_of_atoms<T>, nowhere>;
  using kernel =
      staged_kernel<work, staged_tuning::items(work::element_bytes, 1), Plan::executor_type::serial_blocks>;
  static constexpr int block_size = staged_block_size<work>;
  static constexpr std::int64_t chunk_size = kernel::chunk_size(block_size);

  /// Returns the maximum number of atoms. There is always at least one chunk.
  static std::int64_t max_atoms(const Plan& plan) {
    if constexpr (requires { plan.max_size(); })
      return plan.max_size().atoms;
    else
      return plan.atoms();
  }
  static std::int64_t chunks_of(std::int64_t atoms) {
    return larger<std::int64_t>(ceil_div(atoms, chunk_size), 1);
  }
  static std::size_t bytes_of_values(const Plan& plan) {
    return ceil_div(static_cast<std::size_t>(max_atoms(plan)) * sizeof(T), std::size_t{64}) * 64;
  }
  static workspace::sizes memory_for(const Plan& plan) {
    const std::int64_t max = max_atoms(plan);
    look_back<std::int64_t>::require_few(chunks_of(max));
    return {look_back<std::int64_t>::bytes(chunks_of(max)),
            bytes_of_values(plan) + static_cast<std::size_t>(max) * sizeof(bool)};
  }
};

template <class Executor, class Plan, class Visit, class T>
void collect_in_order(const Executor& exec, Plan& plan, const Visit& visit, std::span<T> out,
                      std::int64_t* count, workspace::lease& lease) {
  using all = collection<Plan, T>;
  using tiles = typename Plan::tiles_type;
  using kernel = typename all::kernel;
  const workspace::sizes room = all::memory_for(plan);
  const auto memory = lease.take(exec, room.kept, room.scratch);
  const noted_atoms<T> noted{reinterpret_cast<bool*>(memory.scratch + all::bytes_of_values(plan)),
                             reinterpret_cast<T*>(memory.scratch)};
  atom_type<tiles> first = 0;
  std::int64_t atoms = all::max_atoms(plan);
  if constexpr (!sized_on_device<tiles>) {
    first = plan.first_atom();
    atoms = plan.atoms();
  }
  using visits = notes<tiles, Visit, T>;
  launch_skeleton(exec, plan.launch(),
                  for_each_atom_consumer<tiles, visits>{plan.tiles(), {plan.tiles(), visit, noted, first}});

  const values_of_atoms<T> to{noted.values, out.data(), static_cast<std::int64_t>(out.size())};
  const std::int64_t chunks = all::chunks_of(atoms);
  const kernel moves{
      {{}, {noted.found}, to, {}, count}, atoms, look_back<std::int64_t>::at(memory.kept, chunks)};
  if constexpr (sized_on_device<tiles>)
    launch_persistent(
        exec,
        counted_pass<kernel, count_of_atoms<tiles>>{moves, {plan.tiles(), plan.max_size()}, all::chunk_size},
        chunks, all::block_size);
  else
    launch_persistent(exec, moves, chunks, all::block_size);
}

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// collect_atoms: see the head of this file.

namespace evenly {

/// Requests values in any order. The order may differ on every run.
struct any_order {};
/// An argument of collect_atoms.
inline constexpr any_order in_any_order{};

namespace detail {

/// Throws invalid_argument if the output is missing or overlaps `count`.
template <class T> void require_places(std::span<T> out, const std::int64_t* count) {
  require(count != nullptr,
          [] { return "count is null: it must point to the output for the number of values"; });
  require_memory("out", out.data(), static_cast<std::int64_t>(out.size()));
  require_apart("out", out.data(), static_cast<std::int64_t>(out.size()), "count", count, 1, false);
}

template <class Executor, class Plan, class Visit, class T>
void collect_planned(const Executor& exec, Plan& plan, const Visit& visit, std::span<T> out,
                     std::int64_t* count) {
  static_assert(collectable<Visit, typename Plan::tiles_type, T>::holds);
  note_parts(exec, plan.tiles(), visit);
  require_places(out, count);
  auto lease = plan.start(exec);
  collect_in_order(exec, plan, visit, out, count, lease);
}
template <class Executor, class Plan, class Visit, class T>
void collect_planned(const Executor& exec, Plan& plan, const Visit& visit, std::span<T> out,
                     std::int64_t* count, any_order) {
  static_assert(collectable<Visit, typename Plan::tiles_type, T>::holds);
  note_parts(exec, plan.tiles(), visit);
  require_places(out, count);
  [[maybe_unused]] const auto run = plan.start(exec);
  exec.fill_zero(count, sizeof(*count));
  using consumer = collect_by_blocks<typename Plan::tiles_type, Visit, T>;
  launch_skeleton(exec, plan.launch(),
                  consumer{plan.tiles(), visit, out.data(), static_cast<std::int64_t>(out.size()), count});
}

} // namespace detail

/// collect_atoms(exec, plan, visit, out, count)
/// collect_atoms(exec, schedule, tiles, visit, out, count)
///
/// Calls visit exactly once for every atom and writes the values that it returns to out[0], out[1], ..., in atom order.
/// Writes the number of values to *count. If that exceeds out.size(), `out` holds the first out.size() values.
///
/// - `visit`: called as visit(tile, atom, rank) or visit(tile, atom), as in for_each_atom. It returns an optional
///   value: a std::optional or any type with has_value() and operator*.
/// - `out`, `count`: on `exec`; they overlap neither each other nor any memory of the tile set.
/// - Synchronisation: asynchronous on cuda. The first run under a plan may allocate sizeof(T) + 1 bytes per possible
///   atom.
/// - Determinism: the values are the same on every run if visit returns the same.
/// - Cost: for_each_atom, and a pass over a byte per atom.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void collect_atoms(const Executor& exec, How&& how, Rest&&... rest) {
  detail::run_skeleton(
      exec, how, work_kind::visits,
      [&](auto& plan, auto&... arguments) { detail::collect_planned(exec, plan, arguments...); }, rest...);
}

/// For plan.reserve: reserves memory for collect_atoms of values of T, in atom order.
template <class T> struct collects {
  template <class Plan> workspace::sizes memory_for(const Plan& plan) const {
    return detail::collection<Plan, T>::memory_for(plan);
  }
};

} // namespace evenly
