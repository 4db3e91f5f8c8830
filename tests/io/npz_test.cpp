// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of SciPy: right ones, also those that SciPy itself wrote, and archives that lie.
#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "arrays.hpp"
#include "evenly/io/read.hpp"
#include "invariants.hpp"
#include "io/input.hpp"
#include "io/npz.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

class npz_files : public io_test {
 protected:
  csr_matrix<double> read(const members& all) const { return read_matrix(file("a.npz", zip(all))); }

  std::string refused(const std::string& content) const {
    const cheap here;
    const std::string path = file("a.npz", content).string();
    const std::string message = message_of<file_error>([&] { read_matrix(path); });
    return message.starts_with(path + ": ") ? message.substr(path.size() + 2) : message;
  }
  std::string refused(const members& all) const { return refused(zip(all)); }
};

/// The matrix of sparse_members.
template <class Value> void expect_example(const csr_matrix<Value>& a) {
  EXPECT_EQ(std::tuple(a.rows, a.cols), std::tuple(3, 4));
  EXPECT_EQ(a.offsets, (std::vector<int>{0, 2, 2, 4}));
  EXPECT_EQ(a.columns, (std::vector<int>{1, 3, 0, 2}));
  EXPECT_EQ(a.values, (std::vector<Value>{1.5, -2, 3, 0.25}));
}

TEST_F(npz_files, in_three_formats) {
  for (const char* format : {"csr", "csc", "coo"}) {
    expect_example(read(sparse_members(format)));
    for (const packing how : all_packings)
      expect_example(read_matrix(file("a.npz", pack(zip(sparse_members(format)), how))));
    members shuffled = sparse_members(format);
    std::ranges::reverse(shuffled);
    shuffled.emplace_back("_is_array.npy", npy("|b1", "()", "\1"));
    shuffled.emplace_back("more", "of another kind");
    expect_example(read(shuffled));
  }
  members coordinates = without(without(sparse_members("coo"), "row.npy"), "col.npy");
  coordinates.emplace_back("coords.npy",
                           npy("<i8", "(2, 4)", bytes_of<std::int64_t>({2, 0, 2, 0, 2, 3, 0, 1})));
  expect_example(read(coordinates));
  coordinates.back().second = npy("<i8", "(2, 4)", bytes_of<std::int64_t>({2, 2, 0, 3, 2, 0, 0, 1}), true);
  expect_example(read(coordinates));
}

TEST_F(npz_files, of_other_types) {
  members all = sparse_members("csr");
  all = with(all, "indptr.npy", npy_line<std::int64_t>("<i8", {0, 2, 2, 4}));
  all = with(all, "indices.npy", npy(">i8", "(4,)", big_endian<std::int64_t>({1, 3, 0, 2})));
  all = with(all, "shape.npy", npy_line<std::int32_t>("<i4", {3, 4}));
  all = with(all, "format.npy", npy("<U3", "()", bytes_of<std::uint32_t>({'c', 's', 'r'})));
  expect_example(read(all));
  EXPECT_EQ(read(with(all, "data.npy", npy("|b1", "(4,)", std::string("\1\1\0\1", 4)))).values,
            (std::vector<double>{1, 1, 0, 1}));
  EXPECT_EQ(read(with(all, "data.npy", npy_line<std::int8_t>("|i1", {-1, 2, 3, 4}))).values,
            (std::vector<double>{-1, 2, 3, 4}));
  using complex = std::complex<double>;
  const auto path =
      file("c.npz", zip(with(all, "data.npy", npy_line<complex>("<c16", {{1, 2}, 3, 4, {0, 5}}))));
  EXPECT_EQ(read_complex_matrix(path).values, (std::vector<complex>{{1, 2}, 3, 4, {0, 5}}));
  EXPECT_EQ(message_of<file_error>([&] { read_matrix(path); }),
            path.string() + ": data.npy: the elements are of type <c16: they must be real");
  EXPECT_EQ(load_profile(path.string()).rows.filled.size(), 2u); // which asks for no values
  expect_example(read_complex_matrix(file("a.npz", zip(sparse_members("coo")))));
}

TEST_F(npz_files, with_entries_out_of_order_and_twice) {
  members all = sparse_members("csr");
  all = with(all, "indices.npy", npy_line<std::int32_t>("<i4", {3, 1, 2, 2}));
  const csr_matrix<double> a = read(all);
  EXPECT_EQ(a.offsets, (std::vector<int>{0, 2, 2, 3}));
  EXPECT_EQ(a.columns, (std::vector<int>{1, 3, 2}));
  EXPECT_EQ(a.values, (std::vector<double>{-2, 1.5, 3.25}));
  members twice = with(sparse_members("coo"), "row.npy", npy_line<std::int32_t>("<i4", {1, 1, 1, 1}));
  twice = with(twice, "col.npy", npy_line<std::int32_t>("<i4", {3, 0, 3, 0}));
  EXPECT_EQ(read(twice).values, (std::vector<double>{-0.5, 3.25}));
  members room = with(sparse_members("csr"), "indptr.npy", npy_line<std::int32_t>("<i4", {0, 2, 2, 3}));
  EXPECT_EQ(read(room).values, (std::vector<double>{1.5, -2, 3})); // SciPy leaves room at the end
}

/// `data` are three blocks of 2 x 2, the last two at the same place or not, by `columns`.
members blocks(const std::string& data, const std::vector<std::int32_t>& columns) {
  return {{"format.npy", npy("|S3", "()", "bsr")},
          {"shape.npy", npy_line<std::int64_t>("<i8", {4, 4})},
          {"indptr.npy", npy_line<std::int32_t>("<i4", {0, 1, 3})},
          {"indices.npy", npy_line<std::int32_t>("<i4", columns)},
          {"data.npy", data}};
}

/// What SciPy's tocsr() makes of it.
TEST_F(npz_files, of_blocks) {
  const std::string rows_first =
      npy("<f8", "(3, 2, 2)", bytes_of<double>({1, 0, 0, 0, 0, 2, 0, 3, 1, 1, 1, 1}));
  const std::string columns_first =
      npy("<f8", "(3, 2, 2)", bytes_of<double>({1, 0, 1, 0, 0, 1, 0, 2, 1, 0, 3, 1}), true);
  for (const std::string& data : {rows_first, columns_first}) {
    const csr_matrix<double> a = read(blocks(data, {0, 1, 0}));
    EXPECT_EQ(a.offsets, (std::vector<int>{0, 2, 4, 8, 12}));
    EXPECT_EQ(a.columns, (std::vector<int>{0, 1, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3}));
    EXPECT_EQ(a.values, (std::vector<double>{1, 0, 0, 0, 1, 1, 0, 2, 1, 1, 0, 3})); // explicit zeros
  }
  EXPECT_EQ(read(blocks(rows_first, {0, 1, 1})).values, (std::vector<double>{1, 0, 0, 0, 1, 3, 1, 4}));
  EXPECT_EQ(refused(blocks(npy("<f8", "(12,)", std::string(96, '\0')), {0, 1, 0})),
            "data.npy: an array of shape (12,): it must have 3 dimensions");
  EXPECT_EQ(refused(blocks(npy("<f8", "(3, 3, 1)", std::string(72, '\0')), {0, 1, 0})),
            "data.npy has blocks of 3 rows and 1 columns, which do not divide 4 rows and 4 columns");
  EXPECT_EQ(refused(blocks(npy("<f8", "(3, 0, 2)", ""), {0, 1, 0})),
            "data.npy has blocks of 0 rows and 2 columns, which do not divide 4 rows and 4 columns");
  EXPECT_EQ(refused(blocks(rows_first, {0, 1, 2})), "indices.npy: element 2 is 2: it must be 0 to 1");
  EXPECT_EQ(refused(blocks(rows_first, {0, 1})),
            "indices.npy has 2 elements and data.npy 3: the numbers must be equal");
  EXPECT_EQ(
      refused(with(blocks(rows_first, {0, 1, 1}), "indptr.npy", npy_line<std::int32_t>("<i4", {0, 1, 4}))),
      "indptr.npy ends with 4, but there are 3 entries");
  EXPECT_EQ(refused(with(blocks(rows_first, {0, 1, 1}), "indptr.npy", npy_line<std::int32_t>("<i4", {0, 3}))),
            "indptr.npy: 2 offsets: 2 rows of blocks have 3");
}

members diagonals(const std::vector<std::int64_t>& shape, const std::string& data,
                  const std::vector<std::int32_t>& offsets) {
  return {{"format.npy", npy("|S3", "()", "dia")},
          {"shape.npy", npy_line<std::int64_t>("<i8", shape)},
          {"offsets.npy", npy_line<std::int32_t>("<i4", offsets)},
          {"data.npy", data}};
}

/// What SciPy's tocsr() makes of it: zeros are no entries.
TEST_F(npz_files, of_diagonals) {
  const std::string data = npy("<f8", "(2, 5)", bytes_of<double>({1, 0, 3, 4, 9, 5, 6, 0, 8, 9}));
  const csr_matrix<double> a = read(diagonals({4, 5}, data, {0, -1}));
  EXPECT_EQ(a.offsets, (std::vector<int>{0, 1, 2, 4, 5}));
  EXPECT_EQ(a.columns, (std::vector<int>{0, 0, 1, 2, 3}));
  EXPECT_EQ(a.values, (std::vector<double>{1, 5, 6, 3, 4}));
  EXPECT_EQ(read(diagonals({4, 3}, data, {0, 2})).columns,
            (std::vector<int>{0, 2})); // fewer columns than data
  EXPECT_EQ(read(diagonals({9, 9}, data, {4, -7})).columns, (std::vector<int>{4, 0, 1})); // more
  EXPECT_EQ(read(diagonals({4, 5}, data, {2147483647, -2147483647 - 1})).columns, (std::vector<int>{}));
  const std::string columns_first =
      npy("<f8", "(2, 5)", bytes_of<double>({1, 5, 0, 6, 3, 0, 4, 8, 9, 9}), true);
  EXPECT_EQ(read(diagonals({4, 5}, columns_first, {0, -1})).values, (std::vector<double>{1, 5, 6, 3, 4}));
  EXPECT_EQ(refused(diagonals({4, 5}, data, {1, 1})), "offsets.npy: the diagonal 1 appears twice");
  EXPECT_EQ(refused(diagonals({4, 5}, data, {1})),
            "offsets.npy has 1 elements and data.npy 2: the numbers must be equal");
  EXPECT_EQ(refused(diagonals({4, 5}, npy("<f8", "(5,)", std::string(40, '\0')), {1})),
            "data.npy: an array of shape (5,): it must have 2 dimensions");
}

TEST_F(npz_files, of_booleans_at_the_same_place) {
  const std::string truth = npy("|b1", "(4,)", std::string("\1\1\0\0", 4));
  const auto ints = [](const std::vector<std::int32_t>& all) { return npy_line("<i4", all); };
  members csr = with(with(sparse_members("csr"), "data.npy", truth), "indices.npy", ints({3, 3, 1, 1}));
  members csc = with(with(sparse_members("csc"), "data.npy", truth), "indptr.npy", ints({0, 2, 2, 2, 4}));
  csc = with(csc, "indices.npy", ints({0, 0, 2, 2}));
  members coo = with(with(sparse_members("coo"), "data.npy", truth), "row.npy", ints({0, 0, 2, 2}));
  coo = with(coo, "col.npy", ints({1, 1, 3, 3}));
  for (const members& all : {csr, csc, coo}) {
    EXPECT_EQ(read(all).values, (std::vector<double>{1, 0}));
    EXPECT_EQ(read_complex_matrix(file("a.npz", zip(all))).values, (std::vector<std::complex<double>>{1, 0}));
    const exact_matrix exact = npz_matrix(byte_source(file("a.npz", zip(all)))).read_exact();
    EXPECT_EQ(std::get<csr_matrix<std::int64_t>>(exact.matrix).values, (std::vector<std::int64_t>{1, 0}));
  }
  EXPECT_EQ(
      read(blocks(npy("|b1", "(3, 2, 2)", std::string("\1\0\0\0\1\1\0\0\1\0\1\0", 12)), {0, 1, 1})).values,
      (std::vector<double>{1, 0, 0, 0, 1, 1, 1, 0}));
  EXPECT_EQ(read(diagonals({2, 2}, npy("|b1", "(1, 2)", std::string("\1\0", 2)), {0})).values,
            (std::vector<double>{1}));
}

TEST_F(npz_files, integers_that_are_rounded_are_said_once) {
  const members all =
      with(sparse_members("csr"), "data.npy",
           npy_line<std::int64_t>("<i8", {1, 9007199254740993, -9007199254740993, 1LL << 60}));
  const auto path = file("a.npz", zip(all));
  const std::string said =
      "evenly: " + path.string() +
      ": data.npy: element 1 is 9007199254740993, and 1 more, above 2^53: rounded to a double\n";
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(read_matrix(path).values, (std::vector<double>{1, 0x1p53, -0x1p53, 0x1p60}));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), said);
  ::testing::internal::CaptureStderr();
  load_any_input(path.string());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), said);
  ::testing::internal::CaptureStderr();
  load_profile(path.string()); // which asks for no values
  const exact_input exact = load_exact_input(path.string());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(std::get<csr_matrix<std::int64_t>>(exact.matrix.matrix).values,
            (std::vector<std::int64_t>{1, 9007199254740993, -9007199254740993, 1LL << 60}));
}

TEST_F(npz_files, exact_integers) {
  const auto exact = [&](const members& all) {
    return npz_matrix(byte_source(file("a.npz", zip(all)))).read_exact().matrix;
  };
  const auto max = std::numeric_limits<std::uint64_t>::max();
  const members wide =
      with(sparse_members("csr"), "data.npy", npy_line<std::uint64_t>("<u8", {1, 2, 3, max}));
  EXPECT_EQ(std::get<csr_matrix<std::uint64_t>>(exact(wide)).values,
            (std::vector<std::uint64_t>{1, 2, 3, max}));
  const members narrow =
      with(sparse_members("csr"), "data.npy", npy_line<std::uint32_t>("<u4", {1, 2, 3, 4294967295}));
  EXPECT_EQ(std::get<csr_matrix<std::int64_t>>(exact(narrow)).values,
            (std::vector<std::int64_t>{1, 2, 3, 4294967295}));
  EXPECT_TRUE(std::holds_alternative<csr_matrix<double>>(exact(sparse_members("csr"))));
  const members twice = with(wide, "indices.npy", npy_line<std::int32_t>("<i4", {1, 3, 2, 2}));
  EXPECT_EQ(message_of<file_error>([&] { exact(twice); }),
            (folder / "a.npz").string() +
                ": the sum of the values in row 2 and column 2, counted from 0, does not fit into 64 bits");
  const auto dense = file("a.npy", npy("<i8", "(1, 2)", bytes_of<std::int64_t>({9007199254740993, 0})));
  EXPECT_EQ(std::get<csr_matrix<std::int64_t>>(load_exact_input(dense.string()).matrix.matrix).values,
            (std::vector<std::int64_t>{9007199254740993, 0}));
}

TEST_F(npz_files, of_half_precision) {
  const auto halves = npy("<f2", "(4,)", bytes_of<std::uint16_t>({0x3e00, 0xc000, 0x0001, 0x7c00}));
  EXPECT_EQ(read(with(sparse_members("csr"), "data.npy", halves)).values,
            (std::vector<double>{1.5, -2, 0x1p-24, std::numeric_limits<double>::infinity()}));
}

TEST_F(npz_files, without_entries) {
  members all{{"format.npy", npy("|S3", "()", "csr")},
              {"shape.npy", npy_line<std::int64_t>("<i8", {0, 0})},
              {"indptr.npy", npy_line<std::int32_t>("<i4", {0})},
              {"indices.npy", npy("<i4", "(0,)", "")},
              {"data.npy", npy("<f8", "(0,)", "")}};
  EXPECT_EQ(read(all).offsets, (std::vector<int>{0}));
  all = with(with(all, "shape.npy", npy_line<std::int64_t>("<i8", {2, 5})), "indptr.npy",
             npy_line<std::int32_t>("<i4", {0, 0, 0}));
  EXPECT_EQ(read(all).cols, 5);
}

TEST_F(npz_files, whose_arrays_do_not_fit) {
  const members csr = sparse_members("csr"), csc = sparse_members("csc"), coo = sparse_members("coo");
  const auto ints = [](const std::vector<std::int32_t>& all) { return npy_line("<i4", all); };
  EXPECT_EQ(refused(with(csr, "indptr.npy", ints({0, 2, 1, 4}))),
            "indptr.npy: element 2 is 1, less than the 2 before: offsets must not decrease");
  EXPECT_EQ(refused(with(csr, "indptr.npy", ints({1, 2, 2, 4}))),
            "indptr.npy: element 0 is 1: offsets must begin with 0");
  EXPECT_EQ(refused(with(csr, "indptr.npy", ints({0, 2, 4}))), "indptr.npy: 3 offsets: 3 rows have 4");
  EXPECT_EQ(refused(with(csc, "indptr.npy", ints({0, 2, 4}))), "indptr.npy: 3 offsets: 4 columns have 5");
  EXPECT_EQ(refused(with(csr, "indptr.npy", ints({0, 2, 2, 5}))),
            "indptr.npy ends with 5, but there are 4 entries");
  EXPECT_EQ(refused(with(csc, "indptr.npy", ints({0, 2, 2, 4, 5}))),
            "indptr.npy ends with 5, but there are 4 entries");
  EXPECT_EQ(refused(with(csr, "indptr.npy", ints({0, -2, 2, 4}))),
            "indptr.npy: element 1 is -2: it must be 0 to 2147483647");
  EXPECT_EQ(refused(with(csr, "indices.npy", ints({1, 4, 0, 2}))),
            "indices.npy: element 1 is 4: it must be 0 to 3");
  EXPECT_EQ(refused(with(csc, "indices.npy", ints({2, 0, 3, 0}))),
            "indices.npy: element 2 is 3: it must be 0 to 2");
  EXPECT_EQ(refused(with(coo, "row.npy", ints({2, 0, -1, 0}))),
            "row.npy: element 2 is -1: it must be 0 to 2");
  EXPECT_EQ(refused(with(coo, "col.npy", ints({2, 3, 0}))),
            "col.npy has 3 elements and data.npy 4: the numbers must be equal");
  EXPECT_EQ(refused(with(csr, "indices.npy", npy_line<double>("<f8", {1, 3, 0, 2}))),
            "indices.npy: the elements are of type <f8: they must be integers");
  EXPECT_EQ(refused(with(csr, "indices.npy", npy("<i4", "(2, 2)", bytes_of<std::int32_t>({1, 3, 0, 2})))),
            "indices.npy: an array of shape (2, 2): it must have one dimension");
  EXPECT_EQ(refused(with(csr, "data.npy", npy_line<double>("<f8", {1}))),
            "indices.npy has 4 elements and data.npy 1: the numbers must be equal");
  EXPECT_EQ(refused(with(csr, "data.npy", npy("<f8", "(3000000000,)", ""))),
            "data.npy: 3000000000 entries: at most 2147483647 are supported");
  EXPECT_EQ(refused(with(csr, "shape.npy", npy_line<std::int64_t>("<i8", {3, 4, 5}))),
            "shape.npy: 3 dimensions: a matrix has 2");
  EXPECT_EQ(refused(with(csr, "shape.npy", npy_line<std::int64_t>("<i8", {-1, 4}))),
            "shape.npy: element 0 is -1: it must be 0 to 9223372036854775807");
  EXPECT_EQ(refused(with(csr, "shape.npy", npy_line<std::int64_t>("<i8", {1L << 40, 4}))),
            "shape.npy: 1099511627776 rows and 4 columns: at most 2147483646 and 2147483647 are supported");
  EXPECT_EQ(refused(with(csr, "format.npy", npy("|S3", "()", "lil"))),
            "a sparse matrix of format 'lil': it must be one of csr, csc, coo, bsr, dia (SciPy's tocsr() "
            "makes one)");
  EXPECT_EQ(refused(with(csr, "format.npy", npy("|S300", "()", std::string(300, 'x')))),
            "format.npy: 1 elements of type |S300: one word is expected");
}

TEST_F(npz_files, that_are_no_such_archives) {
  const members csr = sparse_members("csr");
  EXPECT_EQ(refused(without(csr, "indptr.npy")), "the archive has no indptr.npy");
  EXPECT_EQ(
      refused(without(csr, "format.npy")),
      "the archive has no format.npy, as scipy.sparse.save_npz writes it, but 'shape.npy', 'indptr.npy', "
      "'indices.npy', 'data.npy'");
  EXPECT_EQ(refused(members{}),
            "the archive has no format.npy, as scipy.sparse.save_npz writes it, but nothing");
  members twice = csr;
  twice.push_back(csr.back());
  EXPECT_EQ(refused(twice), "the archive has 2 members data.npy: their names must differ");
  EXPECT_EQ(refused(with(csr, "data.npy", zip(csr))),
            "data.npy: not a NumPy array: it has the wrong first bytes");
  EXPECT_EQ(refused(with(csr, "data.npy", "")), "data.npy: the data end before the end of the header");
  std::string damaged = zip(csr);
  damaged[damaged.find("\x93NUMPY", damaged.find("data.npy")) + 100] ^=
      1; // in the header's blanks, or an element
  EXPECT_NE(refused(damaged), "nothing was thrown");
  const std::string whole = zip(csr);
  for (std::size_t size = 4; size < whole.size(); size += 7)
    EXPECT_TRUE(refused(whole.substr(0, size)).starts_with("not a readable zip archive: ")) << size;
}

/// What is not announced is not unpacked.
TEST_F(npz_files, that_swell) {
  EXPECT_EQ(
      refused(with(sparse_members("csr"), "data.npy", npy("<f8", "(4,)", std::string(20'000'000, '\0')))),
      "data.npy: the file has more bytes than the 4 elements in the header");
}

TEST_F(npz_files, that_scipy_wrote) {
  const std::filesystem::path data = std::filesystem::path(EVENLY_SOURCE_DIR) / "tests/io/data";
  for (const char* name : {"csr_scipy10.npz", "csr_scipy17.npz", "csc_stored_scipy10.npz",
                           "csc_stored_scipy17.npz", "coo_scipy10.npz", "coo_scipy17.npz", "csr_int64.npz"}) {
    SCOPED_TRACE(name);
    expect_example(read_matrix(data / name));
  }
  EXPECT_EQ(read_matrix(data / "fortran_matrix.npy").values,
            (std::vector<double>{0, 1.5, 0, -2, 0, 0, 0, 0, 3, 0, 0.25, 0}));
  EXPECT_EQ(read_matrix(data / "csr_bool.npz").values, (std::vector<double>{1, 1, 1, 1}));
  using complex = std::complex<double>;
  EXPECT_EQ(read_complex_matrix(data / "csr_complex.npz").values,
            (std::vector<complex>{{1.5, 3}, {-2, -4}, {3, 6}, {0.25, 0.5}}));
  for (const char* name : {"f4.npy", "big_endian_column.npy", "version2.npy", "version3.npy"})
    EXPECT_EQ(read_vector(data / name), (std::vector<double>{1.5, -2, 0.25})) << name;
  EXPECT_EQ(read_vector(data / "int64.npy"), (std::vector<double>{1, -2, 3}));
  const auto complaint = [&](const char* name) {
    return message_of<file_error>([&] { read_matrix(data / name); }).substr((data / name).string().size());
  };
  EXPECT_EQ(read_matrix(data / "bsr.npz").offsets, (std::vector<int>{0, 4, 8, 12, 16}));
  EXPECT_EQ(read_matrix(data / "bsr.npz").values, std::vector<double>(16, 1));
  EXPECT_EQ(read_matrix(data / "dia.npz").columns, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(complaint("arrays.npz"),
            ": the archive has no format.npy, as scipy.sparse.save_npz writes it, but 'x.npy'");
}

} // namespace
} // namespace evenly::io::testing
