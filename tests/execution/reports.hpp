// SPDX-License-Identifier: Apache-2.0
// Launches of lambdas on the simulated GPU, and what is reported of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include <gtest/gtest.h>

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

} // namespace evenly
