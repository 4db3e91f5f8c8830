// SPDX-License-Identifier: Apache-2.0
// Bytes of compressed files and of archives: right ones, damaged ones, and archives of several files.
#include "io/byte_source.hpp"

#include <cstddef>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include "arrays.hpp"
#include "evenly/io/file_format.hpp"
#include "evenly/io/read.hpp"
#include "host/errors.hpp"
#include "io/archives.hpp"
#include "io/coding.hpp"
#include "io/endings.hpp"
#include "io/input.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

using namespace std::string_literals;

constexpr coding all_codings[] = {coding::gzip, coding::bzip2, coding::xz, coding::zstandard};

std::string rest_of(byte_source& source) {
  std::string all;
  char buffer[5000];
  while (const std::size_t got = source.read(buffer, sizeof buffer)) all.append(buffer, got);
  return all;
}

std::string decoded(const std::string& bytes) {
  std::istringstream stream(bytes);
  byte_source source(stream, "s");
  return rest_of(source);
}

std::string decoding_error(const std::string& bytes) {
  return message_of<file_error>([&] { decoded(bytes); });
}

std::string damage(coding how) {
  return fmt::format("s: the {} data are damaged or cut short", name_of(how));
}

std::string numbers(int count) {
  std::mt19937 random(1); // NOLINT: the same numbers each time
  std::string text;
  for (int k = 0; k < count; ++k) text += fmt::format("{}\n", random());
  return text;
}

class byte_sources : public io_test {};

TEST_F(byte_sources, decompress_all_codings) {
  for (const coding how : all_codings)
    for (const int count : {0, 1, 30, 100'000}) {
      const std::string text = numbers(count), packed = pack(text, how);
      EXPECT_EQ(decoded(packed), text) << name_of(how);
      byte_source from_file(file("x", packed));
      EXPECT_EQ(rest_of(from_file), text) << name_of(how);
      EXPECT_FALSE(from_file.plain_file());
    }
  byte_source plain(file("x", "text"));
  EXPECT_EQ(plain.plain_file(), folder / "x");
  EXPECT_EQ(plain.member_name(), "");
}

TEST_F(byte_sources, read_streams_that_follow_each_other) {
  const std::string text = numbers(1000);
  for (const coding how : all_codings) {
    SCOPED_TRACE(name_of(how));
    const std::string packed = pack(text, how);
    EXPECT_EQ(decoded(packed + pack("", how) + packed), text + text);
    EXPECT_EQ(decoded(packed + std::string(100'000, '\0') + packed + std::string(4, '\0')), text + text);
    std::string many, expected;
    for (int k = 0; k < 3000; ++k) {
      many += pack("line\n", how);
      expected += "line\n";
    }
    EXPECT_EQ(decoded(many), expected);
    EXPECT_EQ(decoding_error(packed + packed.substr(0, packed.size() - 1)), damage(how));
  }
  EXPECT_EQ(decoded("\x50\x2a\x4d\x18\3\0\0\0abc"s + pack(text, coding::zstandard)),
            text); // a skippable frame
}

TEST_F(byte_sources, refuse_other_bytes_behind_the_last_stream) {
  for (const coding how : all_codings)
    for (const std::string& more : {"x"s, "more than the first bytes of a stream"s, "\0\0x"s, "\x1f"s})
      EXPECT_EQ(
          decoding_error(pack("text", how) + more),
          fmt::format("s: the {} data are followed by other bytes: remove them, or create the file again",
                      name_of(how)));
}

TEST_F(byte_sources, find_every_cut) {
  const std::string text = numbers(300);
  for (const coding how : all_codings) {
    const std::string packed = pack(text, how);
    for (std::size_t size = coding_magic_size; size < packed.size(); ++size)
      ASSERT_EQ(decoding_error(packed.substr(0, size)), damage(how)) << size << " of " << packed.size();
  }
}

TEST_F(byte_sources, find_every_flipped_bit_that_matters) {
  const std::string text = numbers(60);
  for (const coding how : all_codings) {
    const std::string packed = pack(text, how);
    std::size_t found = 0;
    const std::size_t start = 8 * coding_magic_size; // with other first bytes it is no compressed file
    for (std::size_t bit = start; bit < 8 * packed.size(); ++bit) {
      std::string damaged = packed;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
      std::string read;
      const std::string message = message_of<file_error>([&] { read = decoded(damaged); });
      if (message != "nothing was thrown")
        ++found;
      else
        ASSERT_EQ(read, text) << name_of(how) << " bit " << bit; // as of gzip's time
    }
    EXPECT_GT(found, (8 * packed.size() - start) * 9 / 10) << name_of(how);
  }
}

TEST_F(byte_sources, bound_the_window) {
  const auto refused = [](coding how) {
    return fmt::format(
        "s: the {} data need a window of more than 128 MiB: compress the file with a smaller window",
        name_of(how));
  };
  const auto zstd_of_window = [](int log) { // one block of one byte
    return "\x28\xb5\x2f\xfd\0"s + static_cast<char>((log - 10) << 3) + "\x09\0\0x"s;
  };
  EXPECT_EQ(decoded(zstd_of_window(27)), "x");
  EXPECT_EQ(decoding_error(zstd_of_window(28)), refused(coding::zstandard));
  const auto xz_of_window =
      [](char code) { // in the header of the only block, which has a check sum of its own
        std::string packed = pack("x", coding::xz);
        constexpr std::size_t header = 12, header_size = 12;
        EXPECT_EQ(packed.substr(header, 4), "\x02\x00\x21\x01"s);
        packed[header + 4] = code;
        const auto sum = crc32(0, reinterpret_cast<const Bytef*>(packed.data()) + header, header_size - 4);
        return packed.replace(header + header_size - 4, 4, little_endian(sum, 4));
      };
  EXPECT_EQ(decoded(xz_of_window(30)), "x");
  EXPECT_EQ(decoding_error(xz_of_window(31)), refused(coding::xz));
}

/// A tar archive of regular files; a name that ends in '/' is a folder, content "-> x" a symbolic link.
std::string tar(const std::vector<std::pair<std::string, std::string>>& all) {
  std::string archive;
  for (const auto& [name, content] : all) {
    const bool is_link = content.starts_with("-> ");
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
    put(0, name);
    put(100, "0000644");
    put(124, fmt::format("{:011o}", is_link ? 0 : content.size()));
    put(136, "00000000000");
    put(148, "        ");
    put(156, name.ends_with('/') ? "5" : is_link ? "2" : "0");
    if (is_link) put(157, content.substr(3));
    put(257, "ustar\00000"s);
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    put(148, fmt::format("{:06o}", sum) + "\0 "s);
    archive += header;
    if (!is_link) archive += content + std::string((512 - content.size() % 512) % 512, '\0');
  }
  return archive + std::string(1024, '\0');
}

const std::string matrix = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n";

TEST(members, that_are_meant) {
  using list = std::vector<std::string>;
  const auto chosen = [](const list& names) {
    const auto index = choose_member(names);
    return index ? names[*index] : "none";
  };
  EXPECT_EQ(chosen({}), "none");
  EXPECT_EQ(chosen({"any"}), "any");
  EXPECT_EQ(chosen({"a/a_b.mtx", "a/a.mtx", "a/a_coord.mtx"}), "a/a.mtx");
  EXPECT_EQ(chosen({"./x/a.b/a.b.EL.gz", "x/a.b/README.txt"}), "./x/a.b/a.b.EL.gz");
  EXPECT_EQ(chosen({"a/a.mtx", "a/a.el"}), "none");
  EXPECT_EQ(chosen({"a/a.doc", "a/b.doc"}), "none");
  EXPECT_EQ(chosen({"k/README.k", "k/meta.k", "k/out.k"}), "k/out.k");
  EXPECT_EQ(chosen({"k/out.k", "k/out.l", "k/k.doc"}), "none");
  EXPECT_EQ(chosen({"README", "graph.el"}), "graph.el");
  EXPECT_EQ(chosen({"graph.el", "graph.mtx"}), "none");
  EXPECT_TRUE(is_ignored_member("a/._a.mtx"));
  EXPECT_TRUE(is_ignored_member("__MACOSX/a.mtx"));
  EXPECT_FALSE(is_ignored_member("a/.a.mtx"));
}

TEST_F(byte_sources, read_the_file_that_is_meant_in_a_tar_archive) {
  const std::string archive = tar({{"._big", "of macOS"},
                                   {"big/", ""},
                                   {"big/._big.mtx", "of macOS"},
                                   {"big/link.mtx", "-> big.mtx"},
                                   {"big/big_b.mtx", "right-hand side"},
                                   {"big/big.mtx", matrix},
                                   {"big/README.txt", "more"}});
  for (const coding how : {coding::none, coding::gzip, coding::bzip2, coding::xz, coding::zstandard}) {
    const auto path = file("any name", pack(archive, how));
    byte_source source(path);
    EXPECT_EQ(source.name(), path.string() + "(big/big.mtx)");
    EXPECT_EQ(source.member_name(), "big/big.mtx");
    EXPECT_FALSE(source.plain_file());
    EXPECT_EQ(rest_of(source), matrix);
    EXPECT_EQ(decoded(pack(archive, how)), matrix);
    EXPECT_EQ(read_matrix(path).rows, 2);
  }
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::jthread writer([&] { std::ofstream(pipe) << pack(archive, coding::gzip); });
  EXPECT_EQ(read_matrix(pipe).rows, 2);
}

TEST_F(byte_sources, tell_the_format_by_the_ending_of_the_file_in_an_archive) {
  const std::string edges = "0 1\n1 2\n";
  EXPECT_EQ(read_graph(file("a.tgz", pack(tar({{"e/e.el", edges}}), coding::gzip))).rows.rows, 3);
  EXPECT_EQ(read_graph(file("a.tar", tar({{"e/e.el.gz", pack(edges, coding::gzip)}}))).rows.rows, 3);
  EXPECT_EQ(read_graph(file("a.el.tar", tar({{"edges", edges}}))).rows.rows,
            3); // where the file has no ending
  EXPECT_EQ(format_of(folder / "a.tgz"), file_format::pairs);
  const auto path = file("b.mtx.tar", tar({{"e.el", "0 1\n0 x\n"}}));
  EXPECT_TRUE(message_of<file_error>([&] { read_graph(path); }).starts_with(path.string() + "(e.el):2: "));
}

TEST_F(byte_sources, choose_by_a_second_pass_only_in_files_on_disk) {
  const std::string several = tar({{"README", "more"}, {"graph.el", "0 1\n"}, {"LICENSE", "none"}});
  byte_source on_disk(file("a.tar", several));
  EXPECT_EQ(rest_of(on_disk), "0 1\n");
  EXPECT_EQ(decoding_error(several),
            "s: an archive of 3 files, 'README', 'graph.el', 'LICENSE': from a pipe, only a file named like "
            "its folder or out.NAME can be read; unpack the archive, or give its path");
  EXPECT_EQ(decoded(tar({{"k/README.k", "more"}, {"k/out.k", "0 1\n"}, {"k/meta.k", "more"}})), "0 1\n");
}

TEST_F(byte_sources, refuse_archives_whose_file_is_unclear) {
  const auto refused = [&](const std::string& archive) {
    const auto path = file("a", archive);
    return message_of<file_error>([&] {
             byte_source source(path);
             rest_of(source);
           })
        .substr(path.string().size());
  };
  EXPECT_EQ(
      refused(tar({{"a.el", ""}, {"b.el", ""}, {"c\n", ""}, {"d", ""}, {"e", ""}, {"f", ""}})),
      ": an archive of 6 files, 'a.el', 'b.el', 'c\\x0a', 'd', 'e', ...: unpack it and name one of them");
  EXPECT_EQ(refused(tar({{"a/", ""}, {"a/._a", "of macOS"}})), ": the archive has no files");
  EXPECT_EQ(refused(tar({{"a/a.mtx", matrix}, {"a/b", ""}, {"a/a.el", ""}})),
            ": the archive has 'a/a.mtx' and 'a/a.el': unpack it and name one of them");
  EXPECT_EQ(refused(zip({{"a.el", ""}, {"b.el", ""}})),
            ": an archive of 2 files, 'a.el', 'b.el': unpack it and name one of them");
  std::vector<std::pair<std::string, std::string>> many;
  for (int k = 0; k <= 1 << 16; ++k) many.emplace_back(std::to_string(k), "");
  EXPECT_EQ(refused(tar(many)), ": an archive of more than 65536 files: unpack it");
}

TEST_F(byte_sources, find_damage_anywhere_in_a_tar_archive) {
  const std::string archive = tar({{"a/a.mtx", matrix}, {"a/a_b.mtx", numbers(200)}});
  const std::string packed = pack(archive, coding::gzip);
  for (std::size_t size = coding_magic_size; size < packed.size(); size += 7)
    ASSERT_EQ(decoding_error(packed.substr(0, size)), damage(coding::gzip)) << size;
  std::string wrong_sum = packed;
  wrong_sum[packed.size() - 6] ^= 1; // behind all that is read of the file
  EXPECT_EQ(decoding_error(wrong_sum), damage(coding::gzip));
  for (std::size_t size = 512; size < archive.size() - 1024; size += 100) {
    if (size % 512 == 0) continue; // an archive without an end mark, as some programs write it
    ASSERT_TRUE(
        decoding_error(archive.substr(0, size)).starts_with("s: the tar archive is damaged or cut short: "))
        << size;
  }
  std::string damaged = archive;
  damaged[3] ^= 1; // in the name, which the header's check sum covers
  EXPECT_TRUE(decoding_error(damaged).starts_with("s: the tar archive is damaged or cut short: "));
}

TEST_F(byte_sources, read_the_file_that_is_meant_in_a_zip_archive) {
  const std::string archive = zip({{"a/", ""}, {"a/._email.txt", "of macOS"}, {"a/email.txt", "0 1\n1 2\n"}});
  const auto path = file("email.txt.zip", archive);
  byte_source source(path);
  EXPECT_EQ(source.name(), path.string() + "(a/email.txt)");
  EXPECT_EQ(rest_of(source), "0 1\n1 2\n");
  EXPECT_EQ(decoded(archive), "0 1\n1 2\n");
  EXPECT_EQ(decoded(pack(archive, coding::xz)), "0 1\n1 2\n");
  EXPECT_EQ(read_graph(path).rows.rows, 3);
  std::string damaged = archive;
  damaged[archive.find("1 2")] ^= 1;
  EXPECT_TRUE(decoding_error(damaged).starts_with("s: a/email.txt: the data are damaged or cut short: "));
  byte_source arrays(file("a.npz", zip({{"x.npy", "not read"}, {"a.mtx", matrix}})));
  EXPECT_EQ(arrays.member_name(), "");
  EXPECT_NE(arrays.zip(), nullptr);
}

TEST_F(byte_sources, keep_names_in_other_alphabets) {
  for (const std::string& archive : {tar({{"é/é.el", "0 1\n"}}), zip({{"é/é.el", "0 1\n"}})}) {
    byte_source source(file("a", archive));
    EXPECT_EQ(source.member_name(), "é/é.el");
  }
}

TEST_F(byte_sources, do_not_read_encrypted_members) {
  std::string archive = zip({{"a.el", "0 1\n"}});
  archive[6] |= 1; // the flag in the header of the member, and in the table
  archive[archive.find("PK\1\2") + 8] |= 1;
  EXPECT_EQ(decoding_error(archive),
            "s: a.el: the member is encrypted: write the archive without a password");
}

TEST(endings_of_names, are_compared_without_regard_to_case) {
  EXPECT_EQ(format_by_ending("A.MTX"), file_format::matrix_market);
  EXPECT_EQ(format_by_ending("a.EL.GZ"), file_format::pairs);
  EXPECT_EQ(format_by_ending("a.Npz"), file_format::npz);
  EXPECT_EQ(format_by_ending("a.txt.zip"), file_format::pairs);
  EXPECT_EQ(format_by_ending("a.tar.gz"), std::nullopt);
  EXPECT_EQ(coding_by_ending("a.Gz"), coding::gzip);
  EXPECT_EQ(coding_by_ending("a.BZ2"), coding::bzip2);
  EXPECT_EQ(coding_by_ending("a.xZ"), coding::xz);
  EXPECT_EQ(coding_by_ending("a.zST"), coding::zstandard);
  EXPECT_EQ(coding_by_ending("a.zip"), coding::none);
  EXPECT_EQ(without_compression("a.npy.Zst"), "a.npy");
  EXPECT_EQ(without_compression(".gz"), ".gz");
  for (const char* name :
       {"a.tar.gz", "a.TGZ", "a.tar.bz2", "a.tbz2", "a.tar.xz", "a.txz", "a.tar", "a.zip", "a.gz"})
    EXPECT_EQ(without_packing(name), "a") << name;
  for (const char* name : {"big.MTX", "big.tar.gz", "big.tgz", "big.Tar.Bz2", "big.mtx.zip", "big.EL.XZ"})
    EXPECT_EQ(short_name(std::string("some/folder/") + name), "big");
}

} // namespace
} // namespace evenly::io::testing
