// SPDX-License-Identifier: Apache-2.0
// Real matrices and graphs, where there are any: the folder that EVENLY_DATA names holds them as matrices/*.mtx.xz, and
// as edgelists.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "evenly/io/read.hpp"
#include "host/errors.hpp"
#include "invariants.hpp"
#include "io/edge_list.hpp"
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

/// From, to: each edge once.
std::set<std::pair<int, int>> once(const csr_matrix<double>& edges) {
  std::set<std::pair<int, int>> found;
  for (int row = 0; row < edges.rows; ++row)
    for (int k = edges.offsets[row]; k < edges.offsets[row + 1]; ++k) found.emplace(row, edges.columns[k]);
  return found;
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

/// Empty where there are none.
std::filesystem::path edgelists() {
  const char* folder = std::getenv("EVENLY_DATA");
  const auto found = std::filesystem::path(folder == nullptr ? "" : folder) / "edgelists";
  return folder != nullptr && std::filesystem::exists(found) ? found : std::filesystem::path();
}

/// One graph of the GAP benchmark suite's tests in five formats, of which four can be read.
TEST(data_folder, formats_of_one_graph_agree) {
  const auto folder = edgelists();
  if (folder.empty()) GTEST_SKIP() << "EVENLY_DATA names no folder with edgelists/gapbs_4.*";
  const std::string stem = folder / "gapbs_4.";
  const edge_rows pairs = read_graph(stem + "el"), weighted = read_graph(stem + "wel"),
                  dimacs = read_graph(stem + "gr"), matrix = read_graph(stem + "mtx");
  EXPECT_EQ(shape_of(pairs.rows), (shape{14, 14, 256, 153}));
  for (const edge_rows* each : {&weighted, &dimacs}) {
    EXPECT_EQ(each->rows.offsets, pairs.rows.offsets);
    EXPECT_EQ(each->rows.columns, pairs.rows.columns);
  }
  EXPECT_EQ(weighted.rows.values, dimacs.rows.values);
  EXPECT_TRUE(weighted.has_weights && dimacs.has_weights && !pairs.has_weights && !matrix.has_weights);
  EXPECT_EQ(
      std::make_tuple(pairs.first_vertex, weighted.first_vertex, dimacs.first_vertex, matrix.first_vertex),
      std::make_tuple(0, 0, 1, 1));
  // A matrix has an edge once, however often it is in a list.
  EXPECT_EQ(once(matrix.rows), once(pairs.rows));
  EXPECT_EQ(matrix.rows.atoms(), std::ssize(once(pairs.rows)));
  // It announces sizes of vertices, and has none; and each edge at one of its ends.
  try {
    read_graph(stem + "graph");
    ADD_FAILURE() << "gapbs_4.graph is no METIS file, and was read";
  } catch (const file_error& e) {
    EXPECT_EQ(e.line(), 3);
    EXPECT_EQ(e.rule(), "the line ends where the size or weight of the vertex should be");
  }
}

TEST(data_folder, lists_have_their_known_shapes) {
  const auto folder = edgelists();
  if (folder.empty()) GTEST_SKIP() << "EVENLY_DATA names no folder with edgelists";
  EXPECT_EQ(shape_of(read_graph(folder / "wiki-Vote.txt.xz").rows), (shape{8298, 8298, 103689, 893}));
  const edge_rows roads = read_graph(folder / "USA-road-d.NY.gr.xz");
  EXPECT_EQ(shape_of(roads.rows), known.at("USA-road-d.NY.mtx.xz"));
  EXPECT_TRUE(is_symmetric(roads.rows));
}

} // namespace
} // namespace evenly::io::testing
