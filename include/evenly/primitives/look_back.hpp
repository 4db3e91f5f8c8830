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

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/workspace.hpp"

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

/// State that all calls on one workspace share.
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

} // namespace evenly
