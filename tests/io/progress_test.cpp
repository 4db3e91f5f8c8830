// SPDX-License-Identifier: Apache-2.0
// Progress is shown on a terminal and nowhere else.
#include "host/progress.hpp"

#include <chrono>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "support.hpp"

namespace evenly::io::testing {
namespace {

using std::chrono::milliseconds;

/// A terminal of so many columns, and what was written to it.
class terminal {
 public:
  explicit terminal(unsigned short columns) : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    ::grantpt(master_);
    ::unlockpt(master_);
    line_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(master_, TIOCSWINSZ, &size);
    ::fcntl(master_, F_SETFL, O_NONBLOCK);
  }
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;
  ~terminal() {
    ::close(line_);
    ::close(master_);
  }

  int descriptor() const { return line_; }
  std::string written() const {
    std::string all(4096, '\0');
    const ssize_t got = ::read(master_, all.data(), all.size());
    all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return all;
  }

 private:
  int master_;
  int line_;
};

host::progress_place at_once(int descriptor) {
  return {.descriptor = descriptor, .silence = milliseconds(0), .min_between = milliseconds(0)};
}

TEST(progress, writes_over_its_line_and_takes_it_away) {
  const terminal seen(80);
  {
    host::progress all("reading a\nb", 200, host::progress_unit::count, at_once(seen.descriptor()));
    all.at(50);
    EXPECT_EQ(seen.written(), "\rreading a\\x0ab: 50 of 200 (25%), about 1 s left\x1b[K");
    all.at(100, "merge_path");
    EXPECT_EQ(seen.written(), "\rreading a\\x0ab: 100 of 200 (50%), about 1 s left, merge_path\x1b[K");
  }
  EXPECT_EQ(seen.written(), "\r\x1b[K");
}

TEST(progress, bytes_are_megabytes_and_totals_may_be_unknown) {
  const terminal seen(80);
  host::progress known("read", 330'000'000, host::progress_unit::bytes, at_once(seen.descriptor()));
  known.at(123'000'000);
  EXPECT_EQ(seen.written(), "\rread: 123 of 330 MB (37%), about 1 s left\x1b[K");
  host::progress unknown("read", 0, host::progress_unit::bytes, at_once(seen.descriptor()));
  unknown.at(123'000'000);
  EXPECT_EQ(seen.written(), "\rread: 123 MB\x1b[K");
}

TEST(progress, lines_are_no_longer_than_the_terminal) {
  const terminal seen(12);
  host::progress all("r\xc3\xa4"
                     "ther long",
                     7, host::progress_unit::count, at_once(seen.descriptor()));
  all.at(1);
  EXPECT_EQ(seen.written(), "\rr\xc3\xa4"
                            "ther long\x1b[K");
}

TEST(progress, is_silent_at_first_and_at_most_five_times_a_second) {
  const terminal seen(80);
  const host::progress_place usual{.descriptor = seen.descriptor()};
  EXPECT_EQ(usual.silence, milliseconds(1000));
  EXPECT_EQ(usual.min_between, milliseconds(200));
  host::progress all(
      "read", 10, host::progress_unit::count,
      {.descriptor = seen.descriptor(), .silence = milliseconds(50), .min_between = milliseconds(3'600'000)});
  all.at(1);
  EXPECT_EQ(seen.written(), "");
  std::this_thread::sleep_for(milliseconds(60));
  all.at(2);
  EXPECT_NE(seen.written(), "");
  all.at(3);
  EXPECT_EQ(seen.written(), "");
}

TEST(progress, files_see_none) {
  const scratch_folder folder;
  const auto path = folder / "out";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  {
    host::progress all("read", 10, host::progress_unit::count, at_once(file));
    all.at(1);
  }
  ::close(file);
  EXPECT_EQ(content_of(path), "");
}

} // namespace
} // namespace evenly::io::testing
