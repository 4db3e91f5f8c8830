// SPDX-License-Identifier: Apache-2.0
// Several results of one work in a kernel of one's own: partials for a number of columns that is known at run time.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/kernels/for_each_range.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"
#include "support/messages.hpp"
#include "support/schedules.hpp"

namespace evenly {
namespace {

template <class Executor> struct store_sum {
  span_on<Executor, std::int64_t> sums;
  int column, columns;
  EVENLY_FN void operator()(int tile, std::int64_t sum) const { sums[tile * columns + column] = sum; }
};

/// sums[tile * columns + column] = the sum of (column + 1) * atom.
template <class Executor, class Work, carry_fix_up How>
struct add_columns : kernel_of_work<combines<Work, std::int64_t>> {
  Work work;
  column_partials<std::int64_t, int, How> carries;
  span_on<Executor, std::int64_t> sums;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    for (int column = 0; column < carries.columns; ++column)
      for_each_range(block, work,
                     combine_with{carries[column], plus<std::int64_t>{},
                                  store_sum<Executor>{sums, column, carries.columns}},
                     [&](const auto& range) {
                       for (const auto tile : range.tiles()) {
                         std::int64_t sum = 0;
                         for (const int atom : range.atoms(tile)) sum += (column + 1) * std::int64_t{atom};
                         range.combine(tile, sum);
                       }
                     });
  }
};

/// Tiles that several blocks share. A block of the cpu has at least 4,096 items.
const std::vector<int> long_offsets{0, 3, 3, 9000, 9001, 20'000}, short_offsets{0, 3, 3, 300, 301, 900};
template <class Executor> const std::vector<int>& offsets_on() {
  return Executor::serial_blocks ? long_offsets : short_offsets;
}

std::vector<std::int64_t> expected(const std::vector<int>& offsets, int columns) {
  std::vector<std::int64_t> sums;
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t)
    for (int column = 0; column < columns; ++column) {
      sums.push_back(0);
      for (int atom = offsets[t]; atom < offsets[t + 1]; ++atom)
        sums.back() += (column + 1) * std::int64_t{atom};
    }
  return sums;
}

template <carry_fix_up How, class Executor, class Schedule>
std::vector<std::int64_t> sums_of_columns(const Executor& exec, const Schedule& schedule, int columns) {
  const std::vector<int>& offsets = offsets_on<Executor>();
  const auto plan = make_plan(exec, schedule, csr_tiles(offsets));
  auto work = work_of(plan);
  const auto carries = make_partials<std::int64_t>(exec, work, columns);
  const auto sums = make_buffer<std::int64_t>(exec, (offsets.size() - 1) * static_cast<std::size_t>(columns));
  const auto run = [&](const auto& partials) {
    launch(exec, {work.blocks, work.block_size},
           add_columns<Executor, decltype(work), How>{{}, work, partials, view(exec, sums)});
  };
  for (int times = 0; times < 2; ++times) { // the memory is ready for the next launch
    exec.fill_zero(sums.data(), sums.size() * sizeof(std::int64_t));
    if constexpr (How == carry_fix_up::deferred) {
      run(carries.deferred());
      fix_up_carries(exec, work, carries, plus<std::int64_t>{},
                     [&](int column) { return store_sum<Executor>{view(exec, sums), column, columns}; });
    } else {
      run(carries.view());
    }
  }
  return to_host(exec, sums);
}

template <class Executor> void expect_right_columns(const Executor& exec) {
  for_each_form_on<Executor>([&](const char* name, const auto& schedule) {
    EXPECT_EQ(sums_of_columns<carry_fix_up::in_kernel>(exec, schedule, 5),
              expected(offsets_on<Executor>(), 5))
        << name;
  });
  const merge_path<> cutting{64};
  for (const int columns : {0, 1, 7})
    EXPECT_EQ(sums_of_columns<carry_fix_up::deferred>(exec, cutting, columns),
              expected(offsets_on<Executor>(), columns))
        << columns;
}

TEST(PartialsOfColumns, AreThoseOfEachColumnOnCpu) { expect_right_columns(cpu(3)); }
TEST(PartialsOfColumns, AreThoseOfEachColumnOnSimt) { expect_right_columns(simt()); }

TEST(PartialsOfColumns, RefuseOtherColumns) {
  const cpu exec(1);
  const auto carries = make_partials<int>(exec, work_of(exec, merge_path<>{}, csr_tiles(long_offsets)), 2);
  for (const int column : {-1, 2})
    EXPECT_EQ(message_of<invalid_argument>([&] { carries.view()[column]; }),
              "column " + std::to_string(column) +
                  " of partials for 2 columns: use make_partials with more columns");
  EXPECT_EQ(message_of<invalid_argument>([&] {
              make_partials<int>(exec, work_of(exec, thread_mapped{}, csr_tiles(long_offsets)), -1);
            }),
            "make_partials for -1 columns: there must be 0 or more");
}

TEST(StorageBytes, AreThoseOfTheWorkThatNeedsMost) {
  const simt exec;
  using cutting = decltype(work_of(exec, merge_path<>{}, csr_tiles(long_offsets)));
  using whole = decltype(work_of(exec, thread_mapped{}, csr_tiles(long_offsets)));
  constexpr block_shape shape{128, 32};
  storage_layout layout;
  work_of(exec, merge_path<>{}, csr_tiles(long_offsets)).lay_out(layout, shape);
  EXPECT_GT(layout.bytes(), 0u);
  EXPECT_EQ(storage_bytes<cutting>(shape), layout.bytes());
  EXPECT_EQ((storage_bytes<whole, cutting>(shape)), layout.bytes());
  EXPECT_EQ((storage_bytes<cutting, whole>(shape)), layout.bytes());
  EXPECT_EQ(storage_bytes<whole>(shape), 0u);
}

} // namespace
} // namespace evenly
