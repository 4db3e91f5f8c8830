// SPDX-License-Identifier: Apache-2.0
// Three ways to choose a layout, from the cheapest to the most reliable:
//
//   choice_of_paper()   the guidelines of Wu et al. (PPoPP 2013), figure 6, from sizes alone
//   predicted_run()     a time, from the memory accesses of a run and constants of a machine, access_rates
//   layout_trials       timed runs of a loop (trials.hpp)
//
// Nothing in this header runs on an executor: sample.hpp provides the counts, and the caller runs the layout that
// next() returns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "evenly/layouts/choice/trials.hpp"

namespace evenly::layouts {

// ---- figure 6 ----

enum class paper_choice { duplicate, pad, share, share_in_parts };

/// The inputs of figure 6.
struct paper_question {
  std::int64_t references =
      0; ///< of all threads (with threads, as printed, molecular dynamics would duplicate)
  std::int64_t elements = 0;
  bool one_pattern = false;           ///< all data of a thread are accessed by one list of one reference each
  std::int64_t working_set_bytes = 0; ///< per block
  std::int64_t storage_bytes = 48 * 1024;
};

/// The choice of figure 6. Duplicate if references are at most twice as many as elements ("fewer or comparable").
/// Otherwise pad for one pattern. Otherwise share if a block's elements fit in storage, else share with smaller tasks.
inline paper_choice choice_of_paper(const paper_question& of) {
  constexpr std::int64_t comparable = 2;
  if (of.references <= comparable * of.elements) return paper_choice::duplicate;
  if (of.one_pattern) return paper_choice::pad;
  return of.working_set_bytes <= of.storage_bytes ? paper_choice::share : paper_choice::share_in_parts;
}

// ---- a model ----

/// The memory accesses of a run.
struct access_demand {
  double references = 0;
  double lines = 0;           ///< lines of 128 bytes touched by requests of warps
  double sectors = 0;         ///< sectors of 32 bytes, distinct within each block
  double wavefronts = 0;      ///< accesses to storage
  double streamed_bytes = 0;  ///< data read once and in order, such as lists and copies
  double random_bytes = 0;    ///< range of memory that contains the sectors
  double scattered = 0;       ///< sectors accessed by job, in the order of jobs and not of threads
  double scattered_bytes = 0; ///< range of memory that contains these
};

/// The cost of each access on a machine, in nanoseconds of the whole machine, and the size of its cache.
struct access_rates {
  double launch;
  double reference; ///< including the work with it
  double line;
  double cached_sector;
  double memory_sector;
  double wavefront;
  double streamed_byte;
  double scattered_sector;
  double cache_bytes;
  // for plans
  double sorted_thread;    ///< an order by keys of threads
  double passed_reference; ///< one pass over P; by_neighbours needs three
  double moved_reference;  ///< a copy of P, renumbered or in another order
  double shared_reference; ///< lists of blocks, and slots in them
  /// A sampled reference (sample.hpp): timed on random lists, on an H200 and on two cores of an EPYC (2026-11-25),
  /// where it took 30 to 200 ns.
  double sampled_reference;
};

/// Rates of an NVIDIA H200, fitted to bench/results/reorganize-h200.json, -large, -random and -tuning.
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
/// Rates of two cores of an Intel Xeon, from the figures in docs/reorganize-results.md.
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

/// The time of a run in milliseconds: that of the scarcest resource, plus scattered accesses. If random accesses range
/// over more than half the cache, the excess comes from memory.
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
