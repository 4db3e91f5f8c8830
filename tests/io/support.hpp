// SPDX-License-Identifier: Apache-2.0
// Helpers of tests of src/io: a folder of their own, compressed text, the message of an error.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "evenly/sparse/csr_matrix.hpp"
#include "io/coding.hpp"
#include "io/matrix_market.hpp"
#include "support/sanitized.hpp"

namespace evenly::io::testing {

/// An empty folder that goes away with its contents.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "evenly-io-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() { std::filesystem::remove_all(path_); }

  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class io_test : public ::testing::Test {
 protected:
  scratch_folder folder;

  std::filesystem::path file(std::string_view name, std::string_view content) const {
    std::ofstream(folder / name, std::ios::binary) << content;
    return folder / name;
  }
};

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using packing = coding;
inline constexpr std::array all_packings{packing::none, packing::gzip, packing::bzip2, packing::xz,
                                         packing::zstandard};
inline constexpr std::array<std::string_view, 5> endings{"", ".gz", ".bz2", ".xz", ".zst"};

inline std::string_view ending(packing how) { return endings[static_cast<std::size_t>(how)]; }

/// `text` compressed as one stream.
inline std::string pack(std::string_view text, packing how) {
  if (how == packing::none) return std::string(text);
  const auto coder = make_compressor(how);
  std::string packed;
  for (coding_progress progress{}; progress != coding_progress::finished;) {
    char buffer[1 << 14];
    std::span<char> room(buffer);
    progress = coder->step(text, room, true);
    packed.append(buffer, sizeof buffer - room.size());
  }
  return packed;
}

inline csr_matrix<double> read_text(const std::string& text, const matrix_limits& limits = {}) {
  std::istringstream stream(text);
  return read_matrix_market(stream, "text", limits);
}

/// The message of the Error that `action` throws; another exception passes, none is "nothing was thrown".
template <class Error, std::invocable Action> std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

inline void limit_resource(int resource, rlim_t limit) {
  const rlimit both{limit, limit};
  ::setrlimit(resource, &both);
}
/// The status, as of waitpid, of a process of its own that exits with body(). 0: it returned 0, and no check failed.
template <std::invocable Body> int status_in_child(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int code = body();
    ::_exit(code == 0 && ::testing::Test::HasFailure() ? 1 : code);
  }
  int status = 0;
  EXPECT_TRUE(child > 0 && ::waitpid(child, &status, 0) == child);
  return status;
}

/// Checks that what happens between construction and destruction takes under a second and little memory.
class cheap {
 public:
  cheap() : start_(std::chrono::steady_clock::now()), peak_(peak_kib()) {}
  cheap(const cheap&) = delete;
  cheap& operator=(const cheap&) = delete;
  ~cheap() {
    EXPECT_LT(std::chrono::steady_clock::now() - start_, std::chrono::seconds(sanitized ? 5 : 1));
    EXPECT_LT(peak_kib() - peak_, 200 << 10) << "KiB of memory more than before";
  }

 private:
  static long peak_kib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  }

  std::chrono::steady_clock::time_point start_;
  long peak_;
};

} // namespace evenly::io::testing
