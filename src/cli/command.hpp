// SPDX-License-Identifier: Apache-2.0
// A command: its options, the variables that receive their values, and its work. CONTRIBUTING.md shows how to add one.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/description.hpp"
#include "cli/option_values.hpp"
#include "cli/parser.hpp"
#include "measure/executor_kind.hpp"

namespace evenly::io {
struct output_formats;
}

namespace evenly::cli {

using measure::executor_kind;

/// One bit per executor.
using executor_set = unsigned;
constexpr executor_set only(executor_kind kind) { return 1U << static_cast<int>(kind); }
inline constexpr executor_set on_cpu = only(executor_kind::cpu);
inline constexpr executor_set on_simt = only(executor_kind::simt);
inline constexpr executor_set on_cuda = only(executor_kind::cuda);
inline constexpr executor_set everywhere = on_cpu | on_simt | on_cuda;
inline constexpr executor_set nowhere = 0;

/// The name for messages in a usage such as `--rung,--versions NAME`: the last, since a former name comes first.
std::string option_name(std::string_view usage);

/// An option of a command. The functions return the option itself.
class option {
 public:
  /// Called with each value, or once for a flag. Throws usage_error.
  using taker = std::function<void(const std::string& value)>;

  option(std::string_view usage, taker take, std::string help);

  option& required();
  option& repeated(); ///< the option takes several values
  option& completes(std::vector<std::string> names);
  /// Sets the executors on which the option has an effect (default: all). `where` is called after all values are known.
  option& effective(std::function<executor_set()> where);
  option& effective(executor_set where);
  /// The value is the path of an output in one of these formats.
  option& writes(const io::output_formats& formats);

 private:
  friend class command;
  option_description description_;
  taker take_;
  std::function<executor_set()> where_;
  const io::output_formats* formats_ = nullptr;
};

class command {
 public:
  /// `name` must be in the table of commands.
  explicit command(std::string name);
  virtual ~command() = default;
  command(const command&) = delete;
  command& operator=(const command&) = delete;

  /// Called after all values are stored. Returns whether all results are correct. Throws evenly::error, and usage_error
  /// for values that exclude each other.
  virtual bool run() = 0;

  /// Adds an option or a positional argument. `usage`: its names and its kind of value, such as `-o,--output FILE`,
  /// `input FILE` or, for a flag, `--count`. The bound variable keeps its value if the option is not given.
  option& add(std::string_view usage, option::taker take, std::string help);
  option& add(std::string_view usage, bool& flag, std::string help);
  option& add(std::string_view usage, std::string& text, std::string help);
  option& add(std::string_view usage, std::vector<std::string>& texts, std::string help);
  option& add(std::string_view usage, int& number, whole_range range, std::string help);
  option& add(std::string_view usage, std::uint64_t& number, std::string help);
  /// A value with a name. `what` describes the value in errors, with its article.
  template <class Target, class Value>
  option& add(std::string_view usage, Target& value, const choices<Value>& known, std::string what,
              std::string help) {
    return add(
               usage, [&value, known, what](const std::string& name) { value = pick(known, what, name); },
               std::move(help))
        .completes(names(known));
  }

  void add_example(std::string line, std::string what);
  void add_to_footer(const std::string& text) { footer_ += text; }
  command_description description() const;

  /// Stores the part of the command line for this command, which must outlive it. The functions below need it.
  void note(const parsed_line& line);
  /// Stores all values in their bound variables.
  void take();

  const std::string& name() const { return name_; }
  bool is_given(std::string_view option) const;

  /// A given option, not a positional argument. In the order of help.
  struct given_value {
    std::string name;
    std::string value;                 ///< the first value; empty for a flag
    executor_set where;                ///< executors with an effect
    const io::output_formats* formats; ///< null unless the option is an output
  };
  std::vector<given_value> given() const;

 private:
  std::string name_;
  std::string summary_;
  std::string examples_;
  std::string footer_;
  std::deque<option> options_;
  struct given_here {
    option* which;
    const std::vector<std::string>* values;
    std::string first() const { return values->empty() ? "" : values->front(); }
  };
  std::vector<given_here> given_;
};

using command_maker = std::unique_ptr<command> (*)();

/// Functions that make the commands of this program.
std::vector<command_maker>& command_makers();

/// Adds Command to this program: `const registered<bfs_command> bfs;` in its file.
template <class Command> struct registered {
  registered() {
    command_makers().push_back([]() -> std::unique_ptr<command> { return std::make_unique<Command>(); });
  }
};

} // namespace evenly::cli
