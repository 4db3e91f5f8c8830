// SPDX-License-Identifier: Apache-2.0
// graph/detail/paths_kernel.hpp on any executor: every atom of every entry is visited once, with its entry, and
// warps get the number of atoms that they visited.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/block.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/detail/paths_kernel.hpp"

namespace evenly::laws {

/// Entry i has atoms [offsets[i], offsets[i + 1]). Counts visits of each atom, and notes the entry.
template <int Together> struct entry_visits {
  const int* offsets;
  std::uint32_t entries, max;
  graphs::entry_sharing how;
  std::uint32_t* drawn;
  int* visits;
  int* entry_of;
  std::uint32_t* visited_count;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const lanes<Block> warp = this_warp(block);
    const graphs::persistent_entries<Block, int, Together> shares(block, max);
    int mine = -1;
    const std::uint32_t visited = shares.go_through(
        entries, how, *drawn,
        [&](std::uint32_t place, bool has, graphs::entry_sharing) -> graphs::entry_atoms<int> {
          mine = has ? static_cast<int>(place) : -1;
          return has ? graphs::entry_atoms<int>{offsets[mine], offsets[mine + 1] - offsets[mine]}
                     : graphs::entry_atoms<int>{};
        },
        [&]<int Many>(const graphs::owned_atoms<Many, int>& atoms, graphs::entry_sharing) {
          for (int i = 0; i < Many; ++i) {
            const int entry = warp.shuffle(mine, atoms.owner[i]);
            if (!atoms.has[i]) continue;
            atomic_ref(visits[atoms.atom[i]]).fetch_add(1, order::relaxed{});
            atomic_ref(entry_of[atoms.atom[i]]).store(entry, order::relaxed{});
          }
        });
    if (warp.rank() == 0) atomic_ref(*visited_count).fetch_add(visited, order::relaxed{});
  }
};

template <int Together, class Executor>
void expect_entries(const Executor& exec, const std::vector<int>& sizes, graphs::entry_sharing how,
                    int blocks, int block_size, std::uint32_t max) {
  SCOPED_TRACE(std::to_string(sizes.size()) + " entries, sharing " + std::to_string(static_cast<int>(how)) +
               ", " + std::to_string(blocks) + " blocks of " + std::to_string(block_size) + ", shares of " +
               std::to_string(max));
  std::vector<int> offsets{0}, want;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    offsets.push_back(offsets.back() + sizes[i]);
    want.insert(want.end(), static_cast<std::size_t>(sizes[i]), static_cast<int>(i));
  }
  const auto there = to_executor(exec, offsets);
  const auto words = to_executor(exec, std::vector<std::uint32_t>(2, 0));
  const auto visits = to_executor(exec, std::vector<int>(want.size() + 1, 0)),
             entry_of = to_executor(exec, std::vector<int>(want.size() + 1, -1));
  launch(exec, {.blocks = how == graphs::entry_sharing::own ? 1 : blocks, .block_size = block_size},
         entry_visits<Together>{there.data(), static_cast<std::uint32_t>(sizes.size()), max, how,
                                words.data(), visits.data(), entry_of.data(), words.data() + 1});
  std::vector<int> once(want.size(), 1);
  once.push_back(0);
  EXPECT_EQ(to_host(exec, visits), once);
  want.push_back(-1);
  EXPECT_EQ(to_host(exec, entry_of), want);
  EXPECT_EQ(to_host(exec, words)[1], want.size() - 1);
}

/// Few entries and many, empty ones among them and one of many atoms; each way of sharing.
template <class Executor> void expect_all_entries(const Executor& exec, int block_size) {
  std::vector<int> mixed;
  for (int i = 0; i < 301; ++i) mixed.push_back(i == 57 ? 500 : i * 7 % 5);
  for (const std::vector<int>& sizes :
       {std::vector<int>{}, std::vector<int>{0}, std::vector<int>{1}, std::vector<int>(40, 0), mixed})
    for (const graphs::entry_sharing how :
         {graphs::entry_sharing::spread, graphs::entry_sharing::drawn, graphs::entry_sharing::own})
      for (const std::uint32_t max : {1u, 5u, 64u}) {
        expect_entries<1>(exec, sizes, how, 3, block_size, max);
        expect_entries<2>(exec, sizes, how, 3, block_size, max);
      }
}

} // namespace evenly::laws
