// SPDX-License-Identifier: Apache-2.0
// Serialized graphs of the GAP benchmark suite.
#include "io/serialized_graph.hpp"

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/messages.hpp"

namespace evenly::io {
namespace {

template <class Number> std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}
std::string file_of(bool directed, std::int64_t edges, const std::vector<std::int64_t>& offsets,
                    const std::vector<std::int32_t>& ends) {
  return std::string(1, directed ? '\1' : '\0') +
         bytes_of<std::int64_t>({edges, static_cast<std::int64_t>(offsets.size()) - 1}) + bytes_of(offsets) +
         bytes_of(ends);
}
edge_rows read(const std::string& bytes, file_format format = file_format::gap) {
  std::istringstream stream(bytes);
  return read_serialized_graph(byte_source(stream, "g"), format);
}
std::string refused(const std::string& bytes, file_format format = file_format::gap) {
  return message_of<file_error>([&] { read(bytes, format); });
}

const std::vector<std::int64_t> path_offsets{0, 1, 3, 4};
const std::vector<std::int32_t> path_ends{1, 0, 2, 1};

TEST(SerializedGraph, IsRead) {
  const edge_rows path = read(file_of(false, 4, path_offsets, path_ends));
  EXPECT_EQ(path.rows.rows, 3);
  EXPECT_EQ(path.rows.cols, 3);
  EXPECT_EQ(path.rows.offsets, (std::vector<int>{0, 1, 3, 4}));
  EXPECT_EQ(path.rows.columns, path_ends);
  EXPECT_EQ(path.rows.values, std::vector<double>(4, 1.0));
  EXPECT_FALSE(path.has_weights);
  EXPECT_EQ(read(file_of(false, 0, {0}, {})).rows.rows, 0);
  EXPECT_EQ(read(file_of(false, 0, {0, 0}, {})).rows.rows, 1);
}

TEST(SerializedGraph, HasWeightsAndArrivingEdges) {
  // 0 -> 2 (7), 0 -> 1 (5), 2 -> 1 (-3); a row that is not sorted is.
  const std::string leaving = file_of(true, 3, {0, 2, 2, 3}, {2, 7, 1, 5, 1, -3});
  const std::string arriving =
      bytes_of<std::int64_t>({0, 0, 2, 3}) + bytes_of<std::int32_t>({0, 5, 2, -3, 0, 7});
  const edge_rows got = read(leaving + arriving, file_format::gap_weighted);
  EXPECT_TRUE(got.has_weights);
  EXPECT_EQ(got.rows.columns, (std::vector<int>{1, 2, 1}));
  EXPECT_EQ(got.rows.values, (std::vector<double>{5, 7, -3}));
  EXPECT_EQ(refused(leaving, file_format::gap_weighted), "g: the data end before the end of the offsets");
  EXPECT_EQ(refused(leaving + arriving + "x", file_format::gap_weighted),
            "g: the file goes on after the last edge");
}

TEST(SerializedGraph, RefusesOtherBytes) {
  EXPECT_EQ(refused("0 1\n"), "g: not a serialized graph of GAP: the first byte is 48, but must be 0 "
                              "(undirected) or 1 (directed)");
  EXPECT_EQ(refused(""), "g: the data end before the end of the header");
  EXPECT_EQ(refused(std::string(5, '\0')), "g: the data end before the end of the header");
  const std::string good = file_of(false, 4, path_offsets, path_ends);
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(refused(good.substr(0, size)).find("the data end before the end of the"), std::string::npos);
  EXPECT_EQ(refused(file_of(false, -1, {0}, {})), "g: -1 edges: the number must be 0 to 2147483647");
  EXPECT_EQ(refused(std::string(1, '\0') + bytes_of<std::int64_t>({0, std::int64_t{1} << 40})),
            "g: 1099511627776 vertices: the number must be 0 to 2147483646");
  const std::string rule = ": offsets must begin with 0, not decrease and end with 4, the number of edges";
  EXPECT_EQ(refused(file_of(false, 4, {1, 1, 3, 4}, path_ends)), "g: offset 0 is 1" + rule);
  EXPECT_EQ(refused(file_of(false, 4, {0, 3, 1, 4}, path_ends)), "g: offset 2 is 1" + rule);
  EXPECT_EQ(refused(file_of(false, 4, {0, 1, 9, 4}, path_ends)), "g: offset 2 is 9" + rule);
  EXPECT_EQ(refused(file_of(false, 4, {0, 1, 2, 3}, path_ends)),
            "g: the last offset is 3: it must be 4, the number of edges");
  EXPECT_EQ(refused(file_of(false, 4, path_offsets, {1, 0, 3, 1})),
            "g: edge 2 ends at 3, which is not a vertex: vertices are numbered from 0 to 2");
  EXPECT_EQ(refused(file_of(false, 4, path_offsets, {1, 0, -1, 1})),
            "g: edge 2 ends at -1, which is not a vertex: vertices are numbered from 0 to 2");
}

} // namespace
} // namespace evenly::io
