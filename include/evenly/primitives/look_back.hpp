// SPDX-License-Identifier: Apache-2.0
// Look-back of fixed shape: the combination of all chunks before a block's own, in one pass over the data.
//
// A sequence of elements is cut into chunks, numbered in order. Blocks draw the numbers of their chunks from a ticket,
// so a block only waits for lower numbers, whose blocks are running. Each chunk publishes its aggregate, the
// combination of its own elements, as soon as it is known.
//
// Source: Merrill & Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016. There a block adds up
// predecessors until it finds one with a known prefix, so timing decides which numbers are added to which. Here it does
// not. With W lanes in a warp, W consecutive chunks are a group, W groups a supergroup, and a
// chunk's prefix is always
//
//   (all supergroups before its own)  +  (groups before its own in the supergroup)  +  (chunks before it in the group)
//
// The last chunk of a group publishes the group's aggregate. The last chunk of a supergroup extends the chain: one
// value per supergroup, of all supergroups before it. A block waits for all three at the same time, with one coalesced
// read of each. Every run thus returns the same bits, and waiting takes no longer. A link of the chain serves W * W
// chunks. On the CPU, where a warp is one thread, there is only the chain.
//
// Every value is stored in 64-bit words: 32 bits of data and a stamp, the number of the call. A word is written at
// once, so a reader that finds the stamp has the data too. Nothing is cleared between calls, and no fence is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"

namespace evenly {

namespace detail {

/// The memory orders that publish a complete value. On a GPU relaxed suffices: uses of the value depend on it, and it
/// depends on its inputs, even if results replace inputs. C++ has no such order on hosts.
#if defined(__CUDA_ARCH__)
using publish_order = order::relaxed;
using order_of_get = order::relaxed;
using order_of_draw = order::relaxed;
#else
using publish_order = order::release;
using order_of_get = order::acquire;
using order_of_draw = order::acq_rel;
#endif

} // namespace detail

/// An array of values that other blocks may wait for.
template <class T> struct stamped_values {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr int words_of_value = static_cast<int>((sizeof(T) + 3) / 4);

  std::uint64_t* words;
  std::uint32_t stamp;

  EVENLY_FN void put(std::int64_t i, const T& value) const {
    std::uint32_t parts[words_of_value] = {};
    memcpy(parts, &value, sizeof(T));
    EVENLY_UNROLL
    for (int w = 0; w < words_of_value; ++w)
      atomic_ref(words[i * words_of_value + w])
          .store(static_cast<std::uint64_t>(stamp) << 32 | parts[w], detail::publish_order{});
  }
  /// Returns whether value i has been put; if so, writes it to `value`.
  EVENLY_FN bool get(std::int64_t i, T& value) const {
    std::uint32_t parts[words_of_value] = {};
    bool all = true;
    EVENLY_UNROLL
    for (int w = 0; w < words_of_value; ++w) {
      const std::uint64_t word = atomic_ref(words[i * words_of_value + w]).load(detail::order_of_get{});
      parts[w] = static_cast<std::uint32_t>(word);
      all = all && static_cast<std::uint32_t>(word >> 32) == stamp;
    }
    if (all) memcpy(&value, parts, sizeof(T));
    return all;
  }
};

/// The state that all calls on one workspace share.
struct look_back_state {
  std::uint32_t tickets; ///< drawn in this call
  std::uint32_t retired; ///< blocks that have drawn their last number
  std::uint32_t calls;   ///< finished so far: the stamp of the next is one more
  std::uint32_t unused;
};

/// The look-back of one call. See the head of this file.
template <class T> struct look_back {
  using values = stamped_values<T>;
  static constexpr std::size_t header_bytes = 64;
  static_assert(sizeof(look_back_state) <= header_bytes);

  look_back_state* state;
  std::uint64_t* words;
  std::uint32_t chunks;
  std::size_t workspace_words; ///< the maximum that other calls may have written

  /// Tickets are drawn beyond the last chunk, and fit into 32 bits.
  static constexpr std::int64_t max_chunks = std::int64_t{1} << 31;

  /// Returns the bytes of workspace for `chunks` chunks.
  static constexpr std::size_t bytes(std::int64_t chunks) {
    return header_bytes +
           (3 * static_cast<std::size_t>(chunks) + 2) * values::words_of_value * sizeof(std::uint64_t);
  }
  /// Reserves memory for `chunks` chunks in a workspace. The memory is needed until the kernel is done. Throws
  /// invalid_argument if there are too many chunks to count.
  template <class Executor>
  static look_back in(const Executor& exec, workspace::lease& memory, std::int64_t chunks) {
    return in(exec, memory, chunks, chunks);
  }
  /// The same in memory for `max`, so that a later call with more chunks allocates nothing.
  template <class Executor>
  static look_back in(const Executor& exec, workspace::lease& memory, std::int64_t chunks, std::int64_t max) {
    require_few(max);
    return at(memory.take(exec, bytes(max)).kept, chunks);
  }
  static void require_few(std::int64_t chunks) {
    require(chunks <= max_chunks,
            [&] { return detail::concat(chunks, " chunks of work: a pass supports at most ", max_chunks); });
  }
  /// The same in memory that a lease has taken: at least bytes(chunks) of its `kept` part, for few enough chunks.
  static look_back at(std::span<std::byte> kept, std::int64_t chunks) {
    const std::size_t words = (kept.size() - header_bytes) / sizeof(std::uint64_t);
    return {reinterpret_cast<look_back_state*>(kept.data()),
            reinterpret_cast<std::uint64_t*>(kept.data() + header_bytes), static_cast<std::uint32_t>(chunks),
            words};
  }

  /// The stamp of this call. A block reads it before it retires: the last block to retire changes it.
  EVENLY_FN std::uint32_t stamp() const { return state->calls + 1; }

  /// Returns the number of the next chunk; at least `chunks` if there is none. Each block processes its numbers in the
  /// order of drawing. Called by one thread.
  EVENLY_FN std::uint32_t draw() const {
    return atomic_ref(state->tickets).fetch_add(1, detail::order_of_draw{});
  }

  /// Returns the combination of the chunks before `chunk`. `own`: the chunk's aggregate. All lanes of the block's first
  /// warp call it; valid in all. Waits for the chunks before.
  template <class Block, monoid Op>
  EVENLY_FN T prefix(Block& block, std::uint32_t stamp, std::uint32_t chunk, const T& own,
                     const Op& op) const {
    static_assert(std::is_same_v<T, typename Op::value_type>);
    const values of_chunk{words, stamp};
    if constexpr (Block::is_serial) {
      publish(stamp, chunk, own);
      return await_serially(block, stamp, chunk, op);
    } else {
      const lanes<Block> warp = this_warp(block);
      const auto width = static_cast<std::uint32_t>(warp.size());
      const auto lane = static_cast<std::uint32_t>(warp.rank());
      const std::uint32_t group = chunk / width, supergroup = group / width;
      const std::uint32_t place = chunk % width, place_of_group = group % width;
      const values of_group{words + std::int64_t{chunks} * values::words_of_value, stamp};
      const values chain{of_group.words + std::int64_t{chunks} * values::words_of_value, stamp};
      const bool last = place == width - 1;
      if (lane == 0 && !last) of_chunk.put(chunk, own);

      T from_chunk = op.identity(), from_group = op.identity(), from_chain = op.identity();
      bool has_chunk = lane >= place, has_group = lane >= place_of_group, has_chain = supergroup == 0;
      const auto look = [&] {
        if (!has_chunk) has_chunk = of_chunk.get(chunk - place + lane, from_chunk);
        if (!has_group) has_group = of_group.get(group - place_of_group + lane, from_group);
        if (!has_chain) has_chain = chain.get(supergroup, from_chain);
      };
      look();
      while (!warp.all(has_chunk)) {
        block.backoff();
        look();
      }
      const T chunks_before = combined(warp, from_chunk, op);
      if (lane == 0 && last && place_of_group < width - 1) of_group.put(group, op(chunks_before, own));
      while (!warp.all(has_group && has_chain)) {
        block.backoff();
        look();
      }
      const T before = op(from_chain, combined(warp, from_group, op));
      const T all_before = op(before, chunks_before);
      if (lane == 0 && last && place_of_group == width - 1)
        chain.put(supergroup + std::int64_t{1}, op(before, op(chunks_before, own)));
      return all_before;
    }
  }

  /// The alternative way to a prefix, for blocks that process other chunks while they wait: one block, the server,
  /// processes no chunk and computes the prefixes of the others. Its association is as fixed as that of prefix().
  ///
  /// All lanes of the server's first warp call it. It returns when all chunks have been served. It waits for chunks of
  /// blocks that may not have begun: such a launch has at least two blocks, and runs them at the same time.
  template <class Block, monoid Op>
  EVENLY_FN void serve(Block& block, std::uint32_t stamp, const Op& op) const {
    constexpr int each = 4; // chunks per lane in a window: reading four takes as long as reading one
    const values own{words, stamp}, before = served(stamp);
    const lanes<Block> warp = this_warp(block);
    const int first = warp.rank() * each;
    T carried = op.identity(); // combination of the chunks before the window
    for (std::int64_t window = 0; window < chunks; window += warp.size() * each) {
      const auto size = static_cast<int>(smaller<std::int64_t>(warp.size() * each, chunks - window));
      T mine[each];
      bool here[each];
      EVENLY_UNROLL
      for (int i = 0; i < each; ++i) {
        mine[i] = op.identity();
        here[i] = first + i >= size;
      }
      for (int done = 0; done < size;) {
        int mine_ready = each;
        EVENLY_UNROLL
        for (int i = each - 1; i >= 0; --i) {
          if (!here[i]) here[i] = own.get(window + first + i, mine[i]);
          if (!here[i]) mine_ready = i;
        }
        // Chunks before the first missing one can be served.
        const int missing = warp.first_where(mine_ready < each);
        const int ready =
            missing < 0 ? size : smaller(missing * each + warp.shuffle(mine_ready, missing), size);
        if (ready == done) {
          block.backoff();
          continue;
        }
        T upto = mine[0];
        EVENLY_UNROLL
        for (int i = 1; i < each; ++i) upto = op(upto, mine[i]);
        upto = warp.scan(upto, op);
        const T lanes_before = warp.shuffle_up(upto, 1);
        T prefix = warp.rank() == 0 ? carried : op(carried, lanes_before);
        warp.sync(); // a lane's prefix includes values that other lanes have read
        EVENLY_UNROLL
        for (int i = 0; i < each; ++i) {
          if (first + i >= done && first + i < ready) before.put(window + first + i, prefix);
          prefix = op(prefix, mine[i]);
        }
        done = ready;
        if (done == size) carried = op(carried, warp.shuffle(upto, warp.size() - 1));
      }
    }
  }
  /// Publishes a chunk's aggregate. Called by one thread.
  EVENLY_FN void publish(std::uint32_t stamp, std::uint32_t chunk, const T& own) const {
    values{words, stamp}.put(chunk, own);
  }
  /// Returns the prefix of a published chunk from the server. Called by one thread.
  template <class Block>
  EVENLY_FN T await_server(Block& block, std::uint32_t stamp, std::uint32_t chunk) const {
    T before{};
    while (!served(stamp).get(chunk, before)) block.backoff();
    return before;
  }
  /// Returns the prefix of a published chunk, on the CPU: aggregates added one by one, from the left, to the last known
  /// prefix. A thread that loses its core thus delays others only until it has published.
  template <class Block, monoid Op>
  T await_serially(Block& block, std::uint32_t stamp, std::uint32_t chunk, const Op& op) const {
    const values own{words, stamp}, known = served(stamp);
    T before = op.identity();
    std::uint32_t from = chunk;
    while (from > 0 && !known.get(from, before)) --from;
    for (; from < chunk; ++from) {
      T each{};
      while (!own.get(from, each)) block.backoff();
      before = op(before, each);
    }
    known.put(chunk, before);
    return before;
  }

  /// The array of published aggregates, for code that needs no prefixes: value i is for chunk i.
  EVENLY_FN values values_of(std::uint32_t stamp) const { return {words, stamp}; }

  /// Called once by one thread of every block when it will draw no more. Returns whether all other blocks have retired
  /// already; this block then sees what they have put, and must call finish().
  EVENLY_FN bool retire(int blocks) const {
    return atomic_ref(state->retired).fetch_add(1) == static_cast<std::uint32_t>(blocks) - 1;
  }
  /// Prepares the state for the next call. Called by one thread.
  EVENLY_FN void finish(std::uint32_t stamp) const {
    state->tickets = state->retired = 0;
    state->calls = stamp;
    if (stamp < max_calls) return;
    // Stamps restart: data of earlier calls must not pass for values of later ones.
    state->calls = 0;
    for (std::size_t w = 0; w < workspace_words; ++w) words[w] = 0;
  }

 private:
  /// The array of known prefixes.
  EVENLY_FN values served(std::uint32_t stamp) const {
    return {words + std::int64_t{chunks} * values::words_of_value, stamp};
  }

  static constexpr std::uint32_t max_calls = 0xFFFFFFF0u;

  /// Returns the values of all lanes combined in order, valid in all lanes.
  template <class Block, class Op>
  static EVENLY_FN T combined(const lanes<Block>& warp, const T& value, const Op& op) {
    if ((warp.size() & (warp.size() - 1)) == 0) return warp.shuffle(warp.reduce(value, op), 0);
    return warp.shuffle(warp.scan(value, op), warp.size() - 1);
  }
};

// --- details ---------------------------------------------------------------------------------------------------------
// How a block holds a chunk of consecutive elements in registers: warp by warp, each warp's part in rows, each row with
// Width consecutive elements per lane.
//
//   row 0 of a warp   | lane 0: 0 1 2 3 | lane 1: 4 5 6 7 | ...      (Width 4)
//   row 1             | 128 ...
//
// A row is one coalesced access of the warp, of 16 bytes per lane if memory is aligned for it. No exchange through
// storage is needed: elements are in order within a lane, lanes within a row, rows within a warp, warps within the
// block.

/// The elements of one lane in one row.
template <class T, int Width> struct alignas(Width == 1 ? alignof(T) : sizeof(T) * Width) row_part {
  T of[Width];
};

/// How many elements of T an access of 16 bytes has; 1 if the size of T does not divide 16.
template <class T>
inline constexpr int wide_width = sizeof(T) <= 16 && 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;

/// How many elements an access of `Memory` may have; more than one only for pointers to elements of T themselves.
template <class T, class Memory>
inline constexpr int width_of =
    std::is_pointer_v<Memory> && std::is_same_v<std::remove_cv_t<std::remove_pointer_t<Memory>>, T>
        ? wide_width<T>
        : 1;

/// Whether this memory is aligned for such accesses.
template <class Memory> bool is_wide(const Memory& memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % 16 == 0;
}

namespace detail {

/// Returns a pointer as the block sees it; any other input or output unchanged.
template <class Block, class Memory> EVENLY_INLINE_FN auto seen(Block& block, const Memory& memory) {
  if constexpr (std::is_pointer_v<Memory>)
    return traced(block, memory);
  else
    return memory;
}

/// Converts the value to the element type of `Memory`. The caller chose the output, so narrowing is intended.
template <class Memory, class T> EVENLY_INLINE_FN auto as_stored_in(const T& value) {
  using element = decltype(std::declval<const Memory&>()[std::int64_t{0}]);
  if constexpr (std::is_lvalue_reference_v<element>)
    return static_cast<std::remove_cvref_t<element>>(value);
  else
    return value;
}

/// The place of a lane's i-th element in the part of its warp.
template <int Width, class Block> EVENLY_INLINE_FN int index_in_range(const lanes<Block>& warp, int i) {
  return (i / Width * warp.size() + warp.rank()) * Width + i % Width;
}

} // namespace detail

/// A thread's elements of a warp's part of Items elements per lane. Requires that Width divides Items.
template <class T, int Width, int Items> struct chunk_items {
  static_assert(Items % Width == 0);
  static constexpr int rows = Items / Width;
  T of[Items];

  /// Loads the elements from in[begin] on, where the warp's part begins, a multiple of Width. Elements at `end` and
  /// beyond become `none`. All threads of the warp call it.
  template <class Block, class Input>
  EVENLY_INLINE_FN void load(Block& block, const Input& in, std::int64_t begin, std::int64_t end,
                             const T& none) {
    const lanes<Block> warp = this_warp(block);
    if constexpr (Width > 1) {
      if (begin + warp.size() * Items <= end) {
        using part = row_part<T, Width>;
        const auto memory = traced(block, reinterpret_cast<const part*>(in));
        const std::int64_t first = begin / Width + warp.rank();
        EVENLY_UNROLL
        for (int r = 0; r < rows; ++r) {
          const part p = memory[first + r * warp.size()];
          EVENLY_UNROLL
          for (int j = 0; j < Width; ++j) of[r * Width + j] = p.of[j];
        }
        return;
      }
    }
    const auto memory = detail::seen(block, in);
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::int64_t at = begin + detail::index_in_range<Width>(warp, i);
      of[i] = none;
      if (at < end) of[i] = static_cast<T>(memory[at]);
    }
  }

  /// Stores the elements; the inverse of load.
  template <class Block, class Output>
  EVENLY_INLINE_FN void store(Block& block, const Output& out, std::int64_t begin, std::int64_t end) const {
    const lanes<Block> warp = this_warp(block);
    if constexpr (Width > 1) {
      if (begin + warp.size() * Items <= end) {
        using part = row_part<T, Width>;
        const auto memory = traced(block, reinterpret_cast<part*>(out));
        const std::int64_t first = begin / Width + warp.rank();
        EVENLY_UNROLL
        for (int r = 0; r < rows; ++r) {
          part p;
          EVENLY_UNROLL
          for (int j = 0; j < Width; ++j) p.of[j] = of[r * Width + j];
          memory[first + r * warp.size()] = p;
        }
        return;
      }
    }
    const auto memory = detail::seen(block, out);
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::int64_t at = begin + detail::index_in_range<Width>(warp, i);
      if (at < end) memory[at] = detail::as_stored_in<Output>(of[i]);
    }
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// A pass over chunks by resident blocks, which go from chunk to chunk and do not wait for each other: the common loop
// of scans.
//
// In each turn a block does five things. It scans the chunk whose elements have arrived; publishes its aggregate; parks
// it in storage; starts to load its next chunk; and finishes the chunk that it parked `Parked` turns ago. The prefix of
// that chunk has arrived in the meantime from the serving block. The number of a chunk is drawn from a
// ticket, a turn before it is needed.
//
// Each thread of a block makes a `Work`:
//   void load(chunk)                  starts to load the chunk's elements into registers
//   sum scan(chunk)                   scans the loaded elements within the warp; returns the warp's sum, in all lanes
//   void park(before_warp, ring)      adds the block's sum before the warp, and keeps the chunk in slot `ring` of
//                                     storage
//   void finish(chunk, ring, before)  writes the chunk in that slot; `before`: the combination of all chunks before it
//
// Optional members:
//   void prefetch(chunk)              by the block's first thread, a turn ahead: starts to load what the load of a
//                                     chunk depends on
//   void store_prefetched()           by that thread, later in the same turn: writes this to storage, for load
//   void emit(chunk, ring)            writes the output of the chunk in that slot that depends on no other chunk;
//                                     after the load of the next
//
// The block is synchronised between scan (and store_prefetched) and park, and, after park and the load of the next
// chunk, before finish and emit.

/// The storage of persistent_pass.
template <class Sum> struct persistent_slots {
  slot<Sum> of_warp;
  slot<Sum> prefix;
  slot<std::uint32_t> next;

  EVENLY_FN static constexpr persistent_slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<Sum>(shape.warps()), layout.take<Sum>(1), layout.take<std::uint32_t>(1)};
  }
};

/// Returns the combination of the warps before the caller's, and of all warps. `of_warp`: one value per warp.
/// log2(warps) steps if a warp has a lane for each warp.
template <class Block, monoid Op, class OfWarp>
EVENLY_INLINE_FN scan_result<typename Op::value_type> scan_warps_by_lanes(Block& block, const OfWarp& of_warp,
                                                                          const Op& op) {
  using sum = typename Op::value_type;
  const lanes<Block> warp = this_warp(block);
  const int warps = block.shape().warps(), my_warp = warp_of(block);
  if (block.size() % block.shape().warp == 0 && warps <= warp.size()) {
    sum mine = op.identity();
    if (warp.rank() < warps) mine = of_warp[warp.rank()];
    EVENLY_UNROLL
    for (int d = 1; d < warps; d *= 2) {
      const sum lower = warp.shuffle_up(mine, d);
      if (warp.rank() >= d) mine = op(lower, mine);
    }
    const sum before = warp.shuffle(mine, my_warp == 0 ? 0 : my_warp - 1);
    return {my_warp == 0 ? op.identity() : before, warp.shuffle(mine, warps - 1)};
  }
  scan_result<sum> all{op.identity(), op.identity()};
  for (int w = 0; w < warps; ++w) {
    if (w == my_warp) all.before = all.total;
    all.total = op(all.total, static_cast<sum>(of_warp[w]));
  }
  return all;
}

/// The pass, by all threads of a parallel block. One block of the launch processes no chunk and serves the others,
/// unless there is only one chunk.
template <int Parked, class Block, monoid Op, class Work>
EVENLY_INLINE_FN void persistent_pass(Block& block, const persistent_slots<typename Op::value_type>& place,
                                      const look_back<typename Op::value_type>& sequence, const Op& op,
                                      Work& work) {
  using sum = typename Op::value_type;
  constexpr bool prefetches = requires { work.prefetch(std::uint32_t{}); };
  constexpr bool emits = requires { work.emit(std::uint32_t{}, 0); };
  const auto of_warp = block.storage(place.of_warp);
  const auto prefix = block.storage(place.prefix);
  const auto next = block.storage(place.next);
  const std::uint32_t stamp = sequence.stamp();
  const std::uint32_t count = sequence.chunks;
  const bool leads = block.rank() == 0;
  const bool alone = count == 1;

  if (leads) next[0] = sequence.draw();
  block.sync();
  std::uint32_t now = next[0];
  block.sync();
  if (!alone) {
    if (now == 0) {
      if (warp_of(block) == 0) sequence.serve(block, stamp, op);
      if (leads && sequence.retire(block.count())) sequence.finish(stamp);
      return;
    }
    --now;
  }
  if constexpr (prefetches) {
    if (leads && now < count) {
      work.prefetch(now);
      work.store_prefetched();
    }
    block.sync();
  }
  if (now < count) work.load(now);
  std::uint32_t drawn = leads ? sequence.draw() - !alone : 0; // used a turn later, so no thread waits for it

  std::uint32_t waiting[Parked]; // chunks in storage, the oldest first
  EVENLY_UNROLL
  for (int p = 0; p < Parked; ++p) waiting[p] = count;
  int ring = 0;
  bool any = true;
  while (any) {
    std::uint32_t then = now;
    if (now < count) {
      if constexpr (prefetches) {
        if (leads && drawn < count) work.prefetch(drawn);
      }
      const sum warp_sum = work.scan(now);
      if (lane_of(block) == 0) of_warp[warp_of(block)] = warp_sum;
      if (leads) next[0] = drawn;
      if constexpr (prefetches) {
        if (leads && drawn < count) work.store_prefetched();
      }
      block.sync();
      then = next[0];
      const scan_result<sum> of_warps = scan_warps_by_lanes(block, of_warp, op);
      if (leads && !alone) sequence.publish(stamp, now, of_warps.total);
      work.park(of_warps.before, ring);
      if (then < count) work.load(then);
      if (leads) drawn = sequence.draw() - !alone;
    } else {
      block.sync();
    }
    const int present = ring;
    ring = ring == Parked ? 0 : ring + 1;
    const std::uint32_t oldest = waiting[0];
    if (oldest < count && leads)
      prefix[0] = alone ? op.identity() : sequence.await_server(block, stamp, oldest);
    block.sync();
    if (oldest < count) work.finish(oldest, ring, static_cast<sum>(prefix[0]));
    if constexpr (emits) {
      if (now < count) work.emit(now, present);
    }
    EVENLY_UNROLL
    for (int p = 0; p + 1 < Parked; ++p) waiting[p] = waiting[p + 1];
    waiting[Parked - 1] = now;
    now = then;
    any = now < count;
    EVENLY_UNROLL
    for (int p = 0; p < Parked; ++p) any = any || waiting[p] < count;
  }
  if (leads && sequence.retire(block.count())) sequence.finish(stamp);
}

/// Starts a kernel whose blocks process `chunks` chunks by persistent_pass; at least one block, even without chunks. As
/// many blocks as are resident go from chunk to chunk, and one of them serves the others.
template <class Executor, class Kernel>
void launch_persistent(const Executor& exec, const Kernel& kernel, std::int64_t chunks, int block_size) {
  const bool served = !Executor::serial_blocks && chunks > 1;
  const std::int64_t room = larger(resident_blocks(exec, kernel, block_size), served ? 2 : 1);
  const auto blocks = static_cast<int>(smaller(chunks + served, room));
  launch(exec, {.blocks = blocks, .block_size = block_size, .two_at_once = served}, kernel);
}

} // namespace evenly
