// SPDX-License-Identifier: Apache-2.0
// duplicate: a copy of an element for each reference to it, in the order of the threads. Sources: Zhang, Jiang, Guo,
// Tian and Shen ("On-the-fly elimination of dynamic irregularities for GPU computing", ASPLOS 2011); section 3.1 of Wu
// et al. (PPoPP 2013). With a fraction below 1, only the first threads have copies (partial duplication); the others
// refer to A.
//
// Cost: no plan; whenever A changes, a copy of fraction * T * K elements, with as many scattered loads as the kernel
// would need without it. Wins when A stays the same for several runs, or when the copy overlaps other work.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "evenly/layouts/plan.hpp"

namespace evenly::layouts {

struct duplicate {
  static constexpr const char* name = "duplicate";

  double fraction = 1; ///< of the threads, in whole blocks: 0 to 1
  /// The maximum bytes of the copy. Throws invalid_argument if it needs more.
  std::size_t max_bytes = std::numeric_limits<std::size_t>::max();

  template <class I> struct copied_reference {
    const I* p;
    std::int64_t threads;
    std::int64_t cut;
    EVENLY_FN std::int64_t operator()(std::int64_t slot) const {
      const std::int64_t r = cut == threads ? 0 : slot / cut; // all threads: the copy is ordered as P
      return load_streaming(p + slot + r * (threads - cut));
    }
  };

  template <class I> struct prepared_arrays {
    static constexpr bool takes_blocks = false;
    duplicate_view<I> seen;

    duplicate_view<I> view() const { return seen; }
    std::int64_t slots() const { return seen.cut * seen.references; }
    copied_reference<I> source() const { return {seen.index, seen.threads, seen.cut}; }
    std::size_t bytes() const { return 0; }
  };

  template <class Executor, class I>
  prepared_arrays<I> prepare(const Executor&, const index_list<I>& p, const access_shape& shape,
                             const access_objective&) const {
    require(fraction >= 0 && fraction <= 1,
            [&] { return "fraction = " + std::to_string(fraction) + ": must be from 0 to 1"; });
    const auto wanted = static_cast<std::int64_t>(std::ceil(fraction * static_cast<double>(shape.threads)));
    const std::int64_t cut =
        smaller(ceil_div<std::int64_t>(wanted, shape.block) * shape.block, shape.threads);
    const double bytes =
        static_cast<double>(cut) * static_cast<double>(shape.references) * shape.element_bytes;
    require(bytes <= static_cast<double>(max_bytes), [&] {
      return "a copy for each of " + std::to_string(cut * shape.references) + " references needs " +
             std::to_string(static_cast<std::int64_t>(bytes)) + " bytes, but max_bytes is " +
             std::to_string(max_bytes) + ": use a smaller fraction";
    });
    return {{shape.threads, shape.references, cut, p.at}};
  }
};

} // namespace evenly::layouts
