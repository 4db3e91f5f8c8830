// SPDX-License-Identifier: Apache-2.0
// What the library throws. Every message names the value and the rule that it broke, in one line.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "evenly/core/annotations.hpp"

namespace evenly {

/// Base of all exceptions thrown by evenly.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument breaks a documented rule (`offsets[17] = 40 is less than offsets[16] = 52: ...`).
class invalid_argument : public error {
 public:
  using error::error;
};

/// The device or the executor failed: out of memory, a CUDA call, a launch.
class device_error : public error {
 public:
  using error::error;
};

/// The simulated GPU saw a program error: a race, a collective that not all its threads reach, a deadlock.
class simulation_error : public error {
 public:
  using error::error;
};

/// Throws invalid_argument(message()) unless `holds`. The message is made only when it is needed.
template <class Message> void require(bool holds, Message&& message) {
  if (!holds) throw invalid_argument(std::string(std::forward<Message>(message)()));
}

} // namespace evenly
