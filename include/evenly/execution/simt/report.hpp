// SPDX-License-Identifier: Apache-2.0
// The words in which simulation errors speak of threads, calls and places. All in one line.
#pragma once

#include <cstddef>
#include <source_location>
#include <string>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/execution/simt/race_check.hpp"
#include "evenly/execution/simt/state.hpp"

namespace evenly::detail::report {

/// " (file:line)"
inline std::string place(std::source_location where) {
  std::string file = where.file_name();
  if (const auto slash = file.find_last_of("/\\"); slash != std::string::npos) file.erase(0, slash + 1);
  return " (" + file + ":" + std::to_string(where.line()) + ")";
}
inline std::string hex(lane_mask mask) {
  std::string digits;
  do digits.insert(digits.begin(), "0123456789abcdef"[mask & 15]);
  while (mask >>= 4);
  return "0x" + digits;
}
inline std::string name(const simt_thread& t) {
  return "block " + std::to_string(t.block->index) + ": thread " + std::to_string(t.rank);
}
inline const char* word(simt_step step) {
  static constexpr const char* words[] = {"",        "", "sync", "warp_sync", "warp_shuffle", "warp_ballot",
                                          "backoff", ""};
  return words[static_cast<int>(step)];
}
/// "sync (file:line)", "warp_sync with mask 0xf (file:line)"
inline std::string operation(const simt_thread& t) {
  const bool masked = t.step != simt_step::sync && t.step != simt_step::backoff;
  return word(t.step) + (masked ? " with mask " + hex(t.mask) : std::string()) + place(t.where);
}
inline std::string call_of(const simt_thread& me, lane_mask mask) {
  return name(me) + " calls " + word(me.step) + " with mask " + hex(mask) + place(me.where);
}
/// What two lanes disagree about, if that is the size of a shuffle's value.
inline std::string sizes(const simt_thread& me, const simt_thread& other) {
  if (me.step != simt_step::warp_shuffle || other.step != me.step || me.bytes == other.bytes) return {};
  return " for values of " + std::to_string(me.bytes) + " bytes, not " + std::to_string(other.bytes) + ",";
}
/// "has finished", "waits at sync (file:line)"; for many: "have finished", "wait at ...". Of threads that do
/// not run.
inline std::string activity(const simt_thread& t, bool many) {
  if (t.step == simt_step::finished) return many ? "have finished" : "has finished";
  if (t.step == simt_step::backoff) return (many ? "call " : "calls ") + operation(t);
  return (many ? "wait at " : "waits at ") + operation(t);
}

/// An access that is an error, and why.
inline std::string access(const simt_thread& me, const access_conflict& conflict, std::size_t bytes,
                          int element, access_kind kind, std::source_location where) {
  static constexpr const char* now[] = {" reads", " writes", " atomically accesses"};
  static constexpr const char* then[] = {"read", "written", "atomically accessed"};
  const std::string what = name(me) + now[static_cast<int>(kind)] + " element " + std::to_string(element) +
                           " (byte " + std::to_string(conflict.byte) + " of storage, elements of " +
                           std::to_string(bytes) + " bytes)" + place(where);
  if (conflict.thread < 0) return what + ", which no thread of the block has written before";
  return "race: " + what + ", which thread " + std::to_string(conflict.thread) + " has " +
         then[static_cast<int>(conflict.kind)] + place(conflict.where) + ", with no sync between in epoch " +
         std::to_string(me.block->epoch) + " of the block";
}

/// "block 3: threads 0-30 wait at sync (reduce.hpp:41), thread 31 has finished"
inline std::string describe(const simt_block_state& block) {
  struct party {
    std::string does;
    std::string ranks;
    int members = 0;
    const simt_thread* last = nullptr;
  };
  std::vector<party> parties;
  const int size = static_cast<int>(block.threads.size());
  for (int first = 0, end = 0; first < size; first = end) {
    const simt_thread& t = block.threads[first];
    const std::string does = activity(t, true);
    for (end = first + 1; end < size && activity(block.threads[end], true) == does;) ++end;
    std::size_t i = 0;
    while (i < parties.size() && parties[i].does != does) ++i;
    if (i == parties.size()) parties.push_back({does, {}, 0, nullptr});
    party& p = parties[i];
    p.ranks += (p.members > 0 ? ", " : "") + std::to_string(first);
    if (end - first > 1) p.ranks += "-" + std::to_string(end - 1);
    p.members += end - first;
    p.last = &t;
  }
  std::string text;
  for (const party& p : parties)
    text +=
        (text.empty() ? "" : ", ") + (p.members > 1 ? "threads " + p.ranks + " " + p.does
                                                    : "thread " + p.ranks + " " + activity(*p.last, false));
  return "block " + std::to_string(block.index) + ": " + text;
}

} // namespace evenly::detail::report
