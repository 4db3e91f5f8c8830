// SPDX-License-Identifier: Apache-2.0
// Points of .ply, .obj, .xyz, .pcd and .npy files.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "arrays.hpp"
#include "evenly/io/read.hpp"
#include "io/points.hpp"
#include "point_clouds.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

class point_files : public io_test {
 protected:
  /// Checks that a file has the points (1, 2, 3) and (-0.5, 0, 2e5).
  void expect_two_in(std::string_view name, const std::string& content) const {
    SCOPED_TRACE(content);
    const point_set found = read_points(file(name, content));
    EXPECT_EQ(found.x, (std::vector<double>{1, -0.5}));
    EXPECT_EQ(found.y, (std::vector<double>{2, 0}));
    EXPECT_EQ(found.z, (std::vector<double>{3, 2e5}));
  }
  /// The same, compressed in all ways too.
  void expect_two(std::string_view name, const std::string& content) const {
    for (const packing how : all_packings) expect_two_in(name, pack(content, how));
  }

  std::string refused(std::string_view name, const std::string& content, const read_options& how = {}) const {
    const cheap here;
    const std::string path = file(name, content).string();
    const std::string message = message_of<file_error>([&] { read_points(path, how); });
    return message.starts_with(path) ? message.substr(path.size()) : message;
  }

  /// The same for a text with any line ends, without the last one, and with a byte-order mark.
  void expect_two_in_text(std::string_view name, const std::string& text) const {
    for (const std::string end : {"\n", "\r\n", "\r"}) {
      std::string lines;
      for (const char c : text) lines += c == '\n' ? end : std::string(1, c);
      expect_two_in(name, lines);
      expect_two_in(name, lines.substr(0, lines.size() - end.size()));
      expect_two_in(name, "\xef\xbb\xbf" + lines);
    }
  }

  std::vector<double> x_of(std::string_view name, const std::string& content,
                           const read_options& how = {}) const {
    return read_points(file(name, content), how).x;
  }
};

const std::string three = "property float x\nproperty float y\nproperty float z\n";

std::string ply(const std::string& format, const std::string& elements, std::string_view data) {
  return "ply\nformat " + format + " 1.0\ncomment made here\n" + elements + "end_header\n" +
         std::string(data);
}

TEST_F(point_files, of_ply_as_text) {
  expect_two("a.ply", ply("ascii", "element vertex 2\n" + three, "1 2 3\n-0.5 0 2e5\n"));
  expect_two(
      "a.ply",
      "ply\r\nformat ascii 1.0\r\nobj_info x\r\nelement vertex 2\r\nproperty double z\r\n"
      "property uchar red\r\nproperty list uchar int more\r\nproperty float32 x\r\nproperty double y\r\n"
      "element face 1\r\nproperty list uchar int vertex_indices\r\nend_header\r\n"
      "3 255 0 1 2\r\n\r\n2e5 0 2 7 8 -0.5 0\r\n3 0 1 1\r\n");
  expect_two("a.ply", ply("ascii", "element list 2\nproperty list uchar int k\nelement vertex 2\n" + three,
                          "0\n2 1 1\n1 2 3\n-0.5 0 2e5"));
  EXPECT_EQ(read_points(file("none.ply", ply("ascii", "element vertex 0\n" + three, ""))).size(), 0u);
}

TEST_F(point_files, of_ply_as_bytes) {
  const std::vector<float> both{1, 2, 3, -0.5, 0, 2e5};
  expect_two("a.ply", ply("binary_little_endian", "element vertex 2\n" + three, bytes_of(both)));
  expect_two("a.ply", ply("binary_big_endian", "element vertex 2\n" + three, big_endian(both)));
  const std::string before = "element n 3\nproperty uchar a\nproperty short b\nelement lists 2\n"
                             "property list uchar double l\nelement vertex 2\nproperty char tag\n";
  const std::string data = std::string(9, '\7') + std::string(1, '\0') + '\2' + std::string(16, '\x80') +
                           '\1' + bytes_of<float>({1, 2, 3}) + '\2' + bytes_of<float>({-0.5, 0, 2e5});
  expect_two("a.ply", ply("binary_little_endian", before + three, data));
  const std::string of_types = "element vertex 1\nproperty short x\nproperty uint y\nproperty double z\n";
  const point_set found =
      read_points(file("b.ply", ply("binary_big_endian", of_types,
                                    big_endian<std::int16_t>({-2}) + big_endian<std::uint32_t>({4294967295}) +
                                        big_endian<double>({0.1}))));
  EXPECT_EQ(found.x.front(), -2);
  EXPECT_EQ(found.y.front(), 4294967295.0);
  EXPECT_EQ(found.z.front(), 0.1);
}

TEST_F(point_files, of_ply_with_any_line_end) {
  expect_two_in_text("a.ply", ply("ascii", "element vertex 2\n" + three, "1 2 3  \n-0.5\t0 2e5\n"));
  expect_two_in_text("a", ply("ascii", "element vertex 2\n" + three, "1 2 3\n-0.5 0 2e5\n"));
  const std::string header = ply("binary_little_endian", "element vertex 3\n" + three, "");
  float first = 0; // its bytes are \n \n \n \n
  std::memcpy(&first, "\n\n\n\n", 4);
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string lines;
    for (const char c : header) lines += c == '\n' ? end : std::string(1, c);
    const std::vector<double> found = x_of("a.ply", lines + bytes_of<float>({first, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(found, (std::vector<double>{first, 4, 7}));
  }
}

TEST_F(point_files, of_ply_with_blanks_in_the_header) {
  expect_two_in_text("a.ply",
                     "ply \n\n  format  ascii  1.0 \ncomment\nelement vertex 2     \n\n" + three +
                         "element camera 1\nproperty float f\nend_header \n\n1 2 3\n-0.5 0 2e5\n7\n");
}

TEST_F(point_files, of_ply_among_other_elements) {
  const std::string faces = "element face 2\nproperty list uchar int i\nproperty uchar c\n";
  const std::string header = "element vertex 2\nproperty float nx\n" + three + faces;
  expect_two("a.ply", ply("ascii", header, "nan 1 2 3\n-nan(ind) -0.5 0 2e5\n3 0 1 1 255\n0 7\n\n"));
  EXPECT_EQ(refused("a.ply", ply("ascii", header, "0 1 2 3\n0 -0.5 0 2e5\n3 0 1 1 255\n")),
            ":15: the file ends before the last of the 2 elements 'face' in the header");
  EXPECT_EQ(refused("a.ply", ply("ascii", header, "0 1 2 3\n0 4 5 6\n0 7 8 9\n3 0 1 1 255\n0 7\n")),
            ":15: '8' after the last property, where the line must end");
  const std::string points = bytes_of<float>({0, 1, 2, 3, 0, -0.5, 0, 2e5});
  const std::string lists = "\1" + std::string(5, '\7') + std::string(2, '\0');
  expect_two("a.ply", ply("binary_little_endian", header, points + lists));
  expect_two("a.ply", ply("binary_little_endian", header, points + lists + "\r\n"));
  EXPECT_EQ(refused("a.ply", ply("binary_little_endian", header, points + lists.substr(0, 6))),
            ": the file ends before the last of the 2 elements 'face' in the header");
  EXPECT_EQ(refused("a.ply", ply("binary_little_endian", header, points + lists + "x")),
            ": more bytes after the last of the 2 elements 'face' in the header");
}

TEST_F(point_files, of_obj) {
  expect_two_in_text("a.obj", "# a mesh\no one\nv 1 2 3\nvn 0 0 1\nvt 0 0\nv\t-0.5 0\t2e5 1.0\nf 1 2 1\n");
  expect_two("a", "mtllib a.mtl\r\nv 1 2 3\r\nv -0.5 0 2e5 \r\n"); // detected by its content
  EXPECT_EQ(read_points(file("none.obj", "# nothing\n")).size(), 0u);
}

TEST_F(point_files, of_obj_with_weights_comments_and_continued_lines) {
  expect_two_in_text("a.obj", "v 1 2 3 # note\n  v -0.5 0 2e5 0.1 0.2 0.3#colour\n");
  expect_two_in_text("a.obj", "v 1 \\\n 2\\\n\\\n  3 1\nf 1 2 \\\n 1\n# C:\\\nv \\\n-0.5 0 2e5 # note \\\n");
  expect_two_in_text("a.obj", "usemtl C:\\\nv 1 2 3\nv\\\n-0.5 0 2e5\nvw 1 2\n");
}

TEST_F(point_files, of_obj_that_cannot_be_read) {
  EXPECT_EQ(refused("a.obj", "v 1 2\n"), ":1: the line ends where the z should be");
  EXPECT_EQ(refused("a.obj", "\nv\n"), ":2: the line ends where the x should be");
  EXPECT_EQ(refused("a.obj", "\nv 1 2 inf\n"), ":2: z is inf: it must be finite");
  EXPECT_EQ(refused("a.obj", "v 1 2 3 red\n"),
            ":1: 'red' is not a number: the weight or colour after z must be one");
  EXPECT_EQ(refused("a.obj", "v 1,5 2 3\n"), ":1: '1,5' is not a number: the x must be one");
  EXPECT_EQ(refused("a.obj", "v 1 2 3\nV 1 2 3\n"),
            ":2: 'V' is not a statement of .obj: a vertex is `v x y z`");
  EXPECT_EQ(refused("a.obj", "v1 2 3\n"), ":1: 'v1' is not a statement of .obj: a vertex is `v x y z`");
  EXPECT_EQ(refused("a.obj", "v 1 2 \\\n"), ":1: the file ends where a backslash continues the line");
  std::string endless = "v 1 2 3";
  for (int i = 0; i < 70'000; ++i) endless += "\\\n";
  EXPECT_TRUE(
      refused("a.obj", endless).ends_with(": a vertex of more than 65536 bytes, the supported maximum"));
}

TEST_F(point_files, of_xyz) {
  expect_two_in_text("a.xyz", "1 2 3\n-0.5 0 2e5\n");
  expect_two_in_text("a.xyz", "# x y z\n//X Y Z R G B\n1,2,3,255,0,0\n\n-0.5, 0, 2e5, 7\n");
  expect_two_in_text("a.xyz", "2\nwater, or so\nO 1 2 3\nH\t-0.5 0 2e5 0.1\n\n");
  expect_two("a.xyz", "1 2 3 # note\n  -0.5 0 2e5# 7  \n");
  expect_two("a.xyz", "1 2 3 " + std::string(1 << 17, 'a') + "\n-0.5 0 2e5\n");
  EXPECT_EQ(read_points(file("none.xyz", "")).size(), 0u);
  EXPECT_EQ(read_points(file("none.xyz", "0\nnothing\n")).size(), 0u);
}

TEST_F(point_files, of_xyz_with_named_columns) {
  expect_two_in_text("a.xyz", "x y z\n1 2 3\n-0.5 0 2e5\n");
  expect_two_in_text("a.xyz", "\"\",\"Z\",\"X\",\"Y\"\n\"1\",3,1,2\n\"2\",2e5,-0.5,0\n");
  expect_two("a.xyz", "id;X;Y;Z\n1;1.0;2;3\n2;-0.5;0;2e5\n");
  EXPECT_EQ(refused("a.xyz", "x y\n1 2\n"), ":1: 'x' is not a number: the x must be one");
  EXPECT_EQ(refused("a.xyz", "x y z x\n1 2 3 4\n"), ":1: 'x' is not a number: the x must be one");
  EXPECT_EQ(refused("a.xyz", "id x y z\n1 2 3\n"), ":2: the line ends where the z should be");
}

TEST_F(point_files, of_xyz_with_commas) {
  expect_two("a.xyz", "1,2,3\n-0.5,0,2e5,1,5\n");
  expect_two("a.xyz", "1 , 2 , 3\n-0.5,  0.0,2e5\n");
  expect_two("a.xyz", "1.,2.0,3.0 255 0 0\n-0.5,0,2e5 label\n");
  expect_two("a.xyz", "1,2,3,\n-0.5;0;2e5\n");
  for (const std::string line : {"1,5 2,5 3,5", "1,5 2 3", "1 2,5 3", "1 2 3,5", "1,5\t2,5\t3,5", "-1,5 2 3",
                                 "1,5, 2,5, 3,5", "1,5;2,5;3,5", "1,5e3 2 3"})
    EXPECT_TRUE(refused("a.xyz", "1 2 3\n" + line + "\n")
                    .ends_with("' seems to have a comma in a number: write decimal points, as in 1.5, and no "
                               "commas between thousands"))
        << line;
  EXPECT_EQ(refused("a.xyz", "-1,5 2,5 3,5\n"), ":1: '-1,5' seems to have a comma in a number: write decimal "
                                                "points, as in 1.5, and no commas between thousands");
  EXPECT_EQ(refused("a.xyz", "1,,2,3\n"), ":1: y is missing: nothing stands before the separator");
  EXPECT_EQ(refused("a.xyz", "1\nO\nO 1,5 2,5 3,5\n"), ":3: '1,5' is not a number: the x must be one");
}

TEST_F(point_files, of_extended_xyz) {
  const std::string rest = "\n3 2 O 1 2 3 0.5\n3 2 H -0.5 0 2e5 0.5\n";
  expect_two_in_text(
      "a.xyz", "2\nLattice=\"5 0 0 0 5 0 0 0 5\" Properties=k:I:2:species:S:1:pos:R:3:q:R:1 e=1" + rest);
  expect_two("a.xyz", "2\nproperties=\"k:I:2:species:S:1:pos:R:3\"" + rest);
  expect_two("a.xyz", "2\nMyProperties=pos:R:3\nO 1 2 3\nH -0.5 0 2e5\n");
  expect_two("a.xyz", "2\nProperties=pos:R:3:species:S:1\n1 2 3 O\n-0.5 0 2e5 H\n");
  EXPECT_EQ(refused("a.xyz", "1\nProperties=species:S:1:pos:R:2\nO 1 2 3\n"),
            ":2: Properties 'species:S:1:pos:R:2' must have pos:R:3, the position");
  EXPECT_EQ(refused("a.xyz", "1\nProperties=species:S:x:pos:R:3\nO 1 2 3\n"),
            ":2: 'x' in Properties: it must be name:type:columns, as in pos:R:3");
  EXPECT_EQ(refused("a.xyz", "1\nProperties=species:S:2:pos:R:3\nO 1 2 3\n"),
            ":3: the line ends where the z should be");
}

TEST_F(point_files, of_xyz_in_frames) {
  const std::string frames = "1\na\nO 1 2 3\n2\nb\nO 4 5 6\nH 7 8 9\n\n1\nProperties=pos:R:3\n10 11 12\n";
  EXPECT_EQ(refused("a.xyz", frames), ": 3 frames: choose one by --frame N, from 1 to 3");
  EXPECT_EQ(x_of("a.xyz", frames, {.frame = 1}), (std::vector<double>{1}));
  EXPECT_EQ(x_of("a.xyz", frames, {.frame = 2}), (std::vector<double>{4, 7}));
  EXPECT_EQ(x_of("a.xyz", frames, {.frame = 3}), (std::vector<double>{10}));
  EXPECT_EQ(refused("a.xyz", frames, {.frame = 4}), ": there is no frame 4: the file has 3");
  // The last frame is cut short: the others can be read.
  const std::string cut = "1\na\nO 1 2 3\n2\nb\nO 4 5 6\n";
  EXPECT_EQ(x_of("a.xyz", cut, {.frame = 1}), (std::vector<double>{1}));
  EXPECT_EQ(refused("a.xyz", cut), ": 2 frames: choose one by --frame N, from 1 to 2");
  EXPECT_EQ(refused("a.xyz", cut, {.frame = 2}),
            ":6: the file ends after 1 of 2 atoms, the number on line 4");
  EXPECT_EQ(refused("a.xyz", "1\na\nO 1 2 3\nO 4 5 6\n1\na\nO 1 2 3\n", {.frame = 2}),
            ":4: 'O 4 5 6' after the last of 1 atoms, the number on line 1: --frame 1 reads only this frame");
  EXPECT_EQ(x_of("a.xyz", "1 2 3\n", {.frame = 1}), (std::vector<double>{1}));
  EXPECT_EQ(refused("a.xyz", "1 2 3\n", {.frame = 2}), ": there is no frame 2: the file has 1");
  EXPECT_EQ(refused("a.obj", "v 1 2 3\n", {.frame = 1}),
            ": frame 1 of .obj points: only .xyz files have frames");
  const std::string matrix =
      file("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n").string();
  EXPECT_EQ(message_of<file_error>([&] { read_matrix(matrix, {.frame = 1}); }),
            matrix + ": frame 1 of Matrix Market: only .xyz files have frames");
}

TEST_F(point_files, of_xyz_with_lines_behind_the_atoms) {
  const std::string more = "1\na\nO 1 2 3\n1341.3 1341.4\nC C\n";
  EXPECT_EQ(refused("a.xyz", more), ":4: '1341.3 1341.4' after the last of 1 atoms, the number on line 1: "
                                    "--frame 1 reads only this frame");
  EXPECT_EQ(x_of("a.xyz", more, {.frame = 1}), (std::vector<double>{1}));
  EXPECT_EQ(x_of("a.xyz", "1\n\nO 1 2 3\n>\n1\n1 2 3 4\nH 2 2 2\n# end\n\n  \n", {.frame = 2}),
            (std::vector<double>{2}));
}

TEST_F(point_files, of_npy) {
  const std::vector<double> by_rows{1, 2, 3, -0.5, 0, 2e5}, by_columns{1, -0.5, 2, 0, 3, 2e5};
  expect_two("a.npy", npy("<f8", "(2, 3)", bytes_of(by_rows)));
  expect_two("a.npy", npy("<f8", "(2, 3)", bytes_of(by_columns), true));
  expect_two("a", npy(">f4", "(2, 3)", big_endian<float>({1, 2, 3, -0.5, 0, 2e5})));
  EXPECT_EQ(x_of("a.npy", npy("<i2", "(2, 3)", bytes_of<std::int16_t>({1, 2, 3, 4, 5, 6}))),
            (std::vector<double>{1, 4}));
  EXPECT_EQ(read_points(file("none.npy", npy("<f8", "(0, 3)", ""))).size(), 0u);
  const std::string rule = ": points have three coordinates, so the shape must be (N, 3)";
  EXPECT_EQ(refused("a.npy", npy("<f8", "(3, 2)", bytes_of(by_rows))), ": an array of shape (3, 2)" + rule);
  EXPECT_EQ(refused("a.npy", npy("<f8", "(3,)", bytes_of<double>({1, 2, 3}))),
            ": an array of shape (3,)" + rule);
  EXPECT_EQ(refused("a.npy", npy("<f8", "(2, 1, 3)", bytes_of(by_rows))),
            ": an array of shape (2, 1, 3)" + rule);
  EXPECT_EQ(refused("a.npy", npy("<f4", "(1, 3)", bytes_of<float>({1, 1 / 0.0F, 2}))),
            ": row 0: y is inf: it must be finite");
  EXPECT_TRUE(refused("a.npy", npy("<f8", "(1000000000000, 3)", bytes_of(by_rows)))
                  .starts_with(": the data end before"));
}

TEST_F(point_files, have_a_box) {
  const bounding_box box = box_of(read_points(file("a.xyz", "1 2 3\n-0.5 0 2e5\n0 5 4\n")));
  EXPECT_EQ(box.min, (std::array<double, 3>{-0.5, 0, 3}));
  EXPECT_EQ(box.max, (std::array<double, 3>{1, 5, 2e5}));
  EXPECT_EQ(box_of({}).max, (std::array<double, 3>{}));
}

TEST_F(point_files, that_are_none) {
  const auto header = [&](const std::string& text) { return refused("a.ply", "ply\n" + text); };
  EXPECT_EQ(header(""), ":1: the file ends before the line `end_header`");
  EXPECT_EQ(header("format ascii 2.0\n"),
            ":2: the format is 'ascii' '2.0': it must be ascii, binary_little_endian or "
            "binary_big_endian, 1.0");
  EXPECT_EQ(header("ply\n"), ":2: `ply` must be on the first line and on no other");
  EXPECT_EQ(header("end_header\n"), ":2: the header ends before the line `format`");
  EXPECT_EQ(header("property float x\n"),
            ":2: 'property' in the header: it must be format, comment, obj_info, element or property");
  EXPECT_EQ(header("element vertex\n"), ":2: the line ends where the number of elements should be");
  EXPECT_EQ(header("element vertex -1\n"),
            ":2: the number of elements is '-1': it must be 0 to 281474976710656");
  EXPECT_EQ(header("element vertex 1\nproperty real x\n"),
            ":3: 'real' is not a type of properties, such as float or uchar");
  EXPECT_EQ(header("element vertex 1\nproperty list float int x\n"),
            ":3: the count of a list must have an integer type");
  EXPECT_EQ(header("format ascii 1.0\nelement face 1\nend_header\n"),
            ":4: the header must have exactly one element vertex");
  for (const std::string wrong :
       {"property list uchar float x\n", "property float a\n", "property float x\nproperty int x\n"})
    EXPECT_TRUE(header("format ascii 1.0\nelement vertex 1\n" + wrong + "end_header\n")
                    .ends_with("the element vertex must have exactly one property x, not a list"));
  const std::string two = "element vertex 2\n" + three;
  EXPECT_EQ(refused("a.ply", ply("ascii", two, "1 2 3\n")),
            ":9: the file ends before the last of the 2 elements 'vertex' in the header");
  EXPECT_EQ(refused("a.ply", ply("ascii", two, "1 2 3\n1 2\n")), ":10: the line ends where the z should be");
  EXPECT_EQ(refused("a.ply", ply("ascii", two, "1 2 3 4\n")),
            ":9: '4' after the last property, where the line must end");
  EXPECT_EQ(refused("a.ply", ply("ascii", two, "1 nan 3\n")), ":9: y is nan: it must be finite");
  EXPECT_EQ(refused("a.ply", ply("binary_little_endian", two, bytes_of<float>({1, 2, 3, 4, 5}))),
            ": the file ends before the last of the 2 elements 'vertex' in the header");
  EXPECT_EQ(refused("a.ply", ply("ascii", two, "1 2 3\n4 5 6\n7 8 9\n")),
            ":11: '7 8 9' after the last of the 2 elements 'vertex' in the header");
  EXPECT_EQ(refused("a.ply", ply("binary_little_endian", two, bytes_of<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}))),
            ": more bytes after the last of the 2 elements 'vertex' in the header");
  EXPECT_EQ(header("format ascii 1.0\n" + two + two + "end_header\n"),
            ":11: the header must have exactly one element vertex");
  EXPECT_EQ(refused("a.ply", ply("binary_little_endian", "element vertex 281474976710656\n" + three,
                                 "1234567890123456")),
            ": the file ends before the last of the 281474976710656 elements 'vertex' in the header");
  EXPECT_EQ(refused("a.ply", ply("binary_little_endian",
                                 "element nothing 281474976710656\nelement vertex 1\n" + three, "")),
            ": the file ends before the last of the 1 elements 'vertex' in the header");
  EXPECT_EQ(refused("a.ply", ply("binary_little_endian",
                                 "element vertex 1\nproperty list char int l\n" + three, "\xff")),
            ": the list 'l' has the length -1: it must not be negative");
  EXPECT_EQ(refused("a.xyz", "1 2 3\n1 2 x\n"), ":2: 'x' is not a number: the z must be one");
  EXPECT_EQ(refused("a.xyz", "3\nshort\nH 1 2 3\n"),
            ":3: the file ends after 1 of 3 atoms, the number on line 1");
  EXPECT_EQ(refused("a.xyz", "1\nlong\nH 1 2 3\nH 1 2 3\n"),
            ":4: 'H 1 2 3' after the last of 1 atoms, the number on line 1: --frame 1 reads only this frame");
  EXPECT_EQ(refused("a.wel", "1 2 3\n"), ": a list of edges with weights, but points are needed");
}

/// A .pcd file of the two points in any coding: fields z, tag (3 values), x, y.
std::string two_points_as_pcd(pcd_data coding, const std::array<float, 6>& p = {1, 2, 3, -0.5, 0, 2e5}) {
  const std::vector<pcd_column> columns{{"z", 'F', 8, 1, {p[2], p[5]}},
                                        {"tag", 'U', 1, 3, {7, 7, 7, 8, 9, 255}},
                                        {"x", 'F', 4, 1, {p[0], p[3]}},
                                        {"y", 'F', 4, 1, {p[1], p[4]}}};
  return pcd(columns, 2, coding);
}

constexpr std::array all_codings{pcd_data::ascii, pcd_data::binary, pcd_data::compressed};

TEST_F(point_files, of_pcd) {
  for (const pcd_data coding : all_codings) {
    expect_two("a.pcd", two_points_as_pcd(coding));
    expect_two("a", two_points_as_pcd(coding)); // detected by its content
  }
  expect_two_in_text("a.pcd", two_points_as_pcd(pcd_data::ascii));
  // Older versions: no sizes, no types, no counts, no width.
  expect_two_in_text("a", "# .PCD v.5 - Point Cloud Data file format\nVERSION .5\nCOLUMNS y x _ z\nPOINTS 2\n"
                          "DATA ascii\n2 1 0 3\n0 -0.5 0 2e5\n");
  expect_two_in_text(
      "a", "VERSION 0.6\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 2\nDATA ascii\n1 2 3\n-0.5 0 2e5\n");
  // Integers, padding between the fields, an organized cloud.
  const std::string padded =
      "VERSION .7\nFIELDS _ x y z _\nSIZE 1 2 2 2 1\nTYPE U I I I U\nCOUNT 3 1 1 1 2\nWIDTH 1\n"
      "HEIGHT 2\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA binary\n";
  const std::string point = "abc" + bytes_of<std::int16_t>({-2, 3, 4}) + "de";
  EXPECT_EQ(x_of("a.pcd", padded + point + point), (std::vector<double>{-2, -2}));
  EXPECT_EQ(
      read_points(file("none.pcd", pcd({{"x", 'F', 4, 1, {}}, {"y", 'F', 4, 1, {}}, {"z", 'F', 4, 1, {}}}, 0,
                                       pcd_data::compressed)))
          .size(),
      0u);
}

TEST_F(point_files, of_pcd_with_many_equal_bytes) {
  constexpr std::size_t count = 5000;
  std::vector<double> x(count, 1.5), zeros(count, 0);
  for (std::size_t i = 0; i < count; i += 3) x[i] = static_cast<double>(i);
  const std::string packed = pcd({{"x", 'F', 4, 1, x}, {"y", 'F', 4, 1, zeros}, {"z", 'F', 4, 1, zeros}},
                                 count, pcd_data::compressed);
  EXPECT_LT(packed.size(), 12 * count);
  EXPECT_EQ(x_of("a.pcd", packed), x);
}

/// What LibLZF makes of 64 points: x and y are 0 to 7, z is 0.
TEST_F(point_files, of_pcd_compressed_by_another_program) {
  constexpr std::string_view packed("\x01\x00\x00\xe0\x17\x00\x01\x80\x3f\xe0\x15\x03\x01\x00\x40\xe0\x15\x03"
                                    "\x00\x40\x20\x1f\xe0\x13\x03\x00\x80"
                                    "\x20\x1f\xe0\x13\x03\x00\xa0\x20\x1f\xe0\x13\x03\x00\xc0\x20\x1f\xe0\x13"
                                    "\x03\x00\xe0\x20\x1f\xe0\x13\x03\x40"
                                    "\x00\x40\xe3\x40\xc7\x40\xa7\x40\x8b\x40\x6f\x40\x53\x40\x37\x40\x00\xe0"
                                    "\xd7\x1f\xe0\xef\x00\x01\x00\x00",
                                    80);
  const point_set found = read_points(
      file("a.pcd", "VERSION 0.7\nFIELDS x y z\nPOINTS 64\nDATA binary_compressed\n" +
                        little_endian(packed.size(), 4) + little_endian(768, 4) + std::string(packed)));
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(found.x[i], static_cast<double>(i / 8));
    EXPECT_EQ(found.y[i], static_cast<double>(i % 8));
    EXPECT_EQ(found.z[i], 0);
  }
}

TEST_F(point_files, of_pcd_whose_compressed_data_are_as_large_as_before) {
  const std::string raw = bytes_of<float>({1, -0.5, 2, 0, 3, 2e5});
  expect_two("a.pcd", "VERSION 0.7\nFIELDS x y z\nPOINTS 2\nDATA binary_compressed\n" +
                          little_endian(raw.size(), 4) + little_endian(raw.size(), 4) + raw);
}

TEST_F(point_files, of_pcd_that_are_missing) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const pcd_data coding : all_codings) {
    std::vector<std::string> remarks;
    std::istringstream stream(two_points_as_pcd(coding, {nan, nan, nan, 4, 5, 6}));
    const point_set found = read_points(byte_source(stream, "a.pcd"), file_format::pcd, 0,
                                        [&](const std::string& remark) { remarks.push_back(remark); });
    EXPECT_EQ(found.x, (std::vector<double>{4}));
    EXPECT_EQ(remarks,
              (std::vector<std::string>{"a.pcd: ignored 1 of 2 points, which have NaN coordinates"}));
    const float inf = std::numeric_limits<float>::infinity();
    EXPECT_TRUE(refused("a.pcd", two_points_as_pcd(coding, {1, 2, 3, inf, 5, 6}))
                    .ends_with("x is inf: it must be finite"));
  }
}

TEST_F(point_files, of_pcd_that_cannot_be_read) {
  const auto header = [&](const std::string& text) { return refused("a.pcd", "VERSION .7\n" + text); };
  EXPECT_EQ(header(""), ":1: the file ends before the line DATA");
  EXPECT_EQ(refused("a.pcd", "VERSION 8\n"), ":1: version '8' of .pcd: it must be .5, .6 or .7");
  EXPECT_EQ(header("POINT 3\n"), ":2: 'POINT' in the header: it must be VERSION, FIELDS, SIZE, TYPE, COUNT, "
                                 "WIDTH, HEIGHT, VIEWPOINT, POINTS or DATA");
  EXPECT_EQ(header("FIELDS x y z\nPOINTS 1\nDATA text\n"),
            ":4: the data are 'text': they must be ascii, binary or binary_compressed");
  EXPECT_EQ(header("FIELDS x y z\nDATA ascii\n"), ":3: the header has neither POINTS nor WIDTH");
  EXPECT_EQ(header("FIELDS x y z\nWIDTH 2\nHEIGHT 3\nPOINTS 7\nDATA ascii\n"),
            ":6: WIDTH 2 and HEIGHT 3 make 6 points, but POINTS is 7");
  EXPECT_EQ(header("FIELDS x y z\nSIZE 4 4\nPOINTS 1\nDATA ascii\n"),
            ":5: 2 values in the line SIZE, and 3 in FIELDS");
  EXPECT_EQ(header("FIELDS x y z\nSIZE 4 4 2\nPOINTS 1\nDATA ascii\n"),
            ":5: TYPE 'F' and SIZE 2: integers (I, U) must have 1, 2, 4 or 8 bytes, reals (F) 4 or 8");
  for (const std::string fields : {"FIELDS x y\n", "FIELDS x y z z\n", "FIELDS x y z\nCOUNT 1 1 2\n"})
    EXPECT_TRUE(header(fields + "POINTS 1\nDATA ascii\n")
                    .ends_with("FIELDS must have z once, and its COUNT must be 1"));
  const std::string two = "FIELDS x y z i\nPOINTS 2\nDATA ";
  EXPECT_EQ(header(two + "ascii\n1 2 3 4\n"),
            ":5: the file ends before the last of the 2 points in the header");
  EXPECT_EQ(header(two + "ascii\n1 2 3\n"), ":5: the line ends where the field 'i' should be");
  EXPECT_EQ(header(two + "ascii\n1 2 3 4 5\n"), ":5: '5' after the last field, where the line must end");
  EXPECT_EQ(header(two + "ascii\n1 2,5 3 4\n"), ":5: '2,5' is not a number: the y must be one");
  EXPECT_EQ(header(two + "ascii\n1 2 3 4\n1 2 3 4\n1 2 3 4\n"),
            ":7: '1 2 3 4' after the last of the 2 points in the header");
  EXPECT_EQ(header(two + "binary\n" + bytes_of<float>({1, 2, 3, 4, 5, 6, 7})),
            ": the file ends before the last of the 2 points in the header");
  EXPECT_EQ(header(two + "binary\n" + bytes_of<float>({1, 2, 3, 4, 5, 6, 7, 8, 9})),
            ": more bytes after the last of the 2 points in the header");
  EXPECT_EQ(header("FIELDS x y z\nSIZE 8 8 8\nTYPE I I I\nPOINTS 1\nDATA binary\n" +
                   bytes_of<std::int64_t>({9007199254740993, 0, 0})),
            ": x is an integer of about 9.01e+15: only those below 2^53 are exact");
}

TEST_F(point_files, of_pcd_whose_compressed_data_are_damaged) {
  const auto data = [&](std::uint64_t packed, std::uint64_t size, const std::string& bytes) {
    return refused("a.pcd", "VERSION .7\nFIELDS x y z\nPOINTS 1\nDATA binary_compressed\n" +
                                little_endian(packed, 4) + little_endian(size, 4) + bytes);
  };
  const std::string damaged = ": the compressed data are damaged";
  EXPECT_EQ(data(2, 16, "\1a"),
            ": the compressed data have 16 bytes, but the header announces 1 points of 12 bytes");
  EXPECT_EQ(data(9, 12, "\1a"), ": the file ends before the last of the 1 points in the header");
  EXPECT_EQ(data(4000000000, 12, "\1a"), ": the file ends before the last of the 1 points in the header");
  EXPECT_EQ(data(2, 12, "\1a"), damaged);                                       // fewer literals than said
  EXPECT_EQ(data(3, 12, std::string("\1aa", 3)), damaged);                      // too short
  EXPECT_EQ(data(4, 12, std::string("\0a\x20\1", 4)), damaged);                 // reaches before the start
  EXPECT_EQ(data(1, 12, "\xe0"), damaged);                                      // ends within a reference
  EXPECT_EQ(data(5, 12, std::string("\0a\xe0\xff\0", 5)), damaged);             // too long
  EXPECT_EQ(data(5, 12, std::string("\0\0\xe0\2\0", 5)), "nothing was thrown"); // 1 + 11
  const std::string many = "VERSION .7\nFIELDS x y z\nPOINTS 300000000\nDATA binary_compressed\n";
  EXPECT_EQ(refused("a.pcd", many + little_endian(2, 4) + little_endian(3600000000, 4) + "\1a"), damaged);
}

} // namespace
} // namespace evenly::io::testing
