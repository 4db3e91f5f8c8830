// SPDX-License-Identifier: Apache-2.0
// Owners of every sparse format: products in one line, copies to other executors, ways there and back, and what is
// refused.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/bcsr_matrix.hpp"
#include "evenly/sparse/compact_matrix.hpp"
#include "evenly/sparse/coo_matrix.hpp"
#include "evenly/sparse/csc_matrix.hpp"
#include "evenly/sparse/dia_matrix.hpp"
#include "evenly/sparse/ell_matrix.hpp"
#include "evenly/sparse/multiply.hpp"
#include "evenly/sparse/operators.hpp"
#include "evenly/sparse/packed_matrix.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

/// Calls visit(name, matrix) for `a` in each format with an owner.
template <class A, class Visit> void in_each_format(const A& a, const Visit& visit) {
  visit("coo", to_coo(a));
  visit("csc", to_csc(a));
  visit("ell", to_ell(a));
  visit("dia", to_dia(a));
  visit("bcsr", to_bcsr<2, 3>(a));
  visit("packed", to_packed(a));
  visit("narrow", to_narrow<half>(a));
}

std::vector<float> vector_of(int size) {
  std::vector<float> x(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 5) % 7) - 3;
  return x;
}

/// Whole numbers, so that sums in any order are equal. No value is 0, some rows are empty, one is full.
csr_matrix<float> matrix_without_zeros(int rows, int cols) {
  csr_matrix<float> made{rows, cols, {0}, {}, {}};
  for (int row = 0; row < rows; ++row) {
    for (int col = row % 3; col < cols; col += row == rows / 2 ? 1 : 4 * (row % 5 + 1)) {
      made.columns.push_back(col);
      made.values.push_back(static_cast<float>(1 + (row + col) % 4));
    }
    if (row % 7 == 6) made.columns.resize(static_cast<std::size_t>(made.offsets.back()));
    made.values.resize(made.columns.size());
    made.offsets.push_back(static_cast<int>(made.columns.size()));
  }
  return made;
}

TEST(OwnedFormats, MultiplyAsCompressedRowsDo) {
  for (const auto& [rows, cols] : {std::pair{0, 0}, {3, 0}, {1, 1}, {70, 50}}) {
    const auto a = matrix_without_zeros(rows, cols);
    const auto x = vector_of(cols);
    const std::vector<float> expected = a * x;
    in_each_format(a, [&](const std::string& name, const auto& m) {
      SCOPED_TRACE(name + ": " + std::to_string(rows) + " rows");
      EXPECT_EQ(m * x, expected);
      EXPECT_EQ(spmv(m, x, merge_path{}), expected);
      EXPECT_EQ(spmv(m.view(), x, cpu(2)), expected);
      std::vector<float> y(expected.size(), 1);
      spmv(m, std::span(x), y, 2, 3);
      for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 2 * expected[i] + 3);
      EXPECT_EQ(to_csr(m).offsets, a.offsets);
      EXPECT_EQ(to_csr(m).columns, a.columns);
      EXPECT_EQ(to_csr(m).values, a.values);
      if constexpr (requires { make_plan(m); }) {
        auto plan = make_plan(m);
        spmv(m, x, y, plan);
        EXPECT_EQ(y, expected);
      }
    });
    const auto pattern = to_pattern<float>(a);
    auto ones = a;
    for (float& each : ones.values) each = 1;
    EXPECT_EQ(pattern * x, ones * x);
    EXPECT_EQ(to_csr(pattern).values, ones.values);
  }
}

/// Reads the element after the last one.
template <class Span> struct read_beyond {
  Span values;
  template <class Block> void operator()(Block& block) const {
    [[maybe_unused]] typename Span::value_type read;
    if (block.rank() == 0) read = values[static_cast<std::ptrdiff_t>(values.size())];
  }
};

TEST(OwnedFormats, HaveTheirFieldsAsSpans) {
  const auto a = matrix_without_zeros(40, 30);
  const auto spans = view(cpu(), a);
  EXPECT_TRUE(std::equal(spans.columns.begin(), spans.columns.end(), a.columns.begin(), a.columns.end()));
  in_each_format(a, [&](const std::string& name, const auto& m) {
    SCOPED_TRACE(name);
    const auto fields = view(cpu(), m);
    EXPECT_EQ(fields.rows, 40);
    EXPECT_EQ(fields.values.size(), m.values.size());
    EXPECT_EQ(fields.values.data(), m.values.data());
    EXPECT_EQ(fields.entries(), m.entries());
    const simt gpu;
    const auto there = m.to(gpu);
    const read_beyond<decltype(view(gpu, there).values)> kernel{view(gpu, there).values};
    const auto size = std::to_string(m.values.size());
    EXPECT_TRUE(contains(message_of<simulation_error>([&] { launch(gpu, {1, 32}, kernel); }),
                         "accesses element " + size + " of a view of " + size));
  });
}

TEST(OwnedFormats, KnowWhereTheyLie) {
  const simt gpu;
  const auto a = matrix_without_zeros(40, 30);
  const auto x = vector_of(30);
  const auto x_there = evenly::vector(gpu, x);
  in_each_format(a, [&](const std::string& name, const auto& on_host) {
    SCOPED_TRACE(name);
    const auto there = on_host.to(gpu);
    static_assert(std::is_same_v<typename std::remove_cvref_t<decltype(there)>::executor_type, simt>);
    EXPECT_EQ(spmv(there, x_there, merge_path{}), a * x);
    static_assert(std::is_same_v<decltype(there.to(cpu())), std::remove_cvref_t<decltype(on_host)>>);
    EXPECT_EQ(there.to(cpu()) * x, a * x);
    EXPECT_EQ(spmv(there.to(gpu), x_there, merge_path{}), a * x);
    EXPECT_EQ(on_host.to(cpu()) * x, a * x);
    EXPECT_EQ(to_csr(there).to(cpu()).values, a.values);
  });
  in_each_format(a.to(gpu), [&](const std::string& name, const auto& there) {
    EXPECT_EQ(spmv(there, x_there, merge_path{}), a * x) << name;
  });
  EXPECT_EQ(to_ell(a).to(gpu) * x_there, a * x) << "under every schedule of `automatic`";
}

TEST(OwnedFormats, HaveNamedArraysThatUsersFill) {
  const csc_matrix<float> columns{
      .rows = 2, .cols = 3, .offsets = {0, 1, 1, 3}, .row_of = {1, 0, 1}, .values = {5, 6, 7}};
  EXPECT_EQ(columns * std::vector<float>({1, 10, 100}), (std::vector<float>{600, 705}));
  const coo_matrix<double, std::int64_t> entries{
      .rows = 2, .cols = 2, .row_of = {0, 1}, .columns = {1, 0}, .values = {2, 3}};
  EXPECT_EQ(entries * std::vector<double>({1, 10}), (std::vector<double>{20, 3}));
  const bcsr_matrix<float, 1, 2> blocks{
      .rows = 1, .cols = 4, .offsets = {0, 2}, .columns = {0, 1}, .values = {1, 2, 3, 4}};
  EXPECT_EQ(blocks * std::vector<float>({1, 10, 100, 1000}), (std::vector<float>{4321}));
}

TEST(OwnedFormats, RefuseArraysOfWrongSizes) {
  const auto refused = [](const auto& matrix) {
    return message_of<invalid_argument>([&] { matrix* std::vector<float>(3); });
  };
  const auto whole = matrix_without_zeros(2, 3);
  auto columns = to_csc(whole);
  columns.offsets.pop_back();
  EXPECT_EQ(refused(columns), "offsets has 3 elements: a matrix of 2 rows, 3 columns and " +
                                  std::to_string(columns.row_of.size()) + " entries needs 4");
  EXPECT_EQ(
      refused(coo_matrix<float>{.rows = 2, .cols = 3, .row_of = {0, 1}, .columns = {1}, .values = {1, 2}}),
      "columns has 1 elements: a matrix of 2 rows, 3 columns and 2 entries needs 2");
  auto slots = to_ell(whole);
  slots.values.clear();
  EXPECT_NE(refused(slots).find("values has 0 elements: a matrix of 2 rows, 3 columns and "),
            std::string::npos);
  auto packed = to_packed(whole);
  packed.heads.clear();
  EXPECT_NE(refused(packed).find("heads has 0 elements: a matrix of"), std::string::npos);
  EXPECT_EQ(refused(coo_matrix<float>{.rows = -1, .cols = 3}),
            "a matrix of -1 rows and 3 columns: sizes must not be negative");
  EXPECT_EQ(
      refused(coo_matrix<float>{.rows = 2, .cols = 3, .row_of = {1, 0}, .columns = {0, 0}, .values = {1, 2}}),
      "rows[1] = 0 is less than rows[0] = 1: entries must be sorted by row");
  auto short_rows = whole;
  short_rows.values.pop_back();
  EXPECT_NE(message_of<invalid_argument>([&] { to_ell(short_rows); }).find("every entry needs one of each"),
            std::string::npos);
}

/// The message with which every operation in one line refuses `a`.
template <class A> std::string refusal_everywhere(const A& a) {
  const std::vector<float> x(static_cast<std::size_t>(a.cols));
  const std::string message = refusal_of([&] { a* x; });
  std::vector<float> y(static_cast<std::size_t>(a.rows));
  EXPECT_EQ(refusal_of([&] { spmv(a, x, y, merge_path{}); }), message);
  if constexpr (requires { make_plan(a); }) {
    EXPECT_EQ(refusal_of([&] { make_plan(a); }), message);
  }
  EXPECT_EQ(refusal_of([&] { to_csr(a); }), message);
  EXPECT_EQ(refusal_of([&] { check_matrix(a); }), message);
  const simt gpu;
  const auto there = a.to(gpu);
  EXPECT_EQ(refusal_of([&] { spmv(there, evenly::vector(gpu, x), merge_path{}); }), message);
  EXPECT_EQ(refusal_of([&] { to_csr(there); }), message);
  return message;
}

TEST(OwnedFormats, RefuseEntriesOutsideTheMatrix) {
  const csr_matrix<float> whole{3, 4, {0, 2, 2, 5}, {0, 3, 1, 2, 3}, {1, 2, 3, 4, 5}};
  in_each_format(whole, [](const std::string& name, const auto& a) {
    SCOPED_TRACE(name);
    EXPECT_NO_THROW(check_matrix(a));
    EXPECT_NO_THROW(check_matrix(a.view()));
  });
  for (const int column : {4, -1}) {
    const std::string place = " is in column " + std::to_string(column) + " of a matrix of 4 columns";
    auto entries = to_coo(whole);
    entries.columns[3] = column;
    EXPECT_EQ(refusal_everywhere(entries),
              "entry 3 is in row 2 and column " + std::to_string(column) +
                  " of a matrix of 3 rows and 4 columns: both are counted from 0");
    auto slots = to_ell(whole); // entry 1 of row 2 is in slot 5
    slots.columns[5] = column;
    EXPECT_EQ(refusal_everywhere(slots), "entry 1 of row 2" + place + ": they are counted from 0");
    auto narrow = to_narrow<half>(whole);
    narrow.columns[3] = column;
    EXPECT_EQ(refusal_everywhere(narrow), "entry 3" + place + ": they are counted from 0");
    auto pattern = to_pattern<float>(whole);
    pattern.columns[3] = column;
    EXPECT_EQ(refusal_everywhere(pattern), "entry 3" + place + ": they are counted from 0");
  }
  auto blocks = to_bcsr<2, 3>(whole);
  blocks.columns[1] = 2;
  EXPECT_EQ(refusal_everywhere(blocks),
            "block 1 is in block column 2 of a matrix of 2 block columns: they are counted from 0");
  auto columns = to_csc(whole);
  columns.row_of[2] = 3;
  EXPECT_EQ(refusal_everywhere(columns),
            "entry 2 is in row 3 of a matrix of 3 rows: they are counted from 0");
  auto packed = to_packed(whole);
  packed.heads[0] = packed_head::of(3, 2, 0).bits;
  EXPECT_EQ(refusal_everywhere(packed),
            "entry 1 is in column 6 of a matrix of 4 columns: packed columns are made by to_packed");
  packed.heads[0] = packed_head::of(0, 2, 1).bits; // beyond the words
  EXPECT_EQ(refusal_everywhere(packed),
            "entry 0 is in column -1 of a matrix of 4 columns: packed columns are made by to_packed");
}

TEST(OwnedFormats, RefuseOffsetsBeyondTheirEntries) {
  const csr_matrix<float> whole{3, 4, {0, 2, 2, 5}, {0, 3, 1, 2, 3}, {1, 2, 3, 4, 5}};
  const std::string row =
      "the last row ends at 9, but there are 5 entries: offsets must be at most the number "
      "of entries";
  auto narrow = to_narrow<half>(whole);
  narrow.offsets.back() = 9;
  EXPECT_EQ(refusal_everywhere(narrow), row);
  auto packed = to_packed(whole);
  packed.offsets.back() = 9;
  EXPECT_EQ(refusal_everywhere(packed), row);
  auto columns = to_csc(whole);
  columns.offsets.back() = 9;
  EXPECT_EQ(
      refusal_everywhere(columns),
      "the last column ends at 9, but there are 5 entries: offsets must be at most the number of entries");
  auto blocks = to_bcsr<2, 3>(whole);
  blocks.offsets.back() = 9;
  EXPECT_EQ(refusal_everywhere(blocks),
            "the last block row ends at 9, but there are 4 blocks: offsets must be "
            "at most the number of blocks");
}

TEST(OwnedFormats, AreNotCheckedAgainUnderAPlan) {
  auto slots = to_ell(csr_matrix<float>{1, 4, {0, 2}, {0, 3}, {1, 2}});
  slots.cols = 3; // one column is outside, but x has it
  const std::vector<float> x{1, 10, 100, 1000};
  const std::span<const float> all(x);
  std::vector<float> y(1);
  auto plan = make_plan(cpu(1), merge_path{}, slots.view().tiles());
  EXPECT_TRUE(contains(refusal_of([&] { spmv(slots, all.first(3), y); }), "entry 1 of row 0 is in column 3"));
  spmv(slots, all.first(3), y, plan);
  EXPECT_EQ(y, (std::vector<float>{2001}));
  spmv(slots.view(), all.first(3), y);
  EXPECT_EQ(y, (std::vector<float>{2001}));
}

} // namespace
} // namespace evenly
