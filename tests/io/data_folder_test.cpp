// SPDX-License-Identifier: Apache-2.0
// Real matrices, where there are any: the folder that EVENLY_DATA names holds them as matrices/*.mtx.xz.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "invariants.hpp"
#include "io/errors.hpp"
#include "io/matrix_market.hpp"

namespace evenly::io::testing {
namespace {

using shape = std::tuple<int, int, int, int>; // rows, columns, entries, longest row

const std::map<std::string, shape> known{
    {"arrow.mtx.xz", {46500, 46500, 139498, 46500}},
    {"bcsstk13.mtx.xz", {2003, 2003, 83883, 95}},
    {"karate.mtx.xz", {34, 34, 156, 17}},
    {"lp_e226.mtx.xz", {223, 472, 2768, 110}},
    {"mult_dcop_01.mtx.xz", {25187, 25187, 193276, 22767}},
    {"USA-road-d.NY.mtx.xz", {264346, 264346, 730100, 8}},
    {"web-NotreDame.mtx.xz", {325729, 325729, 1497134, 3445}},
};

shape shape_of(const csr_matrix<double>& a) {
  int longest = 0;
  for (int row = 0; row < a.rows; ++row) longest = std::max(longest, a.offsets[row + 1] - a.offsets[row]);
  return {a.rows, a.cols, a.atoms(), longest};
}

TEST(data_folder, matrices_have_their_known_shapes) {
  const char* folder = std::getenv("EVENLY_DATA");
  if (folder == nullptr) GTEST_SKIP() << "EVENLY_DATA names no folder with matrices/*.mtx.xz";
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(folder) / "matrices")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".mtx.xz")) continue;
    if (name == "young1c.mtx.xz") { // complex
      EXPECT_THROW(read_matrix_market(entry.path()), file_error);
      continue;
    }
    const auto a = read_matrix_market(entry.path());
    EXPECT_EQ(broken_rule(a), "") << name;
    if (!known.contains(name)) continue;
    EXPECT_EQ(shape_of(a), known.at(name)) << name;
    ++found;
  }
  EXPECT_EQ(found, std::ssize(known));
}

} // namespace
} // namespace evenly::io::testing
