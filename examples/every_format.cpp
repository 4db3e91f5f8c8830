// SPDX-License-Identifier: Apache-2.0
// One product y = A x of a small matrix in every format, under one schedule:
//
//       1 2 . .      csr, coo, ell, dia: a tile is a row, and reduce_tiles sums the products of its entries
//   A = . 3 4 .      bcsr: a tile is two rows, an atom a dense block, and a sum has two values
//       5 . 6 7      csc, coo by entries: a tile is a column, or an entry; its products go to many rows, or to one
//       . 8 . 9           that other tiles have as well, so they are added atomically
//
// Padding of a format (0 here) is not an atom. The arguments of a map determine the position in the arrays: for csr,
// csc and coo it is the atom's number, for ell and dia it follows from the row and the rank of the entry in the row.
#include <cstdio>
#include <vector>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/bcsr.hpp"
#include "evenly/work/coo.hpp"
#include "evenly/work/csc.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/dia.hpp"
#include "evenly/work/ell.hpp"

using vector = std::vector<float>;
constexpr int rows = 4, cols = 4;
const vector x_of_all{1, 10, 100, 1000}, expected{21, 430, 7605, 9080};

bool is_right(const char* format, const vector& y) {
  if (y != expected) std::printf("%s: y = %g %g %g %g\n", format, y[0], y[1], y[2], y[3]);
  return y == expected;
}

/// The sums over rows of what `product` gives for each entry.
template <class Executor, class Rows, class Product>
bool sums_are_right(const char* format, const Executor& exec, const Rows& tiles, const Product& product) {
  vector sums(rows);
  const auto y = evenly::view(exec, sums);
  evenly::reduce_tiles(exec, evenly::merge_path{}, tiles, product, evenly::plus<float>{},
                       [=] EVENLY_FN(int row, float sum) { y[row] = sum; });
  return is_right(format, sums);
}

template <class Executor> bool csr_and_coo(const Executor& exec) {
  const std::vector<int> offsets{0, 2, 4, 7, 9}, row_of{0, 0, 1, 1, 2, 2, 2, 3, 3},
      columns{0, 1, 1, 2, 0, 2, 3, 1, 3};
  const vector values{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto row = evenly::view(exec, row_of), column = evenly::view(exec, columns);
  const auto value = evenly::view(exec, values), x = evenly::view(exec, x_of_all);
  const auto product = [=] EVENLY_FN(int k) { return value[k] * x[column[k]]; };
  vector added(rows);
  const auto y = evenly::view(exec, added);
  evenly::reduce_tiles(exec, evenly::merge_path{}, evenly::coo_entry_tiles(9), product, evenly::plus<float>{},
                       [=] EVENLY_FN(int k, float each) { evenly::atomic_ref(y[row[k]]).fetch_add(each); });
  return sums_are_right("csr", exec, evenly::csr_tiles(offsets), product) &&
         sums_are_right("coo by rows", exec, evenly::coo_row_tiles(row_of, rows), product) &&
         is_right("coo by entries", added);
}

template <class Executor> bool csc(const Executor& exec) {
  const std::vector<int> offsets{0, 2, 5, 7, 9}, row_of{0, 2, 0, 1, 3, 1, 2, 2, 3};
  const vector values{1, 5, 2, 3, 8, 4, 6, 7, 9};
  vector added(rows);
  const auto row = evenly::view(exec, row_of);
  const auto value = evenly::view(exec, values), x = evenly::view(exec, x_of_all);
  const auto y = evenly::view(exec, added);
  evenly::for_each_atom(
      exec, evenly::merge_path{}, evenly::csc_tiles(offsets),
      [=] EVENLY_FN(int column, int k) { evenly::atomic_ref(y[row[k]]).fetch_add(value[k] * x[column]); });
  return is_right("csc", added);
}

template <class Executor> bool ell(const Executor& exec) {
  const auto layout = evenly::ell_by_columns(rows, 3);
  const std::vector<int> lengths{2, 2, 3, 2}, columns{0, 1, 0, 1, 1, 2, 2, 3, -1, -1, 3, -1};
  const vector values{1, 3, 5, 8, 2, 4, 6, 9, 0, 0, 7, 0};
  const auto column = evenly::view(exec, columns);
  const auto value = evenly::view(exec, values), x = evenly::view(exec, x_of_all);
  const auto product = [=] EVENLY_FN(int row, int, int rank) {
    const int k = layout.slot(row, rank);
    return value[k] * x[column[k]];
  };
  return sums_are_right("ell by length", exec, evenly::ell_tiles_by_length(layout, lengths), product) &&
         sums_are_right("ell by padding", exec, evenly::ell_tiles_by_padding(layout, columns), product);
}

template <class Executor> bool dia(const Executor& exec) {
  const std::vector<int> diagonals{-2, 0, 1};
  const vector values{0, 0, 5, 8, 1, 3, 6, 9, 2, 4, 7, 0};
  const auto tiles = evenly::dia_tiles(rows, cols, diagonals);
  const auto value = evenly::view(exec, values), x = evenly::view(exec, x_of_all);
  return sums_are_right("dia", exec, tiles, [=] EVENLY_FN(int row, int, int rank) {
    const int d = tiles.diagonal(row, rank);
    return value[tiles.slot(row, d)] * x[tiles.column(row, d)];
  });
}

/// The sums of two rows.
struct two_sums {
  float upper, lower;
  friend EVENLY_FN two_sums operator+(two_sums a, two_sums b) {
    return {a.upper + b.upper, a.lower + b.lower};
  }
};

template <class Executor> bool bcsr(const Executor& exec) {
  const std::vector<int> offsets{0, 2, 4}, columns{0, 1, 0, 1};
  const vector values{1, 2, 0, 3, 0, 0, 4, 0, 5, 0, 0, 8, 6, 7, 0, 9};
  const auto tiles = evenly::bcsr_tiles<2, 2>(offsets, rows, cols);
  const auto column = evenly::view(exec, columns);
  const auto value = evenly::view(exec, values), x_of = evenly::view(exec, x_of_all);
  vector sums(rows);
  const auto y = evenly::view(exec, sums);
  const auto product = [=] EVENLY_FN(int block) {
    const auto at = value.subspan(tiles.slot(block, 0, 0), 4);
    const auto x = x_of.subspan(2 * column[block], 2);
    return two_sums{at[0] * x[0] + at[1] * x[1], at[2] * x[0] + at[3] * x[1]};
  };
  evenly::reduce_tiles(exec, evenly::merge_path{}, tiles, product, evenly::plus<two_sums>{},
                       [=] EVENLY_FN(int block_row, two_sums sum) {
                         y[2 * block_row] = sum.upper;
                         y[2 * block_row + 1] = sum.lower;
                       });
  return is_right("bcsr", sums);
}

template <class Executor> bool all_are_right(const Executor& exec) {
  return csr_and_coo(exec) && csc(exec) && ell(exec) && dia(exec) && bcsr(exec);
}

int main() {
  const bool right = all_are_right(evenly::simt()) && all_are_right(evenly::cpu());
  if (right) std::printf("y = 21 430 7605 9080 in every format\n");
  return right ? 0 : 1;
}
