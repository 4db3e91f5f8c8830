// SPDX-License-Identifier: Apache-2.0
// The tile sets on which table 2 of Busato & Bombieri (TPDS 2017) is judged: one number of atoms in few and in many
// tiles, and tiles of which one is long.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace evenly::study {

struct counted_input {
  std::string name;
  int tiles;
  int size;    ///< of each tile
  int longest; ///< of one more tile, in the middle; 0: none
};
std::vector<counted_input> counted_inputs();
/// The schedules and forms of table 2, by name.
std::vector<std::string> counted_schedules();

} // namespace evenly::study
