// SPDX-License-Identifier: Apache-2.0
// Written archives: their contents as other programs read them, and failures.
#include "io/archives.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "arrays.hpp"
#include "evenly/io/read.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

struct closes_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using open_file = std::unique_ptr<std::FILE, closes_file>;

class zip_writers : public io_test {
 protected:
  std::filesystem::path written(const members& all, const std::string& name) const {
    const open_file to(std::fopen((folder / name).c_str(), "wb"));
    zip_writer writer(to.get());
    for (const auto& [member, content] : all) {
      EXPECT_TRUE(writer.begin(member, content.size()));
      for (std::size_t at = 0; at < content.size(); at += 7) EXPECT_TRUE(writer.write(content.substr(at, 7)));
    }
    EXPECT_TRUE(writer.finish());
    return folder / name;
  }
};

TEST_F(zip_writers, write_what_we_read) {
  for (const char* format : {"csr", "csc", "coo"}) {
    const auto path = written(sparse_members(format), "a.npz");
    EXPECT_EQ(read_matrix(path).values, (std::vector<double>{1.5, -2, 3, 0.25}));
  }
  EXPECT_EQ(read_graph(written({{"a/", ""}, {"edges.el", "0 1\n"}}, "a.zip")).rows.rows, 2);
  EXPECT_EQ(message_of<file_error>([&] { read_matrix(written({}, "empty.npz")); }),
            (folder / "empty.npz").string() +
                ": the archive has no format.npy, as scipy.sparse.save_npz writes it, but nothing");
}

TEST_F(zip_writers, write_what_python_reads) {
  const std::string large(1'000'000, 'x');
  members all = sparse_members("csr");
  all.emplace_back("large.txt", large);
  const std::string path = written(all, "a.npz").string();
  EXPECT_LT(std::filesystem::file_size(path), 10'000u); // deflated
  const std::string script = "import sys, zipfile\n"
                             "a = zipfile.ZipFile(sys.argv[1])\n"
                             "assert a.testzip() is None\n"
                             "assert a.read('large.txt') == b'x' * 1000000\n"
                             "assert {i.date_time for i in a.infolist()} == {(1980, 1, 1, 0, 0, 0)}\n"
                             "try: import numpy\n"
                             "except ImportError: sys.exit()\n"
                             "assert numpy.load(sys.argv[1])['data'].tolist() == [1.5, -2, 3, 0.25]\n";
  const int status = std::system(
      ("python3 - " + path + " <<'END'\n" + script + "END\n").c_str()); // NOLINT: a test's own words
  if (WEXITSTATUS(status) == 127) GTEST_SKIP() << "there is no python3";
  EXPECT_EQ(status, 0);
}

TEST_F(zip_writers, write_the_same_bytes_at_all_times_and_places) {
  const std::string first = content_of(written(sparse_members("csr"), "a.npz"));
  const char* const before = std::getenv("TZ");
  const std::string zone = before == nullptr ? "" : before;
  ::setenv("TZ", "Asia/Tokyo", 1);
  ::tzset();
  EXPECT_EQ(content_of(written(sparse_members("csr"), "b.npz")), first);
  before == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", zone.c_str(), 1);
  ::tzset();
}

TEST_F(zip_writers, report_failures) {
  const open_file full(std::fopen("/dev/full", "wb"));
  zip_writer writer(full.get());
  const std::string text(1 << 20, 'x');
  bool is_right = writer.begin("a", text.size()) && writer.write(text);
  is_right = writer.finish() && is_right;
  EXPECT_FALSE(is_right);
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_FALSE(writer.begin("b", 0));
  EXPECT_EQ(errno, ENOSPC);
}

TEST_F(zip_writers, hold_members_to_their_sizes) {
  const open_file to(std::fopen((folder / "a.zip").c_str(), "wb"));
  zip_writer longer(to.get()), shorter(to.get()), unfinished(to.get());
  EXPECT_TRUE(longer.begin("a", 2));
  EXPECT_FALSE(longer.write("abc"));
  EXPECT_EQ(errno, EINVAL);
  EXPECT_TRUE(shorter.begin("a", 2) && shorter.write("a"));
  EXPECT_FALSE(shorter.begin("b", 0));
  EXPECT_EQ(errno, EINVAL);
  EXPECT_TRUE(unfinished.begin("a", 2) && unfinished.write("a"));
  EXPECT_FALSE(unfinished.finish());
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(zip_writers, leave_an_archive_that_was_not_finished_without_a_table) {
  {
    const open_file to(std::fopen((folder / "a.zip").c_str(), "wb"));
    zip_writer writer(to.get());
    EXPECT_TRUE(writer.begin("a", 1) && writer.write("a"));
  }
  EXPECT_EQ(content_of(folder / "a.zip").find("PK\1\2"), std::string::npos);
}

} // namespace
} // namespace evenly::io::testing
