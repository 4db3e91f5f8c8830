// SPDX-License-Identifier: Apache-2.0
// The layouts of evenly reorganize: those of the registry, and those for some workloads only.
#pragma once

#include "evenly/layouts/hilbert.hpp"
#if defined(EVENLY_WITH_METIS)
#include "evenly/layouts/metis.hpp"
#endif
#include "evenly/layouts/registry.hpp"
#include "layouts/access_workload.hpp"

namespace evenly::layouts {

/// Arrays are reordered before the lists of forces are built, so that no list is renumbered. Runs use the layout On. It
/// is not a layout itself, but an order, permute() and a plan under On.
template <class Order, class On> struct made_in_order {
  Order order;
  On on;
};

/// Results stay in the order of the layout's threads.
template <class Layout> struct left_in_order {
  Layout layout;
};

/// Chooses another layout from a sample and by trials while the loop runs.
struct automatic {};

/// Another layout whose plans are made concurrently with the runs.
struct pipelined {};

/// A layout that this program was built without.
struct absent_layout {
  const char* why;
};

/// Calls visit(name, layout) for the layouts that need the positions of atoms.
template <class Visit>
void for_each_layout_by_place(const access_workload& of, const atom_position* positions, const Visit& visit) {
  visit("by_neighbours_lists", made_in_order<by_neighbours, none>{});
  using curve = hilbert<atom_position>;
  const curve order{positions, 0, of.box};
  visit("sort_threads_hilbert", sort_threads<curve>{order});
  visit("reorder_hilbert", reorder<curve>{order});
  visit("commit_hilbert", commit<curve>{order, {}});
  visit("commit_hilbert_share", commit<curve, share<>>{order, {}});
  visit("hilbert_lists", made_in_order<curve, none>{order, {}});
  visit("hilbert_lists_share", made_in_order<curve, share<>>{order, {}});
  visit("share_hilbert", share<curve>{order});
  visit("share_hilbert_packed", share<curve>{order, true});
}

/// The same for all layouts that support these references.
template <class Visit>
void for_each_layout_of(const access_workload& of, const atom_position* positions, const Visit& visit) {
  for_each_layout(visit);
  if (of.is_graph()) {
    for_each_graph_layout(visit);
#if defined(EVENLY_WITH_METIS)
    visit("reorder_metis", reorder<metis>{});
    visit("share_metis", share<metis>{});
#else
    for (const char* const name : {"reorder_metis", "share_metis"})
      visit(name, absent_layout{
                      "this program was built without METIS: install libmetis-dev and rebuild the program"});
#endif
  }
  if (of.use == access_use::sums) visit("sort_threads_left", left_in_order<sort_threads<>>{});
  if (has_places(of.use)) for_each_layout_by_place(of, positions, visit);
  visit("pipeline", pipelined{});
  visit("automatic", automatic{});
}

} // namespace evenly::layouts
