// SPDX-License-Identifier: Apache-2.0
// Tile sets that are made of sources, on any executor: they have the tiles that the source says, keep the laws of
// tile_set.hpp, and lead back to what they were made of. What is read from an executor is judged on the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/work/chunked.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/csr_on_device.hpp"
#include "evenly/work/sized_tiles.hpp"
#include "evenly/work/tile_list.hpp"
#include "evenly/work/uniform.hpp"
#include "support/messages.hpp"
#include "support/monoids.hpp"

namespace evenly::laws {

using numbers = std::vector<std::int64_t>;

/// What is asked of a tile set about tile or atom i, on the executor. One function, so that one kernel asks all.
enum class asked { tiles, begin, end, source, source_atom, source_atom_by_tile, parent, first_piece };

template <class Tiles> struct answer {
  Tiles tiles;
  asked what;

  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    const auto t = static_cast<typename Tiles::tile_type>(i);
    const auto a = static_cast<typename Tiles::atom_type>(i);
    if (what == asked::tiles) return tiles.tiles();
    if (what == asked::begin) return tiles.begin(t);
    if (what == asked::end) return tiles.end(t);
    if constexpr (requires { tiles.source_atom(a); }) {
      if (what == asked::source) return tiles.source(t);
      if (what == asked::source_atom) return tiles.source_atom(a);
      const auto of = tiles.tile_of(a);
      return a < tiles.begin(of) || a >= tiles.end(of) ? -1 : tiles.source_atom(of, a);
    } else if constexpr (requires { tiles.parent(t); }) {
      return what == asked::parent ? tiles.parent(t) : tiles.first_piece(t);
    } else {
      return -1;
    }
  }
};

/// A tile set made of a source as a plan makes one, and its memory.
template <class Executor, tile_source Source> class made_tiles {
 public:
  made_tiles(const Executor& exec, const Source& source)
      : exec_(exec), memory_(make_buffer<std::byte>(exec, scan_bytes(source))),
        tiles_(scan_source(exec, source, memory_.data(), scratch_)) {}

  const auto& tiles() const { return tiles_; }
  std::int64_t inspect() const { return inspect_source(exec_, tiles_); }
  /// Another source in the same memory.
  void rebind(const Source& source) { tiles_ = scan_source(exec_, source, memory_.data(), scratch_); }

  /// The answers for i in [0, count).
  numbers ask(asked what, std::int64_t count) const {
    const auto out = make_buffer<std::int64_t>(exec_, static_cast<std::size_t>(count));
    tabulate(exec_, count, answer<std::remove_const_t<decltype(tiles_)>>{tiles_, what}, out.data());
    return to_host(exec_, out);
  }
  std::int64_t number_of_tiles() const { return ask(asked::tiles, 1).front(); }

 private:
  Executor exec_;
  workspace scratch_;
  buffer<std::byte> memory_;
  decltype(scan_source(std::declval<const Executor&>(), std::declval<const Source&>(), nullptr,
                       std::declval<workspace&>())) tiles_;
};
template <class Executor, class Source>
made_tiles(const Executor&, const Source&) -> made_tiles<Executor, Source>;

/// Fails unless the set has tiles of these sizes, from atom `first` on, without gaps.
template <class Made> void expect_tiles(const Made& made, const numbers& sizes, std::int64_t first = 0) {
  const auto count = static_cast<std::int64_t>(sizes.size());
  ASSERT_EQ(made.number_of_tiles(), count);
  numbers begins{first}, ends;
  for (const std::int64_t size : sizes) begins.push_back(begins.back() + size);
  ends.assign(begins.begin() + 1, begins.end());
  begins.pop_back();
  EXPECT_EQ(made.ask(asked::begin, count), begins);
  EXPECT_EQ(made.ask(asked::end, count), ends);
}

/// What is said of a source that breaks a law.
template <class Executor, class Source> std::string refusal(const Executor& exec, const Source& source) {
  const made_tiles made(exec, source);
  return message_of<invalid_argument>([&] { made.inspect(); });
}

/// Sizes that are in the way of scans: none, empty ones, large ones, many.
inline std::vector<numbers> many_sizes() {
  numbers random(5000);
  for (std::size_t i = 0; i < random.size(); ++i) random[i] = static_cast<std::int64_t>(mixed(i) % 50);
  return {{}, {0}, {7}, numbers(1000, 0), {0, 0, 100000, 0, 1, 0}, random};
}

template <class T> std::vector<T> converted(const numbers& values) { return {values.begin(), values.end()}; }

template <class Atom, class Executor> void expect_sized_tiles(const Executor& exec) {
  for (const numbers& sizes : many_sizes()) {
    const auto there = to_executor(exec, converted<int>(sizes));
    const made_tiles made(exec, sized_tiles<Atom>(there.span()));
    expect_tiles(made, sizes);
    EXPECT_EQ(made.inspect(), std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
  }
}

/// Sizes that are counted on the executor: none, some, as many as there is room for, and less again.
template <class Executor> void expect_counted_sizes(const Executor& exec) {
  const numbers sizes = many_sizes().back();
  const auto there = to_executor(exec, converted<int>(sizes));
  const auto count = to_executor(exec, std::vector<int>{0});
  const std::int64_t max = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  const auto source = sized_tiles(there.data(), count.data(), {static_cast<std::int64_t>(sizes.size()), max});
  made_tiles made(exec, source);
  for (const int some : {0, 1, 700, 5000, 3, 0}) {
    exec.copy_from_host(count.data(), &some, sizeof(some));
    made.rebind(source);
    expect_tiles(made, {sizes.begin(), sizes.begin() + some});
  }
}

// --- lists ---

/// Tiles [2, 5), [5, 5), [5, 6), [6, 1006) and [1006, 1013).
inline numbers listed_offsets() { return {2, 5, 5, 6, 1006, 1013}; }

/// Fails unless the set has the tiles of the list and leads back to them.
template <class Made> void expect_listed(const Made& made, const numbers& list) {
  const numbers offsets = listed_offsets();
  numbers sizes, atoms;
  for (const std::int64_t t : list) {
    sizes.push_back(offsets[t + 1] - offsets[t]);
    for (std::int64_t a = offsets[t]; a < offsets[t + 1]; ++a) atoms.push_back(a);
  }
  expect_tiles(made, sizes);
  EXPECT_EQ(made.ask(asked::source, static_cast<std::int64_t>(list.size())), list);
  EXPECT_EQ(made.ask(asked::source_atom, static_cast<std::int64_t>(atoms.size())), atoms);
  EXPECT_EQ(made.ask(asked::source_atom_by_tile, static_cast<std::int64_t>(atoms.size())), atoms);
}

inline std::vector<numbers> many_lists() {
  numbers random(3000);
  for (std::size_t i = 0; i < random.size(); ++i)
    random[i] = mixed(i) % 100 == 0 ? 3 : static_cast<int>(mixed(i) % 3);
  return {{}, {1}, {0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {3, 3, 1, 3, 0, 0}, numbers(1000, 1), random};
}

/// `Number`: of tiles and of atoms.
template <class Number, class Executor> void expect_tile_lists(const Executor& exec) {
  const auto offsets = to_executor(exec, converted<Number>(listed_offsets()));
  const csr_tile_set<Number, Number> rows(offsets.data(), 5);
  for (const numbers& list : many_lists()) {
    const auto there = to_executor(exec, converted<Number>(list));
    const made_tiles made(exec, tile_list(rows, there.data(), list.size()));
    expect_listed(made, list);
    made.inspect();
  }
}

/// One tile of three atoms a million times; and one of 3,000, which with atoms of 32 bits are more than can be counted.
template <class Executor> void expect_a_million_times(const Executor& exec) {
  const std::int64_t times = 1000000;
  const auto offsets = to_executor(exec, std::vector<int>{0, 3, 3003});
  const auto rows = csr_tiles(offsets.span());
  const auto zeros = to_executor(exec, std::vector<int>(times, 0)),
             ones = to_executor(exec, std::vector<int>(times, 1));
  const made_tiles small(exec, tile_list(rows, zeros.data(), times));
  EXPECT_EQ(small.inspect(), 3 * times);
  EXPECT_EQ(small.number_of_tiles(), times);
  EXPECT_EQ(made_tiles(exec, tile_list<std::int64_t>(rows, ones.data(), times)).inspect(), 3000 * times);
  EXPECT_EQ(refusal(exec, tile_list(rows, ones.data(), times)),
            "tiles 0 to 715827 have more atoms than their type can count, 2147483647");
}

/// A list that is counted on the executor, from large to empty and back.
template <class Executor> void expect_counted_lists(const Executor& exec) {
  const auto offsets = to_executor(exec, converted<int>(listed_offsets()));
  const numbers list = many_lists().back();
  const auto there = to_executor(exec, converted<int>(list));
  const auto count = to_executor(exec, std::vector<std::int64_t>{0});
  const auto source = tile_list(csr_tiles(offsets.span()), there.data(), count.data(), {3000, 40000});
  made_tiles made(exec, source);
  for (const std::int64_t some : {3000, 0, 1, 2999, 0, 3000}) {
    exec.copy_from_host(count.data(), &some, sizeof(some));
    made.rebind(source);
    expect_listed(made, {list.begin(), list.begin() + some});
  }
}

// --- pieces ---

/// Fails unless the set has the pieces of tiles of these sizes.
template <class Made>
void expect_pieces(const Made& made, const numbers& sizes, std::int64_t atoms_of_piece, std::int64_t first) {
  numbers pieces, parents, firsts;
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    firsts.push_back(static_cast<std::int64_t>(pieces.size()));
    for (std::int64_t left = sizes[t]; left > 0; left -= atoms_of_piece) {
      pieces.push_back(std::min(left, atoms_of_piece));
      parents.push_back(static_cast<std::int64_t>(t));
    }
  }
  expect_tiles(made, pieces, first);
  EXPECT_EQ(made.ask(asked::parent, static_cast<std::int64_t>(parents.size())), parents);
  EXPECT_EQ(made.ask(asked::first_piece, static_cast<std::int64_t>(firsts.size())), firsts);
}

template <class Offset, class Executor> void expect_chunked_tiles(const Executor& exec) {
  for (const numbers& sizes : many_sizes()) {
    const std::int64_t first = sizes.empty() ? 0 : 5;
    numbers offsets{first};
    for (const std::int64_t size : sizes) offsets.push_back(offsets.back() + size);
    const auto there = to_executor(exec, converted<Offset>(offsets));
    const std::int64_t atoms = offsets.back() - first;
    for (const std::int64_t atoms_of_piece : {1, 7, 256, 1000000}) {
      const made_tiles made(exec, chunked(csr_tiles(there.span()), atoms_of_piece, atoms));
      expect_pieces(made, sizes, atoms_of_piece, first);
      EXPECT_EQ(made.inspect(), atoms);
      EXPECT_LE(made.number_of_tiles(), made.tiles().max_tiles());
    }
  }
}

/// Pieces of tiles that are counted on the executor.
template <class Executor> void expect_counted_pieces(const Executor& exec) {
  const auto offsets = to_executor(exec, std::vector<int>{0, 3, 3, 20, 21});
  const auto count = to_executor(exec, std::vector<int>{0});
  const auto source = chunked(csr_tiles_on_device(offsets.data(), count.data(), {4, 21}), 4);
  made_tiles made(exec, source);
  const numbers sizes = {3, 0, 17, 1};
  for (const int some : {0, 4, 2, 3}) {
    exec.copy_from_host(count.data(), &some, sizeof(some));
    made.rebind(source);
    expect_pieces(made, {sizes.begin(), sizes.begin() + some}, 4, 0);
  }
}

// --- refusals ---

template <class Executor> void expect_bad_sources_refused(const Executor& exec) {
  const auto sizes = to_executor(exec, std::vector<int>{3, 0, 5, -1, -7});
  EXPECT_EQ(refusal(exec, sized_tiles(sizes.span())),
            "sizes[3] = -1 is negative: sizes must be 0 or greater");
  const auto large = to_executor(exec, std::vector<int>(3, 1 << 30));
  EXPECT_EQ(refusal(exec, sized_tiles(large.span())),
            "tiles 0 to 1 have more atoms than their type can count, 2147483647");
  EXPECT_EQ(made_tiles(exec, sized_tiles<std::int64_t>(large.span())).inspect(), std::int64_t{3} << 30);

  const auto offsets = to_executor(exec, std::vector<int>{2, 4, 4, 9});
  const auto rows = csr_tiles(offsets.span());
  const auto list = to_executor(exec, std::vector<int>{2, 0, 3, -1});
  EXPECT_EQ(refusal(exec, tile_list(rows, list.data(), 4)), "list[2] = 3 is not a tile of the listed set");
  EXPECT_EQ(refusal(exec, tile_list(rows, list.data() + 3, 1)),
            "list[0] = -1 is not a tile of the listed set");
  const auto decreasing = to_executor(exec, std::vector<int>{2, 4, 3, 9});
  const auto all = to_executor(exec, std::vector<int>{0, 1, 2});
  EXPECT_EQ(refusal(exec, tile_list(csr_tiles(decreasing.span()), all.data(), 3)),
            "list[1] = 1, a tile of -1 atoms: tiles must not end before they begin");
  EXPECT_EQ(
      refusal(exec, chunked(csr_tiles(decreasing.span()), 4, 7)),
      "tile 1 has atoms [4, 3): tiles must begin at 0 or later, not end before they begin, and follow each "
      "other without gaps");
  EXPECT_EQ(refusal(exec, chunked(rows, 4, 6)), "the tiles have 7 atoms: must be at most max_atoms = 6");
}

/// Capacities that are exactly met, and exceeded by one.
template <class Executor> void expect_capacities_kept(const Executor& exec) {
  const auto sizes = to_executor(exec, std::vector<int>{3, 0, 5});
  const auto count = to_executor(exec, std::vector<int>{3, -1});
  const auto of = [&](const capacity& max_size) { return sized_tiles(sizes.data(), count.data(), max_size); };
  EXPECT_EQ(made_tiles(exec, of({3, 8})).inspect(), 8);
  EXPECT_EQ(refusal(exec, of({2, 8})), "count = 3: must be from 0 to 2, the capacity in tiles");
  EXPECT_EQ(refusal(exec, of({3, 7})), "tiles 0 to 2 have more atoms than there is room for, 7");
  // If they are trusted, the excess is reported, and no memory beyond the capacity is accessed.
  EXPECT_EQ(made_tiles(exec, of({2, 8})).number_of_tiles(), 3);
  expect_tiles(made_tiles(exec, of({3, 7})), {3, 0, 5});
  expect_tiles(made_tiles(exec, of({3, 5})), {3, 0, 3});
  EXPECT_EQ(refusal(exec, sized_tiles(sizes.data(), count.data() + 1, {3, 8})),
            "count = -1: must be from 0 to 3, the capacity in tiles");
}

// --- all of it, for an executor ---

template <class Executor> class TileSources : public testing::Test {
 public:
  Executor exec;
};
TYPED_TEST_SUITE_P(TileSources);

TYPED_TEST_P(TileSources, OfSizes) {
  expect_sized_tiles<int>(this->exec);
  expect_sized_tiles<std::int64_t>(this->exec);
  expect_counted_sizes(this->exec);
}
TYPED_TEST_P(TileSources, OfListedTiles) {
  expect_tile_lists<int>(this->exec);
  expect_tile_lists<std::int64_t>(this->exec);
  expect_counted_lists(this->exec);
}
TYPED_TEST_P(TileSources, OfOneTileAMillionTimes) { expect_a_million_times(this->exec); }
TYPED_TEST_P(TileSources, OfPieces) {
  expect_chunked_tiles<int>(this->exec);
  expect_chunked_tiles<std::int64_t>(this->exec);
  expect_counted_pieces(this->exec);
}
TYPED_TEST_P(TileSources, AreRefusedIfBad) { expect_bad_sources_refused(this->exec); }
TYPED_TEST_P(TileSources, StayWithinTheirCapacity) { expect_capacities_kept(this->exec); }
REGISTER_TYPED_TEST_SUITE_P(TileSources, OfSizes, OfListedTiles, OfOneTileAMillionTimes, OfPieces,
                            AreRefusedIfBad, StayWithinTheirCapacity);

} // namespace evenly::laws
