// SPDX-License-Identifier: Apache-2.0
// Which layout? Three answers, from the cheapest to the surest:
//
//   choice_of_paper()   the guidelines of Wu et al. (PPoPP 2013), figure 6, from sizes alone
//   predicted_run()    a time, from what a run asks of memory and from constants of a machine, access_rates
//   layout_trials         runs of a loop, timed (trials.hpp)
//
// Nothing here runs on an executor: sample.hpp counts what is predicted from, and the caller runs what
// next() says.
#pragma once

#include <algorithm>
#include <cstdint>

#include "evenly/layouts/trials.hpp"

namespace evenly::layouts {

// ---- figure 6 ----

enum class paper_choice { duplicate, pad, share, share_in_parts };

/// What figure 6 asks for.
struct paper_question {
  std::int64_t references =
      0; ///< of all threads. (The paper says threads: molecular dynamics would be duplicated.)
  std::int64_t elements = 0;
  bool one_pattern = false; ///< all that a thread reads or writes goes by one list of one reference each
  std::int64_t working_set_bytes = 0; ///< of a block
  std::int64_t storage_bytes = 48 * 1024;
};

/// Duplication where references are fewer than elements, or comparable: at most twice as many. Else padding for one
/// pattern, else sharing where a block's elements fit storage; where they do not, sharing with smaller tasks.
inline paper_choice choice_of_paper(const paper_question& of) {
  constexpr std::int64_t comparable = 2;
  if (of.references <= comparable * of.elements) return paper_choice::duplicate;
  if (of.one_pattern) return paper_choice::pad;
  return of.working_set_bytes <= of.storage_bytes ? paper_choice::share : paper_choice::share_in_parts;
}

// ---- a model ----

/// What a run asks of memory.
struct access_demand {
  double references = 0;
  double lines = 0;           ///< of 128 bytes, that requests of warps touch
  double sectors = 0;         ///< of 32 bytes, different ones of each block
  double wavefronts = 0;      ///< of storage
  double streamed_bytes = 0;  ///< read once and in order: lists, copies
  double random_bytes = 0;    ///< that sectors are spread over
  double scattered = 0;       ///< sectors that are read or written by job where threads are elsewhere
  double scattered_bytes = 0; ///< that these are spread over
};

/// What a machine takes for each, in nanoseconds of the whole machine, and how much its cache holds.
struct access_rates {
  double launch;
  double reference; ///< the work with it
  double line;
  double cached_sector;
  double memory_sector;
  double wavefront;
  double streamed_byte;
  double scattered_sector;
  double cache_bytes;
  // for plans
  double sorted_thread;    ///< an order by keys that threads have
  double passed_reference; ///< one pass over P, as by_neighbours has three
  double moved_reference;  ///< P once more, renumbered or in another order
  double shared_reference; ///< lists of blocks and places in them
  /// One that is looked at (sample.hpp): timed on random lists, on an H200 and on two cores of an EPYC (2026-11-25),
  /// where it took 30 to 200 ns.
  double sampled_reference;
};

/// Of an NVIDIA H200: solved from bench/results/reorganize-h200.json, -large, -random and -tuning.
inline constexpr access_rates rates_of_h200{.launch = 5000,
                                            .reference = 0.0008,
                                            .line = 0.0021,
                                            .cached_sector = 0.007,
                                            .memory_sector = 0.024,
                                            .wavefront = 0.0043,
                                            .streamed_byte = 0.00025,
                                            .scattered_sector = 0.058,
                                            .cache_bytes = 50e6,
                                            .sorted_thread = 0.11,
                                            .passed_reference = 0.0013,
                                            .moved_reference = 0.0052,
                                            .shared_reference = 0.0086,
                                            .sampled_reference = 0.2};
/// Of two cores of an Intel Xeon, from what docs/reorganize.md says of them.
inline constexpr access_rates rates_of_two_cores{.launch = 5000,
                                                 .reference = 3.4,
                                                 .line = 0,
                                                 .cached_sector = 2,
                                                 .memory_sector = 7.5,
                                                 .wavefront = 0,
                                                 .streamed_byte = 0.1,
                                                 .scattered_sector = 10,
                                                 .cache_bytes = 32e6,
                                                 .sorted_thread = 90,
                                                 .passed_reference = 1,
                                                 .moved_reference = 3.6,
                                                 .shared_reference = 12,
                                                 .sampled_reference = 80};

/// Milliseconds of a run: the scarcest of what it asks for, and what is scattered besides. Where more is read at random
/// than half the cache holds, the rest comes from memory.
inline double predicted_run(const access_demand& of, const access_rates& rates) {
  const auto missing = [&](double bytes) {
    const double in_cache = rates.cache_bytes / 2;
    return bytes > in_cache ? 1 - in_cache / bytes : 0;
  };
  const double miss = missing(of.random_bytes);
  const double sector = miss * rates.memory_sector + (1 - miss) * rates.cached_sector;
  const double max = std::max({of.references * rates.reference, of.lines * rates.line, of.sectors * sector,
                               of.wavefronts * rates.wavefront, of.streamed_bytes * rates.streamed_byte});
  const double scattered = of.scattered * missing(of.scattered_bytes) * rates.scattered_sector;
  return (rates.launch + max + scattered) * 1e-6;
}

} // namespace evenly::layouts
