// SPDX-License-Identifier: Apache-2.0
// Arms on one executor by what kernels see of them: there are three kinds of views, and some twenty arms. What threads
// do with their elements is compiled for views, and how arms make their plans once for each executor
// (held_arms_on.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "evenly/execution/workspace.hpp"
#include "evenly/layouts/commit.hpp"
#include "evenly/layouts/detail/renumbered.hpp"
#include "evenly/layouts/duplicate.hpp"
#include "evenly/layouts/none.hpp"
#include "evenly/layouts/plan.hpp"
#include "evenly/layouts/sample.hpp"
#include "evenly/layouts/share_accumulate.hpp"
#include "evenly/layouts/view.hpp"
#include "layouts/arm_list.hpp"
#include "layouts/workload.hpp"

namespace evenly::cli {

template <class View> struct source_behind {
  using type = ordered_source<int>;
};
template <> struct source_behind<duplicate_view<int>> {
  using type = decltype(std::declval<const duplicate::layout<int>&>().source());
};

/// A layout of an arm that is known by its view only.
template <class View> struct held_layout {
  static constexpr bool takes_blocks = requires(const View& v) { v.sizes; };
  using source_type = typename source_behind<View>::type;

  View seen;
  std::int64_t all_slots;
  source_type from; ///< where there are slots
  std::size_t all_bytes;
  const buffer<int>* order; ///< that A is committed to; may be null
  const buffer<int>* jobs;  ///< of positions; may be null
  std::shared_ptr<const void> owner;

  View view() const { return seen; }
  std::int64_t slots() const { return all_slots; }
  source_type source() const { return from; }
  std::size_t bytes() const { return all_bytes; }
};

/// An arm whose plans show `View`; it is an arm itself.
template <class Executor, class View> struct held_arm {
  template <class I> using layout = held_layout<View>;
  using preparation = std::function<held_layout<View>(const Executor&, const index_list<int>&,
                                                      const access_shape&, const access_objective&)>;

  std::string name;
  preparation prepared;

  held_layout<View> prepare(const Executor& exec, const index_list<int>& p, const access_shape& shape,
                            const access_objective& objective) const {
    return prepared(exec, p, shape, objective);
  }
};
template <class Executor> using listed_arm = held_arm<Executor, indexed_view<int>>;
template <class Executor> using duplicate_arm = held_arm<Executor, duplicate_view<int>>;
template <class Executor> using shared_arm = held_arm<Executor, share_view<int>>;

/// An order of elements, whatever it is.
template <class Executor>
using held_order = std::function<buffer<int>(const Executor&, const index_list<int>&, const access_shape&)>;

/// As in for_each_arm_of.
template <class Executor>
using any_arm = std::variant<listed_arm<Executor>, duplicate_arm<Executor>, shared_arm<Executor>,
                             left_in_order<listed_arm<Executor>>,
                             made_in_order<held_order<Executor>, listed_arm<Executor>>,
                             made_in_order<held_order<Executor>, shared_arm<Executor>>, share_accumulate,
                             absent_arm, pipelined, automatic>;
template <class Executor> struct named_arm {
  std::string name;
  any_arm<Executor> arm;
};

/// What arms do on an executor that does not depend on what threads do with their elements.
template <class Executor> struct arms_of {
  using sums_plan = access_plan<Executor, share_accumulate, int>;
  template <class View> using plan = access_plan<Executor, held_arm<Executor, View>, int>;

  /// Those of for_each_arm_of.
  static std::vector<named_arm<Executor>> all(const access_workload& of, const atom_position* positions);
  /// The arm that a pipeline has for such references.
  static std::variant<listed_arm<Executor>, shared_arm<Executor>>
  for_pipeline(const access_workload& of, const atom_position* positions);

  static plan<indexed_view<int>> make(const Executor& exec, const index_list<int>& p,
                                      const access_shape& shape, const listed_arm<Executor>& arm);
  static plan<duplicate_view<int>> make(const Executor& exec, const index_list<int>& p,
                                        const access_shape& shape, const duplicate_arm<Executor>& arm);
  static plan<share_view<int>> make(const Executor& exec, const index_list<int>& p, const access_shape& shape,
                                    const shared_arm<Executor>& arm);
  static sums_plan make_sums(const Executor& exec, const index_list<int>& p, const access_shape& shape,
                             const share_accumulate& arm);
  static detail::reordered_references<int> in_order(const Executor& exec, const index_list<int>& p,
                                                    const access_shape& shape,
                                                    const held_order<Executor>& order);

  /// How many different elements are referred to.
  static std::size_t touched(const Executor& exec, const index_list<int>& p, const access_shape& shape);
  /// P with other numbers of elements, as the seed says.
  static buffer<int> with_other_numbers(const Executor& exec, const buffer<int>& p, const access_shape& shape,
                                        std::uint64_t seed);
  /// [0, count)
  static buffer<int> numbers(const Executor& exec, std::int64_t count);

  static access_sample sample_of_blocks(const Executor& exec, const index_list<int>& p,
                                        const access_shape& shape);
  static access_sample sample_of_clusters(const Executor& exec, const index_list<int>& p,
                                          const access_shape& shape);

  /// Thread t adds (t + r) mod 3 + 1 to its element r, for all r.
  static void add_small(const Executor& exec, const sums_plan& plan, const index_list<int>& p, int* sums,
                        int* updates, workspace& memory);
};

} // namespace evenly::cli
