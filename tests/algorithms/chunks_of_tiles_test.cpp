// SPDX-License-Identifier: Apache-2.0
// What a block reads of its chunk of the merge path, each value once: where tiles end, of which the lane before knows
// where the next begins; whether the first tile began in an earlier block; and what a map fetches ahead.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"
#include "support/monoids.hpp"

namespace evenly {
namespace {

/// Of two types of integers; the first atom has a number that only 64 bits hold, if there are as many.
template <class Tile, class Atom> struct far_tiles {
  using tile_type = Tile;
  using atom_type = Atom;
  static constexpr auto first = static_cast<Atom>(sizeof(Atom) == 8 ? std::int64_t{1} << 40 : 5);

  const int* offsets;
  Tile count;

  EVENLY_FN Tile tiles() const { return count; }
  EVENLY_FN Atom begin(Tile t) const { return first + counted_load(offsets + t); }
  EVENLY_FN Atom end(Tile t) const { return first + counted_load(offsets + t + 1); }
};

struct sizes_of_tiles {
  std::string name;
  std::vector<int> sizes;
};

/// For chunks of `steps` atoms and tile ends.
std::vector<sizes_of_tiles> kinds_of_sizes(int steps) {
  std::vector<sizes_of_tiles> kinds{{"chunks that end no tile", {7 * steps + 1}},
                                    {"tiles that end with a chunk", std::vector<int>(5, 2 * steps - 1)},
                                    {"tiles that end behind a chunk's atoms", std::vector<int>(5, steps)},
                                    {"only empty tiles", std::vector<int>(3 * steps + 1, 0)},
                                    {"less than a chunk", {1, 0, 2}},
                                    {"one atom", {1}},
                                    {"short tiles", std::vector<int>(2 * steps + 3, 1)}};
  sizes_of_tiles holes{"empty tiles at both ends of a chunk", {}};
  for (int i = 0; i < 6; ++i) {
    holes.sizes.insert(holes.sizes.end(), static_cast<std::size_t>(steps / 3 + i), 0);
    holes.sizes.push_back(steps / 2 + i);
    holes.sizes.insert(holes.sizes.end(), static_cast<std::size_t>(steps / 3), 0);
  }
  kinds.push_back(holes);
  return kinds;
}

matrices::value_type value_at(std::int64_t k) { return matrices::of(static_cast<std::uint64_t>(k)); }

/// Of whole tiles, and of each atom.
template <int Items, class Tile, class Atom, class Executor>
void expect_sums(const Executor& exec, int block_size, const sizes_of_tiles& kind) {
  using tiles_type = far_tiles<Tile, Atom>;
  const matrices op;
  std::vector<int> offsets{0};
  for (const int size : kind.sizes) offsets.push_back(offsets.back() + size);
  const tiles_type tiles{offsets.data(), static_cast<Tile>(kind.sizes.size())};
  std::vector<matrices::value_type> want, want_each, got(kind.sizes.size()), each(offsets.back());
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t) {
    auto sum = op.identity();
    for (int k = offsets[t]; k < offsets[t + 1]; ++k) want_each.push_back(sum = op(sum, value_at(k)));
    want.push_back(sum);
  }
  std::vector<int> stored(want.size(), 0);
  const auto map = [](Atom a) { return value_at(a - tiles_type::first); };
  auto plan = make_plan(exec, merge_path<Items>{block_size}, tiles);
  reduce_tiles(exec, plan, map, op,
               [out = got.data(), times = stored.data()](Tile t, const matrices::value_type& sum) {
                 out[t] = sum;
                 ++times[t];
               });
  scan_tiles(exec, plan, map, op, [out = each.data()](Atom a, const matrices::value_type& sum) {
    out[a - tiles_type::first] = sum;
  });
  EXPECT_EQ(got, want);
  EXPECT_EQ(each, want_each);
  EXPECT_EQ(stored, std::vector<int>(want.size(), 1));
}

template <int Items, class Tile, class Atom> void expect_sums_everywhere() {
  for (const int block_size : {1, 24, 64})
    for (const sizes_of_tiles& kind : kinds_of_sizes(block_size * Items)) {
      SCOPED_TRACE(kind.name + ", blocks of " + std::to_string(block_size));
      for (const int warp : {1, 4, 32, 64})
        expect_sums<Items, Tile, Atom>(simt({.warp_size = warp, .seed = 3}), block_size, kind);
      expect_sums<Items, Tile, Atom>(cpu(2), block_size, kind);
    }
}

TEST(ChunksOfTiles, HaveEverySumOfFewItems) { expect_sums_everywhere<1, int, int>(); }
TEST(ChunksOfTiles, HaveEverySum) { expect_sums_everywhere<12, int, int>(); }
TEST(ChunksOfTiles, HaveEverySumOfManyItems) { expect_sums_everywhere<32, int, std::int64_t>(); }
TEST(ChunksOfTiles, HaveEverySumOf64Bits) { expect_sums_everywhere<5, std::int64_t, std::int64_t>(); }

/// The square of an atom's number, by a look at the number and one at what that is of.
template <int Words> struct squares {
  struct fetched {
    std::int32_t number[Words];
  };
  std::atomic<int>* times;

  std::int64_t operator()(int a) const { return std::int64_t{a} * a; }
  fetched fetch(int a) const {
    ++*times;
    return {{a}};
  }
  std::int64_t of_fetched(const fetched& of) const { return (*this)(of.number[0]); }
};

/// What fits into registers is fetched; of larger things nothing is.
TEST(ChunksOfTiles, FetchWhatIsSmall) {
  const std::vector<int> offsets{0, 3, 3, 1000, 1001, 5000};
  const far_tiles<int, int> tiles{offsets.data(), 5};
  std::vector<std::int64_t> want(5), got(5);
  for (int t = 0; t < 5; ++t)
    for (int a = tiles.begin(t); a < tiles.end(t); ++a) want[t] += std::int64_t{a} * a;
  const auto fetches = [&](const auto& exec, auto map) {
    std::atomic<int> times = 0;
    map.times = &times;
    got.assign(5, -1);
    reduce_tiles(exec, merge_path<12>{64}, tiles, map, plus<std::int64_t>{},
                 [out = got.data()](int t, std::int64_t sum) { out[t] = sum; });
    EXPECT_EQ(got, want);
    return times.load();
  };
  EXPECT_GE(fetches(simt(), squares<2>{}), 5000);
  EXPECT_EQ(fetches(simt(), squares<4>{}), 0);
  EXPECT_EQ(fetches(cpu(2), squares<2>{}), 0);
}

/// What cannot be held before it is known is not asked for.
struct not_default {
  int at;
  explicit not_default(int a) : at(a) {}
};
struct gather_of {
  const int* columns;
  const int* values;
  EVENLY_FN int operator()(int a) const { return values[columns[a]]; }
  EVENLY_FN not_default fetch(int a) const { return not_default(columns[a]); }
  EVENLY_FN int of_fetched(const not_default& of) const { return values[of.at]; }
};

TEST(ChunksOfTiles, TakeMapsWhoseFetchedDataCannotBeHeld) {
  const std::vector<int> offsets{0, 2, 2, 5}, columns{4, 3, 2, 1, 0}, values{1, 10, 100, 1000, 10000};
  std::vector<int> sums(3, -1);
  const simt exec;
  reduce_tiles(exec, merge_path{}, csr_tiles(offsets), gather_of{columns.data(), values.data()}, plus<int>{},
               [to = sums.data()](int t, int sum) { to[t] = sum; });
  EXPECT_EQ(sums, (std::vector{11000, 0, 111}));
}

} // namespace
} // namespace evenly
