// SPDX-License-Identifier: Apache-2.0
#include "io/zip_archive.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "io/archive_reading.hpp"

namespace evenly::io {

bool starts_zip(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.starts_with("PK\3\4"sv) || bytes.starts_with("PK\5\6"sv);
}

zip_file::zip_file(std::string shown, std::filesystem::path path)
    : shown_(std::move(shown)), path_(std::move(path)) {
  list_members();
}

zip_file::zip_file(std::string shown, std::vector<char> bytes)
    : shown_(std::move(shown)), bytes_(std::move(bytes)) {
  list_members();
}

std::shared_ptr<archive> zip_file::open() const {
  constexpr std::size_t block = 1 << 16;
  archive_reader opened(archive_read_new());
  if (!opened) throw std::bad_alloc();
  archive_read_support_format_zip_seekable(opened.get());
  const int result = path_.empty() ? archive_read_open_memory(opened.get(), bytes_.data(), bytes_.size())
                                   : archive_read_open_filename(opened.get(), path_.c_str(), block);
  if (result != ARCHIVE_OK) fail_as_damaged(error_of(opened.get()));
  return opened;
}

bool zip_file::has_no_members() const {
  constexpr std::size_t table_end = 22;
  std::string first(bytes_.begin(), bytes_.begin() + std::min<std::ptrdiff_t>(std::ssize(bytes_), table_end));
  if (!path_.empty()) {
    first.resize(table_end);
    std::ifstream file(path_, std::ios::binary);
    file.read(first.data(), table_end);
    first.resize(static_cast<std::size_t>(file.gcount()));
  }
  return first.size() == table_end && first.starts_with("PK\5\6") && first[10] == 0 && first[11] == 0;
}

void zip_file::list_members() {
  if (has_no_members()) return;
  const utf8_names here;
  const auto opened = open();
  archive_entry* entry = nullptr;
  int result = ARCHIVE_OK;
  while ((result = archive_read_next_header(opened.get(), &entry)) == ARCHIVE_OK || result == ARCHIVE_WARN)
    members_.push_back({name_of(entry), is_regular(entry), archive_entry_is_encrypted(entry) != 0});
  if (result != ARCHIVE_EOF) fail_as_damaged(error_of(opened.get()));
}

byte_reader zip_file::read(std::size_t index) const {
  const std::string name = host::printable(members_[index].name);
  if (members_[index].is_encrypted)
    fail(fmt::format("{}: the member is encrypted: write the archive without a password", name));
  const auto opened = open();
  archive_entry* entry = nullptr;
  for (std::size_t i = 0; i <= index; ++i)
    if (const int result = archive_read_next_header(opened.get(), &entry);
        result != ARCHIVE_OK && result != ARCHIVE_WARN)
      fail(fmt::format("{}: cannot be read: {}", name, error_of(opened.get())));
  return [this, opened, name](char* to, std::size_t count) {
    const la_ssize_t got = archive_read_data(opened.get(), to, count);
    if (got < 0) fail(fmt::format("{}: the data are damaged or cut short: {}", name, error_of(opened.get())));
    return static_cast<std::size_t>(got);
  };
}

void zip_file::fail_as_damaged(std::string_view how) const {
  fail(fmt::format(
      "not a readable zip archive: the file is cut off or damaged ({}); copy or download it again", how));
}

void zip_file::fail(std::string_view rule) const { throw file_error(shown_, 0, std::string(rule)); }

zip_archive::zip_archive(byte_source source) : file_(source.name()), archive_(source.zip()) {
  if (!archive_) fail("not a zip archive: it has the wrong first bytes");
}

std::vector<std::string> zip_archive::names() const {
  std::vector<std::string> all;
  for (const zip_file::member& each : archive_->members()) all.push_back(each.name);
  return all;
}

bool zip_archive::has(std::string_view name) const { return std::ranges::count(names(), name) > 0; }

array_bytes zip_archive::member(const std::string& name) const {
  const std::vector<zip_file::member>& all = archive_->members();
  const auto count = std::ranges::count(all, name, &zip_file::member::name);
  if (count != 1)
    fail(count == 0 ? fmt::format("the archive has no {}", host::printable(name))
                    : fmt::format("the archive has {} members {}: their names must differ", count,
                                  host::printable(name)));
  const auto at = std::ranges::find(all, name, &zip_file::member::name) - all.begin();
  return {file_, host::printable(name), archive_->read(static_cast<std::size_t>(at))};
}

void zip_archive::fail(std::string_view rule) const { throw file_error(file_, 0, std::string(rule)); }

} // namespace evenly::io
