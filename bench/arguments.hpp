// SPDX-License-Identifier: Apache-2.0
// The command line of a benchmark: options with a value each, and words; and what its main() does.
#pragma once

#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace evenly::bench {

struct arguments {
  std::map<std::string, std::string> options = {{"--json", ""}}; ///< what may be said, and its default
  std::vector<std::string> words = {};

  /// `known`: options besides --json FILE. Throws std::runtime_error for other options and for one without a value.
  arguments(int argc, char** argv, const std::map<std::string, std::string>& known = {}) {
    options.insert(known.begin(), known.end());
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (!word.starts_with("--"))
        words.push_back(word);
      else if (options.count(word) == 0 || i + 1 == argc)
        throw std::runtime_error(word + " is no option, or has no value");
      else
        options[word] = argv[++i];
    }
  }

  const std::string& json() const { return options.at("--json"); }
  int number(const std::string& option) const { return std::stoi(options.at(option)); }
};

/// What main() does: run(arguments(argc, argv, known)), which returns the exit status. An exception goes to standard
/// error as `program: what()`, and then the status is 1.
inline int run_main(const char* program, int argc, char** argv, int (*run)(const arguments&),
                    const std::map<std::string, std::string>& known = {}) try {
  return run({argc, argv, known});
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s: %s\n", program, e.what());
  return 1;
}

} // namespace evenly::bench
