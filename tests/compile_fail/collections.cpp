// SPDX-License-Identifier: Apache-2.0
// What collect_atoms takes, and sources of tiles.
//
// WRONG=1 says: visit must have concrete parameter types, as in [](int tile, int atom), instead of auto
// WRONG=2 says: visit must accept visit(tile, atom, rank) or visit(tile, atom)
// WRONG=3 says: visit must return an optional value, such as std::optional<int>, with has_value() and operator*
// WRONG=4 says: the value that visit returns must convert to an element of out
// WRONG=5 says: visit must be trivially copyable, because it is copied to the device: capture pointers and numbers by
// WRONG=6 says: values must be trivially copyable and aligned to at most 16 bytes
// WRONG=7 says: sized_tiles keeps a view of the sizes: store them in a variable, because a temporary ends with this
// WRONG=8 says: the host does not know the number of atoms of these tiles: call chunked(tiles, atoms_of_piece,
// WRONG=9 says: the atom type must hold the size of any tile

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evenly/algorithms/collect_atoms.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/chunked.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/sized_tiles.hpp"
#include "evenly/work/tile_list.hpp"

int main() {
  const evenly::cpu exec;
  const std::vector<int> offsets{0, 3, 5}, list{1, 0};
  const std::vector<std::int64_t> sizes{3, 2};
  const auto rows = evenly::csr_tiles(offsets);
  auto plan = evenly::make_plan(exec, evenly::thread_mapped{}, evenly::tile_list(rows, list.data(), 2));
  evenly::chunked(rows, 2, 5);
  std::vector<int> values(5);
  std::int64_t count = 0;
  const std::span out(values);
  const auto odd = [](int, int atom) { return atom % 2 != 0 ? std::optional<int>(atom) : std::nullopt; };
  evenly::collect_atoms(exec, plan, odd, out, &count);
#if WRONG == 1
  evenly::collect_atoms(exec, plan, [](auto, auto a) { return std::optional<int>(a); }, out, &count);
#elif WRONG == 2
  evenly::collect_atoms(exec, plan, [](int a) { return std::optional<int>(a); }, out, &count);
#elif WRONG == 3
  evenly::collect_atoms(exec, plan, [](int, int a) { return a; }, out, &count, evenly::in_any_order);
#elif WRONG == 4
  evenly::collect_atoms(exec, plan, [](int, int) { return std::optional<const char*>(); }, out, &count);
#elif WRONG == 5
  evenly::collect_atoms(
      exec, plan, [sizes](int, int a) { return std::optional<int>(sizes[a]); }, out, &count);
#elif WRONG == 6
  std::vector<std::string> names(5);
  evenly::collect_atoms(
      exec, plan, [](int, int) { return std::optional<std::string>(); }, std::span(names), &count);
#elif WRONG == 7
  evenly::sized_tiles(std::vector<int>{3, 2});
#elif WRONG == 8
  evenly::chunked(rows, 2);
#elif WRONG == 9
  evenly::sized_tiles<int>(sizes);
#endif
}
