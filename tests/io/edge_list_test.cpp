// SPDX-License-Identifier: Apache-2.0
// Lists of edges in all formats: their meaning, refusals, in files of one block and of many.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/errors.hpp"
#include "io/edge_list.hpp"
#include "io/graph_input.hpp"
#include "io/text_blocks.hpp"
#include "support/messages.hpp"
#include "support/monoids.hpp"

namespace evenly::io {
namespace {

using edge = std::tuple<int, int, double>;

std::vector<edge> edges_of(const csr_matrix<double>& rows) {
  std::vector<edge> edges;
  for (int v = 0; v < rows.rows; ++v)
    for (int k = rows.offsets[v]; k < rows.offsets[v + 1]; ++k)
      edges.emplace_back(v, rows.columns[k], rows.values[k]);
  return edges;
}

edge_rows read(const std::string& text, file_format format, const read_options& how = {},
               std::vector<std::string>* remarks = nullptr) {
  std::istringstream stream(text);
  const auto say = [&](const std::string& remark) {
    if (remarks != nullptr) remarks->push_back(remark);
  };
  return read_edges(byte_source(stream, "file"), format, how, {.say = say, .takes_two_sets = true});
}
std::vector<std::string> remarks_on(const std::string& text, file_format format = file_format::pairs,
                                    const read_options& how = {}) {
  std::vector<std::string> remarks;
  read(text, format, how, &remarks);
  return remarks;
}
std::vector<edge> edges_in(const std::string& text, file_format format, const read_options& how = {}) {
  return edges_of(read(text, format, how).rows);
}
std::string refused(const std::string& text, file_format format, const read_options& how = {}) {
  return message_of<file_error>([&] { read(text, format, how); });
}
std::vector<std::string> labels_of(const edge_rows& graph) {
  std::vector<std::string> labels;
  for (int v = 0; v < graph.rows.rows; ++v) labels.push_back(graph.labels.of(v));
  return labels;
}

TEST(EdgeLists, OfPairs) {
  const edge_rows got = read("# SNAP\n% or so\n\n 3\t1 \r\n0 2\n0 0\n0 2\n", file_format::pairs);
  EXPECT_EQ(edges_of(got.rows), (std::vector<edge>{{0, 0, 1}, {0, 2, 1}, {0, 2, 1}, {3, 1, 1}}));
  EXPECT_EQ(got.rows.rows, 4);
  EXPECT_EQ(got.rows.cols, 4);
  EXPECT_FALSE(got.has_weights);
  EXPECT_EQ(got.first_vertex, 0);
  for (const char* nothing : {"", "# no edges", "\n\n"})
    EXPECT_EQ(read(nothing, file_format::pairs).rows.rows, 0);
  EXPECT_EQ(edges_in("0 1", file_format::pairs).size(), 1u);
  const std::vector<edge> want{{0, 2, 1}, {3, 1, 1}};
  for (const char* same :
       {"3,1\n0,2\n", "3, 1\r\n0 ,2\r\n", "3\t1\n# between\n\n%\n0\t2\t \n", " 3 1 \n 0,\t2"})
    EXPECT_EQ(edges_in(same, file_format::pairs), want) << same;
}

TEST(EdgeLists, WithWeights) {
  const edge_rows got = read("1 0 2.5\n0 1 3\n0 1 -1e-3\n", file_format::weighted);
  EXPECT_EQ(edges_of(got.rows), (std::vector<edge>{{0, 1, -1e-3}, {0, 1, 3}, {1, 0, 2.5}}));
  EXPECT_TRUE(got.has_weights);
}

TEST(EdgeLists, OfDimacs) {
  const edge_rows got = read("c a road\np sp 4 2\nc\na 1 4 7\na 4 2 0\n", file_format::dimacs);
  EXPECT_EQ(edges_of(got.rows), (std::vector<edge>{{0, 3, 7}, {3, 1, 0}}));
  EXPECT_EQ(got.rows.rows, 4);
  EXPECT_TRUE(got.has_weights);
  EXPECT_EQ(got.first_vertex, 1);
  EXPECT_EQ(read("p sp 5 0\n", file_format::dimacs).rows.rows, 5);
  const std::string windows = "c\r\np sp 4 2\r\nn 1 s\r\nn 4 t\r\na 1 4 7\r\n\r\nc\tx\r\na 4 2 0\r\n";
  EXPECT_EQ(edges_in(windows, file_format::dimacs), edges_of(got.rows));
}

TEST(EdgeLists, OfMetis) {
  const edge_rows got =
      read("% a path of three, and one alone\n4 2\n2\n1 3\n% between\n2\n\n", file_format::metis);
  EXPECT_EQ(edges_of(got.rows), (std::vector<edge>{{0, 1, 1}, {1, 0, 1}, {1, 2, 1}, {2, 1, 1}}));
  EXPECT_EQ(got.rows.rows, 4);
  EXPECT_FALSE(got.has_weights);
  EXPECT_EQ(got.first_vertex, 1);
  const std::vector<edge> weighted{{0, 1, 9}, {1, 0, 9}};
  EXPECT_EQ(edges_in("2 1 1\n2 9\n1 9\n", file_format::metis), weighted);
  EXPECT_EQ(edges_in("2 1 011 2\n5 6 2 9\n7 8 1 9\n", file_format::metis), weighted);
  EXPECT_EQ(edges_in("2 1 111\n1 5 2 9\n1 7 1 9", file_format::metis), weighted);
  EXPECT_EQ(edges_in("2 1 001\r\n\t2 9 \r\n%\r\n1 9\r\n\r\n", file_format::metis), weighted);
  EXPECT_EQ(edges_in("2 1 100\n5 2\n6 1\n", file_format::metis), (std::vector<edge>{{0, 1, 1}, {1, 0, 1}}));
  EXPECT_EQ(read("0 0\n", file_format::metis).rows.rows, 0);
}

TEST(EdgeLists, RefuseWhatIsNone) {
  using f = file_format;
  EXPECT_EQ(
      refused("0 1\n2 x\n", f::pairs),
      "file:2: 'x' is not an integer: the target must be one; --renumber accepts all integers and names");
  EXPECT_EQ(refused("0 1\n2\n", f::pairs), "file:2: the line ends where the target should be");
  const std::string remedy = "; --renumber accepts all integers and names";
  EXPECT_EQ(refused("# c\n-1 2\n", f::pairs),
            "file:2: the source is '-1': it must be 0 to 2147483645" + remedy);
  EXPECT_EQ(refused("0 2147483646\n", f::pairs),
            "file:1: the target is '2147483646': it must be 0 to 2147483645" + remedy);
  EXPECT_EQ(refused("0 1\n", f::weighted), "file:1: the line ends where the weight should be");
  EXPECT_EQ(refused("0 1 nan\n", f::weighted), "file:1: the weight is nan: it must be finite");
  EXPECT_EQ(refused("0 1 inf\n", f::weighted), "file:1: the weight is inf: it must be finite");
  EXPECT_EQ(refused("0 1 1e999\n", f::weighted),
            "file:1: the weight is '1e999', outside the range of a double");
  EXPECT_EQ(refused("", f::dimacs), "file: the file ends before the line `p sp vertices edges`");
  EXPECT_EQ(refused("c\na 1 2 3\n", f::dimacs),
            "file:2: the first line after comments must be `p sp vertices edges`");
  EXPECT_EQ(refused("p sp 2 1\na 1 3 1\n", f::dimacs), "file:2: the target is '3': it must be 1 to 2");
  EXPECT_EQ(refused("p sp 2 1\na 0 1 1\n", f::dimacs), "file:2: the source is '0': it must be 1 to 2");
  EXPECT_EQ(refused("p sp 2 2\na 1 2 1\n", f::dimacs),
            "file:2: the file has 1 edges, but line 1 announces 2");
  EXPECT_EQ(
      refused("p sp 2 1\ne 1 2 1\n", f::dimacs),
      "file:2: the line begins with 'e': lines after the header must be `a from to weight` or c comments");
  EXPECT_EQ(refused("p max 2 1\na 1 2 1\n", f::dimacs),
            "file:1: the problem is 'max': it must be `p sp`, `p edge`, `p col` or `p tw`");
  EXPECT_EQ(refused("", f::metis), "file: the file ends before the line `vertices edges`");
  EXPECT_EQ(refused("2 1 2\n", f::metis),
            "file:1: the format is 2: it must be up to three digits, each 0 or 1");
  EXPECT_EQ(refused("2 1\n2\n", f::metis),
            "file:2: the file ends after the lines of 1 of 2 vertices, the number on line 1");
  EXPECT_EQ(refused("1 0\n\n1\n", f::metis),
            "file:3: '1' after the lines of all 1 vertices, the number on line 1");
  EXPECT_EQ(refused("2 1\n2\n\n", f::metis),
            "file:3: the lines have 1 neighbours, but line 1 announces 1 edges of two neighbours each");
  EXPECT_EQ(refused("2 1\n3\n1\n", f::metis), "file:2: the neighbour is '3': it must be 1 to 2");
  EXPECT_EQ(refused("2 1 1\n2\n1 4\n", f::metis), "file:2: the line ends where the weight should be");
}

/// More than two blocks of text, so that lines lie across the ends of blocks and pieces.
TEST(EdgeLists, OfManyBlocks) {
  std::string pairs, metis;
  std::vector<edge> want;
  const int vertices = 100000, degree = 40;
  for (int v = 0; v < vertices; ++v)
    for (int i = 0; i < degree; ++i) {
      const auto to = static_cast<int>(mixed(static_cast<std::uint64_t>(v) * degree + i) % vertices);
      pairs += std::to_string(v) + ' ' + std::to_string(to) + '\n';
      metis += std::to_string(to + 1) + (i + 1 < degree ? ' ' : '\n');
      want.emplace_back(v, to, 1);
    }
  std::sort(want.begin(), want.end());
  ASSERT_GT(pairs.size(), 2 * text_blocks::block_bytes);
  EXPECT_EQ(edges_in(pairs, file_format::pairs), want);
  const std::string header = std::to_string(vertices) + ' ' + std::to_string(vertices * degree / 2) + '\n';
  EXPECT_EQ(edges_in(header + metis, file_format::metis), want);

  // The first of two wrong lines is named, wherever it is.
  const auto lines = std::to_string(vertices * degree + 1);
  EXPECT_EQ(refused(pairs + "0 y\n0 z\n", file_format::pairs),
            "file:" + lines +
                ": 'y' is not an integer: the target must be one; --renumber accepts all integers and names");
}

/// In no order, some several times, in many buckets of rows; every seventh line is not of plain numbers.
TEST(EdgeLists, InAnyOrder) {
  const int edges = 300'000, vertices = 70'000;
  std::string pairs, weighted, arcs = "p sp 70000 300000\n";
  std::vector<edge> want, want_weights;
  for (int i = 0; i < edges; ++i) {
    const std::uint64_t bits = mixed(static_cast<std::uint64_t>(i));
    const auto from = static_cast<int>(bits % 1000 * 70 + bits / 1000 % 3);
    const auto to = static_cast<int>(i == 0 ? vertices - 1 : bits / 3000 % 50'000);
    const auto weight = static_cast<int>(bits >> 60);
    const std::string a = std::to_string(from), b = std::to_string(to), w = std::to_string(weight);
    const bool plain = i % 7 != 0;
    pairs += plain ? a + '\t' + b + '\n' : '+' + a + " , " + b + "\r\n";
    weighted += plain ? a + ' ' + b + ' ' + w + ".0\n" : ' ' + a + " +" + b + ' ' + w + "e0 \n";
    arcs += (plain ? "a " : "a\t") + std::to_string(from + 1) + ' ' + std::to_string(to + 1) + ' ' + w + '\n';
    want.emplace_back(from, to, 1);
    want_weights.emplace_back(from, to, weight);
  }
  std::sort(want.begin(), want.end());
  std::sort(want_weights.begin(), want_weights.end());
  EXPECT_EQ(edges_in(pairs, file_format::pairs), want);
  EXPECT_EQ(edges_in(weighted, file_format::weighted), want_weights);
  const edge_rows got = read(arcs, file_format::dimacs);
  EXPECT_EQ(edges_of(got.rows), want_weights);
  EXPECT_EQ(got.rows.rows, vertices);
}

TEST(EdgeLists, OfMetisWithOtherSpellings) {
  const std::vector<edge> want{{0, 1, 1}, {0, 2, 1}, {1, 0, 1}, {2, 0, 1}};
  for (const char* same : {"3 2\n2 3\n1\n1\n", "3 2\n\t+2\t 3\n1 \n+1\n", "3 2\n2 +3\n1\r\n01\r\n"})
    EXPECT_EQ(edges_in(same, file_format::metis), want) << same;
  EXPECT_EQ(refused("3 2\n2 3x\n1\n1\n", file_format::metis),
            "file:2: '3x' is not an integer: the neighbour must be one");
  EXPECT_EQ(refused("3 2\n2 4\n1\n1\n", file_format::metis),
            "file:2: the neighbour is '4': it must be 1 to 3");
  EXPECT_EQ(refused("3 2\n2 99999999999999999999\n1\n1\n", file_format::metis).find("file:2: "), 0u);
}

/// A line that is longer than a block.
TEST(EdgeLists, OfLongLines) {
  const int vertices = 4'000'000;
  std::string text = std::to_string(vertices) + ' ' + std::to_string(vertices - 1) + '\n';
  for (int v = 2; v <= vertices; ++v) text += std::to_string(v) + ' ';
  ASSERT_GT(text.size(), text_blocks::block_bytes);
  text += '\n';
  for (int v = 2; v <= vertices; ++v) text += "1\n";
  const edge_rows got = read(text, file_format::metis);
  EXPECT_EQ(got.rows.offsets[1], vertices - 1);
  EXPECT_EQ(got.rows.atoms(), 2 * (vertices - 1));
}

TEST(EdgeLists, AreMadeToGoBothWays) {
  const auto rows = read("0 1 5\n1 0 3\n0 0 1\n2 1 4\n2 1 2\n", file_format::weighted).rows;
  EXPECT_FALSE(is_symmetric(rows));
  const auto both = both_directions(rows);
  EXPECT_EQ(edges_of(both), (std::vector<edge>{{0, 0, 1}, {0, 1, 3}, {1, 0, 3}, {1, 2, 2}, {2, 1, 2}}));
  EXPECT_TRUE(is_symmetric(both));
  EXPECT_TRUE(is_symmetric(read("", file_format::pairs).rows));
  EXPECT_FALSE(is_symmetric(read("0 1 5\n1 0 3\n", file_format::weighted).rows));
}

TEST(EdgeLists, AreToldByTheirEndings) {
  for (const char* pairs : {"a/b.el", "b.edgelist", "b.edges.xz"})
    EXPECT_EQ(format_by_ending(pairs), file_format::pairs);
  EXPECT_EQ(format_by_ending("b.txt.gz"), file_format::pairs);
  EXPECT_EQ(format_by_ending("b.wel.zst"), file_format::weighted);
  EXPECT_EQ(format_by_ending("USA-road-d.NY.gr.bz2"), file_format::dimacs);
  EXPECT_EQ(format_by_ending("b.graph"), file_format::metis);
  for (const char* table : {"b.csv", "b.tsv.gz"}) EXPECT_EQ(format_by_ending(table), file_format::pairs);
  EXPECT_EQ(format_by_ending("b.adjlist"), file_format::adjacency_list);
  for (const char* other : {"b.cs", "b.gz", "el", "b"}) EXPECT_EQ(format_by_ending(other), std::nullopt);
}

using strings = std::vector<std::string>;
using c = edge_column;

const std::vector<edge> weighted_path{{0, 1, 2.5}, {1, 2, 1}};

TEST(EdgeDialects, OfNetworkX) {
  const auto got = read("0 1 {'weight': 2.5}\n1 2 {}\n", file_format::pairs);
  EXPECT_EQ(edges_of(got.rows), weighted_path);
  EXPECT_TRUE(got.has_weights);
  EXPECT_FALSE(read("0 1 {}\n1 2 {}\n", file_format::pairs).has_weights);
  EXPECT_EQ(remarks_on("0 1 {}\n1 2 {}\n"), strings{});
  const std::string colours =
      "0 1 {'color': 'a, \\'b}', \"weight\": 2.5, 'z': [1, (2, 3)]} # x\n1 2 {'c': None}\n";
  EXPECT_EQ(edges_in(colours, file_format::pairs), weighted_path);
  EXPECT_EQ(remarks_on(colours), strings{"file:1: attributes other than 'weight' are ignored"});
  EXPECT_EQ(edges_in(colours, file_format::pairs, {.columns = {c::target, c::source, c::ignored}}),
            (std::vector<edge>{{1, 0, 1}, {2, 1, 1}}));
  EXPECT_EQ(refused("0 1 {}\n1 2 {'weight': x}\n", file_format::pairs),
            "file:2: 'x' is not a number: the weight must be one");
  EXPECT_EQ(refused("0 1 {}\n1 2 {'weight': 1\n", file_format::pairs),
            "file:2: '{'weight': 1' is not a dictionary of attributes in the form that NetworkX writes");
}

TEST(EdgeDialects, OfAdjacencyLists) {
  const std::string text = "# GMT\n#\n0 1 2 3\n1 2\n2\n5 # alone\n";
  const std::vector<edge> want{{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {1, 2, 1}};
  const auto got = read(text, file_format::adjacency_list);
  EXPECT_EQ(edges_of(got.rows), want);
  EXPECT_EQ(got.rows.rows, 6);
  EXPECT_EQ(remarks_on(text, file_format::adjacency_list), strings{});
  EXPECT_EQ(edges_in(text, file_format::pairs), want);
  EXPECT_EQ(remarks_on(text),
            strings{"file:3: lines have 1 to 4 numbers: each line is read as a vertex and its neighbours"});
  const auto named = read("a b c\nd\n", file_format::adjacency_list);
  EXPECT_EQ(edges_of(named.rows), (std::vector<edge>{{0, 1, 1}, {0, 2, 1}}));
  EXPECT_EQ(labels_of(named), (strings{"a", "b", "c", "d"}));
}

TEST(EdgeDialects, OfThreeColumnsAndMore) {
  EXPECT_EQ(edges_in("0 1 2.5\n1 2 1\n", file_format::pairs), weighted_path);
  EXPECT_EQ(remarks_on("# c\n0 1 2.5\n1 2 1\n"),
            strings{"file:2: 3 columns: the third is read as the weight (--columns src,dst,- ignores it)"});
  EXPECT_EQ(remarks_on("0 1 2\n"), strings{"file:1: 3 columns: the third is read as the weight (--columns "
                                           "src,dst,- ignores it; --format adjlist reads neighbours)"});
  EXPECT_EQ(edges_in("0,1,2.5,77\n1,2,1,78\n", file_format::pairs), weighted_path);
  EXPECT_EQ(edges_in("0 1 2.5 77 a\n1 2 1 78 b\n", file_format::pairs), weighted_path);
  EXPECT_EQ(remarks_on("0 1 2.5 77 8\n"),
            strings{"file:1: 5 columns: the third is read as the weight, the others are ignored (--columns "
                    "src,dst,-,-,- ignores weights)"});
  EXPECT_EQ(remarks_on("0 1 2\n", file_format::weighted), strings{});
  EXPECT_EQ(refused("0 1 x\n", file_format::pairs),
            "file:1: 'x' is not a number: the weight must be one; --columns src,dst,- ignores it");
  EXPECT_EQ(refused("0 1 2\n0 1 2 3\n0 1 .5\n", file_format::pairs),
            "file:2: '3' after column 3, where the line must end: the first edge has only these columns");
  EXPECT_EQ(edges_in("0 1 # a note\n1\t2 % another\n", file_format::pairs),
            (std::vector<edge>{{0, 1, 1}, {1, 2, 1}}));
}

TEST(EdgeDialects, OfKonect) {
  const auto got = read("% sym weighted\n% 2 3 3\n1 2 2.5\n2 3 1\n", file_format::pairs);
  EXPECT_EQ(edges_of(got.rows), weighted_path);
  EXPECT_EQ(got.first_vertex, 1);
  EXPECT_EQ(got.labels.of(2), "3");
  EXPECT_EQ(edges_in("% asym positive\n1 2 2.5 1167609600\n2 3 1 1167609601\n", file_format::pairs),
            weighted_path);
  const auto two_sets = read("% bip unweighted\n1 4\n2 1\n", file_format::pairs);
  EXPECT_EQ(edges_of(two_sets.rows), (std::vector<edge>{{0, 3, 1}, {1, 0, 1}}));
  EXPECT_EQ(std::pair(two_sets.rows.rows, two_sets.rows.cols), std::pair(2, 4));
  EXPECT_EQ(format_by_content("% bip unweighted\n1 4\n"), file_format::pairs);
}

TEST(EdgeDialects, OfTables) {
  for (const char* same :
       {"src,dst,weight\n0,1,2.5\n1,2,1\n", "Weight;Target;Source\r\n2.5;1;0\r\n1;2;1\r\n",
        "from\tto\tvalue\n0\t1\t2.5\n1\t2\t1\n", "\"u\",\"v\",\"w\"\n\"0\",\"1\",\"2.5\"\n1,2,1\n",
        "\xef\xbb\xbfsource,target,rating\n0,1,2.5\n1,2,1"})
    EXPECT_EQ(edges_in(same, file_format::pairs), weighted_path) << same;
  EXPECT_EQ(remarks_on("time,src,dst\n9,0,1\n"), strings{"file:2: ignored columns: 'time'"});
  EXPECT_FALSE(read("time,src,dst\n9,0,1\n", file_format::pairs).has_weights);
  EXPECT_EQ(refused("src;dst;weight\n0;1;2,5\n", file_format::pairs),
            "file:2: the weight (column 3) is '2,5', with a decimal comma: write a decimal point");
  EXPECT_EQ(refused("src,dst,weight\n0,1,\n", file_format::pairs),
            "file:2: the line ends where the weight (column 3) should be");
  EXPECT_EQ(refused("a,b\n0,1\n", file_format::pairs),
            "file:1: 'a' and 'b' are not integers, but the vertices on the next line are: add --columns "
            "src,dst if they name columns, --renumber if they name vertices");
  EXPECT_EQ(edges_in("a,b\n0,1\n", file_format::pairs, {.columns = {c::target, c::source}}),
            (std::vector<edge>{{1, 0, 1}}));
  EXPECT_EQ(refused("src,dst\n\"0,1\n", file_format::pairs),
            "file:2: a quote is not closed, or text follows it: \" must end a field");
}

TEST(EdgeDialects, WithGivenColumns) {
  const read_options how{.columns = {c::weight, c::ignored, c::target, c::source}};
  EXPECT_EQ(edges_in("2.5 x 1 0\n1 y 2 1\n", file_format::pairs, how), weighted_path);
  EXPECT_EQ(remarks_on("2.5 x 1 0\n", file_format::pairs, how), strings{});
  EXPECT_EQ(refused("2.5 x 1 0\n2.5 x 1 z\n", file_format::pairs, how),
            "file:2: 'z' is not an integer: the source (column 4) must be one; --renumber accepts all "
            "integers and names");
  EXPECT_EQ(refused("2.5 x 1 0 7\n", file_format::pairs, how),
            "file:1: '7' after column 4, where the line must end: there are 4 columns");
  EXPECT_EQ(refused("p sp 1 0\n", file_format::dimacs, how),
            "file: DIMACS .gr: --columns applies to edge lists only");
}

TEST(EdgeDialects, OfDimacs) {
  const std::vector<edge> want{{0, 2, 1}, {1, 0, 1}};
  for (const char* same : {"c x\np edge 3 2\ne 1 3\ne 2 1\n", "p col 3 4\nn 1 7\ne 1 3\ne 2 1\n",
                           "c x\np tw 3 2\n1 3\nc y\n2 1\n"}) {
    EXPECT_EQ(edges_in(same, file_format::dimacs), want) << same;
    EXPECT_EQ(format_by_content(same), file_format::dimacs) << same;
  }
  EXPECT_EQ(format_by_content("p max 3 1\n"), file_format::dimacs);
  EXPECT_EQ(refused("p edge 3 3\ne 1 3\ne 2 1\n", file_format::dimacs),
            "file:3: the file has 2 edges, but line 1 announces 3");
}

TEST(EdgeDialects, WithIntegersThatAreRounded) {
  EXPECT_EQ(remarks_on("0 1 9007199254740992\n0 1 9007199254740993\n# c\n1 0 -9007199254740995\n",
                       file_format::weighted),
            strings{"file:2: the weight is '9007199254740993': integers above 2^53 are rounded to the "
                    "nearest double (2 in this file)"});
  EXPECT_EQ(remarks_on("p sp 2 1\na 1 2 9007199254740993\n", file_format::dimacs).size(), 1u);
  EXPECT_EQ(remarks_on("0 1 36028797018963968\n0 1 1e30\n", file_format::weighted), strings{});
}

TEST(RenumberedEdges, HaveIdsInOrder) {
  const read_options how{.renumber = true};
  const auto got = read("18446744073709551615 7\n7 4294967296\n", file_format::pairs, how);
  EXPECT_EQ(edges_of(got.rows), (std::vector<edge>{{0, 1, 1}, {2, 0, 1}}));
  EXPECT_EQ(labels_of(got), (strings{"7", "4294967296", "18446744073709551615"}));
  EXPECT_EQ(got.labels.find("4294967296", 3), 1);
  EXPECT_EQ(got.labels.find("8", 3), std::nullopt);
  EXPECT_EQ(labels_of(read("10 9\n+9 010\n", file_format::pairs, how)), (strings{"9", "10"}));
  EXPECT_EQ(remarks_on("10 9\n", file_format::pairs, how), strings{});
  const auto labels_with = [&](const std::string& last) {
    return labels_of(read("10 9\n9 " + last + "\n", file_format::pairs, how));
  };
  EXPECT_EQ(labels_with("100"), (strings{"9", "10", "100"}));
  EXPECT_EQ(labels_with("-1"), (strings{"-1", "10", "9"})); // names, in byte order
  EXPECT_EQ(labels_with("1.5"), (strings{"1.5", "10", "9"}));
  EXPECT_EQ(labels_with("18446744073709551616"), (strings{"10", "18446744073709551616", "9"}));
  EXPECT_EQ(refused("2 1\n2\n1\n", file_format::metis, how),
            "file: METIS .graph: --renumber applies to edge lists only");
  EXPECT_EQ(refused("% bip unweighted\n1 4\n", file_format::pairs, how),
            "file: the graph is bipartite (`% bip`): --renumber needs one set of vertices");
}

TEST(RenumberedEdges, HaveNames) {
  const std::string text = "bob,alice\nbob,Zoe\n\"a \"\"x\"\" , y\",bob\n";
  const auto got = read(text, file_format::pairs);
  EXPECT_EQ(labels_of(got), (strings{"Zoe", "a \"x\" , y", "alice", "bob"}));
  EXPECT_EQ(edges_of(got.rows), (std::vector<edge>{{1, 3, 1}, {3, 0, 1}, {3, 2, 1}}));
  EXPECT_TRUE(got.labels.are_names());
  EXPECT_EQ(got.labels.find("alice", 4), 2);
  EXPECT_EQ(
      remarks_on(text),
      strings{"file:1: the vertices have names: they are numbered in ascending byte order of the names"});
  EXPECT_EQ(labels_of(read("New York\tBoston\n", file_format::pairs)), (strings{"Boston", "New York"}));
  EXPECT_EQ(refused("a b\nc \x01\n", file_format::pairs),
            "file:2: the target is '\\x01': names must not have control characters");
}

/// The same graph in one piece and in many, with any ids.
TEST(RenumberedEdges, OfManyBlocks) {
  const int edges = 400'000, vertices = 30'000;
  std::string ids, names;
  std::vector<edge> want;
  for (int i = 0; i < edges; ++i) {
    const std::uint64_t bits = mixed(static_cast<std::uint64_t>(i));
    const auto from = static_cast<int>(i < vertices ? i : bits % vertices);
    const auto to = static_cast<int>(bits / vertices % vertices);
    const auto id = [](int v) { return std::to_string(10'000'000'000 + 7919LL * v); };
    ids += id(from) + ' ' + id(to) + '\n';
    names += 'v' + id(from) + '\t' + 'v' + id(to) + '\n';
    want.emplace_back(from, to, 1);
  }
  std::sort(want.begin(), want.end());
  EXPECT_EQ(edges_in(ids, file_format::pairs, {.renumber = true}), want);
  const auto named = read(names, file_format::pairs);
  EXPECT_EQ(edges_of(named.rows), want);
  EXPECT_EQ(named.labels.of(1), "v10000007919");
}

class GraphInputs : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("evenly-graphs-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

 private:
  std::filesystem::path folder_;
};

TEST(EdgeLists, OfMetisWithAnEdgeAtOneEndAreSaidToBe) {
  using said = std::vector<std::string>;
  const std::string rule = ": METIS files list each edge at both ends; edges are read as written";
  EXPECT_EQ(remarks_on("3 1\n2 3\n\n\n", file_format::metis),
            said{"file: vertex 1 has the neighbour 2, but 2 does not have 1" + rule});
  EXPECT_EQ(remarks_on("2 1 1\n2 9\n1 8\n", file_format::metis),
            said{"file: vertex 1 has the neighbour 2, but 2 does not have 1 with weight 9" + rule});
  EXPECT_EQ(remarks_on("2 1 1\n2 9\n1 9\n", file_format::metis), said{});
}

TEST_F(GraphInputs, AreMatricesOrListsOfEdges) {
  const std::string banner = "%%MatrixMarket matrix coordinate ";
  const auto matrix = write("m.mtx", banner + "real general\n2 2 1\n1 2 7\n");
  graph_input got = load_graph(matrix, {});
  EXPECT_EQ(edges_of(got.edges), (std::vector<edge>{{0, 1, 7}}));
  EXPECT_EQ(std::tuple(got.name, got.has_weights, got.labels.first()), std::tuple(matrix, true, 1));
  EXPECT_EQ(edges_of(load_graph(matrix, {{}, true}).edges), (std::vector<edge>{{0, 1, 7}, {1, 0, 7}}));
  EXPECT_FALSE(load_graph(write("p", banner + "pattern general\n2 2 1\n1 2\n"), {}).has_weights);
  const auto list = write("list.el", "0 1\n");
  got = load_graph(list, {});
  EXPECT_EQ(std::tuple(got.name, got.edges.rows, got.labels.first()), std::tuple(list, 2, 0));
  EXPECT_TRUE(load_graph(write("odd", "0 1 3\n"), {{.format = file_format::weighted}}).has_weights);
  got = load_graph("regular:rows=5,size=2", {});
  EXPECT_EQ(std::tuple(got.edges.rows, got.has_weights, got.labels.first()), std::tuple(5, false, 0));
}

TEST_F(GraphInputs, AreOneSetOfVertices) {
  const auto path = write("out.two", "% bip unweighted\n1 2\n2 1\n");
  EXPECT_EQ(message_of<file_error>([&] { load_graph(path, {}); }),
            path + ": the graph is bipartite (`% bip`): sources and targets must be one set of vertices");
}

TEST_F(GraphInputs, AreListsToBeRenumbered) {
  const auto matrix = write("m.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n");
  const read_options how{.renumber = true};
  EXPECT_EQ(message_of<file_error>([&] { load_graph(matrix, {how}); }),
            matrix + ": Matrix Market: --renumber applies to edge lists only");
  EXPECT_EQ(message_of<host::spec_error>([&] { load_graph("regular:rows=5,size=2", {how}); }),
            "'regular:rows=5,size=2' is a generator: --renumber and --columns apply to edge lists only");
}

TEST_F(GraphInputs, AreSquare) {
  const auto path = write("wide.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n");
  EXPECT_EQ(message_of<file_error>([&] { load_graph(path, {}); }),
            path + ": 2 rows and 3 columns: a graph needs a square matrix");
}

} // namespace
} // namespace evenly::io
