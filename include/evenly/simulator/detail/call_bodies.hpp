// SPDX-License-Identifier: Apache-2.0
// One includer: only programs without the compiled library read it.
// Calls of a kernel's body for the threads of a launch.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <deque>
#include <memory>
#include <mutex>
#include <numeric>
#include <source_location>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/simulator/detail/calls.hpp"
#include "evenly/simulator/detail/engine.hpp"
#include "evenly/simulator/detail/launch_state.hpp"
#include "evenly/simulator/detail/memory_races.hpp"
#include "evenly/simulator/detail/state.hpp"
#include "evenly/trace/detail/block_trace.hpp"
#include "evenly/trace/trace.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// simt_engines: the engines of one executor. Copies of the executor share them, and a launch takes one per
// operating-system thread.

namespace evenly::detail {

/// The engines of one executor that are not in use. Safe to call from several threads.
class simt_engines {
 public:
  explicit simt_engines(std::size_t stack_bytes) : stack_bytes_(stack_bytes) {}

  /// Runs blocks on an engine that no other call uses.
  void run(const simt_job& job, simt_launch_state& launch, int first, int count, int position) {
    const auto give_back = [this](simt_engine* engine) { keep(engine); };
    const std::unique_ptr<simt_engine, decltype(give_back)> engine(take().release(), give_back);
    engine->run(job, launch, first, count, position);
  }
  /// Returns the number of launches before this one.
  std::uint64_t next_launch() { return launches_++; }

 private:
  std::unique_ptr<simt_engine> take() {
    {
      const std::lock_guard lock(guard_);
      if (!idle_.empty()) {
        auto taken = std::move(idle_.back());
        idle_.pop_back();
        return taken;
      }
    }
    return std::make_unique<simt_engine>(stack_bytes_);
  }
  void keep(simt_engine* engine) {
    const std::lock_guard lock(guard_);
    idle_.emplace_back(engine);
  }

  std::size_t stack_bytes_;
  std::mutex guard_;
  std::vector<std::unique_ptr<simt_engine>> idle_;
  std::atomic<std::uint64_t> launches_{0};
};

// ---------------------------------------------------------------------------------------------------------------------
// Finds raw pointers in the user's kernels and function objects on simt. Accesses by raw pointers are not checked; one
// line on standard error reports this, once for each type.
//
// C++ cannot list the members of a type, nor the captures of a lambda. Therefore the words of the object are examined:
// a word that is an address in writable memory of the process is a pointer. Views (simt.hpp) store their
// addresses inverted. Pointers in parts of the library that kernels also hold (shared work, partials, tile sets,
// barriers) do not count: the last few thousand such addresses are kept. If the user holds a pointer to such an address
// too, the count is too small.

/// Returns the words of an object that may be addresses.
inline std::vector<std::uintptr_t> words_of(const void* object, std::size_t bytes) {
  constexpr std::size_t each = sizeof(std::uintptr_t);
  std::vector<std::uintptr_t> words(bytes / each);
  if (!words.empty()) std::memcpy(words.data(), object, words.size() * each);
  return words;
}

/// Returns the address ranges that the process may write to, as the operating system lists them; none if it does not.
inline std::vector<std::pair<std::uintptr_t, std::uintptr_t>> writable_memory() {
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "r"),
                                                             &std::fclose);
  if (!maps) return ranges;
  char line[512];
  for (bool begins = true; std::fgets(line, sizeof line, maps.get());) {
    unsigned long first = 0, end = 0;
    char rights[5] = {};
    if (begins && std::sscanf(line, "%lx-%lx %4s", &first, &end, rights) == 3 && rights[1] == 'w')
      ranges.emplace_back(first, end);
    begins = std::strchr(line, '\n') != nullptr;
  }
  return ranges;
}

/// The addresses that parts of the library point to.
class known_pointers {
 public:
  void add(const void* part, std::size_t bytes) {
    const std::lock_guard lock(guard_);
    for (const std::uintptr_t word : words_of(part, bytes))
      if (word != 0 && known_.insert(word).second) order_.push_back(word);
    for (; order_.size() > max_known; order_.pop_front()) known_.erase(order_.front());
  }
  bool has(std::uintptr_t address) {
    const std::lock_guard lock(guard_);
    return known_.count(address) != 0;
  }

 private:
  static constexpr std::size_t max_known = 4096;
  std::mutex guard_;
  std::unordered_set<std::uintptr_t> known_;
  std::deque<std::uintptr_t> order_;
};
inline known_pointers& pointers_of_library() {
  static known_pointers known;
  return known;
}

/// Returns the number of words of the object that are addresses of writable memory and not `known`.
template <class Known> int count_pointers(const void* object, std::size_t bytes, const Known& known) {
  const auto memory = writable_memory();
  int count = 0;
  for (const std::uintptr_t word : words_of(object, bytes)) {
    const auto holds = [&](const auto& range) { return range.first <= word && word < range.second; };
    count += std::any_of(memory.begin(), memory.end(), holds) && !known(word);
  }
  return count;
}

/// Returns the name of a type, without template arguments.
inline std::string short_type_name(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                    &std::free);
  std::string text;
  int depth = 0;
  for (const char c : std::string_view(status == 0 ? name.get() : mangled)) {
    if (c == '<' && depth++ == 0) text += "<...>";
    if (depth == 0) text += c;
    if (c == '>') --depth;
  }
  return text;
}

EVENLY_RUNTIME_FN void know_pointers(const void* part, std::size_t bytes) {
  pointers_of_library().add(part, bytes);
}

EVENLY_RUNTIME_FN void report_raw_pointers(const char* mangled, const void* object, std::size_t bytes,
                                           const void* part, std::size_t part_bytes) {
  std::string_view scope = mangled;
  while (!scope.empty() && std::string_view("ZNK").find(scope.front()) != std::string_view::npos)
    scope.remove_prefix(1);
  if (scope.starts_with("6evenly")) return; // kernels of the library are tested
  const std::vector<std::uintptr_t> of_part = words_of(part, part_bytes);
  const int count = count_pointers(object, bytes, [&](std::uintptr_t word) {
    return part == nullptr ? pointers_of_library().has(word)
                           : std::find(of_part.begin(), of_part.end(), word) != of_part.end();
  });
  if (count == 0) return;
  std::fprintf(stderr,
               "evenly: simt does not check accesses by %s of %s: use views of the memory, "
               "evenly::view(exec, memory), or set simt_options::report_raw_pointers to false\n",
               count == 1 ? "a raw pointer" : (std::to_string(count) + " raw pointers").c_str(),
               short_type_name(mangled).c_str());
}

// ---------------------------------------------------------------------------------------------------------------------
// The implementation of calls.hpp.

EVENLY_RUNTIME_FN std::shared_ptr<simt_engines> make_simt_engines(std::size_t stack_bytes) {
  return std::make_shared<simt_engines>(stack_bytes);
}

/// Runs the job's blocks, all together or one after the other. With a seed, the latter start in an order that the seed
/// determines.
inline void run_simt_blocks(simt_engines& engines, int threads, simt_job& job, bool together) {
  simt_launch_state state;
  if (together) {
    engines.run(job, state, 0, job.blocks, 0);
    return state.rethrow();
  }
  std::vector<int> order(job.seed != 0 ? static_cast<std::size_t>(job.blocks) : 0);
  std::iota(order.begin(), order.end(), 0);
  simt_random random{job.seed};
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  job.may_wait_outside = threads > 1 && job.blocks > 1;
  for_each_block(threads, job.blocks, [&](int) {
    check_interrupt();
    const int position = state.next_position();
    if (state.is_decided_before(position)) return;
    engines.run(job, state, job.seed != 0 ? order[static_cast<std::size_t>(position)] : position, 1,
                position);
  });
  state.rethrow();
}

EVENLY_RUNTIME_FN void run_simt_job(simt_engines& engines, int threads, trace* to, simt_job job,
                                    bool together, int slots) {
  const std::uint64_t launch = engines.next_launch();
  if (job.blocks == 0) return;
  if (job.seed != 0) job.seed = simt_random{job.seed ^ launch << 32}() | 1;
  memory_races races(together || threads == 1);
  if (job.check_races) job.memory = &races;
  launch_trace counts(job.blocks, job.shape, to && to->keeps_profiles() ? slots : 0);
  if (to) job.trace = &counts;
  const wants_notice watched(launches_that_watch, job.watches_atomics());
  const wants_notice counted(launches_that_count, to != nullptr);
  run_simt_blocks(engines, threads, job, together);
  if (to) to->add(counts.totals(), counts.take_profile());
}

EVENLY_RUNTIME_FN void sync_block(simt_thread& me, std::source_location where) {
  me.block->engine->sync(me, where);
}
EVENLY_RUNTIME_FN void sync_warp(simt_thread& me, lane_mask mask, std::source_location where) {
  me.block->engine->warp_sync(me, mask, where);
}
EVENLY_RUNTIME_FN void shuffle_warp(simt_thread& me, lane_mask mask, const void* value, void* result,
                                    std::size_t bytes, int source, std::source_location where) {
  me.block->engine->warp_shuffle(me, mask, value, result, bytes, source, where);
}
EVENLY_RUNTIME_FN lane_mask ballot_warp(simt_thread& me, lane_mask mask, bool predicate,
                                        std::source_location where) {
  return me.block->engine->warp_ballot(me, mask, predicate, where);
}
EVENLY_RUNTIME_FN void fence_thread(simt_thread& me) { me.block->engine->fence(me); }
EVENLY_RUNTIME_FN void back_off(simt_thread& me, simt_step step, std::source_location where) {
  me.block->engine->backoff(me, step, where);
}
EVENLY_RUNTIME_FN void check_storage(simt_thread& me, std::uint32_t byte, std::size_t bytes, int element,
                                     access_kind kind, std::source_location where) {
  me.block->engine->touch(me, byte, bytes, element, kind, where);
}
EVENLY_RUNTIME_FN void check_memory(simt_thread& me, std::uint64_t address, std::size_t bytes,
                                    std::int64_t element, bool writes, std::source_location where) {
  me.block->engine->touch_memory(me, address, bytes, element, writes, where, "traced memory");
}
EVENLY_RUNTIME_FN void count_access_of(simt_thread& me, traced_access kind, std::uint64_t address,
                                       std::size_t bytes, std::uint32_t piece, std::source_location where) {
  me.block->engine->count(me, kind, address, bytes, piece, where);
}
EVENLY_RUNTIME_FN void refuse_element(const simt_thread& me, int element, int count,
                                      std::source_location where) {
  me.block->engine->out_of_range(me, element, count, where);
}
EVENLY_RUNTIME_FN void refuse_slot(const simt_thread& me, std::size_t end, std::source_location where) {
  me.block->engine->outside_storage(me, end, where);
}

} // namespace evenly::detail
