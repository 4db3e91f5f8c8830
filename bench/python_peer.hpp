// SPDX-License-Identifier: Apache-2.0
// A peer that is a script of Python in a process of its own: it gets arrays in files of a folder, and leaves others
// there.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

namespace evenly::bench {

/// Of this process; it is gone with this object.
class exchange_folder {
 public:
  explicit exchange_folder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              (name + '-' + std::to_string(static_cast<long>(getpid())))) {
    std::filesystem::create_directories(path_);
  }
  exchange_folder(const exchange_folder&) = delete;
  exchange_folder& operator=(const exchange_folder&) = delete;
  ~exchange_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  template <class T> void write(const std::string& name, std::span<const T> values) const {
    std::ofstream(path_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size_bytes()));
  }
  template <class T> std::vector<T> read(const std::string& name, std::size_t count) const {
    std::vector<T> values(count);
    std::ifstream(path_ / name, std::ios::binary)
        .read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
    return values;
  }

  /// Whether PYTHON SCRIPT FOLDER WORDS ends well; what it says to standard error is not shown.
  bool run(const std::string& python, const std::string& script, const std::string& words = "") const {
    return std::system(
               (python + " '" + script + "' '" + path_.string() + "' " + words + " 2>/dev/null").c_str()) ==
           0;
  }

 private:
  std::filesystem::path path_;
};

} // namespace evenly::bench
