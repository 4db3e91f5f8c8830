// SPDX-License-Identifier: Apache-2.0
#include "study/study_file.hpp"

#include <cstddef>
#include <filesystem>

#include "io/byte_source.hpp"

namespace evenly::study {

void machine_fields(record& io, study_head& head) {
  io.object("machine", [&](record& machine) {
    machine("cpu", head.cpu);
    machine("cores", head.cores, 1);
    machine.if_any("gpu", head.gpu);
  });
}

void head_fields(record& io, std::string study, study_head& head) {
  const std::string name = study;
  io("study", study);
  io.require(study == name, "study", "must be " + name);
  machine_fields(io, head);
  io("date", head.date);
  io("commit", head.commit);
  io("executor", head.executor);
  io.require(head.executor == "cpu" || head.executor == "simt" || head.executor == "cuda", "executor",
             "must be one of cpu, simt, cuda");
  io("place", head.place);
  io("quick", head.quick);
  io.if_any("earlier_commit", head.earlier_commit);
}

study_file::study_file(const std::string& path)
    : path_(path == io::standard_input ? "standard input" : host::printable(path)) {
  io::byte_source source{std::filesystem::path(path)};
  std::string text;
  constexpr std::size_t block = 1 << 16;
  for (std::size_t got = block; got > 0;) {
    const std::size_t size = text.size();
    text.resize(size + block);
    got = source.read(text.data() + size, block);
    text.resize(size + got);
  }
  try {
    contents_ = json::parse(text);
  } catch (const json::parse_error& e) {
    refuse("not a file of study results: " + host::printable(e.what()));
  }
}

void study_file::refuse(std::string_view why) const {
  throw io::file_error(fmt::format("{}: {}", path_, why));
}

void study_file::require_same(const study_head& here, const study_head& before) const {
  if (here.executor != before.executor || here.place != before.place || here.commit != before.commit ||
      here.quick != before.quick)
    refuse("measured on another machine or by another program than the previous files");
}

} // namespace evenly::study
