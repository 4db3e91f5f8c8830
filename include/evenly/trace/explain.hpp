// SPDX-License-Identifier: Apache-2.0
// What launches on the simulated GPU ask of memory, in words: findings with a place in the source and a sentence of
// advice, and a page of text. Compiled in evenly::runtime.
//
//   evenly::trace counts(evenly::keep_profiles{});
//   const evenly::simt exec({.trace = &counts});
//   const evenly::explanation found = evenly::explain("my kernel", counts, [&] { launch(exec, shape, kernel); });
//   for (const evenly::finding& each : evenly::findings_of(found)) ...
//   std::fputs(evenly::to_text(found).c_str(), stdout);
//
// Accesses to shared memory and atomic operations are always seen. Accesses to memory are seen if they go through views
// (execution/view.hpp), traced() (block/memory_view.hpp) or counted memory (trace/counted_memory.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "evenly/trace/trace.hpp"

namespace evenly {

struct explanation {
  std::string subject; ///< a title: what ran, and how
  std::vector<launch_profile> launches;
  std::string choice = {}; ///< why this schedule, if `automatic` chose it

  trace_counts totals() const;
};

/// Calls run() and takes the profiles of its launches, which are launches of executors with `counts`. Throws
/// invalid_argument if `counts` keeps no profiles, and what run() throws.
explanation explain(const std::string& subject, trace& counts, const std::function<void()>& run);

enum class finding_kind {
  strided_access,    ///< neighboring lanes are a fixed distance apart that is more than an element
  scattered_access,  ///< lanes have no common distance
  misaligned_access, ///< neighboring elements, but the first lane's is not where a sector begins
  repeated_load,     ///< a block loads the same sectors several times
  bank_conflict,     ///< in shared memory
  atomic_conflict,   ///< lanes of a warp change the same object
  idle_lanes,        ///< few lanes take part in requests
  idle_warps,        ///< warps wait at barriers, or for the end of the block, while another warp is busy
  idle_slots,        ///< blocks end long before the last block does
};

/// What a kernel could do better.
struct finding {
  finding_kind kind = finding_kind::strided_access;
  std::size_t launch = 0; ///< in explanation::launches
  /// In [0, 1]. Of accesses: their part of the launch's turns (trace/profile.hpp), times the part of their sectors,
  /// wavefronts or operations that a perfect access does not need. Of idle_lanes, idle_warps and idle_slots: the idle
  /// part (idle_parts).
  double cost = 0;
  std::string file; ///< as the compiler was told; empty for idle_warps and idle_slots, which have no place
  std::string function; ///< with its template arguments
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string source;      ///< the text of the line; empty if the file cannot be read
  std::string observation; ///< "lane i reads 2,400 bytes from lane i + 1: transposed access"
  std::string advice;      ///< a sentence
};

/// The greatest cost first, then by launch and place. Without findings that cost less than 2% (idle parts: 25%).
std::vector<finding> findings_of(const explanation& all);

/// `transpose.cpp:42:17: load: OBSERVATION`, the line of the source if it is known, and the advice: lines of up to 80
/// columns, with a newline at the end of each.
std::string to_text(const finding& each);

/// All launches: counts, idle parts, places by turns, findings, and a strip of the warps. Lines of up to 100 columns.
std::string to_text(const explanation& all);

} // namespace evenly
