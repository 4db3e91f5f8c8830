// SPDX-License-Identifier: Apache-2.0
// An open file that compresses its contents.
#pragma once

#include <cstdio>
#include <memory>

#include "io/coding.hpp"

namespace evenly::io {

class compressing_file {
 public:
  /// Writes one stream of coding `how`, which must not be `none`, to `to`, which must outlive the object and stays
  /// open. The result depends on the written bytes only: no time and no name is recorded.
  compressing_file(std::FILE* to, coding how);
  compressing_file(const compressing_file&) = delete;
  compressing_file& operator=(const compressing_file&) = delete;
  ~compressing_file();

  /// The file to write to, without a descriptor and a position. Null if memory is short, with errno set by the
  /// constructor.
  std::FILE* file();

  /// Ends the stream and flushes both files. False, with errno set, if anything could not be written.
  bool finish();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace evenly::io
