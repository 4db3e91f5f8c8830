// SPDX-License-Identifier: Apache-2.0
// Arrays of NumPy: every type and order of bytes that is read, and headers that lie.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "arrays.hpp"
#include "evenly/io/read.hpp"
#include "io/npy.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

class npy_files : public io_test {
 protected:
  std::vector<double> vector_of(const std::string& content) const {
    return read_vector(file("x.npy", content));
  }
  std::string refused(const std::string& content) const {
    const cheap here;
    const std::string name = file("x.npy", content).string() + ": ";
    const std::string message = message_of<file_error>([&] { read_vector(name.substr(0, name.size() - 2)); });
    return message.starts_with(name) ? message.substr(name.size()) : message;
  }
};

TEST_F(npy_files, of_every_type_in_both_orders_of_bytes) {
  const auto check = [&]<class T>(const std::string& type, const std::vector<T>& elements) {
    const std::vector<double> want(elements.begin(), elements.end());
    const std::string shape = "(" + std::to_string(elements.size()) + ",)";
    EXPECT_EQ(vector_of(npy("<" + type, shape, bytes_of(elements))), want) << type;
    EXPECT_EQ(vector_of(npy(">" + type, shape, big_endian(elements))), want) << type;
    EXPECT_EQ(vector_of(npy("=" + type, shape, bytes_of(elements))), want) << type;
  };
  const std::vector<std::uint16_t> halves{0x3c01, 0xc000, 0x0001, 0x83ff, 0x7bff, 0x7c00};
  for (const std::string& file :
       {npy("<f2", "(6,)", bytes_of(halves)), npy(">f2", "(6,)", big_endian(halves))})
    EXPECT_EQ(vector_of(file),
              (std::vector<double>{1 + 0x1p-10, -2, 0x1p-24, -1023 * 0x1p-24, 65504, INFINITY}));
  EXPECT_TRUE(std::isnan(vector_of(npy_line<std::uint16_t>("<f2", {0x7e00})).front()));
  check("f4", std::vector<float>{1.5F, -2, 1e30F});
  check("f8", std::vector<double>{0.1, -1e-310, INFINITY});
  check("i1", std::vector<std::int8_t>{-128, 0, 127});
  check("i2", std::vector<std::int16_t>{-32768, 1});
  check("i4", std::vector<std::int32_t>{-2147483647, 7});
  check("i8", std::vector<std::int64_t>{-9007199254740993, 5});
  check("u1", std::vector<std::uint8_t>{0, 255});
  check("u2", std::vector<std::uint16_t>{65535});
  check("u4", std::vector<std::uint32_t>{4294967295});
  check("u8", std::vector<std::uint64_t>{18446744073709551615U, 3});
  EXPECT_EQ(vector_of(npy("|b1", "(3,)", std::string("\1\0\1", 3))), (std::vector<double>{1, 0, 1}));
  EXPECT_TRUE(std::isnan(vector_of(npy_line<double>("<f8", {NAN})).front()));
}

TEST_F(npy_files, of_every_shape_that_is_a_vector) {
  const std::string three = bytes_of<double>({1, 2, 3});
  for (const std::string shape : {"(3,)", "(3, 1)", "(1, 3)", "(1, 3, 1,)", "(3L,)", "( 3 , )"})
    for (const bool columns_first : {false, true})
      EXPECT_EQ(vector_of(npy("<f8", shape, three, columns_first)), (std::vector<double>{1, 2, 3})) << shape;
  EXPECT_EQ(vector_of(npy("<f8", "()", bytes_of<double>({7}))), (std::vector<double>{7}));
  EXPECT_TRUE(vector_of(npy("<f8", "(0,)", "")).empty());
  EXPECT_EQ(refused(npy("<f8", "(2, 2)", bytes_of<double>({1, 2, 3, 4}))),
            "an array of shape (2, 2): a vector has at most one dimension longer than 1");
}

TEST_F(npy_files, of_every_version_and_spelling_of_the_header) {
  const std::string data = bytes_of<double>({1, 2});
  for (const int version : {1, 2, 3})
    EXPECT_EQ(vector_of(npy_with("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", data, version)),
              (std::vector<double>{1, 2}));
  for (const char* header : {"{\"shape\":(2,),\"fortran_order\":True,\"descr\":\"<f8\"}",
                             "  { 'shape' : ( 2 ) , 'descr' : '<f8' , 'fortran_order' : False }   "})
    EXPECT_EQ(vector_of(npy_with(header, data)), (std::vector<double>{1, 2})) << header;
}

TEST_F(npy_files, are_read_packed) {
  std::vector<double> numbers(100'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i * i % 1013);
  for (const packing how : all_packings) EXPECT_EQ(vector_of(pack(npy_line("<f8", numbers), how)), numbers);
}

TEST_F(npy_files, are_matrices_with_their_zeros) {
  for (const bool columns_first : {false, true}) {
    const std::vector<double> data =
        columns_first ? std::vector<double>{0, 3, 1, 0, 2, 0} : std::vector<double>{0, 1, 2, 3, 0, 0};
    const csr_matrix<double> a =
        read_matrix(file("a.npy", npy("<f8", "(2, 3)", bytes_of(data), columns_first)));
    EXPECT_EQ(a.cols, 3);
    EXPECT_EQ(a.offsets, (std::vector<int>{0, 3, 6}));
    EXPECT_EQ(a.columns, (std::vector<int>{0, 1, 2, 0, 1, 2}));
    EXPECT_EQ(a.values, (std::vector<double>{0, 1, 2, 3, 0, 0}));
  }
  EXPECT_EQ(read_matrix(file("a.npy", npy("<f8", "(0, 3)", ""))).cols, 3);
  EXPECT_EQ(read_matrix(file("a.npy", npy("<f8", "(3, 0)", "", true))).offsets,
            (std::vector<int>{0, 0, 0, 0}));
  using complex = std::complex<double>;
  const std::string two = npy("<c8", "(1, 2)", bytes_of<float>({0, 0, 1, -2}));
  EXPECT_EQ(std::get<std::vector<complex>>(read_npy_vector(byte_source(file("a.npy", two)))),
            (std::vector<complex>{0, {1, -2}}));
  const auto c = read_complex_matrix(file("a.npy", two));
  EXPECT_EQ(c.values, (std::vector<complex>{0, {1, -2}}));
  EXPECT_EQ(message_of<file_error>([&] { read_matrix(file("a.npy", npy("<f8", "(65536, 65536)", ""))); }),
            (folder / "a.npy").string() +
                ": 65536 rows and 65536 columns: at most 2147483646 and 2147483647 are "
                "supported, and 2147483647 entries");
  EXPECT_EQ(message_of<file_error>([&] { read_matrix(file("a.npy", npy_line<double>("<f8", {1}))); }),
            (folder / "a.npy").string() + ": an array of shape (1,): a matrix has two dimensions");
}

TEST_F(npy_files, with_headers_that_are_none) {
  const auto error_message = [&](const std::string& dictionary) { return refused(npy_with(dictionary, "")); };
  const std::string no_dictionary =
      "the header must be a dictionary of descr, fortran_order and shape, as NumPy writes it";
  for (const char* wrong :
       {"", "{", "{}", "{'descr': '<f8'}", "[1]", "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}",
        "{'more': '<f8', 'fortran_order': False, 'shape': (1,)}", "{'descr': '<f8"})
    EXPECT_EQ(error_message(wrong), no_dictionary) << wrong;
  const auto of_type = [&](const std::string& type) { return refused(npy(type, "(1,)", "")); };
  EXPECT_EQ(of_type("|O"), "the elements are Python objects: they must be numbers");
  for (const char* type : {"<f", "<x8", "", "<", "f999999999999", "<f-8", "<M8[ns]"})
    EXPECT_EQ(of_type(type), "the elements are of type '" + std::string(type) + "': they must be numbers");
  for (const char* type : {"<f1", "<f16", "<i3", "|S3", "<U3", "|b2"})
    EXPECT_EQ(of_type(type), "the elements are of type " + std::string(type) + ": they must be numbers");
  EXPECT_EQ(message_of<file_error>([&] { read_matrix(file("a.npy", npy("<c16", "(1, 1)", ""))); }),
            (folder / "a.npy").string() + ": the elements are of type <c16: they must be real");
  EXPECT_EQ(error_message("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}"),
            "the elements are records: they must be numbers");
  EXPECT_EQ(refused(npy("<f8", "(-1,)", "")), "the shape has -1: lengths are 0 or more");
  EXPECT_EQ(refused(npy("<f8", "(99999999999999999999,)", "")), "the shape has a number above 64 bits");
  EXPECT_EQ(refused(npy("<f8", "(4611686018427387904, 4)", "")),
            "the shape (4611686018427387904, 4) has more than 2^63 elements");
  EXPECT_EQ(refused("\x93NUMPY\4"), "the data end before the end of the header");
  EXPECT_EQ(refused(npy_with("{}", "", 4)), "version 4 of the format: it must be 1, 2 or 3");
  EXPECT_EQ(refused(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)),
            "a header of 4294967295 bytes: at most 65536 are supported");
}

TEST_F(npy_files, with_other_lengths_than_announced) {
  EXPECT_EQ(refused(npy("<f8", "(3,)", bytes_of<double>({1, 2}))),
            "the data end before the end of the 3 elements in the header");
  EXPECT_EQ(refused(npy("<f8", "(1000000000000,)", bytes_of<double>({1, 2}))),
            "the data end before the end of the 1000000000000 elements in the header");
  EXPECT_EQ(refused(npy("<f8", "(1,)", bytes_of<double>({1, 2}))),
            "the file has more bytes than the 1 elements in the header");
  const std::string whole = npy_line<double>("<f8", {1, 2});
  for (std::size_t size = 8; size < whole.size(); ++size)
    EXPECT_TRUE(refused(whole.substr(0, size)).starts_with("the data end before the end of the ")) << size;
}

TEST_F(npy_files, are_written_as_they_are_read) {
  const std::vector<double> values{0, -0.0, 0.1, INFINITY, std::numeric_limits<double>::denorm_min()};
  write_vector(folder / "y.npy", values);
  EXPECT_EQ(bytes_of(read_vector(folder / "y.npy")), bytes_of(values));
  const std::string written = content_of(folder / "y.npy");
  EXPECT_EQ(written.size(), 128 + 8 * values.size()); // elements begin at a multiple of 64 bytes
  EXPECT_EQ(written.substr(10, 58), "{'descr': '<f8', 'fortran_order': False, 'shape': (5,), } ");
  EXPECT_EQ(written[127], '\n');
  EXPECT_TRUE(written.ends_with(bytes_of(values)));
  write_vector(folder / "none.npy", {});
  EXPECT_TRUE(read_vector(folder / "none.npy").empty());
  EXPECT_EQ(message_of<file_error>([] { write_vector("/dev/null/y.npy", std::vector<double>(3)); }),
            "/dev/null/y.npy: cannot create: Not a directory");
}

TEST_F(npy_files, errors_say_file_line_and_rule) {
  const auto path = file("x.txt", "1\ntwo\n");
  try {
    read_vector(path);
    FAIL();
  } catch (const file_error& error) {
    EXPECT_EQ(error.file(), path.string());
    EXPECT_EQ(error.line(), 2);
    EXPECT_EQ(error.rule(), "'two' is not a number: the value must be one");
    EXPECT_EQ(error.what(), path.string() + ":2: " + error.rule());
  }
  try {
    read_vector(file("x.npy", npy("<f8", "(1,)", "")));
    FAIL();
  } catch (const file_error& error) {
    EXPECT_EQ(error.file(), (folder / "x.npy").string());
    EXPECT_EQ(error.line(), 0);
    EXPECT_EQ(error.what(), error.file() + ": " + error.rule());
  }
}

TEST_F(npy_files, are_vectors_beside_others) {
  const std::string column = "%%MatrixMarket matrix coordinate real general\n3 1 2\n3 1 -1\n1 1 2\n";
  EXPECT_EQ(read_vector(file("b.mtx", column)), (std::vector<double>{2, 0, -1}));
  const std::string square = "%%MatrixMarket matrix coordinate real general\n2 2 0\n";
  EXPECT_EQ(message_of<file_error>([&] { read_vector(file("b.mtx", square)); }),
            (folder / "b.mtx").string() + ": 2 rows and 2 columns: a vector has one row or one column");
  EXPECT_EQ(message_of<file_error>([&] { read_vector(file("b.npy", zip({}))); }),
            (folder / "b.npy").string() +
                ": .npz of SciPy: a vector must be a text of one number per line, .npy or Matrix Market");
}

} // namespace
} // namespace evenly::io::testing
