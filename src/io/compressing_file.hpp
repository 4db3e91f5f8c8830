// SPDX-License-Identifier: Apache-2.0
// An open file that compresses what is written to it.
#pragma once

#include <cstdio>
#include <memory>

#include "io/coding.hpp"

namespace evenly::io {

class compressing_file {
 public:
  /// Writes one stream of coding `how`, not `none`, to `to`, which must outlive this and stays open. The result depends
  /// on the written bytes only: no time and no name is recorded.
  compressing_file(std::FILE* to, coding how);
  compressing_file(const compressing_file&) = delete;
  compressing_file& operator=(const compressing_file&) = delete;
  ~compressing_file();

  /// The file to write to, which has no descriptor and no position. Null, with errno set by the constructor, if memory
  /// is short.
  std::FILE* file();

  /// Ends the stream and flushes both files. False, with errno set, if anything could not be written.
  bool finish();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace evenly::io
