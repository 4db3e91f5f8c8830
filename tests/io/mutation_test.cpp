// SPDX-License-Identifier: Apache-2.0
// Some thousand damaged files: each is a matrix that keeps the rules or a file_error of one line, nothing
// else.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz.hpp"
#include "generate/random.hpp"
#include "generate/row_profile.hpp"
#include "host/errors.hpp"
#include "invariants.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

const std::vector<std::string> seeds{
    "%%MatrixMarket matrix coordinate real general\n% c\n3 4 4\n3 4 -2.5\n1 1 1\n3 1 4e2\n1 3 0.125\n",
    "%%MatrixMarket matrix coordinate integer symmetric\r\n4 4 3\r\n1 1 7\r\n3 1 -2\r\n4 3 5\r\n",
    "%%MatrixMarket matrix coordinate pattern general\n5 2 3\n5 1\n1 2\n\n1 1\n",
    "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1.5\n3 2 nan\n",
    "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n",
    "%%MatrixMarket vector coordinate unsigned-integer general\r4 2\r1 7\r4 18446744073709551615\r",
};
const std::vector<std::string> tokens{
    "-1", "0",         "1",       "2147483647", "99999999999",        "1e308", "nan", "%", "\n", " ",
    "\t", "symmetric", "pattern", "\r",         std::string(1, '\0'), "\xff"};

std::string mutate(std::string text, generate::random_sequence& random) {
  for (int step = random.below(4); step >= 0; --step) {
    const auto at = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(text.size()) + 1));
    const auto length = static_cast<std::size_t>(1 + random.below(8));
    switch (random.below(5)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, tokens[static_cast<std::size_t>(random.below(std::ssize(tokens)))]);
      break;
    case 2:
      text.insert(at, text.substr(at, 4 * length));
      break;
    case 3:
      text.resize(at);
      break;
    case 4:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
      break;
    }
  }
  return text;
}

void check(const std::string& text) {
  constexpr matrix_limits small{.rows = 1000, .cols = 1000, .entries = 1000};
  try {
    std::istringstream stream(text);
    EXPECT_EQ(broken_rule(read_matrix_market(stream, "text", small, host::ignore_remark)), "") << text;
  } catch (const file_error& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("text:")) << message;
    EXPECT_EQ(message, host::printable(message));
  }
}

TEST(mutated_files, plain) {
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    generate::random_sequence random(1, generate::stream::edges, i);
    check(mutate(seeds[i % seeds.size()], random));
  }
}

const std::vector<std::string> edge_seeds{
    "# c\n0 1 {'weight': 2.5, 'c': 'a b'}\n1 2 {}\n2 0 {\"weight\": 1}\n",
    "time;src;dst;w\n1;0;1;2.5\n2;\"1\";2;1\n",
    "bob\talice\nalice\t\"Zo \"\"e\"\"\"\n",
    "% sym weighted\n% 3 3 3\n1 2 2.5 7\n2 3 1 8\n",
    "% bip unweighted\n1 4\n2 1\n",
    "0 1 2 3\n1 2\n5 # alone\n",
    "c\np edge 3 2\nn 1 7\ne 1 3\ne 2 1\n",
    "p tw 3 2\n1 3\n2 1\n",
    "3 2 1\n2 9\n1 9 3 1\n2 1\n",
};

/// Lists of edges keep their rules, with labels and without.
TEST(mutated_files, edges) {
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    generate::random_sequence random(4, generate::stream::edges, i);
    const std::string text = mutate(edge_seeds[i % edge_seeds.size()], random);
    SCOPED_TRACE(text);
    fuzz_edges(text);
  }
}

TEST(mutated_files, packed) {
  for (const packing how : all_packings)
    for (std::uint64_t i = 0; i < 1'000; ++i) {
      generate::random_sequence random(2, generate::stream::edges, i);
      check(mutate(pack(seeds[i % seeds.size()], how), random));
    }
}

/// The sizes of rows alone are those of the matrix, and refused for the same reasons.
TEST(mutated_files, sizes_alone) {
  constexpr matrix_limits small{.rows = 1000, .cols = 1000, .entries = 1000};
  const scratch_folder folder;
  const std::filesystem::path path = folder / "a.mtx";
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    generate::random_sequence random(3, generate::stream::edges, i);
    const std::string text = mutate(seeds[i % seeds.size()], random);
    std::ofstream(path, std::ios::binary) << text;
    std::vector<generate::filled_row> right;
    std::vector<generate::filled_row> found;
    const std::string complaint = message_of<file_error>(
        [&] { right = generate::filled_rows(read_matrix_market(path, small, host::ignore_remark).offsets); });
    EXPECT_EQ(message_of<file_error>(
                  [&] { found = read_row_profile(byte_source(path), small, host::ignore_remark).filled; }),
              complaint);
    EXPECT_TRUE(std::ranges::equal(found, right,
                                   [](const generate::filled_row& a, const generate::filled_row& b) {
                                     return a.row == b.row && a.size == b.size;
                                   }))
        << text;
  }
}

} // namespace
} // namespace evenly::io::testing
