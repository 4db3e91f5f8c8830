// SPDX-License-Identifier: Apache-2.0
// One includer: together they would exceed the length of a header.
// The texts of simulation errors about threads, calls and places. Each is one line.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "evenly/block/block.hpp"
#include "evenly/simulator/detail/place.hpp"
#include "evenly/simulator/detail/race_check.hpp"
#include "evenly/simulator/detail/state.hpp"

namespace evenly::detail::report {

/// How precisely a place is named: as little as distinguishes it from the others.
enum class precision { line, column, function };

/// "file:line"
inline std::string place(const std::source_location& where, precision how = precision::line) {
  std::string file = where.file_name();
  if (const auto slash = file.find_last_of("/\\"); slash != std::string::npos) file.erase(0, slash + 1);
  std::string text = file + ":" + std::to_string(where.line());
  if (how != precision::line) text += ":" + std::to_string(where.column());
  if (how == precision::function) text += std::string(" in ") + where.function_name();
  return text;
}
/// " (file:line)", " (file:line, called at file:line)"
inline std::string place(const source_place& where, precision how = precision::line) {
  const bool inside = where.caller.line() != 0;
  return " (" + place(where.at, how) + (inside ? ", called at " + place(where.caller, how) : "") + ")";
}
/// Returns the lowest precision in which two places differ, if they do.
inline precision precision_between(const source_place& a, const source_place& b) {
  for (const auto how : {precision::line, precision::column})
    if (place(a, how) != place(b, how)) return how;
  return same_place(a, b) ? precision::line : precision::function;
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
  static constexpr const char* words[] = {"",
                                          "",
                                          "sync",
                                          "warp_sync",
                                          "warp_shuffle",
                                          "warp_ballot",
                                          "backoff",
                                          "grid_sync",
                                          "an atomic operation",
                                          ""};
  return words[static_cast<int>(step)];
}
inline bool has_mask(simt_step step) {
  return step == simt_step::warp_sync || step == simt_step::warp_shuffle || step == simt_step::warp_ballot;
}
/// "sync (file:line)", "warp_sync with mask 0xf (file:line)"
inline std::string operation(const simt_thread& t, lane_mask mask, precision how) {
  return word(t.step) + (has_mask(t.step) ? " with mask " + hex(mask) : std::string()) + place(t.where, how);
}
inline std::string call_of(const simt_thread& me, lane_mask mask, precision how = precision::line) {
  return name(me) + " calls " + operation(me, mask, how);
}

/// A call that differs from the one for which another lane waits.
[[gnu::noinline]] inline std::string disagreement(const simt_thread& me, lane_mask mask,
                                                  const simt_thread& other) {
  const bool sizes = me.step == simt_step::warp_shuffle && other.step == me.step && me.bytes != other.bytes;
  const bool alike = me.step == other.step && mask == other.mask;
  const precision how = alike ? precision_between(me.where, other.where) : precision::line;
  return call_of(me, mask, how) +
         (sizes ? " for values of " + std::to_string(me.bytes) + " bytes, not " +
                      std::to_string(other.bytes) + ","
                : "") +
         " where thread " + std::to_string(other.rank) + " waits for it at " +
         operation(other, other.mask, how);
}

/// "has finished", "waits at sync (file:line)"; for many: "have finished", "wait at ...". Requires threads that do not
/// run.
inline std::string activity(const simt_thread& t, bool many, precision how) {
  if (t.step == simt_step::finished) return many ? "have finished" : "has finished";
  if (t.step == simt_step::atomic) return (many ? "are at " : "is at ") + operation(t, t.mask, how);
  if (t.step == simt_step::backoff) return (many ? "call " : "calls ") + operation(t, t.mask, how);
  return (many ? "wait at " : "waits at ") + operation(t, t.mask, how);
}
inline bool same_activity(const simt_thread& a, const simt_thread& b) {
  if (a.step != b.step) return false;
  if (a.step == simt_step::finished) return true;
  return (!has_mask(a.step) || a.mask == b.mask) && same_place(a.where, b.where);
}

/// An invalid access, and the reason. `other`: the place of the conflicting access.
[[gnu::noinline]] inline std::string access(const simt_thread& me, const access_conflict& conflict,
                                            const source_place& other, std::size_t bytes, int element,
                                            access_kind kind, const source_place& where) {
  static constexpr const char* now[] = {" reads", " writes", " atomically accesses"};
  static constexpr const char* then[] = {"read", "written", "atomically accessed"};
  const std::string what = name(me) + now[static_cast<int>(kind)] + " element " + std::to_string(element) +
                           " (byte " + std::to_string(conflict.byte) + " of storage, elements of " +
                           std::to_string(bytes) + " bytes)" + place(where);
  if (conflict.thread < 0) return what + ", which no thread of the block has written before";
  return "race: " + what + ", which thread " + std::to_string(conflict.thread) + " has " +
         then[static_cast<int>(conflict.kind)] + place(other) + ", with no sync between in epoch " +
         std::to_string(me.block->epoch) + " of the block";
}

/// A race on memory. `what`: the accessed element, of `bytes` bytes.
[[gnu::noinline]] inline std::string memory_race(const simt_thread& me, const memory_access& mine,
                                                 const memory_access& other, const std::string& what,
                                                 std::size_t bytes) {
  const char* now = mine.atomic ? " atomically accesses " : mine.writes ? " writes " : " reads ";
  const char* then = other.atomic ? " has atomically accessed" : other.writes ? " has written" : " has read";
  return "race: " + name(me) + now + what + " (of " + std::to_string(bytes) + " bytes)" + place(mine.where) +
         ", which block " + std::to_string(other.block) + ": thread " + std::to_string(other.thread) + then +
         place(other.where) + ", with no barrier or atomic operation that orders the two";
}

[[gnu::noinline]] inline std::string out_of_range(const simt_thread& me, int element, int count,
                                                  const source_place& where) {
  return name(me) + " accesses element " + std::to_string(element) + " of storage of " +
         std::to_string(count) + " elements" + place(where);
}
inline std::string outside_view(const simt_thread& me, std::int64_t element, std::size_t count,
                                const source_place& where) {
  return name(me) + " accesses element " + std::to_string(element) + " of a view of " +
         std::to_string(count) + " elements" + place(where);
}
inline std::string outside_storage(const simt_thread& me, std::size_t end, std::size_t bytes,
                                   const source_place& where) {
  return name(me) + " uses " + std::to_string(end) + " bytes of storage, but the kernel's lay_out() takes " +
         std::to_string(bytes) + place(where);
}

inline std::string overflow(const simt_thread& me, std::size_t stack_bytes) {
  return name(me) + " has overflowed its stack of " + std::to_string(stack_bytes) +
         " bytes: increase simt_options::stack_bytes";
}

/// Writes the report of an overflow that ends the process. Allocates nothing, since a signal handler calls it.
inline void write_overflow_in_library(const simt_thread& me, std::size_t stack_bytes) {
  std::array<char, 512> line{};
  char* end = line.data();
  const auto text = [&](std::string_view words) {
    const auto room = static_cast<std::size_t>(line.data() + line.size() - end);
    end = std::copy_n(words.data(), std::min(words.size(), room), end);
  };
  const auto number = [&](auto value) { end = std::to_chars(end, line.data() + line.size(), value).ptr; };
  text("evenly: block ");
  number(me.block->index);
  text(": thread ");
  number(me.rank);
  text(" has overflowed its stack of ");
  number(stack_bytes);
  text(" bytes in a library function, such as malloc, so the process ends: increase "
       "simt_options::stack_bytes\n");
  [[maybe_unused]] const auto written =
      write(STDERR_FILENO, line.data(), static_cast<std::size_t>(end - line.data()));
}

inline std::string no_memory(std::int64_t threads, std::size_t stack_bytes) {
  return "no memory for stacks: " + std::to_string(threads) + " threads of " + std::to_string(stack_bytes) +
         " bytes of stack are unfinished";
}

inline std::string seconds(double count) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", count);
  return text;
}

/// Ascending numbers: "0-31, 40, 64-94 in steps of 2"; only the first of very many such parts.
inline std::string ranges(const std::vector<int>& numbers) {
  constexpr int max_parts = 8;
  std::string text;
  const std::size_t count = numbers.size();
  std::size_t first = 0;
  for (int parts = 0; first < count; ++parts) {
    if (parts == max_parts) return text + " and " + std::to_string(count - first) + " more";
    std::size_t end = first + 1;
    const int step = end < count ? numbers[end] - numbers[first] : 1;
    while (end < count && numbers[end] - numbers[end - 1] == step) ++end;
    if (step > 1 && end - first == 2) --end;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[first]);
    if (end - first > 1) text += "-" + std::to_string(numbers[end - 1]);
    if (step > 1 && end - first > 1) text += " in steps of " + std::to_string(step);
    first = end;
  }
  return text;
}

/// "block 3: threads 0-30 wait at sync (team.hpp:41), thread 31 has finished"
[[gnu::noinline]] inline std::string describe(const simt_block_state& block) {
  struct party {
    const simt_thread* first;
    std::vector<int> ranks;
  };
  std::vector<party> parties;
  for (const simt_thread& t : block.threads) {
    auto mine = std::find_if(parties.begin(), parties.end(),
                             [&](const party& p) { return same_activity(*p.first, t); });
    if (mine == parties.end()) mine = parties.insert(mine, {&t, {}});
    mine->ranks.push_back(t.rank);
  }
  precision how = precision::line;
  for (const party& p : parties)
    for (const party& q : parties)
      if (&p != &q && p.first->step == q.first->step && p.first->step != simt_step::finished)
        how = std::max(how, precision_between(p.first->where, q.first->where));
  std::string text;
  for (const auto& [first, ranks] : parties) {
    const bool many = ranks.size() > 1;
    text += (text.empty() ? "" : ", ") + std::string(many ? "threads " : "thread ") + ranges(ranks) + " " +
            activity(*first, many, how);
  }
  return "block " + std::to_string(block.index) + ": " + text;
}

/// The first of `count` blocks that have not finished.
inline std::string describe(const std::vector<std::unique_ptr<simt_block_state>>& blocks, int count) {
  constexpr int max_blocks = 4;
  std::string text;
  int unfinished = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    if (blocks[i]->live > 0 && unfinished++ < max_blocks)
      text += (text.empty() ? "" : "; ") + describe(*blocks[i]);
  if (unfinished > max_blocks) text += "; " + std::to_string(unfinished - max_blocks) + " more blocks";
  return text;
}

/// "grid_sync waits for blocks 1, 3 of 4"; empty if no thread waits there.
inline std::string missing_at_grid_sync(const std::vector<std::unique_ptr<simt_block_state>>& blocks,
                                        int count) {
  std::vector<int> missing;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto& threads = blocks[i]->threads;
    if (std::none_of(threads.begin(), threads.end(), [](const simt_thread& t) { return t.at_grid_sync; }))
      missing.push_back(blocks[i]->index);
  }
  if (missing.size() == static_cast<std::size_t>(count)) return {};
  return "grid_sync waits for " + std::string(missing.size() == 1 ? "block " : "blocks ") + ranges(missing) +
         " of " + std::to_string(count);
}

/// The report on threads that did nothing but wait, for `rounds` rounds or for the job's patience.
inline std::string gave_up(const std::vector<std::unique_ptr<simt_block_state>>& blocks, int count,
                           const simt_job& job, std::size_t rounds) {
  std::string what = missing_at_grid_sync(blocks, count);
  if (what.empty())
    what = "nothing but backoff " + (job.may_wait_outside ? "for " + seconds(job.patience.count())
                                                          : "in " + std::to_string(rounds) + " rounds");
  return what + ": " + describe(blocks, count);
}

} // namespace evenly::detail::report
