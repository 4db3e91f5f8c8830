// SPDX-License-Identifier: Apache-2.0
// What --help says beside options: examples, which a test runs, and what exit statuses mean.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace evenly::cli {

/// A line for a shell, and what it does.
struct example {
  std::string_view line;
  std::string_view what;
};

/// Those of a command, of which each has some. They need a folder with matrix.mtx, x.txt and edges.el.
std::span<const example> examples_of(std::string_view command);

/// How the program ends, and why: `0`, `1`, `2`, `128 + N`.
struct exit_status {
  std::string_view status;
  std::string_view meaning;
};
std::span<const exit_status> exit_statuses();

/// As paragraphs of --help, the last line with its newline.
std::string help_on_examples(std::string_view command);
std::string help_on_exit_statuses();

} // namespace evenly::cli
