// SPDX-License-Identifier: Apache-2.0
// Products of matrices in many formats, on any executor, under any schedule: a tile set leads to the entries of its
// format, and padding is in no sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/bcsr.hpp"
#include "evenly/work/coo.hpp"
#include "evenly/work/csc.hpp"
#include "evenly/work/dia.hpp"
#include "evenly/work/ell.hpp"
#include "work/formats.hpp"

namespace evenly::laws {

/// Computes a format's product under one schedule.
using product = std::function<std::vector<float>(const matrix& a, const std::vector<float>& x)>;

/// Checks a product. One function for all formats and schedules.
inline void expect_products(const char* what, const char* schedule, const product& computed) {
  for (const auto& [name, a] : many_matrices()) {
    const auto x = small_vector(a.cols);
    EXPECT_EQ(computed(a, x), reference(a, x)) << what << " of \"" << name << "\" under " << schedule;
  }
}

struct stores {
  float* y;
  EVENLY_FN void operator()(std::int64_t tile, float sum) const { y[tile] = sum; }
};
struct adds {
  const int* rows; ///< where tiles add to
  float* y;
  EVENLY_FN void operator()(int tile, float value) const { atomic_ref(y[rows[tile]]).fetch_add(value); }
};

/// Where the atoms are entries in the order of the arrays.
struct entry_times_x {
  const int* columns;
  const float* values;
  const float* x;
  EVENLY_FN float operator()(std::int64_t k) const { return values[k] * x[columns[k]]; }
};
struct ell_times_x {
  ell_layout<> layout;
  const int* columns;
  const float* values;
  const float* x;
  EVENLY_FN float operator()(int row, int, int rank) const {
    const int k = layout.slot(row, rank);
    return values[k] * x[columns[k]];
  }
};
struct dia_times_x {
  dia_tile_set<> tiles;
  const float* values;
  const float* x;
  EVENLY_FN float operator()(int row, int, int rank) const {
    const int d = tiles.diagonal(row, rank);
    return values[tiles.slot(row, d)] * x[tiles.column(row, d)];
  }
};

/// R sums, of the rows of a block row.
template <int R> struct row_sums {
  float of[R];
  friend EVENLY_FN row_sums operator+(row_sums a, const row_sums& b) {
    for (int i = 0; i < R; ++i) a.of[i] += b.of[i];
    return a;
  }
};
template <int R, int C> struct block_times_x {
  bcsr_tile_set<R, C> tiles;
  const int* columns;
  const float* values;
  const float* x;
  EVENLY_FN row_sums<R> operator()(int block) const {
    row_sums<R> sums{};
    const int column = columns[block];
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < tiles.columns_in(column); ++j)
        sums.of[i] += values[tiles.slot(block, i, j)] * x[column * C + j];
    return sums;
  }
};
template <int R, int C> struct stores_rows {
  bcsr_tile_set<R, C> tiles;
  float* y;
  EVENLY_FN void operator()(int t, const row_sums<R>& sums) const {
    for (int i = 0; i < tiles.rows_in(t); ++i) y[t * R + i] = sums.of[i];
  }
};

/// y of `rows` rows, on the executor: what run(y) leaves there.
template <class Executor, class Run>
std::vector<float> made_by(const Executor& exec, int rows, const Run& run) {
  const auto y = to_executor(exec, std::vector<float>(static_cast<std::size_t>(rows)));
  run(y.data());
  return to_host(exec, y);
}

/// The sums over what a tile set or a source has.
template <class Executor, class Schedule, class Work, class Map>
std::vector<float> sums(const Executor& exec, const Schedule& schedule, const Work& work, const Map& map,
                        int rows) {
  return made_by(exec, rows, [&](float* y) {
    auto plan = make_plan(exec, schedule, work);
    reduce_tiles(exec, plan, map, plus<float>{}, stores{y});
  });
}

template <class Executor, class Schedule>
void expect_coo_row_products(const Executor& exec, const char* name, const Schedule& schedule) {
  expect_products("coo by rows", name, [&](const matrix& a, const std::vector<float>& x) {
    const auto rows = to_executor(exec, rows_of_entries(a)), columns = to_executor(exec, a.columns);
    const auto values = to_executor(exec, a.values), in = to_executor(exec, x);
    const entry_times_x map{columns.data(), values.data(), in.data()};
    return sums(exec, schedule, coo_row_tiles(rows, a.rows), map, a.rows);
  });
}

template <class Executor, class Schedule>
void expect_coo_entry_products(const Executor& exec, const char* name, const Schedule& schedule) {
  expect_products("coo by entries", name, [&](const matrix& a, const std::vector<float>& x) {
    const auto rows = to_executor(exec, rows_of_entries(a)), columns = to_executor(exec, a.columns);
    const auto values = to_executor(exec, a.values), in = to_executor(exec, x);
    const entry_times_x map{columns.data(), values.data(), in.data()};
    return made_by(exec, a.rows, [&](float* y) {
      reduce_tiles(exec, schedule, coo_entry_tiles(static_cast<int>(rows.size())), map, plus<float>{},
                   adds{rows.data(), y});
    });
  });
}

/// Sums of columns: the matrix is stored by columns, so they are the product of its transpose.
template <class Executor, class Schedule>
void expect_csc_products(const Executor& exec, const char* name, const Schedule& schedule) {
  expect_products("csc", name, [&](const matrix& a, const std::vector<float>& x) {
    const auto offsets = to_executor(exec, a.offsets), rows = to_executor(exec, a.columns);
    const auto values = to_executor(exec, a.values), in = to_executor(exec, x);
    return sums(exec, schedule, csc_tiles(offsets), entry_times_x{rows.data(), values.data(), in.data()},
                a.rows);
  });
}

/// `make(layout, lengths, columns)`: the source.
template <class Executor, class Schedule, class Make>
void expect_ell_products(const Executor& exec, const char* name, const Schedule& schedule, const Make& make) {
  for (const bool by_columns : {false, true})
    expect_products(by_columns ? "ell by columns" : "ell by rows", name,
                    [&](const matrix& a, const std::vector<float>& x) {
                      const ell_matrix made = in_ell(a, by_columns);
                      const auto lengths = to_executor(exec, made.lengths),
                                 columns = to_executor(exec, made.columns);
                      const auto values = to_executor(exec, made.values), in = to_executor(exec, x);
                      const ell_times_x map{made.layout, columns.data(), values.data(), in.data()};
                      return sums(exec, schedule, make(made.layout, lengths, columns), map, a.rows);
                    });
}
template <class Executor, class Schedule>
void expect_ell_length_products(const Executor& exec, const char* name, const Schedule& schedule) {
  expect_ell_products(exec, name, schedule, [](const auto& layout, const auto& lengths, const auto&) {
    return ell_tiles_by_length(layout, lengths);
  });
}
template <class Executor, class Schedule>
void expect_ell_padding_products(const Executor& exec, const char* name, const Schedule& schedule) {
  expect_ell_products(exec, name, schedule, [](const auto& layout, const auto&, const auto& columns) {
    return ell_tiles_by_padding(layout, columns);
  });
}

template <class Executor, class Schedule>
void expect_bcsr_products(const Executor& exec, const char* name, const Schedule& schedule) {
  constexpr int R = 3, C = 2;
  expect_products("bcsr", name, [&](const matrix& a, const std::vector<float>& x) {
    const auto made = in_bcsr<R, C>(a);
    const auto offsets = to_executor(exec, made.offsets), columns = to_executor(exec, made.columns);
    const auto values = to_executor(exec, made.values), in = to_executor(exec, x);
    return made_by(exec, a.rows, [&](float* y) {
      const auto tiles = bcsr_tiles<R, C>(offsets, a.rows, a.cols);
      auto plan = make_plan(exec, schedule, tiles);
      reduce_tiles(exec, plan, block_times_x<R, C>{tiles, columns.data(), values.data(), in.data()},
                   plus<row_sums<R>>{}, stores_rows<R, C>{tiles, y});
    });
  });
}

template <class Executor, class Schedule>
void expect_dia_products(const Executor& exec, const char* name, const Schedule& schedule) {
  for (const dia_matrix& made : many_diagonals()) {
    const auto x = small_vector(made.a.cols);
    const auto there = to_executor(exec, made.diagonals);
    const auto values = to_executor(exec, made.values), in = to_executor(exec, x);
    const auto tiles = dia_tiles(made.a.rows, made.a.cols, made.diagonals, there.data());
    EXPECT_EQ(sums(exec, schedule, tiles, dia_times_x{tiles, values.data(), in.data()}, made.a.rows),
              reference(made.a, x))
        << made.diagonals.size() << " diagonals in " << made.a.rows << " rows under " << name;
  }
}

} // namespace evenly::laws
