// SPDX-License-Identifier: Apache-2.0
// collect_atoms in any order. A block collects its values in a list in storage. At its end it reserves places for all
// of them by one atomic addition and writes them coalesced. Overflow of the list is written directly, with one atomic
// addition per value. A serial block instead writes and clears its list whenever it is full.
//
// Atoms are visited by the worker of for_each_atom.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "evenly/algorithms/detail/take_place.hpp"
#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

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
