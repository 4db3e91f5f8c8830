// SPDX-License-Identifier: Apache-2.0
// Reads the first inputs of fuzzing and its findings again: a target ends the program if a rule is broken.
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

TEST(corpus, keeps_the_rules) {
  const std::vector<std::pair<std::string, std::function<void(const std::string&)>>> readers{
      {"matrix_market", fuzz_matrix_market},   {"npy", fuzz_npy},       {"npz", fuzz_npz},
      {"harwell_boeing", fuzz_harwell_boeing}, {"points", fuzz_points}, {"edges", fuzz_edges}};
  const std::filesystem::path folder = std::filesystem::path(EVENLY_SOURCE_DIR) / "tests/io/corpus";
  for (const auto& [name, read] : readers) {
    int files = 0;
    for (const auto& each : std::filesystem::directory_iterator(folder / name)) {
      SCOPED_TRACE(each.path());
      read(content_of(each.path()));
      ++files;
    }
    EXPECT_GT(files, 2) << name;
  }
}

/// Every seed, cut short at each place and with each of some bits turned.
TEST(corpus, damaged) {
  const std::filesystem::path folder = std::filesystem::path(EVENLY_SOURCE_DIR) / "tests/io/corpus";
  const std::vector<std::pair<std::string, std::function<void(const std::string&)>>> readers{
      {"npy", fuzz_npy},
      {"npz", fuzz_npz},
      {"harwell_boeing", fuzz_harwell_boeing},
      {"points", fuzz_points},
      {"edges", fuzz_edges}};
  for (const auto& [name, read] : readers)
    for (const auto& each : std::filesystem::directory_iterator(folder / name)) {
      const std::string whole = content_of(each.path());
      SCOPED_TRACE(each.path());
      const std::size_t step = 1 + whole.size() / 50;
      for (std::size_t at = 0; at < whole.size(); at += step) {
        read(whole.substr(0, at));
        std::string turned = whole;
        turned[at] = static_cast<char>(turned[at] ^ (1 << at % 8));
        read(turned);
      }
    }
}

} // namespace
} // namespace evenly::io::testing
