// SPDX-License-Identifier: Apache-2.0
// Bad files: one line with the place and the rule, at once, without memory for what a file merely claims.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "host/errors.hpp"
#include "io/matrix_market.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

class bad_input : public io_test {};

std::string complaint(const std::string& text, const matrix_limits& limits = {}) {
  const cheap here;
  return message_of<file_error>([&] { read_text(text, limits); });
}

struct bad_case {
  std::string text;     ///< of the whole file
  std::string expected; ///< the message after "text"
};

const std::string real = "%%MatrixMarket matrix coordinate real general\n";
const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";
const std::string integer = "%%MatrixMarket matrix coordinate integer general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string unsigned_integer = "%%MatrixMarket matrix coordinate unsigned-integer general\n";
const std::string array = "%%MatrixMarket matrix array real general\n";
const std::string vector = "%%MatrixMarket vector coordinate real general\n";
const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";

TEST_F(bad_input, messages_name_line_and_rule) {
  const std::vector<bad_case> cases{
      // the banner
      {"", ": the file is empty: a Matrix Market file starts with %%MatrixMarket"},
      {"\n", ":1: the file starts with '': a Matrix Market file starts with %%MatrixMarket"},
      {"1 2 3\n", ":1: the file starts with '1': a Matrix Market file starts with %%MatrixMarket"},
      {"%%MatrixMarketing matrix\n",
       ":1: the file starts with '%%MatrixMarketing': a Matrix Market file starts with %%MatrixMarket"},
      {std::string("\x7f"
                   "ELF\0\x01\xff\n",
                   8),
       ":1: the file starts with '\\x7fELF\\x00\\x01\\xff': a Matrix Market file starts with %%MatrixMarket"},
      {"%%MatrixMarket\n", ":1: the banner ends where the object should be (matrix, vector)"},
      {"%%MatrixMarket graph coordinate real general\n",
       ":1: the object 'graph' is not supported, only matrix, vector"},
      {"%%MatrixMarket matrix sparse real general\n",
       ":1: the format 'sparse' is not supported, only coordinate, array"},
      {"%%MatrixMarket matrix coordinate quaternion general\n",
       ":1: the field 'quaternion' is not supported, only real, double, integer, unsigned-integer, complex, "
       "pattern"},
      {"%%MatrixMarket matrix coordinate real hermitean\n",
       ":1: the symmetry 'hermitean' is not supported, only general, symmetric, skew-symmetric, hermitian"},
      {"%%MatrixMarket matrix coordinate real\n",
       ":1: the banner ends where the symmetry should be (general, symmetric, skew-symmetric, hermitian)"},
      {"%%MatrixMarket matrix array pattern general\n",
       ":1: pattern and array exclude each other: an array has every entry"},
      {"%%MatrixMarket matrix coordinate unsigned-integer skew-symmetric\n",
       ":1: unsigned-integer and skew-symmetric exclude each other, because unsigned numbers have no signs"},
      {"%%MatrixMarket vector array real symmetric\n",
       ":1: a vector must be general, because it has no other triangle"},
      {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n",
       ":2: the values are complex, but must be real: only spmv and commands that ignore values accept "
       "complex matrices"},
      {"%%MatrixMarket matrix coordinate real general 5\n",
       ":1: '5' after the symmetry, where the line must end"},
      {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n",
       ":1: pattern and skew-symmetric exclude each other, because a pattern has no signs"},
      // the size line
      {real, ":1: the file ends before the line 'rows columns entries'"},
      {real + "% only\n\n", ":3: the file ends before the line 'rows columns entries'"},
      {real + "2 2\n", ":2: the line ends where the number of entries should be"},
      {real + "2 2 1 1\n", ":2: '1' after the number of entries, where the line must end"},
      {real + "two 2 1\n", ":2: 'two' is not an integer: the number of rows must be one"},
      {real + "2 2.0 1\n", ":2: '2.0' is not an integer: the number of columns must be one"},
      {real + "-2 2 1\n", ":2: the number of rows is '-2': it must be 0 to 2147483646"},
      {real + "2 2 -1\n", ":2: the number of entries is '-1': it must be 0 to 2147483647"},
      {real + "2147483648 2 1\n", ":2: the number of rows is '2147483648': it must be 0 to 2147483646"},
      {real + "2 2147483648 1\n", ":2: the number of columns is '2147483648': it must be 0 to 2147483647"},
      {real + "2 2 2147483648\n1 1 1\n",
       ":2: the number of entries is '2147483648': it must be 0 to 2147483647"},
      {real + "2 2 1000000000000000\n1 1 1\n",
       ":2: the number of entries is '1000000000000000': it must be 0 to 2147483647"},
      {real + "99999999999999999999999 2 1\n",
       ":2: the number of rows is '99999999999999999999999': it must be 0 to 2147483646"},
      {symmetric + "2 3 1\n1 1 1\n", ":2: 2 rows and 3 columns: a symmetric matrix must be square"},
      {symmetric + "1000 1000 2147483647\n1 1 1\n",
       ":2: 2147483647 entries of a symmetric matrix stand for 4294966294 or more: at most 2147483647 are "
       "supported"},
      // entries
      {real + "2 2 2000000000\n1 1 1\n",
       ":3: the file ends after 1 of 2000000000 entries, the number on line 2"},
      {real + "2 2 2\n1 1 1\n% end\n", ":4: the file ends after 1 of 2 entries, the number on line 2"},
      {real + "%\n2 2 1\n1 1 1\n\n2 2 1\n", ":6: '2 2 1' after the last of 1 entries, the number on line 3"},
      {real + "2 2 0\n2 2 1\n", ":3: '2 2 1' after the last of 0 entries, the number on line 2"},
      {real + "2 2 1\n0 1 1\n", ":3: the row is '0': it must be 1 to 2"},
      {real + "2 2 1\n-1 1 1\n", ":3: the row is '-1': it must be 1 to 2"},
      {real + "2 2 1\n3 1 1\n", ":3: the row is '3': it must be 1 to 2"},
      {real + "2 2 2\n1 1 1\n1 3 1\n", ":4: the column is '3': it must be 1 to 2"},
      {real + "0 2 1\n1 1 1\n", ":3: the row is '1': it must be 1 to 0"},
      {real + "2 2 1\n1x 1 1\n", ":3: '1x' is not an integer: the row must be one"},
      {real + "2 2 1\n1-1 1 1\n", ":3: '1-1' is not an integer: the row must be one"},
      {real + "2 2 1\n+-1 1 1\n", ":3: '+-1' is not an integer: the row must be one"},
      {real + "2 2 1\n1\n", ":3: the line ends where the column should be"},
      {real + "2 2 1\n1 1\n", ":3: the line ends where the value should be"},
      {real + "2 2 1\n1 1 x\n", ":3: 'x' is not a number: the value must be one"},
      {real + "2 2 1\n1 1 1.0D+00D\n", ":3: '1.0D+00D' is not a number: the value must be one"},
      {real + "2 2 1\n1 1 1eD5\n", ":3: '1eD5' is not a number: the value must be one"},
      {real + "2 2 1\n1 1 d\n", ":3: 'd' is not a number: the value must be one"},
      {real + "2 2 1\n1 1 1,5\n", ":3: '1,5' is not a number: the value must be one"},
      {real + "2 2 1\n1 1 0x10\n", ":3: '0x10' is not a number: the value must be one"},
      {real + "2 2 1\n1 1 1 9\n", ":3: '9' after the value, where the line must end"},
      {real + "2 2 1\n1 1 1%why\n", ":3: '1%why' is not a number: the value must be one"},
      {real + "2 2 1\n1 1 % why\n", ":3: '%' is not a number: the value must be one"},
      {real + "2 2 1\n1 1 1 # why\n", ":3: '#' after the value, where the line must end"},
      {pattern + "2 2 1\n1 1 x\n", ":3: 'x' after the column, where the line must end"},
      {pattern + "2 2 1\n1 1 1 1\n", ":3: '1' after the column, where the line must end"},
      {integer + "2 2 1\n1 1 1.5\n", ":3: '1.5' is not an integer: the value must be one"},
      {integer + "2 2 1\n1 1 9223372036854775808\n",
       ":3: the value is '9223372036854775808': it must be -9223372036854775808 to 9223372036854775807"},
      {unsigned_integer + "2 2 1\n1 1 -1\n", ":3: the value is '-1': it must be 0 to 18446744073709551615"},
      {unsigned_integer + "2 2 1\n1 1 18446744073709551616\n",
       ":3: the value is '18446744073709551616': it must be 0 to 18446744073709551615"},
      {skew + "2 2 1\n2 2 5\n",
       ":3: the diagonal entry of row 2 is 5: it must be zero in a skew-symmetric matrix"},
      {skew + "2 2 1\n2 2 nan\n",
       ":3: the diagonal entry of row 2 is nan: it must be zero in a skew-symmetric matrix"},
      // arrays and vectors
      {array + "2 2 4\n", ":2: '4' after the number of columns, where the line must end"},
      {array + "2 2\n1\n2\n3\n", ":5: the file ends after 3 of 4 values, the product of the sizes on line 2"},
      {array + "1 2\n1\n2\n3\n", ":5: '3' after the last of 2 values, the product of the sizes on line 2"},
      {array + "1 2\n1 2\n", ":3: '2' after the value, where the line must end"},
      {array + "2000000 2000000\n",
       ":2: an array of 2000000 rows and 2000000 columns: at most 2147483647 values are supported"},
      {"%%MatrixMarket matrix array real symmetric\n2 3\n",
       ":2: 2 rows and 3 columns: a symmetric matrix must be square"},
      {"%%MatrixMarket matrix array real hermitian\n2 3\n",
       ":2: 2 rows and 3 columns: a hermitian matrix must be square"},
      {vector + "4 1\n5 1\n", ":3: the index is '5': it must be 1 to 4"},
      {vector + "4 1 1\n", ":2: '1' after the number of entries, where the line must end"},
      {vector + "-4 1\n", ":2: the length is '-4': it must be 0 to 2147483646"},
      {vector + "\n", ":2: the file ends before the line 'length entries'"},
      {real + "2 2 1\n" + std::string("\0\0\0", 3) + "\n",
       ":3: '\\x00\\x00\\x00' with NUL bytes where the row should be: the file is damaged or is not text"},
      {real + "1 1 1\n1 1 1" + std::string(2, '\0') + "\n",
       ":3: '1\\x00\\x00' with NUL bytes where the value should be: the file is damaged or is not text"},
      {"\xff\xfe%\0%\0", ":1: UTF-16 text: save it as UTF-8"},
      {"\xfe\xff", ":1: UTF-16 text: save it as UTF-8"},
      {"\xef\xbb\xbf", ": the file is empty: a Matrix Market file starts with %%MatrixMarket"},
      {real + "2 2 1\n" + std::string(50, 'z') + "\n",
       ":3: '" + std::string(40, 'z') + "...' is not an integer: the row must be one"},
  };
  for (const bad_case& bad : cases) {
    const std::string message = complaint(bad.text);
    EXPECT_EQ(message, "text" + bad.expected) << bad.text;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST_F(bad_input, limits_hold_after_expansion) {
  EXPECT_EQ(complaint(symmetric + "3 3 3\n2 1 1\n3 1 1\n3 2 1\n", {.entries = 5}),
            "text:5: more than 5 entries, the supported maximum, counting both triangles");
  EXPECT_EQ(complaint(symmetric + "3 3 3\n2 1 1\n3 1 1\n3 3 1\n", {.entries = 5}), "nothing was thrown");
  EXPECT_EQ(complaint(skew + "3 3 3\n2 1 1\n3 1 1\n3 2 1\n", {.entries = 5}),
            "text:2: 3 entries of a symmetric matrix stand for 6 or more: at most 5 are supported");
  EXPECT_EQ(complaint(real + "4 3 0\n", {.rows = 3}), "text:2: the number of rows is '4': it must be 0 to 3");
  EXPECT_THROW(read_text(real + "1 1 0\n", {.rows = 2147483648}), invalid_argument);
}

TEST_F(bad_input, comments_and_blank_lines_may_go_on) {
  const std::string blank_lines(std::size_t{8} << 20, '\n');
  std::string comments;
  while (comments.size() < std::size_t{8} << 20) comments += "% one of many lines\r\n";
  for (const std::string& filling : {blank_lines, comments})
    for (const packing how : {packing::gzip, packing::zstandard}) {
      EXPECT_EQ(complaint(pack(real + "1 1 1\n" + filling + "1 1 1\n", how)), "nothing was thrown");
      EXPECT_TRUE(complaint(pack(real + filling, how))
                      .ends_with("the file ends before the line 'rows columns entries'"));
    }
}

TEST_F(bad_input, lines_of_any_length_are_refused_if_memory_is_short) {
  if (sanitized) GTEST_SKIP() << "the address space cannot be limited under a sanitizer";
  const auto path = file("a.mtx.gz", pack(real + std::string(std::size_t{300} << 20, '1'), packing::gzip));
  EXPECT_EQ(status_in_child([&] {
              limit_resource(RLIMIT_AS, 400 << 20);
              const std::string message = message_of<file_error>([&] { read_matrix_market(path); });
              const bool said = message.starts_with(path.string() + ":2: a line of more than ") &&
                                message.ends_with(" are available (ulimit -v)");
              if (!said) fmt::print(stderr, "{}\n", message);
              return said ? 0 : 1;
            }),
            0);
}

TEST_F(bad_input, packed_files_cut_short_or_damaged) {
  std::string text = real + "1 1 1\n1 1 1\n";
  for (int i = 0; i < 20; ++i) text += fmt::format("% some text to pack: {}\n", i * i * 7919);
  constexpr std::string_view names[] = {"plain", "gzip", "bzip2", "xz", "Zstandard"};
  for (const packing how : all_packings) {
    if (how == packing::none) continue;
    const std::string packed = pack(text, how);
    const std::string damage =
        fmt::format("text: the {} data are damaged or cut short", names[static_cast<std::size_t>(how)]);
    for (std::size_t size = 6; size < packed.size(); ++size)
      ASSERT_EQ(complaint(packed.substr(0, size)), damage) << size << " of " << packed.size();
    EXPECT_EQ(
        complaint(packed + "more"),
        fmt::format("text: the {} data are followed by other bytes: remove them, or create the file again",
                    names[static_cast<std::size_t>(how)]));
    std::string damaged = packed;
    for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 8; ++i)
      damaged[i] = static_cast<char>(~damaged[i]);
    EXPECT_NE(complaint(damaged), "nothing was thrown") << ending(how);
  }
}

TEST_F(bad_input, files_that_cannot_be_read) {
  const auto complaint_about = [](const std::filesystem::path& path) {
    const cheap here;
    return message_of<file_error>([&] { read_matrix_market(path); });
  };
  const std::string here = folder.path().string();
  EXPECT_EQ(complaint_about(folder / "none.mtx"), here + "/none.mtx: cannot open: No such file or directory");
  EXPECT_EQ(complaint_about(folder.path()), here + ": cannot read: Is a directory");
  EXPECT_EQ(complaint_about("/proc/self/mem"), "/proc/self/mem: cannot read: Input/output error");
  EXPECT_EQ(
      complaint_about("/dev/zero"),
      "/dev/zero:1: a line of more than 65536 bytes, with NUL bytes: the file is damaged or is not text");
  EXPECT_EQ(complaint_about(folder / "two\nlines"),
            here + "/two\\x0alines: cannot open: No such file or directory");
  EXPECT_EQ(complaint_about(file("empty.mtx", "")),
            here + "/empty.mtx: the file is empty: a Matrix Market file starts with %%MatrixMarket");
  const auto secret = file("secret.mtx", real);
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  if (::geteuid() != 0) {
    EXPECT_EQ(complaint_about(secret), here + "/secret.mtx: cannot open: Permission denied");
  }
}

TEST_F(bad_input, a_failing_stream) {
  std::istringstream stream(real);
  stream.setstate(std::ios::badbit);
  EXPECT_EQ(message_of<file_error>([&] { read_matrix_market(stream, "name"); }),
            "name: cannot read: the stream failed");
}

TEST_F(bad_input, too_little_memory_is_a_message) {
  if (sanitized) GTEST_SKIP() << "the address space cannot be limited under a sanitizer";
  EXPECT_EQ(status_in_child([&] {
              limit_resource(RLIMIT_AS, 1 << 30);
              const std::string message =
                  message_of<file_error>([] { read_text(real + "2000000000 2 0\n"); });
              const bool said =
                  message.starts_with("text:2: 2000000000 rows: 8.01 GB of memory are needed, but ") &&
                  message.ends_with(" are available (ulimit -v)");
              return said ? 0 : 1;
            }),
            0);
}

TEST_F(bad_input, entries_are_refused_while_what_was_read_still_fits) {
  if (sanitized) GTEST_SKIP() << "the address space cannot be limited under a sanitizer";
  std::string text = pattern + "9 9 2147483647\n";
  for (int k = 0; k < 10'000'000; ++k) text += "1 1\n";
  const auto path = file("a.mtx.gz", pack(text, packing::gzip));
  text = {};
  EXPECT_EQ(status_in_child([&] {
              limit_resource(RLIMIT_AS, 400 << 20);
              const std::string message = message_of<file_error>([&] { read_matrix_market(path); });
              const bool said = message.starts_with(path.string() + ":") &&
                                message.find(" of 2147483647 entries read: ") != std::string::npos &&
                                message.ends_with(" are available (ulimit -v)");
              if (!said) fmt::print(stderr, "{}\n", message);
              return said ? 0 : 1;
            }),
            0);
}

} // namespace
} // namespace evenly::io::testing
