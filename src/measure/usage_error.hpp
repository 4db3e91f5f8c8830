// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evenly/core/errors.hpp"

namespace evenly::measure {

/// The command line is wrong. The message lists what could have been said.
class usage_error : public error {
 public:
  using error::error;
};

} // namespace evenly::measure
