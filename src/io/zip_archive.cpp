// SPDX-License-Identifier: Apache-2.0
#include "io/zip_archive.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <zip.h>

#include "io/chunked.hpp"
#include "io/errors.hpp"
#include "io/memory_limits.hpp"

namespace evenly::io {
namespace {

struct closes_archive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct closes_member {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};

/// All bytes of a source.
std::vector<char> read_all(byte_source& source) {
  std::vector<char> all;
  std::size_t used = 0;
  for (std::size_t got = 1; got > 0; used += got) {
    if (used == all.size()) {
      const std::size_t room = std::max<std::size_t>(1 << 16, 2 * used);
      if (const auto shortage = memory_shortage(static_cast<std::int64_t>(room)))
        throw file_error(source.name(), 0, fmt::format("{} bytes read: {}", used, *shortage));
      all.resize(room);
    }
    got = source.read(all.data() + used, all.size() - used);
  }
  all.resize(used);
  return all;
}

} // namespace

struct zip_archive::state {
  std::string file;
  std::vector<char> bytes;
  std::unique_ptr<zip_t, closes_archive> archive;
};

bool starts_zip(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.starts_with("PK\3\4"sv) || bytes.starts_with("PK\5\6"sv);
}

zip_archive::zip_archive(byte_source source) : state_(std::make_unique<state>()) {
  state_->file = source.name();
  const auto on_disk = source.plain_file();
  try {
    if (!on_disk) state_->bytes = read_all(source);
  } catch (const std::bad_alloc&) {
    fail("not enough memory for the archive");
  }
  zip_error_t error;
  zip_error_init(&error);
  const auto complain = [&] {
    const std::string why = printable(zip_error_strerror(&error));
    zip_error_fini(&error);
    fail(fmt::format("not a zip archive that can be read: {}", why));
  };
  zip_source_t* const from =
      on_disk ? zip_source_file_create(on_disk->c_str(), 0, -1, &error)
              : zip_source_buffer_create(state_->bytes.data(), state_->bytes.size(), 0, &error);
  if (from == nullptr) complain();
  state_->archive.reset(zip_open_from_source(from, ZIP_RDONLY, &error));
  if (state_->archive == nullptr) {
    zip_source_free(from);
    complain();
  }
  zip_error_fini(&error);
}

zip_archive::zip_archive(zip_archive&&) noexcept = default;
zip_archive::~zip_archive() = default;

std::vector<std::string> zip_archive::names() const {
  std::vector<std::string> all;
  const zip_int64_t count = zip_get_num_entries(state_->archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i)
    if (const char* const name =
            zip_get_name(state_->archive.get(), static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW))
      all.emplace_back(name);
  return all;
}

bool zip_archive::has(std::string_view name) const { return std::ranges::count(names(), name) > 0; }

array_bytes zip_archive::member(const std::string& name) const {
  zip_t* const archive = state_->archive.get();
  if (const auto count = std::ranges::count(names(), name); count != 1)
    fail(count == 0 ? fmt::format("the archive has no {}", printable(name))
                    : fmt::format("the archive has {} members {}: which is meant?", count, printable(name)));
  const zip_int64_t at = zip_name_locate(archive, name.c_str(), ZIP_FL_ENC_RAW);
  zip_file_t* const opened = at < 0 ? nullptr : zip_fopen_index(archive, static_cast<zip_uint64_t>(at), 0);
  if (opened == nullptr)
    fail(fmt::format("{}: cannot be read: {}", printable(name), printable(zip_strerror(archive))));
  const std::shared_ptr<zip_file_t> file(opened, closes_member{});
  const auto read = [file, shown = state_->file, name](char* to, std::size_t count) {
    const zip_int64_t got = zip_fread(file.get(), to, count);
    if (got < 0)
      throw file_error(shown, 0,
                       fmt::format("{}: the data are damaged or cut short: {}", printable(name),
                                   printable(zip_file_strerror(file.get()))));
    return static_cast<std::size_t>(got);
  };
  return {state_->file, printable(name), read};
}

void zip_archive::fail(std::string_view rule) const { throw file_error(state_->file, 0, std::string(rule)); }

} // namespace evenly::io
