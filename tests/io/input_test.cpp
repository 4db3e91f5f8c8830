// SPDX-License-Identifier: Apache-2.0
#include "io/input.hpp"

#include <complex>
#include <filesystem>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "arrays.hpp"
#include "evenly/io/read.hpp"
#include "host/errors.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view text = "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n";

class inputs : public io_test {
 protected:
  inputs() { fs::current_path(folder.path()); }
  ~inputs() override { fs::current_path(before_); }

 private:
  fs::path before_ = fs::current_path();
};

TEST_F(inputs, files_are_named_as_they_are_given) {
  for (const packing how : all_packings) {
    file("a.b.mtx" + std::string(ending(how)), pack(text, how));
    const input in = load_input("./a.b.mtx" + std::string(ending(how)));
    EXPECT_EQ(in.name, "./a.b.mtx" + std::string(ending(how)));
    EXPECT_EQ(short_name(in.name), "a.b");
    EXPECT_EQ(in.matrix.cols, 3);
  }
  file("plain", text);
  EXPECT_EQ(load_input("plain").name, "plain");
  EXPECT_EQ(load_input((folder / "plain").string()).name, (folder / "plain").string());
  EXPECT_EQ(short_name((folder / "plain").string()), "plain");
}

TEST_F(inputs, generators_are_named_by_their_text) {
  const input in = load_input("regular:rows=5,size=2");
  EXPECT_EQ(in.name, "regular:rows=5,size=2");
  EXPECT_EQ(in.matrix.atoms(), 10);
}

TEST_F(inputs, a_file_hides_a_generator_but_a_folder_does_not) {
  file("mostly-empty", text);
  EXPECT_EQ(load_input("mostly-empty").matrix.rows, 2);
  fs::create_directory("web-NotreDame:scale=0.001");
  EXPECT_EQ(load_input("web-NotreDame:scale=0.001").matrix.rows, 326);
  fs::create_directory("other");
  EXPECT_EQ(message_of<file_error>([] { load_input("other"); }), "other: cannot read: Is a directory");
}

TEST_F(inputs, what_looks_like_a_path_is_one) {
  for (const std::string path : {"no.mtx", "no.MTX.xz", "no.npz", "no.el.gz", "no.txt", "no.tar.gz", "no.tgz",
                                 "no.zip", "no/regular", "./no"})
    EXPECT_EQ(message_of<file_error>([&] { load_input(path); }),
              path + ": cannot open: No such file or directory");
}

TEST_F(inputs, neither_file_nor_generator) {
  for (const std::string name : {"no.doc", "", "regula:rows=5"}) {
    const std::string meant = name.starts_with("regula") ? " (did you mean regular?)" : "";
    EXPECT_TRUE(message_of<host::spec_error>([&] { load_input(name); })
                    .starts_with("'" + name + "' is neither a file nor a generator" + meant +
                                 "; the generators are regular, "));
  }
}

TEST_F(inputs, what_is_wrong_is_told_before_it_is_loaded) {
  const std::string banner(text.substr(0, text.find('\n') + 1));
  file("short.mtx", banner + "2 3\n");
  file("secret.mtx", "not this\n");
  for (const std::string bad :
       {"no.mtx", "no.txt", "short.mtx", "secret.mtx", "regula:rows=5", "regular:rows=5",
        "regular:rows=5,size=6", "powerlaw:rows=9,avg=5,sd=90,max=9", "rmat:scale=3,edges=1,a=1",
        "grid:x=1e5,y=1e5", "circuit5M:scale=0", "regular:rows=5,size=2,seed=-1"})
    EXPECT_EQ(message_of<error>([&] { input_source{bad}; }), message_of<error>([&] { load_input(bad); }))
        << bad;
  fs::create_directory("folder");
  EXPECT_EQ(message_of<file_error>([] { input_source{"folder"}; }), "folder: cannot read: Is a directory");
  file("good.mtx", banner + "2 3 1\nwhat is wrong here is not looked at");
  for (const std::string good :
       {"good.mtx", "regular:rows=5,size=2", "circuit5M", "web-NotreDame:scale=0.001"})
    input_source{good};
}

TEST_F(inputs, are_what_their_content_says) {
  const std::vector<std::pair<std::string, std::string>> kinds{
      {"mtx", std::string(text)},
      {"npz", zip(sparse_members("csr"))},
      {"npy", npy("<f8", "(2, 3)", bytes_of<double>({0, 0, 1, 0, 0, 0}))},
      {"dimacs", "c\np sp 3 1\na 1 2 5\n"},
      {"snap", "# Directed graph\n# FromNodeId ToNodeId\n2 0\n"}};
  for (const auto& [kind, content] : kinds)
    for (const std::string name : {"a.graph", "a.ply", "a.wel.gz", "a.unknown"})
      for (const packing how : {packing::none, packing::zstandard}) {
        SCOPED_TRACE(kind + " as " + name);
        file(name, pack(content, how));
        input_source{name};
        const input in = load_input(name);
        EXPECT_EQ(in.matrix.rows, kind == "mtx" || kind == "npy" ? 2 : 3);
        EXPECT_EQ(in.name, name);
        const input_profile rows = load_profile(name);
        EXPECT_FALSE(rows.points);
        EXPECT_EQ(rows.rows.filled.front().size,
                  in.matrix.offsets[static_cast<std::size_t>(rows.rows.filled[0].row) + 1]);
      }
}

TEST_F(inputs, are_matrices_however_their_first_word_is_written) {
  for (const char* before : {"", "\xef\xbb\xbf", " \t", "\xef\xbb\xbf "})
    for (const char* word : {"%%MatrixMarket", "%MatrixMarket", "%%matrixmarket"}) {
      file("named.dat", std::string(before) + word + " matrix coordinate real general\n2 3 1\n1 1 1\n");
      EXPECT_EQ(load_input("named.dat").matrix.cols, 3) << before << word;
    }
}

TEST_F(inputs, are_what_their_ending_says_if_nothing_else_does) {
  file("a.el", "0 1\n3 1\n0 1\n");
  EXPECT_EQ(load_input("a.el").matrix.values,
            (std::vector<double>{2, 1})); // edges at the same place are added
  file("a.wel", "0 1 2.5\n");
  EXPECT_EQ(load_input("a.wel").matrix.values, (std::vector<double>{2.5}));
  file("a.graph", "2 1\n2\n1\n");
  EXPECT_EQ(load_input("a.graph").matrix.atoms(), 2);
  file("a.dat", "0 1\n");
  const std::string complaint =
      "a.dat: unknown format: Matrix Market, Harwell-Boeing, .npz, .npy, DIMACS, KONECT, .ply, .pcd and .obj "
      "are detected by content, other lists of edges and points by the endings .el, .edgelist, .edges, .txt, "
      ".csv, .tsv, .wel, .adjlist, .graph, .sg, .wsg and .xyz; name the format with --format FORMAT";
  EXPECT_EQ(message_of<file_error>([] { load_input("a.dat"); }), complaint);
  EXPECT_EQ(message_of<file_error>([] { input_source{"a.dat"}; }), complaint);
  file("empty", "");
  EXPECT_EQ(message_of<file_error>([] { load_input("empty"); }), "empty: the file is empty");
}

TEST_F(inputs, of_points_have_no_rows) {
  file("a.xyz", "1 2 3\n-1 5 0\n");
  const input_profile found = load_profile("a.xyz");
  ASSERT_TRUE(found.points);
  EXPECT_EQ(found.points->x, (std::vector<double>{1, -1}));
  for (const auto action : {+[] { load_input("a.xyz"); }, +[] { input_source{"a.xyz"}; }})
    EXPECT_EQ(message_of<file_error>(action), "a.xyz: .xyz points, but a matrix or a graph is needed");
}

TEST_F(inputs, a_pipe_is_not_read_to_check_it) {
  ASSERT_EQ(::mkfifo("pipe", 0600), 0);
  input_source{"./pipe"}; // opening it would wait: it has no writer
}

TEST_F(inputs, are_read_as_matrices_of_the_type_that_is_asked_for) {
  file("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n2 1 0.1\n1 3 1e300\n2 3 -2\n");
  const auto doubles = read<double>("a.mtx");
  const auto floats = read<float>("a.mtx");
  static_assert(std::is_same_v<decltype(floats), const csr_matrix<float>>);
  EXPECT_EQ(floats.rows, 2);
  EXPECT_EQ(floats.cols, 3);
  EXPECT_EQ(floats.offsets, doubles.offsets);
  EXPECT_EQ(floats.columns, (std::vector<int>{2, 0, 2}));
  EXPECT_EQ(doubles.values, (std::vector<double>{1e300, 0.1, -2}));
  EXPECT_EQ(floats.values, (std::vector<float>{std::numeric_limits<float>::infinity(), 0.1f, -2}));
  using complex = std::complex<float>;
  EXPECT_EQ(read<complex>("a.mtx").values[1], (complex{0.1f, 0}));
  file("b.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n");
  EXPECT_EQ(read<std::complex<double>>("b.mtx").values, (std::vector<std::complex<double>>{{2, 3}}));
  EXPECT_THROW(read<float>("b.mtx"), file_error) << "complex values are refused";
  EXPECT_THROW(read<float>("none.mtx"), file_error);
}

} // namespace
} // namespace evenly::io::testing
