// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <complex>
#include <csignal>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "evenly/io/read.hpp"
#include "generate/random.hpp"
#include "host/errors.hpp"
#include "io/vector_file.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

namespace fs = std::filesystem;

class vector_file : public io_test {
 protected:
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), {}));
  }
};

TEST_F(vector_file, values_come_back_to_the_bit) {
  using limits = std::numeric_limits<double>;
  std::vector<double> values{0,        -0.0,     1, 0.1, limits::max(), limits::min(), limits::denorm_min(),
                             INFINITY, -INFINITY};
  generate::random_sequence random(3, generate::stream::values);
  while (values.size() < 20'000) {
    const auto value = std::bit_cast<double>(random.next());
    if (!std::isnan(value)) values.push_back(value);
  }
  write_vector(folder / "x", values);
  const std::vector<double> back = read_vector(folder / "x");
  ASSERT_EQ(back.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back[i]), std::bit_cast<std::uint64_t>(values[i])) << values[i];
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(vector_file, reads_every_packing_with_comments) {
  for (const packing how : all_packings)
    EXPECT_EQ(read_vector(file("x", pack("% one\n# two\n\n 1 \r\n-2.5e0\n+3", how))),
              (std::vector<double>{1, -2.5, 3}));
  EXPECT_TRUE(read_vector(file("x", "# nothing\n")).empty());
}

TEST_F(vector_file, lines_end_in_every_way_and_may_have_comments) {
  for (const std::string_view end : {"\n", "\r\n", "\r"}) {
    std::string text = "\xef\xbb\xbf";
    for (const std::string_view line : {"# one", " 1 # note", "", "2 %note", "-.5D1\t"})
      text.append(line).append(end);
    EXPECT_EQ(read_vector(file("x", text)), (std::vector<double>{1, 2, -5}));
    EXPECT_EQ(read_vector(file("x", text + "4")), (std::vector<double>{1, 2, -5, 4}));
  }
  const std::string blanks(std::size_t{20} << 20, ' ');
  EXPECT_EQ(read_vector(file("x", "1" + blanks + "\n#" + blanks + "\n2")), (std::vector<double>{1, 2}));
}

TEST_F(vector_file, rounded_integers_are_said_once) {
  const auto said_of = [&](std::string_view text) {
    ::testing::internal::CaptureStderr();
    read_vector(file("x", text));
    return ::testing::internal::GetCapturedStderr();
  };
  const std::string start = "evenly: " + (folder / "x").string();
  EXPECT_EQ(said_of("1\n\n9007199254740993\n-0009007199254740995\n1e23\n100000000000000000000000000000001\n"),
            start + ":3: the value is '9007199254740993', and 2 more, above 2^53: rounded to a double\n");
  EXPECT_EQ(
      said_of("9007199254740992\n9007199254740994\n18446744073709551616\n9007199254740993.0\n0.1\n+00\n"),
      "");
  EXPECT_EQ(said_of("%%MatrixMarket matrix array integer general\n1 1\n9007199254740993\n"),
            start + ":3: the value is '9007199254740993', above 2^53: rounded to a double\n");
}

TEST_F(vector_file, bad_lines) {
  const auto complaint = [&](std::string_view text) {
    const std::string message = message_of<file_error>([&] { read_vector(file("x", text)); });
    const std::string start = (folder / "x").string();
    return message.starts_with(start) ? message.substr(start.size()) : message;
  };
  EXPECT_EQ(complaint(""), ": the file is empty: a vector has one number per line");
  EXPECT_EQ(complaint("1\n\ntwo\n"), ":3: 'two' is not a number: the value must be one");
  EXPECT_EQ(complaint("1 2\n"), ":1: '2' after the value, where the line must end");
  EXPECT_EQ(complaint("1\r2\rthree\r"), ":3: 'three' is not a number: the value must be one");
  EXPECT_EQ(
      complaint("1\n" + std::string(3, '\0')),
      ":2: '\\x00\\x00\\x00' with NUL bytes where the value should be: the file is damaged or is not text");
  EXPECT_EQ(complaint(std::string("\xff\xfe"
                                  "1\0\n\0",
                                  6)),
            ":1: UTF-16 text: save it as UTF-8");
  EXPECT_EQ(complaint("1e400x\n"), ":1: the value is '1e400x', outside the range of a double");
  const std::string packed = pack("1\n2\n3\n", packing::zstandard);
  for (std::size_t size = 4; size < packed.size(); ++size)
    EXPECT_EQ(complaint(packed.substr(0, size)), ": the Zstandard data are damaged or cut short");
}

TEST_F(vector_file, writes_the_fewest_digits_to_files_links_devices_and_standard_output) {
  const std::vector<double> values{1, 0.1, -1e300};
  const std::string expected = "1\n0.1\n-1e+300\n";
  ::testing::internal::CaptureStdout();
  write_vector("-", values);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), expected);
  file("y", "old");
  fs::create_symlink(folder / "y", folder / "link");
  write_vector(folder / "link", values);
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(content_of(folder / "y"), expected);
  fs::create_symlink(folder / "nothing", folder / "dangling");
  write_vector(folder / "dangling", values);
  EXPECT_EQ(content_of(folder / "dangling"), expected);
  write_vector("/dev/null", values);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(vector_file, failures_say_why_and_leave_nothing) {
  const auto complaint = [](const fs::path& path) {
    return message_of<file_error>([&] { write_vector(path, std::vector<double>(10)); });
  };
  EXPECT_EQ(complaint("/dev/full"), "/dev/full: cannot write: No space left on device");
  EXPECT_EQ(complaint(folder / "no/y"),
            (folder / "no/y").string() + ": cannot create: No such file or directory");
  EXPECT_EQ(complaint(folder.path()), folder.path().string() + ": cannot create: Is a directory");
  EXPECT_EQ(complaint("/dev/null/y"), "/dev/null/y: cannot create: Not a directory");
  fs::create_symlink(folder / "b", folder / "a");
  fs::create_symlink(folder / "a", folder / "b");
  EXPECT_EQ(complaint(folder / "a"),
            (folder / "a").string() + ": cannot create: Too many levels of symbolic links");
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_F(vector_file, a_full_disk_leaves_the_old_file) {
  file("y", "old");
  EXPECT_EQ(status_in_child([&] {
              std::signal(SIGXFSZ, SIG_IGN);
              limit_resource(RLIMIT_FSIZE, 100'000);
              const std::string message =
                  message_of<file_error>([&] { write_vector(folder / "y", std::vector<double>(1'000'000)); });
              return message == (folder / "y").string() + ": cannot write: File too large" ? 0 : 1;
            }),
            0);
  EXPECT_EQ(content_of(folder / "y"), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(vector_file, complex_values_are_matrix_market) {
  const std::vector<std::complex<double>> values{{1, -2}, {0.1, INFINITY}};
  write_complex_vector(folder / "y.mtx", values);
  EXPECT_EQ(content_of(folder / "y.mtx").substr(0, 50),
            "%%MatrixMarket matrix array complex general\n2 1\n1 ");
  EXPECT_EQ(std::get<1>(read_any_vector(folder / "y.mtx")), values);
  EXPECT_EQ(message_of<file_error>([&] { read_vector(folder / "y.mtx"); }),
            (folder / "y.mtx").string() + ": the values are complex, but must be real");
}

TEST_F(vector_file, matrix_market_by_its_ending) {
  write_vector(folder / "y.mtx", std::vector{1.0, 0.5});
  EXPECT_EQ(content_of(folder / "y.mtx"), "%%MatrixMarket matrix array real general\n2 1\n1\n0.5\n");
  EXPECT_EQ(read_vector(folder / "y.mtx"), (std::vector{1.0, 0.5}));
  EXPECT_EQ(read_vector(file("row.mtx", "%%MatrixMarket matrix coordinate real general\n1 3 1\n1 2 7\n")),
            (std::vector<double>{0, 7, 0}));
}

} // namespace
} // namespace evenly::io::testing
