// SPDX-License-Identifier: Apache-2.0
// The driver of benchmarks: the command line (options with a value each, and words), the report, and main().
#pragma once

#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "json/value.hpp"
#include "measure/bench.hpp"
#include "measure/report.hpp"

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

/// Calls run(arguments(argc, argv, known)) and returns its exit status. An exception is printed to standard error as
/// `program: what()`, with status 1.
inline int run_main(const char* program, int argc, char** argv, int (*run)(const arguments&),
                    const std::map<std::string, std::string>& known = {}) try {
  return run({argc, argv, known});
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s: %s\n", program, e.what());
  return 1;
}

struct benchmark {
  const char* program;
  void (*measure)(const arguments&, measure::report&);
  bool on_gpu = false;
  std::map<std::string, std::string> options = {}; ///< in addition to --json, with defaults
  json::value (*head)(const arguments&) = [](const arguments&) {
    return json::object();
  }; ///< members of the report
};

/// The same for a benchmark, with a report. The status is 1 if a result is wrong, and 77 if there is no GPU for it.
inline int run_main(int argc, char** argv, const benchmark& what) try {
  const arguments args(argc, argv, what.options);
  const measure::cuda_status gpu = what.on_gpu ? measure::find_cuda() : measure::cuda_status{};
  if (what.on_gpu && !gpu.usable) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  measure::report lines(what.on_gpu ? gpu.text : "", what.head(args));
  what.measure(args, lines);
  lines.write(args.json());
  return lines.all_right() ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s: %s\n", what.program, e.what());
  return 1;
}

} // namespace evenly::bench
