// SPDX-License-Identifier: Apache-2.0
// All layouts by name, in the forms that are compared: the program times them and the tests check them. A new layout is
// one header and one line here. metis.hpp, which needs a library, is not included.
#pragma once

#include "evenly/layouts/commit.hpp"
#include "evenly/layouts/duplicate.hpp"
#include "evenly/layouts/graph_orders.hpp"
#include "evenly/layouts/none.hpp"
#include "evenly/layouts/pad.hpp"
#include "evenly/layouts/reorder.hpp"
#include "evenly/layouts/reverse_cuthill_mckee.hpp"
#include "evenly/layouts/share.hpp"
#include "evenly/layouts/share_accumulate.hpp"
#include "evenly/layouts/sort_threads.hpp"
#include "evenly/layouts/working_sets.hpp"

namespace evenly::layouts {

/// Whether a layout is for accumulate() instead of for_each_job().
template <class Layout> inline constexpr bool accumulates = false;
template <> inline constexpr bool accumulates<share_accumulate> = true;

/// Calls visit(name, layout) for each layout without requirements on references.
template <class Visit> void for_each_layout(Visit&& visit) {
  visit("none", none{});
  visit("sort_threads", sort_threads<>{});
  visit("reorder_first_access", reorder<first_access>{});
  visit("reorder_hubs_first", reorder<hubs_first>{});
  visit("duplicate", duplicate{});
  visit("duplicate_half", duplicate{.fraction = 0.5});
  visit("pad_simple", pad{.design = pad_design::unaligned});
  visit("pad", pad{});
  visit("share", share<>{});
  visit("share_packed", share<>{.packed = true});
  visit("share_sorted", share<by_smallest>{});
  visit("share_working_sets", share<by_working_sets>{});
  visit("share_accumulate", share_accumulate{});
}

/// The same for each layout that requires that thread i belongs to element i.
template <class Visit> void for_each_graph_layout(Visit&& visit) {
  visit("sort_threads_by_neighbours", sort_threads<by_neighbours>{});
  visit("reorder_by_neighbours", reorder<by_neighbours>{});
  visit("reorder_reverse_cuthill_mckee", reorder<reverse_cuthill_mckee>{});
  visit("commit_by_neighbours", commit<by_neighbours>{});
  visit("share_by_neighbours", share<by_neighbours>{});
  visit("share_propagated", share<propagated>{});
}

} // namespace evenly::layouts
