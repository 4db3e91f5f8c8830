// SPDX-License-Identifier: Apache-2.0
// Layouts on one executor, type-erased by the view of their plans: there are three types of views and some twenty
// layouts. The work of threads is compiled per view, and the planning of layouts once per executor
// (erased_layouts_on.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/layouts/choice/sample.hpp"
#include "evenly/layouts/commit.hpp"
#include "evenly/layouts/detail/renumbered.hpp"
#include "evenly/layouts/duplicate.hpp"
#include "evenly/layouts/none.hpp"
#include "evenly/layouts/plan.hpp"
#include "evenly/layouts/share_accumulate.hpp"
#include "evenly/layouts/view.hpp"
#include "layouts/access_workload.hpp"
#include "layouts/layout_list.hpp"

namespace evenly::layouts {

template <class View> struct source_behind {
  using type = ordered_source<int>;
};
template <> struct source_behind<duplicate_view<int>> {
  using type = decltype(std::declval<const duplicate::prepared_arrays<int>&>().source());
};

/// Prepared arrays of any type with this view.
template <class View> struct erased_arrays {
  static constexpr bool takes_blocks = requires(const View& v) { v.sizes; };
  using source_type = typename source_behind<View>::type;

  View seen;
  std::int64_t all_slots;
  source_type from; ///< if there are slots
  std::size_t all_bytes;
  const buffer<int>* order; ///< the order of the committed A; may be null
  const buffer<int>* jobs;  ///< the jobs of positions; may be null
  std::shared_ptr<const void> owner;

  View view() const { return seen; }
  std::int64_t slots() const { return all_slots; }
  source_type source() const { return from; }
  std::size_t bytes() const { return all_bytes; }
};

/// A layout of any type whose plans have the view `View`; itself a layout.
template <class Executor, class View> struct erased_layout {
  template <class I> using prepared_arrays = erased_arrays<View>;
  using preparation = std::function<erased_arrays<View>(const Executor&, const index_list<int>&,
                                                        const access_shape&, const access_objective&)>;

  std::string name;
  preparation prepared;

  erased_arrays<View> prepare(const Executor& exec, const index_list<int>& p, const access_shape& shape,
                              const access_objective& objective) const {
    return prepared(exec, p, shape, objective);
  }
};
template <class Executor> using listed_layout = erased_layout<Executor, indexed_view<int>>;
template <class Executor> using duplicate_layout = erased_layout<Executor, duplicate_view<int>>;
template <class Executor> using shared_layout = erased_layout<Executor, share_view<int>>;

/// An order of elements of any type.
template <class Executor>
using erased_order = std::function<buffer<int>(const Executor&, const index_list<int>&, const access_shape&)>;

/// As in for_each_layout_of.
template <class Executor>
using any_layout = std::variant<listed_layout<Executor>, duplicate_layout<Executor>, shared_layout<Executor>,
                                left_in_order<listed_layout<Executor>>,
                                made_in_order<erased_order<Executor>, listed_layout<Executor>>,
                                made_in_order<erased_order<Executor>, shared_layout<Executor>>,
                                share_accumulate, absent_layout, pipelined, automatic>;
template <class Executor> struct named_layout {
  std::string name;
  any_layout<Executor> layout;
};

/// The parts of layouts on an executor that do not depend on the work of threads.
template <class Executor> struct layouts_of {
  using sums_plan = access_plan<Executor, share_accumulate, int>;
  template <class View> using plan = access_plan<Executor, erased_layout<Executor, View>, int>;

  /// The layouts of for_each_layout_of.
  static std::vector<named_layout<Executor>> all(const access_workload& of, const atom_position* positions);
  /// The layout that a pipeline uses for these references.
  static std::variant<listed_layout<Executor>, shared_layout<Executor>>
  for_pipeline(const access_workload& of, const atom_position* positions);

  static plan<indexed_view<int>> make(const Executor& exec, const index_list<int>& p,
                                      const access_shape& shape, const listed_layout<Executor>& layout);
  static plan<duplicate_view<int>> make(const Executor& exec, const index_list<int>& p,
                                        const access_shape& shape, const duplicate_layout<Executor>& layout);
  static plan<share_view<int>> make(const Executor& exec, const index_list<int>& p, const access_shape& shape,
                                    const shared_layout<Executor>& layout);
  static sums_plan make_sums(const Executor& exec, const index_list<int>& p, const access_shape& shape,
                             const share_accumulate& layout);
  static detail::reordered_references<int> in_order(const Executor& exec, const index_list<int>& p,
                                                    const access_shape& shape,
                                                    const erased_order<Executor>& order);

  /// The number of different referenced elements.
  static std::size_t touched(const Executor& exec, const index_list<int>& p, const access_shape& shape);
  /// P with renumbered elements, by the seed.
  static buffer<int> with_other_numbers(const Executor& exec, const buffer<int>& p, const access_shape& shape,
                                        std::uint64_t seed);
  /// The numbers 0 to count - 1.
  static buffer<int> numbers(const Executor& exec, std::int64_t count);

  static access_sample sample_of_blocks(const Executor& exec, const index_list<int>& p,
                                        const access_shape& shape);
  static access_sample sample_of_clusters(const Executor& exec, const index_list<int>& p,
                                          const access_shape& shape);

  /// Thread t adds (t + r) mod 3 + 1 to its element r, for all r.
  static void add_small(const Executor& exec, const sums_plan& plan, const index_list<int>& p, int* sums,
                        int* updates, workspace& memory);
};

} // namespace evenly::layouts
