// SPDX-License-Identifier: Apache-2.0
// Reading files with evenly::io: a matrix in any format, a vector, and the error of a wrong file.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "evenly/io/read.hpp"
#include "evenly/sparse/operators.hpp"

namespace fs = std::filesystem;

/// A file in a folder of its own, which its destructor removes.
struct scratch_file {
  explicit scratch_file(const char* name) {
    std::string made = (fs::temp_directory_path() / "evenly-example-XXXXXX").string();
    folder = ::mkdtemp(made.data());
    path = folder / name;
  }
  ~scratch_file() { fs::remove_all(folder); }
  fs::path folder, path;
};

int main() {
  // Three roads between three towns, in the format of the ninth DIMACS challenge. The content decides on the format.
  const scratch_file roads("roads"), lengths("lengths.npy");
  std::ofstream(roads.path) << "c three roads\np sp 3 3\na 1 2 7\na 2 3 4\na 3 1 2\n";
  const auto a = evenly::io::read<double>(roads.path);

  const std::vector<double> y = a * std::vector<double>(3, 1.0);
  evenly::io::write_vector(lengths.path, y); // numpy.load reads it
  for (const double sum : evenly::io::read_vector(lengths.path)) std::printf("%g\n", sum);

  std::ofstream(roads.path) << "p sp 3 1\na 1 4 7\n";
  try {
    evenly::io::read_graph(roads.path);
  } catch (const evenly::io::file_error& error) {
    std::printf("line %d: %s\n", static_cast<int>(error.line()), error.rule().c_str());
    return y == std::vector<double>{7, 4, 2} && error.rule() == "the target is '4': it must be 1 to 3" ? 0
                                                                                                       : 1;
  }
  return 1;
}
