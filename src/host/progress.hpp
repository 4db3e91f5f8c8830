// SPDX-License-Identifier: Apache-2.0
// Progress of long work: one line on a terminal, which is overwritten and finally removed.
//
// Nothing is written in the first second, or if stderr is not a terminal. Pipes, files and tests therefore see no
// progress.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace evenly::host {

enum class progress_unit { count, bytes };

/// Output and timing of a progress line. Tests have their own.
struct progress_place {
  int descriptor = 2;                         ///< an open file; used only if it is a terminal
  std::chrono::milliseconds silence{1000};    ///< before the first line
  std::chrono::milliseconds min_between{200}; ///< minimum interval between lines
};

class progress {
 public:
  /// name: the long work, `reading a.mtx`; printed escaped. total: its amount, 0 if unknown.
  explicit progress(std::string_view name, std::int64_t total = 0, progress_unit unit = progress_unit::count,
                    const progress_place& place = {});
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  /// Removes the line.
  ~progress();

  /// Reports that `done` of the total are done, shows the estimated remaining time and the next step (`merge_path`),
  /// which may be empty. Any thread may call it, often: it only reads the clock unless a line is due.
  void at(std::int64_t done, std::string_view next = {});

 private:
  using clock = std::chrono::steady_clock;
  void write_line(std::int64_t done, std::string_view next);

  std::string name_;
  std::int64_t total_;
  progress_unit unit_;
  progress_place place_;
  clock::time_point start_ = clock::now();
  bool shown_ = false; ///< whether a line is visible; guarded by writing_, as is the output
  std::mutex writing_;
  std::atomic<clock::rep> due_; ///< time of the next line; never, without a terminal
};

} // namespace evenly::host
