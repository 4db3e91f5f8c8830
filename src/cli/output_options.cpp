// SPDX-License-Identifier: Apache-2.0
#include "cli/output_options.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "io/errors.hpp"
#include "io/output_format.hpp"
#include "measure/usage_error.hpp"

namespace evenly::cli {
namespace {

struct output_option {
  std::string_view command; ///< empty: every command
  std::string_view option;
  const io::output_formats& formats;
};

const std::array<output_option, 14> outputs{{{"", "--json", io::json_output},
                                             {"", "--report", io::page_output},
                                             {"", "--draw", io::picture_output},
                                             {"", "--parents", io::vector_output},
                                             {"", "--map", io::text_output},
                                             {"draw", "-o", io::picture_output},
                                             {"spmv", "-o", io::vector_output},
                                             {"bfs", "-o", io::vector_output},
                                             {"sssp", "-o", io::vector_output},
                                             {"spmm", "-o", io::dense_matrix_output},
                                             {"spgemm", "-o", io::sparse_matrix_output},
                                             {"transpose", "-o", io::sparse_matrix_output},
                                             {"convert", "-o", io::sparse_matrix_output},
                                             {"octree", "--output", io::table_output}}};

/// What the option of a command writes; null for an option that writes nothing.
const io::output_formats* formats_of(const std::string& command, const given_option& given) {
  if (given.value.empty()) return nullptr;
  const auto found = std::ranges::find_if(outputs, [&](const output_option& one) {
    return one.option == given.name && (one.command.empty() || one.command == command);
  });
  return found == outputs.end() ? nullptr : &found->formats;
}

/// Whether two paths lead to one file, there or not. Devices, as /dev/null, take any number of outputs.
bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (a == "-" || b == "-") return a == b;
  const fs::file_status there = fs::status(a, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there)) return false;
  return fs::weakly_canonical(fs::absolute(a, ignored), ignored) ==
             fs::weakly_canonical(fs::absolute(b, ignored), ignored) ||
         fs::equivalent(a, b, ignored);
}

} // namespace

void check_outputs_apart(const std::string& command, std::span<const given_option> given) {
  for (auto each = given.begin(); each != given.end(); ++each)
    for (auto before = given.begin(); before != each; ++before)
      if (formats_of(command, *each) != nullptr && formats_of(command, *before) != nullptr &&
          same_file(before->value, each->value))
        throw usage_error(fmt::format("{} and {} both write {}: one would replace the other", before->name,
                                      each->name,
                                      each->value == "-" ? "standard output" : io::in_quotes(each->value)));
}

void check_output_endings(const std::string& command, std::span<const given_option> given) {
  for (const given_option& each : given) {
    const io::output_formats* const formats = formats_of(command, each);
    if (formats == nullptr) continue;
    try {
      io::output_format_of(each.value, *formats);
    } catch (const io::output_error& e) {
      throw usage_error(fmt::format("{} {}", each.name, e.what()));
    }
  }
}

} // namespace evenly::cli
