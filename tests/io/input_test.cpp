// SPDX-License-Identifier: Apache-2.0
#include "io/input.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "io/errors.hpp"
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

TEST_F(inputs, files_are_named_without_folders_and_endings) {
  for (const packing how : all_packings) {
    file("a.b.mtx" + std::string(ending(how)), pack(text, how));
    const input in = load_input("./a.b.mtx" + std::string(ending(how)));
    EXPECT_EQ(in.name, "a.b");
    EXPECT_EQ(in.matrix.cols, 3);
  }
  file("plain", text);
  EXPECT_EQ(load_input("plain").name, "plain");
  EXPECT_EQ(load_input((folder / "plain").string()).name, "plain");
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
  for (const std::string path : {"no.mtx", "no.mtx.xz", "no/regular", "./no"})
    EXPECT_EQ(message_of<file_error>([&] { load_input(path); }),
              path + ": cannot open: No such file or directory");
}

TEST_F(inputs, neither_file_nor_generator) {
  for (const std::string name : {"no.txt", "", "regula:rows=5"}) {
    EXPECT_TRUE(
        message_of<spec_error>([&] {
          load_input(name);
        }).starts_with("'" + name + "' is neither a file nor a generator; the generators are regular, "));
  }
}

} // namespace
} // namespace evenly::io::testing
