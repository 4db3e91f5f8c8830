// SPDX-License-Identifier: Apache-2.0
// Arrays of sparse formats are of signed integers and outlive the tile set; columns are no rows.
//
// WRONG=1 says: csc_tiles keeps a view of the offsets of the columns: store them in a variable, because a temporary
// WRONG=2 says: coo_row_tiles keeps a view of the rows: store them in a variable, because a temporary ends with this
// WRONG=3 says: ell_tiles_by_length keeps a view of the lengths: store them in a variable, because a temporary ends
// WRONG=4 says: ell_tiles_by_padding keeps a view of the columns: store them in a variable, because a temporary ends
// WRONG=5 says: bcsr_tiles keeps a view of the offsets of the block rows: store them in a variable, because a
// WRONG=6 says: dia_tiles keeps a view of the diagonals: store them in a variable, because a temporary ends with this
// WRONG=7 says: the rows of entries must be signed integers of 32 or 64 bits, such as int and std::int64_t
// WRONG=8 says: lengths must be signed integers of 32 or 64 bits, such as int and std::int64_t
// WRONG=9 says: columns must be signed integers, because a negative column is padding
// WRONG=10 says: diagonals must be signed integers of 32 or 64 bits, such as int and std::int64_t
// WRONG=11 says: a dense block must have at least one row and one column
// WRONG=12 says: spmv needs a plan that was made for rows_of(a)

#include <span>
#include <utility>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/bcsr.hpp"
#include "evenly/work/coo.hpp"
#include "evenly/work/csc.hpp"
#include "evenly/work/dia.hpp"
#include "evenly/work/ell.hpp"

int main() {
  std::vector<int> two{0, 1}, three{0, 1, 2};
  const std::vector<unsigned> unsigned_two{0, 1};
  const auto layout = evenly::ell_by_rows(2, 1);
  evenly::csc_tiles(std::span(three));
  evenly::coo_row_tiles(std::span<const int>(two), 2);
  evenly::ell_tiles_by_length(layout, two);
  evenly::ell_tiles_by_padding(layout, two);
  evenly::bcsr_tiles<1, 2>(three, 2, 2);
  evenly::dia_tiles(2, 2, two);
  evenly::dia_tiles(2, 2, std::vector<int>(two),
                    two.data()); // which are read by the host now, and are there later

  const evenly::cpu exec;
  const evenly::csr_matrix<float> a{2, 2, {0, 1, 2}, {0, 1}, {3, 4}};
  const std::vector<float> x(2);
  std::vector<float> y(2);
#if WRONG == 1
  evenly::csc_tiles(std::vector<int>{0, 1});
#elif WRONG == 2
  evenly::coo_row_tiles(std::move(two), 2);
#elif WRONG == 3
  evenly::ell_tiles_by_length(layout, std::vector<int>{0, 1});
#elif WRONG == 4
  evenly::ell_tiles_by_padding(layout, std::move(two));
#elif WRONG == 5
  evenly::bcsr_tiles<1, 2>(std::move(three), 2, 2);
#elif WRONG == 6
  evenly::dia_tiles(2, 2, std::vector<int>{0, 1});
#elif WRONG == 7
  evenly::coo_row_tiles(unsigned_two, 2);
#elif WRONG == 8
  evenly::ell_tiles_by_length(layout, unsigned_two);
#elif WRONG == 9
  evenly::ell_tiles_by_padding(layout, unsigned_two);
#elif WRONG == 10
  evenly::dia_tiles(2, 2, unsigned_two);
#elif WRONG == 11
  evenly::bcsr_tiles<0, 2>(three, 2, 2);
#elif WRONG == 12
  auto columns = evenly::make_plan(exec, evenly::thread_mapped{}, evenly::csc_tiles(a.offsets));
  evenly::spmv(exec, columns, a.view(), x, y);
#endif
  evenly::spmv(exec, evenly::thread_mapped{}, a.view(), x, y);
  return y[0] == 0 ? 0 : 1;
}
