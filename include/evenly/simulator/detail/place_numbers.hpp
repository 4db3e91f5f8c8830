// SPDX-License-Identifier: Apache-2.0
// place_numbers: numbers for places in the source, which the records of accesses to storage use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <utility>
#include <vector>

#include "evenly/simulator/detail/place.hpp"

namespace evenly::detail {

/// Assigns numbers to places. Two calls nearly always differ in their addresses in memory. Whether two
/// addresses belong to the same place (of two units) is checked once.
class place_numbers {
 public:
  [[gnu::always_inline]] std::uint32_t number_of(std::source_location at, std::source_location caller) {
    const std::uintptr_t first = bits(at), second = bits(caller);
    const entry& found = entries_[slot_of(first, second)];
    return found.at == first && found.caller == second ? found.number : find_in_table({at, caller});
  }
  const source_place& operator[](std::uint32_t number) const { return places_[number]; }

 private:
  struct entry {
    std::uintptr_t at = 0, caller = 0;
    std::uint32_t number = 0; ///< 0: no place
  };

  [[gnu::always_inline]] std::size_t slot_of(std::uintptr_t at, std::uintptr_t caller) const {
    return (at ^ caller >> 3) / 8 & (entries_.size() - 1);
  }
  /// Returns the entry of the place, or the free one where it belongs.
  entry& entry_of(const source_place& place) {
    const std::uintptr_t at = bits(place.at), caller = bits(place.caller);
    std::size_t i = slot_of(at, caller);
    while (entries_[i].number != 0 && (entries_[i].at != at || entries_[i].caller != caller))
      i = (i + 1) & (entries_.size() - 1);
    return entries_[i];
  }
  [[gnu::noinline]] std::uint32_t find_in_table(const source_place& place) {
    entry& found = entry_of(place);
    if (found.number != 0) return found.number;
    std::uint32_t number = 1;
    while (number < places_.size() && !same_place(places_[number], place)) ++number;
    if (number == places_.size()) places_.push_back(place);
    found = {bits(place.at), bits(place.caller), number};
    if (++used_ * 4 > entries_.size()) grow();
    return number;
  }
  void grow() {
    const std::vector<entry> before = std::exchange(entries_, std::vector<entry>(2 * entries_.size()));
    for (const entry& each : before) {
      if (each.number == 0) continue;
      std::size_t i = slot_of(each.at, each.caller);
      while (entries_[i].number != 0) i = (i + 1) & (entries_.size() - 1);
      entries_[i] = each;
    }
  }

  std::vector<entry> entries_ = std::vector<entry>(256); ///< a power of two, at most a quarter in use
  std::size_t used_ = 0;
  std::vector<source_place> places_{source_place{}};
};

} // namespace evenly::detail
