// SPDX-License-Identifier: Apache-2.0
// The only file that uses CLI11.
#include "cli/parser.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <string_view>

#include <CLI/CLI.hpp>

#include "host/errors.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::cli {

using measure::joined, measure::terminal_width, measure::usage_error, measure::wrapped;

namespace {

/// CLI11's formatter, with descriptions wrapped between words.
class help_formatter : public CLI::Formatter {
 public:
  explicit help_formatter(std::size_t width) : width_(width) {}

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return two_columns("  " + make_option_name(option, is_positional) + make_option_opts(option),
                       make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return two_columns("  " + command->get_name(), command->get_description());
  }

 private:
  std::string two_columns(std::string left, std::string_view right) const {
    if (right.empty()) return left + '\n';
    const std::size_t column = std::min(get_column_width(), width_ / 3);
    std::string lines = wrapped(right, std::string(column, ' '), width_);
    if (left.size() + 1 >= column) return left + '\n' + lines;
    return lines.replace(0, left.size(), left);
  }

  std::size_t width_; ///< of a line, in columns
};

/// Wraps lines longer than `width` between words. The continuation is indented like the line or, if two blanks separate
/// a name from its description, like the description. Examples are not wrapped, so that they can be copied.
std::string fit_lines(std::string_view text, std::size_t width) {
  std::string fitted;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const bool is_example = indent > 0 && line.find(" evenly ") < line.size();
    if (line.size() <= width || is_example) {
      fitted.append(line).append("\n");
      continue;
    }
    const std::size_t described = line.find_first_not_of(' ', line.find("  ", indent));
    const std::size_t hang = described < width / 2 ? described : indent;
    fitted.append(line.substr(0, hang))
        .append(wrapped(line.substr(hang), std::string(hang, ' '), width), hang, std::string::npos);
  }
  return fitted;
}

/// Builds the CLI11 description of a program.
class parser {
 public:
  explicit parser(const program_description& program) : app_(program.summary, "evenly") {
    app_.formatter(std::make_shared<help_formatter>(terminal_width(stdout)));
    app_.allow_extras();
    app_.require_subcommand(0, 1);
    for (const command_description& each : program.commands) {
      CLI::App* const command = app_.add_subcommand(each.name, each.summary);
      command->footer(each.footer);
      command->allow_extras();
      for (const option_description& one : each.options) add(*command, one);
    }
    for (const option_description& one : program.options) add(app_, one);
    app_.footer(program.footer); // last, because commands begin with a copy of the footer
  }

  CLI::App& app() { return app_; }

 private:
  void add(CLI::App& command, const option_description& option) {
    const std::string names =
        option.names.size() == 1 ? option.name() : option.names[0] + ',' + option.names[1];
    if (option.name() == help_option().name()) {
      command.set_help_flag(names, option.help);
    } else if (option.is_flag()) {
      command.add_flag(names, flags_.emplace_back(), option.help)->disable_flag_override();
    } else {
      CLI::Option* const added = option.takes_several
                                     ? command.add_option(names, lists_.emplace_back(), option.help)
                                     : command.add_option(names, words_.emplace_back(), option.help);
      added->type_name(option.value)->required(option.is_required);
    }
  }

  CLI::App app_;
  std::deque<bool> flags_;
  std::deque<std::string> words_;
  std::deque<std::vector<std::string>> lists_;
};

const auto any_command = [](const CLI::App*) { return true; };

/// Throws usage_error if the command line has words that the command does not accept.
void refuse_remaining(const CLI::App& command, const std::string& what) {
  std::vector<std::string> rest = command.remaining();
  std::erase(rest, "--"); // dashes after it have no special meaning
  if (rest.empty()) return;
  std::string taken;
  std::vector<std::string> known;
  for (const CLI::App* sub : command.get_subcommands(any_command)) known.push_back(sub->get_name());
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional())
      taken += (taken.empty() ? "" : " and one ") + option->get_name();
    else
      known.push_back(option->get_name());
  const std::string& word = rest.front();
  if (!taken.empty() && (word == "-" || !word.starts_with('-')))
    throw usage_error(command.get_name() + " takes one " + taken + ": " + host::in_quotes(word) +
                      " is one argument too many");
  throw usage_error(host::in_quotes(word) + " is not " + what +
                    host::did_you_mean(word.substr(0, word.find('=')), known) + "; choose one of " +
                    joined(known));
}

/// Throws usage_error for an empty value, and for an option that is given twice unless it takes several values.
void refuse_empty_and_repeated(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (std::ranges::count(values, "") > 0) throw usage_error(option->get_name() + ": the value is empty");
    if (static_cast<int>(values.size()) > std::max(1, option->get_items_expected_max()))
      throw usage_error(option->get_name() + " is given twice");
  }
}

/// Throws usage_error for `--option=`, because CLI11 would take the next word as the value.
void refuse_missing_values(std::span<char* const> words) {
  for (const std::string_view word : words)
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      throw usage_error(host::printable(word.substr(0, word.size() - 1)) + ": the value is empty");
}

/// Throws usage_error for `--flag=value`.
void refuse_values_of_flags(const CLI::App& app, std::span<char* const> words) {
  for (const CLI::App* command : app.get_subcommands())
    for (const CLI::Option* option : command->get_options())
      for (const std::string_view word : words)
        if (option->get_items_expected_max() == 0 && word.starts_with(option->get_name() + '='))
          throw usage_error(host::in_quotes(word) + ": " + option->get_name() +
                            " is a flag and takes no value");
}

/// Throws usage_error for a missing required option or argument.
void refuse_missing_options(const program_description& program, const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    const auto found = std::ranges::find(program.commands, command->get_name(), &command_description::name);
    for (const option_description& each : found->options)
      if (each.is_required && command->get_option(each.name())->count() == 0)
        throw usage_error(found->name + ": " + each.name() + " is required: " + each.help + "; evenly " +
                          found->name + " --help has examples");
  }
}

void refuse_bad_words(const CLI::App& app) {
  refuse_remaining(app, "a command");
  for (const CLI::App* command : app.get_subcommands()) {
    refuse_remaining(*command, "an option");
    refuse_empty_and_repeated(*command);
  }
}

/// The words up to a command of another program, which parses the rest.
std::span<char* const> words_here(const program_description& program, std::span<char* const> words) {
  const auto is_word = [](const std::string_view word) { return !word.starts_with('-'); };
  const auto first = std::ranges::find_if(words.subspan(1), is_word);
  if (first == words.end()) return words;
  const auto found = std::ranges::find(program.commands, *first, &command_description::name);
  return found != program.commands.end() && found->is_elsewhere ? std::span(words.begin(), first + 1) : words;
}

} // namespace

parsed_line read_words(const program_description& program, std::span<char* const> words) {
  words = words_here(program, words);
  refuse_missing_values(words);
  parser reader(program);
  CLI::App& app = reader.app();
  parsed_line line;
  try {
    app.parse(static_cast<int>(words.size()), words.data());
    for (const option_description& each : program.options)
      if (each.name() == "--version") line.asks_version = app.count(each.name()) > 0;
    if (line.asks_version) return line;
    refuse_bad_words(app);
  } catch (const CLI::CallForHelp&) {
    line.asks_help = true;
  } catch (const CLI::ParseError& e) {
    refuse_values_of_flags(app, words);
    refuse_bad_words(app);
    refuse_missing_options(program, app);
    const std::string message = e.what();
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch))
      throw usage_error(message.substr(0, message.find(':')) + ": the value is missing");
    throw usage_error(message);
  }
  for (const CLI::App* command : app.get_subcommands()) {
    line.command = &*std::ranges::find(program.commands, command->get_name(), &command_description::name);
    for (const option_description& each : line.command->options) {
      const CLI::Option* const option = command->get_option(each.name());
      if (option->count() == 0) continue;
      line.given.push_back({&each, {}});
      if (!each.is_flag()) line.given.back().values = option->results();
    }
  }
  return line;
}

std::string help_of(const program_description& program, const command_description* command) {
  parser writer(program);
  CLI::App& app = writer.app();
  return fit_lines(command == nullptr ? app.help() : app.get_subcommand(command->name)->help("evenly"),
                   terminal_width(stdout));
}

} // namespace evenly::cli
