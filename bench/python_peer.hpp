// SPDX-License-Identifier: Apache-2.0
// A peer that is a script of Python in a process of its own: it gets arrays in files of a folder, and leaves others
// there.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "scratch_folder.hpp"

namespace evenly::bench {

class exchange_folder {
 public:
  explicit exchange_folder(const std::string& name) : folder_(name) {}

  template <class T> void write(const std::string& name, std::span<const T> values) const {
    std::ofstream(folder_.path() / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size_bytes()));
  }
  template <class T> std::vector<T> read(const std::string& name, std::size_t count) const {
    std::vector<T> values(count);
    std::ifstream(folder_.path() / name, std::ios::binary)
        .read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
    return values;
  }

  /// Whether PYTHON SCRIPT FOLDER WORDS ends well; what it says to standard error is not shown.
  bool run(const std::string& python, const std::string& script, const std::string& words = "") const {
    return std::system(
               (python + " '" + script + "' '" + folder_.path().string() + "' " + words + " 2>/dev/null")
                   .c_str()) == 0;
  }

 private:
  scratch_folder folder_;
};

} // namespace evenly::bench
