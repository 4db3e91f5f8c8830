// SPDX-License-Identifier: Apache-2.0
// y = alpha A x + beta y for a matrix in any format, by one reduction. The format defines the tiles, the contribution
// of an atom, and the store of a tile's sum.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/csr_matrix.hpp"

namespace evenly {

namespace detail {

struct ignored_array {
  template <class T> void operator()(const char*, const T*, std::int64_t, std::int64_t) const {}
};

/// Whether a plan's tiles, which may be made of a source, are those of a matrix. Tiles of another type are accepted,
/// such as uniform ones for rows that are all full.
template <class Planned, class Tiles> bool are_tiles_of(const Planned& planned, const Tiles& tiles) {
  if constexpr (std::derived_from<Planned, Tiles> && std::equality_comparable<Tiles>)
    return static_cast<const Tiles&>(planned) == tiles;
  else if constexpr (requires { planned.source() == tiles; })
    return planned.source() == tiles;
  else
    return true;
}

/// Throws invalid_argument if a plan is known to be for another matrix.
template <class Planned, class Tiles> void require_planned_for(const Planned& planned, const Tiles& tiles) {
  const std::int64_t has = planned.tiles(), needs = tiles.tiles();
  require(has == needs,
          [&] { return concat("the plan is for ", has, " tiles, but the matrix has ", needs); });
  require(are_tiles_of(planned, tiles), [&] {
    return concat("the plan is for another matrix of ", needs,
                  " tiles: a plan supports only the arrays that it was made for");
  });
}

} // namespace detail

/// A view of a matrix whose rows, or groups of rows, are tiles.
///
/// - tiles(): a tile set or a source.
/// - product(x): maps an atom to its contribution to the tile's sum, of type `sum_type`.
/// - update(y, alpha, beta): called with a tile and its sum, writes y.
/// - for_each_array: visits the arrays that these read (sparse/csr_matrix.hpp).
template <class A>
concept matrix_of_tiles = requires(const A& a, typename A::value_type value) {
  { a.rows } -> std::convertible_to<int>;
  { a.cols } -> std::convertible_to<int>;
  typename A::sum_type;
  a.tiles();
  a.product(&value);
  a.update(&value, value, value);
  a.for_each_array(std::int64_t{}, std::int64_t{}, detail::ignored_array{});
};

/// y = alpha A x + beta y under a schedule, or a plan for a.tiles(). With beta = 0, y is not read.
///
/// - x: a.cols values; y: a.rows values, on `exec` like the matrix. y overlaps neither x nor the matrix.
/// - With a schedule it synchronises while it plans.
/// - Throws invalid_argument for vectors of wrong sizes, an overlap, a null array, or a plan for other tiles; also as
///   a.tiles() does.
template <class Executor, class Schedule, matrix_of_tiles A>
void spmv(const Executor& exec, Schedule&& schedule, const A& a,
          std::type_identity_t<std::span<const typename A::value_type>> x,
          std::type_identity_t<std::span<typename A::value_type>> y,
          std::type_identity_t<typename A::value_type> alpha = 1,
          std::type_identity_t<typename A::value_type> beta = 0) {
  detail::check_vectors<typename A::value_type>(a.rows, a.cols, x, y);
  if (a.rows == 0) return;
  if constexpr (any_planned<std::remove_cvref_t<Schedule>>) {
    detail::require_planned_for(schedule.tiles(), a.tiles());
    detail::require_apart_from_matrix(a, schedule.first_atom(), schedule.atoms(), "y", y.data(), a.rows);
    reduce_tiles(exec, schedule, a.product(x.data()), plus<typename A::sum_type>{},
                 a.update(y.data(), alpha, beta));
  } else {
    auto plan = make_plan_once(exec, schedule, a.tiles(), work_kind::gathered_sums);
    spmv(exec, plan, a, x, y, alpha, beta);
  }
}

} // namespace evenly
