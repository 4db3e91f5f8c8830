// SPDX-License-Identifier: Apache-2.0
// A folder for temporary files.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <unistd.h>

namespace evenly::bench {

/// Of this process, under $TMPDIR; it is gone with this object.
class scratch_folder {
 public:
  explicit scratch_folder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              (name + '-' + std::to_string(static_cast<long>(getpid())))) {
    std::filesystem::create_directories(path_);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

} // namespace evenly::bench
