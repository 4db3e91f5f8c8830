// SPDX-License-Identifier: Apache-2.0
// collect_atoms in atom order. for_each_atom records for each atom whether it has a value, and the value. A compaction
// (primitives/detail/compaction.hpp) then moves the values together. Each atom is visited once, however tiles are
// shared.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/device_copyable.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/primitives/detail/compaction.hpp"
#include "evenly/primitives/detail/counted_pass.hpp"
#include "evenly/primitives/detail/staged_pass.hpp"
#include "evenly/primitives/look_back.hpp"
#include "evenly/primitives/persistent_pass.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

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
