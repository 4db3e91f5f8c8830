// SPDX-License-Identifier: Apache-2.0
// Lists that all blocks of a co-resident launch append to at the same time, and read after a grid barrier.
//
// A list is a sequence of chunks. It owns its first chunk. When an entry first falls into a further chunk, the thread
// that takes that place takes a free chunk and stores its number in the list's row of a table. A thread whose place is
// in a chunk that another thread is about to add waits for the number. So the memory is proportional to the number of
// entries at one time, in whichever lists they are.
//
// Free chunks are in a ring. A chunk returned after one barrier is taken only after the next barrier, so no place of
// the ring is read while it is written. If no chunk is free, or a row is too short, the entry is dropped and the launch
// is marked `exhausted`. The host then restarts it with more memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"

namespace evenly::detail {

/// The stride, in words, between words that each have a cache line of their own.
inline constexpr int words_of_line = 32;

/// The time between two grid barriers of the blocks.
struct list_turn {
  std::uint32_t number = 1; ///< from 1 on
  std::uint32_t free = 0;   ///< chunks put into the ring so far, including those taken since
};

/// Pointers into the executor's memory; owns nothing.
template <class Entry> struct entry_lists {
  Entry* entries;           ///< of all chunks; the first `lists` chunks are the lists' own
  std::uint32_t* table;     ///< `row` values per list: 0, or the number of the chunk + 1
  std::uint32_t* ring;      ///< numbers of free chunks: `ring_mask` + 1 places
  std::uint32_t* counts;    ///< entries per list; from list `apart` on, one per cache line
  std::uint32_t* taken;     ///< one word: number of chunks taken from the ring so far
  std::uint32_t* exhausted; ///< one word: the turn in which a chunk was missing, or 0
  int lists;
  int apart;
  std::uint32_t row;
  std::uint32_t chunks;
  std::uint32_t ring_mask;
  int chunk_log; ///< log2 of the entries of a chunk

  static constexpr std::uint32_t missing = ~std::uint32_t{0}; ///< in the table: there was no free chunk

  EVENLY_INLINE_FN std::uint32_t& count(int list) const {
    return counts[list < apart ? list : apart + (list - apart) * words_of_line];
  }
  /// The number of words of `counts`.
  std::int64_t count_words() const { return apart + std::int64_t{lists - apart} * words_of_line; }
  /// The number of chunks that are free at first.
  EVENLY_FN std::uint32_t free_at_first() const { return chunks - static_cast<std::uint32_t>(lists); }

  /// Empties all lists. Each of the `threads` threads of the launch does a part. A grid barrier must follow before
  /// entries are added.
  EVENLY_FN void clear(std::int64_t thread, std::int64_t threads) const {
    const std::int64_t cells = std::int64_t{lists} * row;
    for (std::int64_t i = thread; i < cells; i += threads) table[i] = 0;
    for (std::int64_t i = thread; i < free_at_first(); i += threads)
      ring[i] = static_cast<std::uint32_t>(lists + i);
    for (std::int64_t i = thread; i < lists; i += threads) count(static_cast<int>(i)) = 0;
    if (thread == 0) *taken = *exhausted = 0;
  }

  /// Takes places for `size` consecutive entries and adds the chunks that begin there. Returns the first place. Any
  /// thread may call it.
  EVENLY_FN std::uint32_t take(int list, std::uint32_t size, const list_turn& turn) const {
    const std::uint32_t first = atomic_ref(count(list)).fetch_add(size, order::relaxed{});
    const std::uint32_t end = first + size, chunk_mask = (std::uint32_t{1} << chunk_log) - 1;
    for (std::uint32_t c = larger((first + chunk_mask) >> chunk_log, std::uint32_t{1}); c << chunk_log < end;
         ++c)
      bring(list, c, turn);
    return first;
  }
  /// The address of an entry; null if it is to be dropped. Waits for the thread that adds the chunk.
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

  /// Whether a chunk was missing in a previous turn; the same for all threads.
  EVENLY_INLINE_FN bool are_exhausted(const list_turn& turn) const {
    const std::uint32_t when = atomic_ref(*exhausted).load(order::relaxed{});
    return when != 0 && when < turn.number;
  }

  /// An entry of a list that no thread appends to. Requires a launch that is not exhausted.
  EVENLY_INLINE_FN const Entry& read(int list, std::uint32_t place) const {
    const std::uint32_t c = place >> chunk_log;
    return *entry(c == 0 ? static_cast<std::uint32_t>(list) : table[std::int64_t{list} * row + c] - 1, place);
  }

  /// The number of chunks that a list of `size` entries has added.
  EVENLY_INLINE_FN std::uint32_t brought(std::uint32_t size) const {
    return size == 0 ? 0 : (size - 1) >> chunk_log;
  }
  /// Returns the chunks of a list of `size` entries, which is no longer used, to the ring, behind `free`. All threads
  /// of the launch call it, each with its number.
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
