// SPDX-License-Identifier: Apache-2.0
// Launches of lambdas on the simulated GPU, and their reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/simt.hpp"

namespace evenly {

/// A kernel made of a generic lambda and the bytes of storage that it uses. The lambda captures pointers.
template <class Body> struct kernel {
  int bytes;
  const Body* body;

  slot<char> lay_out(storage_layout& layout, block_shape) const { return layout.take<char>(bytes); }
  template <class Block> void operator()(Block& block) const { (*body)(block); }
};

template <class Body> void run(const simt& exec, launch_shape shape, int bytes, const Body& body) {
  launch(exec, shape, kernel<Body>{bytes, &body});
}

/// What the launch reports; empty if nothing.
template <class Body> std::string report(const simt& exec, launch_shape shape, int bytes, const Body& body) {
  try {
    run(exec, shape, bytes, body);
  } catch (const simulation_error& found) {
    EXPECT_EQ(std::string(found.what()).find('\n'), std::string::npos);
    return found.what();
  }
  return {};
}

/// Whether `report` has all these words in it.
inline testing::AssertionResult says(const std::string& report, std::initializer_list<std::string> words) {
  for (const std::string& word : words)
    if (report.find(word) == std::string::npos)
      return testing::AssertionFailure() << "\"" << word << "\" is missing in \"" << report << "\"";
  return testing::AssertionSuccess();
}

/// How a report names a line of the calling file. A kernel notes the line of a call that is to be reported, as in
/// `at = __LINE__, block.sync()`.
inline std::string place(int line, std::source_location from = std::source_location::current()) {
  const std::string file = from.file_name();
  return "(" + file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(line) + ")";
}

/// The value of an element of storage, which is a T on any executor.
template <class Element> auto value(Element&& element) { return +std::forward<Element>(element); }
/// Reads an element.
inline void use(int) {}

inline simt_options with_seed(std::uint64_t seed) {
  simt_options options;
  options.seed = seed;
  return options;
}
inline simt_options with_warp(int warp_size) {
  simt_options options;
  options.warp_size = warp_size;
  return options;
}

/// What is reported without a seed and with some, on one operating-system thread and several; empty if nothing is
/// anywhere, else the first of them. Fails if only some find anything.
template <class Run> std::string found_by_all(const Run& run) {
  std::string first;
  int found = 0, runs = 0;
#if defined(EVENLY_THREAD_SANITIZER) // which would report the races that are meant
  const std::vector<int> operating_system_threads{1};
#else
  const std::vector<int> operating_system_threads{1, 3};
#endif
  for (const int threads : operating_system_threads)
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      simt_options options = with_seed(seed);
      options.threads = threads;
      options.switch_at_atomics = seed % 2 == 1;
      std::string words;
      try {
        run(simt(options));
      } catch (const simulation_error& error) {
        words = error.what();
      }
      ++runs;
      found += !words.empty();
      if (first.empty()) first = words;
    }
  EXPECT_TRUE(found == 0 || found == runs) << found << " of " << runs << ": " << first;
  return first;
}

} // namespace evenly
