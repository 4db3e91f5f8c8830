// SPDX-License-Identifier: Apache-2.0
// y = alpha A x + beta y for a matrix in any format: one reduction, of which the format says what are tiles, what an
// atom contributes, and where a tile's sum goes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/schedules/launches.hpp"

namespace evenly {

/// A view of a matrix whose rows, or groups of rows, are tiles: tiles() is a tile set or a source; product(x), called
/// for a tile's atoms, gives what they contribute to its sum, of type `sum_type`; update(y, alpha, beta), called with a
/// tile and its sum, writes y.
template <class A>
concept matrix_of_tiles = requires(const A& a, typename A::value_type value) {
  { a.rows } -> std::convertible_to<int>;
  { a.cols } -> std::convertible_to<int>;
  typename A::sum_type;
  a.tiles();
  a.product(&value);
  a.update(&value, value, value);
};

namespace detail {

template <class Value>
void check_vectors(int rows, int cols, std::span<const Value> x, std::span<const Value> y) {
  const auto sized = [](const char* name, std::size_t size, const char* what, int expected) {
    require(size == static_cast<std::size_t>(expected), [&] {
      return std::string(name) + " has " + std::to_string(size) + " elements, the matrix has " +
             std::to_string(expected) + ' ' + what;
    });
  };
  sized("x", x.size(), "columns", cols);
  sized("y", y.size(), "rows", rows);
  require_memory("x", x.data(), cols);
  require_memory("y", y.data(), rows);
  if (rows > 0 && cols > 0) require_apart("x", x.data(), cols, "y", y.data(), rows, false);
}

} // namespace detail

/// y = alpha A x + beta y under a schedule, or a plan for a.tiles(). With beta = 0, y is not read. x: a.cols values, y:
/// a.rows values, which lie on `exec` as the matrix does and do not overlap it. Throws invalid_argument for vectors of
/// other sizes, for a plan of another number of tiles, and for what a.tiles() refuses. With a schedule it synchronises
/// while it plans.
template <class Executor, class Schedule, matrix_of_tiles A>
void spmv(const Executor& exec, Schedule&& schedule, const A& a,
          std::type_identity_t<std::span<const typename A::value_type>> x,
          std::type_identity_t<std::span<typename A::value_type>> y,
          std::type_identity_t<typename A::value_type> alpha = 1,
          std::type_identity_t<typename A::value_type> beta = 0) {
  detail::check_vectors<typename A::value_type>(a.rows, a.cols, x, y);
  if (a.rows == 0) return;
  const plus<typename A::sum_type> sum;
  if constexpr (any_planned<std::remove_cvref_t<Schedule>>) {
    const std::int64_t has = schedule.tiles().tiles(), needs = a.tiles().tiles();
    require(has == needs, [&] {
      return "the plan is for " + std::to_string(has) + " tiles, the matrix has " + std::to_string(needs);
    });
    reduce_tiles(exec, schedule, a.product(x.data()), sum, a.update(y.data(), alpha, beta));
  } else {
    reduce_tiles(exec, detail::told(schedule, work_kind::gathered_sums), a.tiles(), a.product(x.data()), sum,
                 a.update(y.data(), alpha, beta));
  }
}

} // namespace evenly
