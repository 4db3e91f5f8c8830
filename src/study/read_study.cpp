// SPDX-License-Identifier: Apache-2.0
#include "study/read_study.hpp"

#include <cstddef>
#include <filesystem>

#include "io/byte_source.hpp"
#include "json/value.hpp"
#include "measure/report.hpp"

namespace evenly::study {

using measure::put_times;

namespace {

json::value parse_file(const std::string& path) {
  io::byte_source source{std::filesystem::path(path)};
  std::string text;
  constexpr std::size_t block = 1 << 16;
  for (std::size_t got = block; got > 0;) {
    const std::size_t size = text.size();
    text.resize(size + block);
    got = source.read(text.data() + size, block);
    text.resize(size + got);
  }
  return json::parse(text);
}

} // namespace

void add_outcome(json::value& object, const std::optional<std::string>& error, const timing& time) {
  object["ok"] = !error;
  if (error) object["error"] = *error;
  put_times(object, time, !error);
}

std::string shown(const std::string& path) {
  return path == io::standard_input ? "standard input" : host::printable(path);
}

void refuse_study(const std::string& path, std::string_view why) {
  throw io::file_error(fmt::format("{}: not a file of study results: {}", shown(path), why));
}

json::value parse_study(const std::string& path) {
  try {
    return parse_file(path);
  } catch (const json::parse_error& e) {
    refuse_study(path, host::printable(e.what()));
  }
}

} // namespace evenly::study
