// SPDX-License-Identifier: Apache-2.0
// The products of a row of C = A B, read by both passes, and their order.
//
// Row i has a product for each entry k of A's row i and each entry of B's row columns[k]. Products are in the order of
// k, and for one k in that of B's row. Every sum of C begins with 0 and adds its products in this order; each product
// is rounded before it is added. So all executors produce the same bits.
#pragma once

#include <concepts>
#include <cstdint>

#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::detail {

/// a * b, which the compiler must not fuse with an addition.
template <class Value> EVENLY_INLINE_FN Value rounded_product(Value a, Value b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::same_as<Value, float>)
    return __fmul_rn(a, b);
  else if constexpr (std::same_as<Value, double>)
    return __dmul_rn(a, b);
  else
    return a * b;
#else
  Value product = a * b;
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__SSE2__))
  if constexpr (std::same_as<Value, float> || std::same_as<Value, double>) asm("" : "+x"(product));
#elif defined(__GNUC__) && defined(__aarch64__)
  if constexpr (std::same_as<Value, float> || std::same_as<Value, double>) asm("" : "+w"(product));
#endif
  return product;
#endif
}

/// Columns [first, end).
struct column_window {
  int first;
  int end;
  EVENLY_FN constexpr bool has(int column) const { return first <= column && column < end; }
};

/// The limits between methods.
struct product_ways {
  static constexpr std::int64_t few = 64;     ///< maximum products that are compared with all others
  static constexpr int few_columns = 1 << 19; ///< of B: up to this many, the bits are read for each row
  static constexpr std::uint32_t no_column = ~std::uint32_t{0};
};

/// Replaces the factors if only columns are needed.
struct no_factors {};

template <class Value, class OffsetA, class OffsetB> struct product_terms {
  csr_view<Value, OffsetA> a;
  csr_view<Value, OffsetB> b;
  /// 0 if columns ascend and are distinct in each row of B, so that a window can be found by search. null: unknown.
  const int* disorder;

  using value_type = Value;
  using offset_b = OffsetB;
  static constexpr int ahead = 4; ///< products of a thread that are loaded together

  EVENLY_FN bool searches_windows() const { return disorder != nullptr && *disorder == 0; }

  /// The number of entries of B's row for entry k of A.
  EVENLY_FN std::int64_t products_of(std::int64_t k) const {
    const int row = a.columns[k];
    return static_cast<std::int64_t>(b.offsets[row + 1]) - b.offsets[row];
  }

  /// Calls each(u, has, seen, product, place) for the row's products, by all threads of the team together, equally
  /// often in all threads.
  ///
  /// - seen: the result of look(has, column), which is called some products ahead. product: of the factors' values, if
  ///   there are factors. place: the number of the product in the row.
  /// - Order: the calls of all threads with one u have consecutive products, after those of earlier calls. InRuns:
  ///   instead a thread's consecutive calls with u = 0, ..., ahead - 1 have consecutive products, followed by those of
  ///   the next thread.
  /// - window: if it is not all columns and is searched, only products of its columns.
  /// - starts, ends, factors, scratch: one element per thread.
  /// - Synchronises the team, also at the end. Returns the number of products.
  template <bool InRuns = false, class Team, class Starts, class Ends, class Factors, class Scratch,
            class Look, class Each>
  EVENLY_FN std::int64_t for_each_product(const Team& team, int row, column_window window,
                                          const Starts& starts, const Ends& ends, const Factors& factors,
                                          const Scratch& scratch, const Look& look, const Each& each) const {
    constexpr bool has_factors = !std::same_as<Factors, no_factors>;
    const bool narrows = (window.first > 0 || window.end < b.cols) && searches_windows();
    const OffsetA row_end = a.offsets[row + 1];
    const int size = team.size();
    std::int64_t done = 0;
    for (OffsetA first = a.offsets[row]; first < row_end;) {
      const int here = row_end - first < size ? static_cast<int>(row_end - first) : size;
      OffsetB begin = 0, end = 0;
      if (team.rank() < here) {
        const OffsetA k = first + static_cast<OffsetA>(team.rank());
        const int of = a.columns[k];
        begin = b.offsets[of];
        end = b.offsets[of + 1];
        if (narrows) narrow(begin, end, window);
        if constexpr (has_factors) factors[team.rank()] = a.values[k];
      }
      const std::int64_t length = static_cast<std::int64_t>(end) - begin;
      const auto scan = team_scan(team, length, plus<std::int64_t>{}, scratch);
      starts[team.rank()] = begin;
      ends[team.rank()] = scan.before + length;
      team.sync();
      for (std::int64_t p0 = 0; p0 < scan.total; p0 += std::int64_t{ahead} * size) {
        bool has[ahead];
        OffsetB at[ahead];
        int column[ahead];
        Value product[ahead];
        int j = 0;
        EVENLY_UNROLL
        for (int u = 0; u < ahead; ++u) {
          const std::int64_t p =
              InRuns ? p0 + std::int64_t{team.rank()} * ahead + u : p0 + std::int64_t{u} * size + team.rank();
          has[u] = p < scan.total;
          at[u] = 0;
          product[u] = Value{};
          if (!has[u]) continue;
          const auto is_past = [&](int i) {
            const std::int64_t up_to = ends[i];
            return up_to > p;
          };
          if (InRuns && u > 0)
            while (!is_past(j)) ++j;
          else
            j = first_past(0, here, is_past);
          const OffsetB start = starts[j];
          std::int64_t before = 0;
          if (j > 0) before = ends[j - 1];
          at[u] = static_cast<OffsetB>(start + (p - before));
          if constexpr (has_factors) product[u] = factors[j];
        }
        EVENLY_UNROLL
        for (int u = 0; u < ahead; ++u) {
          column[u] = has[u] ? b.columns[at[u]] : 0;
          if constexpr (has_factors)
            if (has[u]) product[u] = rounded_product(product[u], b.values[at[u]]);
        }
        decltype(look(true, 0)) seen[ahead];
        EVENLY_UNROLL
        for (int u = 0; u < ahead; ++u) seen[u] = look(has[u], column[u]);
        EVENLY_UNROLL
        for (int u = 0; u < ahead; ++u)
          if (InRuns)
            each(u, has[u], seen[u], product[u], done + p0 + std::int64_t{team.rank()} * ahead + u);
          else if (p0 + std::int64_t{u} * size < scan.total)
            each(u, has[u], seen[u], product[u], done + p0 + std::int64_t{u} * size + team.rank());
      }
      done += scan.total;
      team.sync();
      first = static_cast<OffsetA>(first + here);
    }
    return done;
  }

  /// Calls each(has, seen, product) for the products with columns of `window`, by all lanes of a team within a warp
  /// together; look(has, column) is called some calls ahead. Unlike in for_each_product, lanes that call together have
  /// products of one entry of A, whose columns are distinct. So no lane waits for another; lanes without a product are
  /// idle, and look at the window's first column. With no_factors `product` is 0.
  ///
  /// A team has one part of `parts`, which together have all products. Requires a team of at most 32 threads, and a
  /// window of all columns or searches_windows().
  template <class Factors, class Team, class Look, class Each>
  EVENLY_FN void for_each_product_by_entries(const Team& team, int row, column_window window, int part,
                                             int parts, const Look& look, const Each& each) const {
    constexpr bool has_factors = !std::same_as<Factors, no_factors>;
    const auto lanes = team_lanes(team);
    const bool narrows = window.first > 0 || window.end < b.cols;
    const OffsetA row_end = a.offsets[row + 1];
    const int width = lanes.size();
    const auto step = static_cast<OffsetB>(width) * parts;
    const auto skipped =
        static_cast<OffsetB>(width) * remainder(part + lanes.rank(), parts); // spreads the work
    for (OffsetA first = a.offsets[row]; first < row_end;) {
      const int here = row_end - first < width ? static_cast<int>(row_end - first) : width;
      OffsetB begin = 0, count = 0;
      Value factor{};
      if (lanes.rank() < here) {
        const OffsetA k = first + static_cast<OffsetA>(lanes.rank());
        const int of = a.columns[k];
        OffsetB end = b.offsets[of + 1];
        begin = b.offsets[of];
        if (narrows) narrow(begin, end, window);
        count = end - begin - skipped;
        if (count > 0) begin += skipped;
        if constexpr (has_factors) factor = a.values[k];
      }
      auto left = static_cast<std::uint32_t>(lanes.ballot(count > 0));
      OffsetB done = 0; // of the first entry that is left
      while (left != 0) {
        bool has[ahead];
        int column[ahead];
        Value product[ahead];
        EVENLY_UNROLL
        for (int u = 0; u < ahead; ++u) {
          const int entry = left != 0 ? first_lane(left) : 0;
          const OffsetB from = lanes.shuffle(begin, entry) + done;
          const OffsetB remaining = lanes.shuffle(count, entry) - done;
          product[u] = Value{};
          if constexpr (has_factors) product[u] = lanes.shuffle(factor, entry);
          has[u] = left != 0 && lanes.rank() < remaining;
          column[u] = window.first;
          if (has[u]) {
            const OffsetB at = from + static_cast<OffsetB>(lanes.rank());
            column[u] = b.columns[at];
            if constexpr (has_factors) product[u] = rounded_product(product[u], b.values[at]);
          }
          done = remaining <= step ? 0 : done + step;
          if (remaining <= step) left &= left - 1;
        }
        decltype(look(true, 0)) seen[ahead];
        EVENLY_UNROLL
        for (int u = 0; u < ahead; ++u) seen[u] = look(has[u], column[u]);
        EVENLY_UNROLL
        for (int u = 0; u < ahead; ++u) each(has[u], seen[u], product[u]);
      }
      first = static_cast<OffsetA>(first + here);
    }
  }

 private:
  /// Narrows [begin, end), entries of a row of B, to those with columns of the window.
  EVENLY_FN void narrow(OffsetB& begin, OffsetB& end, column_window window) const {
    begin = first_past_by_quarters(begin, end, [&](OffsetB e) { return b.columns[e] >= window.first; });
    end = first_past_by_quarters(begin, end, [&](OffsetB e) { return b.columns[e] >= window.end; });
  }
};

/// The look that returns the column.
struct its_column {
  EVENLY_FN std::uint32_t operator()(bool, int column) const { return static_cast<std::uint32_t>(column); }
};

} // namespace evenly::detail
