// SPDX-License-Identifier: Apache-2.0
// A peer that is a script of Python in a process of its own: it gets arrays in files of a folder, and leaves others
// there.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scratch_folder.hpp"

namespace evenly::bench {

/// Returns the version of a module that `python` can import. Empty if it cannot.
inline std::string module_version(const std::string& python, const std::string& module) {
  const std::string command =
      python + " -c 'import " + module + "; print(" + module + ".__version__, end=\"\")' 2>/dev/null";
  const auto close = [](std::FILE* pipe) { pclose(pipe); };
  const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command.c_str(), "r"));
  char text[64];
  return {text, pipe ? std::fread(text, 1, sizeof(text), pipe.get()) : 0};
}

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
