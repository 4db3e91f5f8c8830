// SPDX-License-Identifier: Apache-2.0
// C<M> = A B: the entries of a sparse product at the positions of a mask.
//
//   auto c = evenly::masked_spgemm(exec, m, a, b);           // m, a, b: csr_view of memory of exec; c owns its arrays
//
// A team of threads computes a row of the mask. For each entry of A's row it intersects the mask's row with a row of B.
// It goes through the shorter one and searches the longer one; on cpu it merges rows of similar lengths. So work and
// memory depend on the mask, not on the entries of A B. After Milakovic, Selvitopi, Nisa, Budimlic, Buluc (Parallel
// algorithms for masked sparse matrix-matrix products, ICPP 2022).
//
// A sum adds its products to 0 in the order of A's row: entries have the bits of spgemm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "evenly/algorithms/for_each_tile.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/detail/product_terms.hpp"
#include "evenly/sparse/spgemm.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/sized_tiles.hpp"

namespace evenly::detail {

/// A row of C<M> by a team. A function object for for_each_tile; tiles are rows, their atoms are the products of A B.
template <class Value, class OffsetM, class OffsetA, class OffsetB> struct masked_product_rows {
  const OffsetM* offsets; ///< of the mask's rows
  const int* columns;     ///< of the mask
  csr_view<Value, OffsetA> a;
  csr_view<Value, OffsetB> b;
  Value* sums;     ///< one per entry of the mask, initially 0
  char* has_terms; ///< one per entry of the mask, initially 0

  template <class Team>
  EVENLY_FN void operator()(const Team& team, int row, std::int64_t, std::int64_t) const {
    const OffsetM begin = offsets[row], end = offsets[row + 1];
    if (begin == end) return;
    for (OffsetA k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      const int from = a.columns[k];
      const Value factor = a.values[k];
      intersect(team, begin, end, b.offsets[from], b.offsets[from + 1], [&](OffsetM at, OffsetB e) {
        sums[at] += rounded_product(factor, b.values[e]);
        has_terms[at] = 1;
      });
      team.sync(); // the next row of B may have the same columns
    }
  }

 private:
  static constexpr int search_ratio =
      8; ///< a search in a row that is so many times longer takes less than a merge

  /// Calls visit(entry of the mask, entry of B) for equal columns, each by one thread.
  template <class Team, class Visit>
  EVENLY_FN void intersect(const Team& team, OffsetM begin, OffsetM end, OffsetB first, OffsetB last,
                           const Visit& visit) const {
    const auto of_mask = static_cast<std::int64_t>(end - begin),
               of_b = static_cast<std::int64_t>(last - first);
    if (team.size() == 1 && of_mask <= search_ratio * of_b && of_b <= search_ratio * of_mask) {
      for (OffsetM at = begin; at < end && first < last;) {
        const int mine = columns[at], other = b.columns[first];
        if (mine == other) visit(at, first);
        at += mine <= other;
        first += other <= mine;
      }
    } else if (of_mask <= of_b) {
      for (OffsetM at = begin + team.rank(); at < end; at += team.size()) {
        const OffsetB e = first_past(first, last, [&](OffsetB q) { return b.columns[q] >= columns[at]; });
        if (e < last && b.columns[e] == columns[at]) visit(at, e);
      }
    } else {
      for (OffsetB e = first + team.rank(); e < last; e += team.size()) {
        const OffsetM at = first_past(begin, end, [&](OffsetM q) { return columns[q] >= b.columns[e]; });
        if (at < end && columns[at] == b.columns[e]) visit(at, e);
      }
    }
  }
};

struct has_mark {
  const char* marks;
  EVENLY_FN bool operator()(std::int64_t i) const { return marks[i] != 0; }
};

/// How many of the entries that are kept come before a row.
template <class Offset> struct entries_before_offset {
  const std::int64_t* kept; ///< ascending
  std::int64_t count;
  const Offset* offsets;
  EVENLY_FN Offset operator()(std::int64_t row) const {
    return static_cast<Offset>(
        first_past(std::int64_t{0}, count, [&](std::int64_t i) { return kept[i] >= offsets[row]; }));
  }
};

/// Throws invalid_argument unless columns ascend in each row, without duplicates.
template <class Executor, class Value, class Offset>
void require_ascending(const Executor& exec, const char* name, const csr_view<Value, Offset>& a) {
  if (a.rows == 0) return;
  const auto disorder = make_buffer<int>(exec, 1);
  find_disorder(exec, a.offsets, a.columns, a.rows, disorder.data());
  int found = 0;
  exec.copy_to_host(&found, disorder.data(), sizeof(found));
  require(found == 0, [&] {
    return concat("columns of ", name, " must ascend in each row, without duplicates, for a masked product");
  });
}

} // namespace evenly::detail

namespace evenly {

/// The entries of A B at the positions of a mask.
///
/// - mask: a.rows rows and b.cols columns; its values are not read. a, b: as for spgemm. All lie on `exec`. In each row
///   of the mask and of B columns ascend, without duplicates.
/// - Returns a matrix with those positions of the mask that have a product of an entry of A and one of B, also if the
///   products cancel. Its values have the bits of spgemm's, on every run and executor.
/// - Cost: for each entry of A the shorter one of a row of the mask and a row of B, times the logarithm of the longer
///   one; on cpu at most their sum. A row is computed by one team. Memory: a value, a byte and a number per entry of
///   the mask, and a number per row.
/// - Allocates and synchronises.
/// - Throws invalid_argument for sizes that do not match, and for columns out of order.
template <class Executor, class ValueM, class OffsetM, class Value, class OffsetA, class OffsetB>
csr_buffers<Value, OffsetM> masked_spgemm(const Executor& exec, const csr_view<ValueM, OffsetM>& mask,
                                          const csr_view<Value, OffsetA>& a,
                                          const csr_view<Value, OffsetB>& b) {
  detail::check_factor("A", a);
  detail::check_factor("B", b);
  require(a.cols == b.rows, [&] {
    return detail::concat("A has ", a.cols, " columns and B has ", b.rows,
                          " rows: the numbers must be equal");
  });
  require(mask.rows == a.rows && mask.cols == b.cols, [&] {
    return detail::concat("the mask has ", mask.rows, " rows and ", mask.cols, " columns: A B has ", a.rows,
                          " and ", b.cols);
  });
  const auto all = detail::entries_of(exec, mask);
  detail::require_ascending(exec, "the mask", mask);
  detail::require_ascending(exec, "B", b);
  const auto size = static_cast<std::size_t>(all.count);
  const auto sums = make_buffer<Value>(exec, size);
  const auto has_terms = make_buffer<char>(exec, size);
  exec.fill_zero(sums.data(), size * sizeof(Value));
  exec.fill_zero(has_terms.data(), size);
  if (all.count > 0) {
    using terms = detail::product_terms<Value, OffsetA, OffsetB>;
    const auto work = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(a.rows));
    reduce_tiles(exec, schedule_for_sums{}, csr_tile_set<OffsetA>(a.offsets, a.rows),
                 detail::products_of_entry<terms>{{a, b, nullptr}}, plus<std::int64_t>{},
                 detail::store_row_work<OffsetA>{a.offsets, work.data()});
    auto plan = make_plan(exec, schedule_for_whole_tiles{},
                          sized_tiles(std::span<const std::int64_t>(work.data(), work.size())));
    for_each_tile(
        exec, plan,
        detail::masked_product_rows<Value, OffsetM, OffsetA, OffsetB>{
            mask.offsets, mask.columns, a, b, sums.data() - all.first, has_terms.data() - all.first});
    exec.synchronize(); // before the plan is freed
  }
  const auto kept = make_buffer<std::int64_t>(exec, size);
  const std::int64_t count =
      select(exec, counting{}, all.count, detail::has_mark{has_terms.data()}, kept.data());
  csr_buffers<Value, OffsetM> c{mask.rows,
                                mask.cols,
                                {},
                                make_buffer<int>(exec, static_cast<std::size_t>(count)),
                                make_buffer<Value>(exec, static_cast<std::size_t>(count))};
  const auto begins = detail::copy_of_offsets(exec, mask.offsets, mask.rows, all.first);
  c.offsets = make_buffer<OffsetM>(exec, begins.size());
  tabulate(exec, static_cast<std::int64_t>(begins.size()),
           detail::entries_before_offset<OffsetM>{kept.data(), count, begins.data()}, c.offsets.data());
  tabulate(exec, count, detail::element_of_numbered<int, std::int64_t>{mask.columns + all.first, kept.data()},
           c.columns.data());
  tabulate(exec, count, detail::element_of_numbered<Value, std::int64_t>{sums.data(), kept.data()},
           c.values.data());
  exec.synchronize(); // before temporary memory is freed
  return c;
}

} // namespace evenly
