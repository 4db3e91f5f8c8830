// SPDX-License-Identifier: Apache-2.0
// none: unchanged references, for comparison with the other layouts.
//
// Cost: no plan and no memory. Wins when indices are already near each other, when A fits in a cache, or when P changes
// before a plan pays.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/layouts/plan.hpp"

namespace evenly::layouts {

/// The source of a layout without slots.
struct no_source {
  EVENLY_FN std::int64_t operator()(std::int64_t) const { return -1; }
};

struct none {
  static constexpr const char* name = "none";

  template <class I> struct prepared_arrays {
    static constexpr bool takes_blocks = false;
    indexed_view<I> seen;

    indexed_view<I> view() const { return seen; }
    std::int64_t slots() const { return 0; }
    no_source source() const { return {}; }
    std::size_t bytes() const { return 0; }
  };

  template <class Executor, class I>
  prepared_arrays<I> prepare(const Executor&, const index_list<I>& p, const access_shape& shape,
                             const access_objective&) const {
    return {{shape.threads, shape.references, nullptr, p.at, false}};
  }
};

} // namespace evenly::layouts
