// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu_mappings.hpp"

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/detail/even_atoms.hpp"
#include "runtime/compiled_schedules.hpp"

namespace evenly::detail {
namespace {

using tiles_type = csr_tile_set<int>;

/// Whether a mapping cuts the atoms into equal runs; a serial block gets its run by even_atoms::hand_out_serially.
template <class Mapping>
concept cuts_atoms_evenly = requires(const Mapping& of) {
  requires std::same_as<std::remove_cvref_t<decltype(of.dealt)>, even_atoms<tiles_type>>;
};

} // namespace

const std::vector<std::vector<std::string>>& same_on_cpu() {
  static const std::vector<std::vector<std::string>> groups = [] {
    std::vector<std::vector<std::string>> all;
    std::size_t whole_tiles = 0, even_atoms = 0; // places of these groups, counted from 1
    const auto add = [&](const char* name, std::size_t& place) {
      if (place == 0) {
        all.emplace_back();
        place = all.size();
      }
      all[place - 1].emplace_back(name);
    };
    for_each_schedule([&]<class Schedule>(const char* name, const Schedule&) {
      std::size_t own = 0;
      if constexpr (is_thread_mapped_on<cpu, Schedule>)
        add(name, whole_tiles);
      else if constexpr (cuts_atoms_evenly<mapping_of<Schedule, cpu, tiles_type>>)
        add(name, even_atoms);
      else
        add(name, own);
    });
    return all;
  }();
  return groups;
}

} // namespace evenly::detail
