// SPDX-License-Identifier: Apache-2.0
// Points of .ply, .obj and .xyz files.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "arrays.hpp"
#include "evenly/io/read.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

class point_files : public io_test {
 protected:
  /// Checks that a file has the points (1, 2, 3) and (-0.5, 0, 2e5).
  void expect_two(std::string_view name, const std::string& content) const {
    for (const packing how : all_packings) {
      SCOPED_TRACE(content);
      const point_set found = read_points(file(name, pack(content, how)));
      EXPECT_EQ(found.x, (std::vector<double>{1, -0.5}));
      EXPECT_EQ(found.y, (std::vector<double>{2, 0}));
      EXPECT_EQ(found.z, (std::vector<double>{3, 2e5}));
    }
  }

  std::string refused(std::string_view name, const std::string& content) const {
    const cheap here;
    const std::string path = file(name, content).string();
    const std::string message = message_of<file_error>([&] { read_points(path); });
    return message.starts_with(path) ? message.substr(path.size()) : message;
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
                           '\1' + bytes_of<float>({1, 2, 3}) + '\2' + bytes_of<float>({-0.5, 0, 2e5}) +
                           "what is behind";
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

TEST_F(point_files, of_obj) {
  expect_two("a.obj", "# a mesh\no one\nv 1 2 3\nvn 0 0 1\nvt 0 0\nv\t-0.5 0\t2e5 1.0\nf 1 2 1\n");
  expect_two("a", "mtllib a.mtl\r\nv 1 2 3\r\nv -0.5 0 2e5 \r\n"); // told by its content
  EXPECT_EQ(read_points(file("none.obj", "# nothing\n")).size(), 0u);
}

TEST_F(point_files, of_xyz) {
  expect_two("a.xyz", "1 2 3\n-0.5 0 2e5\n");
  expect_two("a.xyz", "# x y z\n//X Y Z R G B\r\n1,2,3,255,0,0\r\n\r\n-0.5, 0, 2e5, 7\r\n");
  expect_two("a.xyz", "2\nwater, or so\nO 1 2 3\nH\t-0.5 0 2e5 0.1\n\n");
  EXPECT_EQ(read_points(file("none.xyz", "")).size(), 0u);
}

TEST_F(point_files, have_a_box) {
  const bounding_box box = box_of(read_points(file("a.xyz", "1 2 3\n-0.5 0 2e5\n0 5 4\n")));
  EXPECT_EQ(box.least, (std::array<double, 3>{-0.5, 0, 3}));
  EXPECT_EQ(box.greatest, (std::array<double, 3>{1, 5, 2e5}));
  EXPECT_EQ(box_of({}).greatest, (std::array<double, 3>{}));
}

TEST_F(point_files, that_are_none) {
  const auto header = [&](const std::string& text) { return refused("a.ply", "ply\n" + text); };
  EXPECT_EQ(header(""), ":1: the file ends before the line `end_header`");
  EXPECT_EQ(header("format ascii 2.0\n"),
            ":2: the format is 'ascii' '2.0': it must be ascii, binary_little_endian or "
            "binary_big_endian, 1.0");
  EXPECT_EQ(header("ply\n"), ":2: a .ply file has `ply` on its first line, and there only");
  EXPECT_EQ(header("end_header\n"), ":2: the header ends before the line `format`");
  EXPECT_EQ(header("property float x\n"),
            ":2: 'property' in the header: there are format, comment, obj_info, element and its property");
  EXPECT_EQ(header("element vertex\n"), ":2: the line ends where the number of elements should be");
  EXPECT_EQ(header("element vertex -1\n"),
            ":2: the number of elements is '-1': it must be 0 to 281474976710656");
  EXPECT_EQ(header("element vertex 1\nproperty real x\n"),
            ":3: 'real' is no type of a property, such as float or uchar");
  EXPECT_EQ(header("element vertex 1\nproperty list float int x\n"), ":3: a list is counted by integers");
  EXPECT_EQ(header("format ascii 1.0\nelement face 1\nend_header\n"), ":4: the header has no element vertex");
  for (const std::string wrong :
       {"property list uchar float x\n", "property float a\n", "property float x\nproperty int x\n"})
    EXPECT_TRUE(header("format ascii 1.0\nelement vertex 1\n" + wrong + "end_header\n")
                    .ends_with("the element vertex must have one property x, which is no list"));
  const std::string two = "element vertex 2\n" + three;
  EXPECT_EQ(refused("a.ply", ply("ascii", two, "1 2 3\n")),
            ":9: the file ends before the last element that the header announces");
  EXPECT_EQ(refused("a.ply", ply("ascii", two, "1 2 3\n1 2\n")),
            ":10: the line ends where the property should be");
  EXPECT_EQ(refused("a.ply", ply("ascii", two, "1 2 3 4\n")),
            ":9: '4' after the last property, where the line must end");
  EXPECT_EQ(refused("a.ply", ply("ascii", two, "1 nan 3\n")), ":9: y is nan: it must be finite");
  EXPECT_EQ(refused("a.ply", ply("binary_little_endian", two, bytes_of<float>({1, 2, 3, 4, 5}))),
            ": the data end before the last vertex that the header announces");
  EXPECT_EQ(refused("a.ply", ply("binary_little_endian", "element vertex 281474976710656\n" + three,
                                 "1234567890123456")),
            ": the data end before the last vertex that the header announces");
  EXPECT_EQ(refused("a.ply", ply("binary_little_endian",
                                 "element nothing 281474976710656\nelement vertex 1\n" + three, "")),
            ": the data end before the last vertex that the header announces");
  EXPECT_EQ(refused("a.ply", ply("binary_little_endian",
                                 "element vertex 1\nproperty list char int l\n" + three, "\xff")),
            ": a list 'l' of -1 values");
  EXPECT_EQ(refused("a.obj", "v 1 2\n"), ":1: the line ends where the z should be");
  EXPECT_EQ(refused("a.obj", "\nv 1 2 inf\n"), ":2: z is inf: it must be finite");
  EXPECT_EQ(refused("a.xyz", "1 2 3\n1 2 x\n"), ":2: 'x' is not a number: the z must be one");
  EXPECT_EQ(refused("a.xyz", "3\nshort\nH 1 2 3\n"),
            ":3: the file ends after 1 of 3 atoms, the number that line 1 announces");
  EXPECT_EQ(refused("a.xyz", "1\nlong\nH 1 2 3\nH 1 2 3\n"),
            ":4: 'H 1 2 3' after the last of 1 atoms, the number that line 1 announces");
  EXPECT_EQ(refused("a.wel", "1 2 3\n"), ": a list of edges with weights, where points are needed");
}

} // namespace
} // namespace evenly::io::testing
