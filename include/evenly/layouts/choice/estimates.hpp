// SPDX-License-Identifier: Apache-2.0
// Estimates of the cost of layouts from a sample of the references (sample.hpp): demands, which predicted_run()
// converts to times, and the passes of plans. They are rough; they only determine which layouts layout_trials tries,
// and in which order.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "evenly/layouts/choice/sample.hpp"
#include "evenly/layouts/choice/selector.hpp"

namespace evenly::layouts {

/// The known properties of a kernel and its references.
struct access_case {
  access_shape shape;
  access_sample as_is;
  std::optional<access_sample> clusters; ///< if thread i belongs to element i
  double own_bytes = 4;                  ///< own data of a thread that it reads and writes, such as results
  double index_bytes = 4;
  access_rates rates = rates_of_h200;
};

/// The estimate before a sample is read: an upper bound for a run, with one sector per reference, and the time of
/// `samples` samples.
inline unsampled_estimate estimate_unsampled(const access_case& of, int samples, double share = 0.015) {
  constexpr double launches = 10; // of a sample, memory and waiting for its counts included
  const auto references = static_cast<double>(of.shape.total_references());
  const double bytes = of.shape.element_bytes, own = static_cast<double>(of.shape.threads) * of.own_bytes;
  const auto blocks = static_cast<double>(detail::blocks_of_sample(of.shape, share));
  const double looked_at =
      std::min(blocks * of.shape.block * static_cast<double>(of.shape.references), references);
  const access_demand max{.references = references,
                          .lines = references,
                          .sectors = references * std::max(bytes / access_objective::sector_bytes, 1.0),
                          .streamed_bytes = references * of.index_bytes + own,
                          .random_bytes =
                              std::min(references, static_cast<double>(of.shape.elements)) * bytes};
  const double sample = launches * of.rates.launch + looked_at * of.rates.sampled_reference;
  return {predicted_run(max, of.rates), samples * sample * 1e-6};
}

/// The time to make an order, in milliseconds.
struct order_cost {
  double ms = 0;
};

class layout_model {
 public:
  explicit layout_model(const access_case& of) : of_(of) {}

  layout_estimate none() const { return {"none", run(plain(of_.as_is)), 0}; }

  /// The copy is made for each run.
  layout_estimate duplicate() const {
    access_demand copying = plain(of_.as_is);
    copying.streamed_bytes += references() * bytes();
    return {"duplicate",
            run(copying) +
                run({.references = references(), .streamed_bytes = own() + references() * bytes()}),
            0};
  }
  /// By the one element that each thread refers to.
  layout_estimate sort_threads() const {
    access_demand sorted = plain(of_.as_is);
    sorted.lines = of_.as_is.requests + touched_bytes() / 128;
    sorted.sectors = of_.as_is.requests + touched_bytes() / access_objective::sector_bytes;
    return {"sort_threads", run(by_job(sorted)), ms(threads() * of_.rates.sorted_thread)};
  }
  /// Threads ordered by clusters, elements in place.
  layout_estimate sort_threads_by(const std::string& name, order_cost order) const {
    access_demand sorted = plain(*of_.clusters);
    sorted.lines = of_.as_is.lines;
    return {name, run(by_job(sorted)), order.ms + moving_lists()};
  }
  /// Elements ordered by clusters, by a copy; results by job.
  layout_estimate reorder_by(const std::string& name, order_cost order) const {
    const access_demand copying{.references = elements(),
                                .sectors = elements(),
                                .streamed_bytes = 2 * elements() * bytes(),
                                .random_bytes = touched_bytes()};
    return {name, run(by_job(in_order())) + run(copying), order.ms + moving_lists()};
  }
  /// Elements kept in that order, and references renumbered once; so threads are in that order, too.
  layout_estimate commit_by(const std::string& name, order_cost order) const {
    return {name, run(in_order()), order.ms + moving_lists()};
  }
  /// Elements kept in that order, with lists made in it.
  layout_estimate made_in_order(const std::string& name, order_cost order) const {
    return {name, run(in_order()), order.ms};
  }
  /// The same with the layout share.
  std::optional<layout_estimate> made_in_order_shared(const std::string& name, order_cost order) const {
    return shared(name, *of_.clusters, order.ms + sharing(), bytes() / access_objective::sector_bytes, false);
  }
  /// Threads in place.
  std::optional<layout_estimate> share() const { return shared("share", of_.as_is, sharing(), 1, false); }
  std::optional<layout_estimate> share_by(const std::string& name, order_cost order) const {
    return shared(name, *of_.clusters, order.ms + moving_lists() + sharing(), 1, true);
  }

  /// The order by the smallest neighbour, with three rounds.
  order_cost by_neighbours() const {
    return {ms(3 * (references() * of_.rates.passed_reference + threads() * of_.rates.sorted_thread / 4))};
  }
  /// An order by keys of threads or elements.
  order_cost by_keys() const { return {ms(threads() * of_.rates.sorted_thread)}; }

 private:
  static double ms(double nanoseconds) { return nanoseconds * 1e-6; }
  double run(const access_demand& of) const { return predicted_run(of, of_.rates); }
  double references() const { return static_cast<double>(of_.shape.total_references()); }
  double threads() const { return static_cast<double>(of_.shape.threads); }
  double elements() const { return static_cast<double>(of_.shape.elements); }
  double bytes() const { return of_.shape.element_bytes; }
  double own() const { return threads() * of_.own_bytes; }
  double touched_bytes() const { return std::min(references(), elements()) * bytes(); }
  double moving_lists() const { return ms(references() * of_.rates.moved_reference); }
  double sharing() const { return ms(references() * of_.rates.shared_reference); }

  /// Elements in place, with the blocks of a sample.
  access_demand plain(const access_sample& blocks) const {
    return {.references = references(),
            .lines = blocks.lines,
            .sectors = blocks.block_sectors,
            .streamed_bytes = references() * of_.index_bytes + own(),
            .random_bytes = touched_bytes()};
  }
  /// Elements in order: those of a block fill their sectors.
  access_demand in_order() const {
    access_demand ordered = plain(*of_.clusters);
    ordered.sectors = 1.1 * of_.clusters->block_elements * bytes() / access_objective::sector_bytes;
    ordered.lines = std::min(of_.as_is.lines, of_.as_is.requests * 28);
    return ordered;
  }
  /// A thread's own data are accessed at the position of its job.
  access_demand by_job(access_demand of) const {
    of.streamed_bytes += threads() * of_.index_bytes;
    of.scattered = threads();
    of.scattered_bytes = own();
    return of;
  }
  /// sectors: per element loaded to storage. Returns no estimate if storage is too small.
  std::optional<layout_estimate> shared(const std::string& name, const access_sample& blocks, double build,
                                        double sectors, bool moves) const {
    constexpr double max_storage = 64 * 1024, max_elements = 8192; // share.hpp
    const double in_block = blocks.block_elements * of_.shape.block / threads();
    if (in_block * bytes() > max_storage || in_block > max_elements) return {};
    const double conflicts = 3; // random words in 32 banks
    const access_demand of{
        .references = references(),
        .lines = blocks.block_elements,
        .sectors = blocks.block_elements * std::max(sectors, bytes() / access_objective::sector_bytes),
        .wavefronts = of_.as_is.requests * conflicts * std::max(bytes() / 4, 1.0),
        .streamed_bytes = references() * 2 + blocks.block_elements * of_.index_bytes + own(),
        .random_bytes = touched_bytes()};
    return layout_estimate{name, run(moves ? by_job(of) : of), build};
  }

  access_case of_;
};

} // namespace evenly::layouts
