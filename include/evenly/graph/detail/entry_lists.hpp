// SPDX-License-Identifier: Apache-2.0
// Lists that all blocks of a co-resident launch append to at the same time, and read once they have met.
//
// A list is a row of chunks. Its first chunk is its own; others are taken from those that are free when an entry first
// falls into them, by whoever takes that place, and their numbers stand in the list's row of a table. Who takes a place
// in a chunk that another is about to bring waits for the number. So memory is for the entries that there are at one
// time, in whichever lists they are.
//
// Free chunks stand in a ring. What is given back after a meeting is taken only after the next one: so the ring is
// never read where it is being written. Where no chunk is free, or a row is too short, what was to go there is dropped
// and the launch is told so (exhausted): the host begins again with more.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"

namespace evenly::detail {

/// Words alone in what a GPU moves together: `stride` apart.
inline constexpr int words_of_line = 32;

/// Between two grid barriers of the blocks.
struct list_turn {
  std::uint32_t number = 1; ///< from 1 on
  std::uint32_t free = 0;   ///< chunks that have ever been free to be taken
};

/// Pointers to where the executor reads; nothing owned.
template <class Entry> struct entry_lists {
  Entry* entries;           ///< of all chunks; the first `lists` of them are the lists' own
  std::uint32_t* table;     ///< `row` for each list: 0, or the number of the chunk + 1
  std::uint32_t* ring;      ///< numbers of free chunks: `ring_mask` + 1 places
  std::uint32_t* counts;    ///< entries of each list; those from `apart` on words_of_line apart
  std::uint32_t* taken;     ///< one: chunks that were ever taken from the ring
  std::uint32_t* exhausted; ///< one: the turn in which a chunk was missing, or 0
  int lists;
  int apart;
  std::uint32_t row;
  std::uint32_t chunks;
  std::uint32_t ring_mask;
  int chunk_log; ///< log2 of the entries of a chunk

  static constexpr std::uint32_t missing = ~std::uint32_t{0}; ///< in the table: there was no chunk

  EVENLY_INLINE_FN std::uint32_t& count(int list) const {
    return counts[list < apart ? list : apart + (list - apart) * words_of_line];
  }
  /// Words that `counts` has.
  std::int64_t count_words() const { return apart + std::int64_t{lists - apart} * words_of_line; }
  /// Chunks that are free to begin with.
  EVENLY_FN std::uint32_t free_at_first() const { return chunks - static_cast<std::uint32_t>(lists); }

  /// Empties all lists: each thread of the launch does a part, by its number of `threads`. Another meeting comes before
  /// entries are added.
  EVENLY_FN void clear(std::int64_t thread, std::int64_t threads) const {
    const std::int64_t cells = std::int64_t{lists} * row;
    for (std::int64_t i = thread; i < cells; i += threads) table[i] = 0;
    for (std::int64_t i = thread; i < free_at_first(); i += threads)
      ring[i] = static_cast<std::uint32_t>(lists + i);
    for (std::int64_t i = thread; i < lists; i += threads) count(static_cast<int>(i)) = 0;
    if (thread == 0) *taken = *exhausted = 0;
  }

  /// Places for `size` entries, consecutive, from the one that is returned on. By any thread. Brings the chunks that
  /// begin there.
  EVENLY_FN std::uint32_t take(int list, std::uint32_t size, const list_turn& turn) const {
    const std::uint32_t first = atomic_ref(count(list)).fetch_add(size, order::relaxed{});
    const std::uint32_t end = first + size, chunk_mask = (std::uint32_t{1} << chunk_log) - 1;
    for (std::uint32_t c = larger((first + chunk_mask) >> chunk_log, std::uint32_t{1}); c << chunk_log < end;
         ++c)
      bring(list, c, turn);
    return first;
  }
  /// Where an entry goes that has a place; null if it is to be dropped. Waits for whoever brings the chunk.
  template <class Block> EVENLY_FN Entry* at(Block& block, int list, std::uint32_t place) const {
    const std::uint32_t c = place >> chunk_log;
    if (c == 0) return entry(static_cast<std::uint32_t>(list), place);
    if (c >= row) return nullptr;
    const atomic_ref cell(table[std::int64_t{list} * row + c]);
    std::uint32_t number = cell.load(order::relaxed{});
    while (number == 0) {
      block.backoff();
      number = cell.load(order::relaxed{});
    }
    return number == missing ? nullptr : entry(number - 1, place);
  }

  /// Whether a chunk was missing in a turn before this one; the same for all.
  EVENLY_INLINE_FN bool are_exhausted(const list_turn& turn) const {
    const std::uint32_t when = atomic_ref(*exhausted).load(order::relaxed{});
    return when != 0 && when < turn.number;
  }

  /// An entry of a list that nobody adds to. Of a launch that has not been exhausted.
  EVENLY_INLINE_FN const Entry& read(int list, std::uint32_t place) const {
    const std::uint32_t c = place >> chunk_log;
    return *entry(c == 0 ? static_cast<std::uint32_t>(list) : table[std::int64_t{list} * row + c] - 1, place);
  }

  /// Chunks that a list of `size` entries has brought.
  EVENLY_INLINE_FN std::uint32_t brought(std::uint32_t size) const {
    return size == 0 ? 0 : (size - 1) >> chunk_log;
  }
  /// Gives the chunks of a list of `size` entries back, which nobody uses any more; behind `free` in the ring. By all
  /// threads of the launch, each with its number.
  EVENLY_FN void give_back(int list, std::uint32_t size, std::uint32_t free, std::int64_t thread,
                           std::int64_t threads) const {
    for (std::int64_t c = thread; c < brought(size); c += threads) {
      std::uint32_t& cell = table[std::int64_t{list} * row + c + 1];
      ring[(free + static_cast<std::uint32_t>(c)) & ring_mask] = cell - 1;
      cell = 0;
    }
  }

 private:
  EVENLY_INLINE_FN Entry* entry(std::uint32_t chunk, std::uint32_t place) const {
    const std::uint32_t in_chunk = place & ((std::uint32_t{1} << chunk_log) - 1);
    return entries + ((std::int64_t{chunk} << chunk_log) + in_chunk);
  }

  EVENLY_FN void bring(int list, std::uint32_t c, const list_turn& turn) const {
    if (c < row) {
      const std::uint32_t number = atomic_ref(*taken).fetch_add(1, order::relaxed{});
      const bool has = static_cast<std::int32_t>(turn.free - number) > 0;
      atomic_ref(table[std::int64_t{list} * row + c])
          .store(has ? ring[number & ring_mask] + 1 : missing, order::relaxed{});
      if (has) return;
    }
    atomic_ref(*exhausted).store(turn.number, order::relaxed{});
  }
};

} // namespace evenly::detail
