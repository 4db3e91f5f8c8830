// SPDX-License-Identifier: Apache-2.0
// How far something has come that takes long: one line on a terminal, which is written over and at last taken away.
//
// Nothing is written in the first second, nor where stderr is no terminal, so that pipes, files and tests see none.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace evenly::host {

enum class progress_unit { count, bytes };

/// Where a progress goes, and when. Tests have their own.
struct progress_place {
  int descriptor = 2;                         ///< an open file; it is written to if it is a terminal
  std::chrono::milliseconds silence{1000};    ///< before the first line
  std::chrono::milliseconds min_between{200}; ///< lines: five a second
};

class progress {
 public:
  /// name: what takes long, `reading a.mtx`; shown printable. total: how much there is, 0 if nobody knows.
  explicit progress(std::string_view name, std::int64_t total = 0, progress_unit unit = progress_unit::count,
                    const progress_place& place = {});
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  /// Takes the line away.
  ~progress();

  /// Says that `done` of the total are done, about how long the rest will take at the speed so far, and what is next
  /// (`merge_path`), which may be empty. Any thread may call
  /// it, often: it costs a look at the clock unless a line is due.
  void at(std::int64_t done, std::string_view next = {});

 private:
  using clock = std::chrono::steady_clock;
  void write_line(std::int64_t done, std::string_view next);

  std::string name_;
  std::int64_t total_;
  progress_unit unit_;
  progress_place place_;
  clock::time_point start_ = clock::now();
  bool shown_ = false; ///< whether a line is there; guarded by writing_, as is what is written
  std::mutex writing_;
  std::atomic<clock::rep> due_; ///< when the next line may be written; never, if there is no terminal
};

} // namespace evenly::host
