// SPDX-License-Identifier: Apache-2.0
// Harwell-Boeing and Rutherford-Boeing files: each type and format, and headers that lie.
#include <complex>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "evenly/io/read.hpp"
#include "invariants.hpp"
#include "io/harwell_boeing.hpp"
#include "io/input.hpp"
#include "io/read_file.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

using complex = std::complex<double>;

std::vector<std::string> said; // by the last read

template <class Value> csr_matrix<Value> read_as(const std::string& text) {
  std::istringstream stream(text);
  said.clear();
  auto a = harwell_boeing_file(byte_source(stream, "text")).read<Value>([](const std::string& remark) {
    said.push_back(remark);
  });
  EXPECT_EQ(broken_rule(a), "");
  return a;
}

std::string refused(const std::string& text) {
  const cheap here;
  return message_of<file_error>([&] { read_as<double>(text); });
}

/// A header in the columns of the format.
std::string header(const std::string& type, int rows, int cols, int entries, const std::string& formats,
                   int value_lines = 1, int right_hand_sides = 0) {
  return fmt::format("{:72}{:8}\n{:14}{:14}{:14}{:14}{:14}\n{:14}{:14}{:14}{:14}{:14}\n{}\n", "A title",
                     "KEY", 3, 1, 1, value_lines, right_hand_sides, type, rows, cols, entries, 0, formats);
}

const std::string formats = "(4I5)           (6I5)           (3E16.8)            (3E16.8)";

/// 1 0 2     stored by columns
/// 0 3 0
/// 4 0 5
const std::string general =
    header("RUA", 3, 3, 5, formats, 2) + "    1    3    4    6\n" + "    1    3    2    1    3\n" +
    "  1.00000000E+00  4.00000000E+00  3.00000000E+00\n" + "  2.00000000E+00  5.00000000E+00\n";

template <class Value> void expect_general(const csr_matrix<Value>& a) {
  EXPECT_EQ(a.offsets, (std::vector<int>{0, 2, 3, 5}));
  EXPECT_EQ(a.columns, (std::vector<int>{0, 2, 1, 0, 2}));
  EXPECT_EQ(a.values, (std::vector<Value>{1, 2, 3, 4, 5}));
}

std::string with_line_ends(const std::string& text, const std::string& end) {
  std::string other;
  for (const char c : text) other += c == '\n' ? end : std::string(1, c);
  return other;
}

TEST(harwell_boeing, general_matrices) {
  for (const std::string end : {"\n", "\r\n", "\r", "    \n"}) {
    expect_general(read_as<double>(with_line_ends(general, end)));
    expect_general(read_as<complex>("\xef\xbb\xbf" + with_line_ends(general, end)));
  }
  expect_general(read_as<double>(general.substr(0, general.size() - 1)));
  EXPECT_TRUE(said.empty());
}

TEST(harwell_boeing, headers_of_others) {
  // Rutherford-Boeing: four numbers on line 2, small letters; separated by blanks, not in columns
  expect_general(read_as<double>("title\n3 1 1 2\nrua 3 3 5 0\n(4I5) (6I5) (3E16.8)\n" +
                                 general.substr(general.find("    1    3    4"))));
  // a line of right-hand sides in the header, which are skipped
  expect_general(
      read_as<double>(header("RUA", 3, 3, 5, formats, 2, 1) + "F                          1             0\n" +
                      general.substr(general.find("    1    3    4")) + "  1.00000000E+00  and more\n"));
}

TEST(harwell_boeing, fields_may_touch) {
  const auto values = [](const std::string& format, const std::string& lines) {
    return read_as<double>(header("RRA", 1, 3, 3, "(4I1) (3I1) " + format) + "1234\n111\n" + lines).values;
  };
  EXPECT_EQ(values("(3F4.1)", "10.5-2.512.0\n"), (std::vector<double>{10.5, -2.5, 12}));
  EXPECT_EQ(values("(3F3.1)", "105-25120\n"), (std::vector<double>{10.5, -2.5, 12})); // implied points
  EXPECT_EQ(values("(3E11.4)", "-0.1000D+01-0.2000E+01-0.3000-103\n"),
            (std::vector<double>{-1, -2, -0.3e-103}));
  EXPECT_EQ(values("(1P,3D11.3)", "  1.500D+00 -2.500D-01  1.000D+02\n"),
            (std::vector<double>{1.5, -0.25, 100}));
  EXPECT_EQ(values("(1P3E11.3)", "  1.500E+00 -2.500E-01  1.000E+02\n"),
            (std::vector<double>{1.5, -0.25, 100}));
  EXPECT_EQ(values("(2P,3F8.2)", "  150.00   25.00  100.00\n"),
            (std::vector<double>{1.5, 0.25, 1})); // no exponents
  EXPECT_EQ(values("(2(1X,E7.1))", "  .1E+01  .2E+01\n  .3E+01\n"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(values("(3g25.16)", fmt::format("{:25}{:25}{:25}\n", "1.0", "1.e5", "-Inf")),
            (std::vector<double>{1, 1e5, -INFINITY}));
  EXPECT_EQ(values("( 2 ES13.4E3 , 1X , I3 )", "  1.0000E+000  2.0000E+000   7\n"),
            (std::vector<double>{1, 2, 7}));
  EXPECT_TRUE(said.empty());
  EXPECT_EQ(values("(3E8.1)", " 0.1E999-0.1+999 0.1-999\n"), (std::vector<double>{INFINITY, -INFINITY, 0}));
  EXPECT_EQ(said, (std::vector<std::string>{"text:7: the value is '0.1E999', and 2 more, outside the range "
                                            "of a double: read as infinity or zero"}));
}

TEST(harwell_boeing, symmetric_storage_is_expanded) {
  const auto text = [](const std::string& type, const std::string& values) {
    return header(type, 2, 2, 2, "(3I1) (2I1) (4F4.1)") + "123\n22\n" + values + "\n";
  };
  EXPECT_EQ(read_as<double>(text("RSA", " 1.5 2.5")).values, (std::vector<double>{1.5, 1.5, 2.5}));
  EXPECT_EQ(read_as<double>(text("RZA", " 1.5 0.0")).values, (std::vector<double>{-1.5, 1.5, 0}));
  EXPECT_EQ(read_as<complex>(text("CHA", " 1.5 2.0 3.0 0.0")).values,
            (std::vector<complex>{{1.5, -2}, {1.5, 2}, 3}));
  EXPECT_EQ(read_as<complex>(text("CSA", " 1.5 2.0 3.0 1.0")).values,
            (std::vector<complex>{{1.5, 2}, {1.5, 2}, {3, 1}}));
  EXPECT_EQ(refused(text("RZA", " 1.5 2.5")),
            "text: the diagonal value of row 2 is not zero: it must be zero in a skew-symmetric matrix");
  EXPECT_EQ(message_of<file_error>([&] { read_as<complex>(text("CHA", " 1.5 2.0 3.0 1.0")); }),
            "text: the diagonal value of row 2 is not real: it must be real in a hermitian matrix");
  EXPECT_EQ(refused(text("CSA", " 1.5 2.0 3.0 1.0")),
            "text:4: the values are complex, but must be real: only spmv and commands that ignore values "
            "accept complex matrices");
}

TEST(harwell_boeing, complex_values_go_on_in_the_next_line) {
  EXPECT_EQ(read_as<complex>(header("CUA", 1, 2, 2, "(3I1) (2I1) (3F4.1)") + "123\n11\n 1.0 2.0 3.0\n 4.0\n")
                .values,
            (std::vector<complex>{{1, 2}, {3, 4}}));
}

TEST(harwell_boeing, patterns_and_integers) {
  const std::string pattern = header("PUA", 2, 2, 2, "(3I1) (2I1)", 0) + "123\n21\n";
  EXPECT_EQ(read_as<double>(pattern).values, (std::vector<double>{1, 1}));
  EXPECT_EQ(read_as<std::int64_t>(pattern).columns, (std::vector<int>{1, 0}));
  const std::string integers =
      header("IUA", 1, 2, 2, "(3I1) (2I1) (2I17)") + "123\n11\n 9007199254740993               -2\n";
  EXPECT_EQ(read_as<std::int64_t>(integers).values, (std::vector<std::int64_t>{9007199254740993, -2}));
  EXPECT_TRUE(said.empty());
  EXPECT_EQ(read_as<double>(integers).values, (std::vector<double>{0x1p53, -2}));
  EXPECT_EQ(said, (std::vector<std::string>{
                      "text:7: the value is '9007199254740993', above 2^53: rounded to a double"}));
  EXPECT_EQ(read_as<double>(header("RUA", 2, 2, 2, "(3I1) (2I1) (2F3.1)") + "133\n11\n1.02.0\n").values,
            (std::vector<double>{3})); // the same place twice
  EXPECT_EQ(read_as<double>(header("RUA", 3, 2, 0, "(3I1) (2I1) (2F3.1)", 0) + "111\n").offsets,
            (std::vector<int>{0, 0, 0, 0}));
}

TEST(harwell_boeing, bad_headers) {
  const std::string rest = "1\n";
  const auto line = [](int number, const std::string& other) {
    std::string text, all = general;
    for (int i = 1; i <= 4; ++i) {
      const std::size_t end = all.find('\n') + 1;
      text += i == number ? other + "\n" : all.substr(0, end);
      all.erase(0, end);
    }
    return text + all;
  };
  EXPECT_EQ(refused(""), "text: the file is empty: a Harwell-Boeing file has a header of 4 or 5 lines");
  EXPECT_EQ(refused("t\n"), "text:1: the file ends before line 2 of the header, the numbers of lines");
  EXPECT_EQ(refused("t\n1 1 1 1\n"),
            "text:2: the file ends before line 3 of the header, the type and the sizes");
  EXPECT_EQ(refused("t\n1 1 1 1\nRUA 1 1 1\n"),
            "text:3: the file ends before line 4 of the header, the formats");
  EXPECT_EQ(refused(line(2, "1 2 3 4 5 6")),
            "text:2: '6' after the number of lines of right-hand sides, where the line must end");
  EXPECT_EQ(refused(line(2, "1 2 x")),
            "text:2: 'x' is not an integer: the number of lines of row indices must be one");
  EXPECT_EQ(refused(line(2, "1 1 1")), "text:3: the type 'RUA' has values, but line 2 announces no lines of "
                                       "values: the type of a matrix without values begins with P");
  EXPECT_EQ(refused(line(3, "RUE 3 3 5 2")), "text:3: the type 'RUE' is elemental, but only assembled "
                                             "matrices (type RUA) are supported: add up the elements first");
  EXPECT_EQ(
      refused(line(3, "XUA 3 3 5 2")),
      "text:3: the type 'XUA' is unknown: it must be one of R, C, P, I, then one of S, U, H, Z, R, then A");
  EXPECT_EQ(refused(line(3, "PZA 3 3 5")),
            "text:3: the type is a skew-symmetric pattern, but a pattern has no signs");
  EXPECT_EQ(refused(line(3, "RUA 3 3")), "text:3: the number of entries is missing");
  EXPECT_EQ(refused(line(3, "RSA 3 4 5")), "text:3: 3 rows and 4 columns: a symmetric matrix must be square");
  EXPECT_EQ(refused(line(3, "RUA 3 3 3000000000")),
            "text:3: the number of entries is '3000000000': it must be 0 to 2147483647");
  EXPECT_EQ(refused(line(4, "(4I5)")),
            "text:4: 1 formats on line 4 of the header: 3 are needed, for pointers, row indices and values");
  EXPECT_EQ(refused(line(4, "(4I5) 6I5")), "text:4: '6I5' where a format in parentheses should be");
  for (const std::string bad : {"(A5)", "()", "(4I)", "(0I5)", "(4I5,2(I5))", "(99999999999I5)",
                                "(9999(9999(9999(1X))))", "(9999999I5)", "(F)", "(5F5.)", "(I5))("})
    EXPECT_TRUE(refused(line(4, bad + " (6I5) (3E16.8)")).starts_with("text:4: ")) << bad;
  EXPECT_EQ(
      refused(line(4, "(4Z5) (6I5) (3E16.8)")),
      "text:4: the format '(4Z5)' is not supported: it must be like (16I5), (1P,4D20.12) or (4(1X,E20.12))");
}

TEST(harwell_boeing, bad_content) {
  const auto complaint = [](const std::string& pointers, const std::string& rows, const std::string& values) {
    return refused(header("RRA", 2, 3, 3, "(4I3) (3I3) (3F5.1)") + pointers + rows + values);
  };
  const std::string pointers = "  1  2  3  4\n", rows = "  1  2  1\n", values = "  1.0  2.0  3.0\n";
  EXPECT_EQ(complaint(pointers, rows, values), "nothing was thrown");
  EXPECT_EQ(complaint("  0  2  3  4\n", rows, values), "text:5: the pointer is '0': it must be 1 to 4");
  EXPECT_EQ(complaint("  2  2  3  4\n", rows, values), "text:5: the first pointer is 2: it must be 1");
  EXPECT_EQ(complaint("  1  3  2  4\n", rows, values),
            "text:5: the pointer is 2, less than the 3 before: pointers must not decrease");
  EXPECT_EQ(complaint("  1  2  3  3\n", rows, values),
            "text:5: the last pointer is 3: it must be 4, because line 3 announces 3 entries");
  EXPECT_EQ(complaint("  1  2  3\n", rows, values),
            "text:5: columns 10 to 12 are blank, where the format '(4I3)' has a pointer");
  EXPECT_EQ(complaint(pointers, "  1  3  1\n", values), "text:6: the row index is '3': it must be 1 to 2");
  EXPECT_EQ(complaint(pointers, "  1  x  1\n", values),
            "text:6: 'x' is not an integer: the row index must be one");
  EXPECT_EQ(complaint(pointers, "  1  2  1  1\n", values),
            "text:6: '1' after the last row index of the line, which has the format '(3I3)'");
  EXPECT_EQ(complaint(pointers, rows, "  1.0  ***  3.0\n"),
            "text:7: '***' is not a number: the value must be one");
  EXPECT_EQ(complaint(pointers, rows, "  1.0 2 .0  3.0\n"),
            "text:7: '2 .0' is not a number: the value must be one");
  EXPECT_EQ(complaint(pointers, rows, "  1.0\n"),
            "text:7: columns 6 to 10 are blank, where the format '(3F5.1)' has a value");
  EXPECT_EQ(complaint(pointers, rows, ""), "text:6: the file ends after 0 of 3 values, the number on line 3");
  EXPECT_EQ(complaint(pointers, "", ""),
            "text:5: the file ends after 0 of 3 row indices, the number on line 3");
  EXPECT_EQ(complaint(pointers, rows, values + "\n  4.0\n"),
            "text:9: '4.0' after the last of 3 entries, the number on line 3");
  EXPECT_EQ(
      refused(header("RRA", 2147483646, 2147483647, 2147483647, "(4I12) (3I3) (3F5.1)") + "           1\n"),
      "text:5: columns 13 to 24 are blank, where the format '(4I12)' has a pointer");
}

class harwell_boeing_files : public io_test {};

TEST_F(harwell_boeing_files, are_told_by_their_content_and_endings) {
  for (const char* name : {"a", "a.mtx", "a.rua"}) expect_general(read_matrix(file(name, general)));
  for (const packing how : all_packings) expect_general(read_complex_matrix(file("a", pack(general, how))));
  for (const char* ending : {"hb",  "rb",  "rua", "rsa", "rra", "rza", "pua", "psa", "pra", "cua",
                             "csa", "cha", "cza", "cra", "iua", "isa", "ira", "iza", "rse", "pse"})
    EXPECT_EQ(format_by_ending(std::string("a.") + ending), file_format::harwell_boeing) << ending;
  EXPECT_EQ(format_by_content(with_line_ends(general, "\r")), file_format::harwell_boeing);
  EXPECT_EQ(format_by_content("1 2\n3 4\n5 6\n(7)\n"), std::nullopt);
  EXPECT_EQ(load_profile(file("a", general).string()).rows.filled.size(), 3u);
  const edge_rows graph = read_graph(file("a", general));
  EXPECT_EQ(std::pair(graph.has_weights, graph.first_vertex), std::pair(true, 1));
  const std::string pattern = header("PSA", 2, 2, 1, "(3I1) (2I1)", 0) + "122\n2\n";
  EXPECT_FALSE(read_graph(file("a", pattern)).has_weights);
  const exact_matrix exact = read_exact_matrix(open_known(file("a", pattern)));
  EXPECT_TRUE(exact.is_pattern);
  EXPECT_EQ(std::get<csr_matrix<std::int64_t>>(exact.matrix).values, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(message_of<file_error>([&] { open_checked(file("a.rb", "t\n1 1 1 1\nRUE 1 1 1\n(4I5)\n"), {}); }),
            (folder / "a.rb").string() + ":3: the type 'RUE' is elemental, but only assembled matrices (type "
                                         "RUA) are supported: add up the elements first");
}

} // namespace
} // namespace evenly::io::testing
