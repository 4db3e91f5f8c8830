// SPDX-License-Identifier: Apache-2.0
// The message of the exception that a call throws.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"

namespace evenly {

/// The message of the exception of type Exception, or one derived from it, that `call` throws: one line. A failure if
/// it throws nothing.
template <class Exception, class Call> std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Exception& e) {
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    return e.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

/// The message of the invalid_argument that `call` throws.
template <class Call> std::string refusal_of(const Call& call) { return message_of<invalid_argument>(call); }

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline void expect_in(const std::string& text, const std::string& part) {
  EXPECT_TRUE(contains(text, part)) << text;
}

} // namespace evenly
