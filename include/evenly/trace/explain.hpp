// SPDX-License-Identifier: Apache-2.0
// explain: describes the memory requests of launches on the simulated GPU: findings with a place in the source and a
// sentence of advice, and a page of text. Compiled in evenly::runtime.
//
//   evenly::trace counts(evenly::keep_profiles{});
//   const evenly::simt exec({.trace = &counts});
//   const evenly::explanation found = evenly::explain("my kernel", counts, [&] { launch(exec, shape, kernel); });
//   for (const evenly::finding& each : evenly::findings_of(found)) ...
//   std::fputs(evenly::to_text(found).c_str(), stdout);
//
// Accesses to shared memory and atomic operations are always counted. Accesses to memory are counted if they go through
// views (execution/memory.hpp), traced() (block/block.hpp) or counted memory (execution/atomic.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "evenly/trace/trace.hpp"

namespace evenly {

/// The profiles of an explained run.
struct explanation {
  std::string subject; ///< a title: the kernel and how it ran
  std::vector<launch_profile> launches;
  std::string choice = {}; ///< the reason for the schedule, if `automatic` chose it

  trace_counts totals() const;
};

/// Calls run() and returns the profiles of its launches. Their executors must use `counts`. Throws invalid_argument if
/// `counts` keeps no profiles, and the exceptions of run().
explanation explain(const std::string& subject, trace& counts, const std::function<void()>& run);

/// The kinds of finding.
enum class finding_kind {
  strided_access,    ///< consecutive lanes access addresses at a fixed distance of more than an element
  scattered_access,  ///< lanes have no common distance
  misaligned_access, ///< consecutive elements, but the first is not at the beginning of a sector
  repeated_load,     ///< a block loads the same sectors several times
  bank_conflict,     ///< in shared memory
  atomic_conflict,   ///< lanes of a warp change the same object
  idle_lanes,        ///< few lanes take part in requests
  idle_warps,        ///< warps wait at barriers, or for the end of the block, while another warp is busy
  idle_slots,        ///< blocks end long before the last block does
};

/// A finding: a way to improve a kernel.
struct finding {
  finding_kind kind = finding_kind::strided_access;
  std::size_t launch = 0; ///< index in explanation::launches
  /// The cost, in [0, 1]. Of accesses: their fraction of the launch's turns (trace/profile.hpp), times the fraction of
  /// their sectors, wavefronts or operations that a perfect access does not need. Of idle_lanes, idle_warps and
  /// idle_slots: the idle fraction (idle_parts).
  double cost = 0;
  std::string file;     ///< as given to the compiler; empty for idle_warps and idle_slots
  std::string function; ///< with its template arguments
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string source;      ///< the text of the line; empty if the file cannot be read
  std::string observation; ///< "lane i reads 2,400 bytes from lane i + 1: transposed access"
  std::string advice;      ///< a sentence
};

/// Returns the findings with a cost of at least 2% (idle fractions: 25%). They are sorted by descending cost, then by
/// launch and place.
std::vector<finding> findings_of(const explanation& all);

/// Returns `transpose.cpp:42:17: load: OBSERVATION`, the line of the source if it is known, and the advice. Lines have
/// at most 80 columns, and each ends with a newline.
std::string to_text(const finding& each);

/// Returns a page on all launches: counts, idle fractions, places by turns, findings, and a strip of the warps. Lines
/// have at most 100 columns.
std::string to_text(const explanation& all);

} // namespace evenly
